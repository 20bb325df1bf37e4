//! Answers that are remembered, by a pair of small numbers.

/// A map from pairs of numbers to numbers: open addressing, the same on every machine.
#[derive(Clone, Debug, Default)]
pub struct Memo {
    slots: Vec<(u64, u32)>,
    count: usize,
}

const FREE: u64 = u64::MAX;

impl Memo {
    /// What is remembered.
    #[inline]
    pub fn get(&self, one: u32, other: u32) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let key = key(one, other);
        let mut at = self.home(key);
        loop {
            match self.slots[at] {
                (FREE, _) => return None,
                (found, value) if found == key => return Some(value),
                _ => at = (at + 1) & (self.slots.len() - 1),
            }
        }
    }

    /// Remembers, whatever was remembered before.
    pub fn put(&mut self, one: u32, other: u32, value: u32) {
        if self.count * 2 >= self.slots.len() {
            let size = (self.slots.len() * 2).max(64);
            let old = std::mem::replace(&mut self.slots, vec![(FREE, 0); size]);
            self.count = 0;
            old.into_iter().filter(|slot| slot.0 != FREE).for_each(|(key, value)| self.set(key, value));
        }
        self.set(key(one, other), value);
    }

    fn set(&mut self, key: u64, value: u32) {
        let mut at = self.home(key);
        while self.slots[at].0 != FREE && self.slots[at].0 != key {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.count += usize::from(self.slots[at].0 == FREE);
        self.slots[at] = (key, value);
    }

    fn home(&self, key: u64) -> usize {
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.slots.len() - 1)
    }
}

#[inline]
fn key(one: u32, other: u32) -> u64 {
    u64::from(one) << 32 | u64::from(other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_is_a_map(puts in prop::collection::vec((0_u32..30, 0_u32..30, any::<u32>()), 0..300)) {
            let (mut memo, mut model) = (Memo::default(), BTreeMap::new());
            for (one, other, value) in puts {
                memo.put(one, other, value);
                model.insert((one, other), value);
            }
            for one in 0..30 {
                for other in 0..30 {
                    prop_assert_eq!(memo.get(one, other), model.get(&(one, other)).copied());
                }
            }
        }
    }
}
