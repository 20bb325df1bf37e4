//! Sets of small numbers.

/// A set of numbers, as bits. Sets that are combined have the same length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// The empty set of numbers below `length`.
    pub fn none(length: usize) -> Bits {
        Bits(vec![0; length.div_ceil(64)])
    }

    /// Whether the number is in.
    #[inline]
    pub fn has(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Puts a number in; the set grows if it must.
    #[inline]
    pub fn insert(&mut self, number: usize) {
        if self.0.len() <= number / 64 {
            self.0.resize(number / 64 + 1, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Takes a number out.
    pub fn remove(&mut self, number: usize) {
        if let Some(word) = self.0.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Takes all out.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    /// Keeps what is in `other` too.
    #[inline]
    pub fn keep(&mut self, other: &Bits) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= other;
        }
    }

    /// Whether nothing is in.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    /// The numbers, smallest first.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(place, word)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(place * 64 + bit)
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_is_a_set(one in prop::collection::btree_set(0_usize..200, 0..40), other in prop::collection::btree_set(0_usize..200, 0..40)) {
            let bits = |set: &BTreeSet<usize>| {
                let mut bits = Bits::none(200);
                set.iter().for_each(|number| bits.insert(*number));
                bits
            };
            let mut both = bits(&one);
            both.keep(&bits(&other));
            let expected: BTreeSet<usize> = one.intersection(&other).copied().collect();
            prop_assert_eq!(both.iter().collect::<BTreeSet<_>>(), expected.clone());
            prop_assert_eq!(both.is_empty(), expected.is_empty());
        }
    }
}
