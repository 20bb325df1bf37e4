//! How often each thing happened, for draws that are keyed by "the n-th time".

use crate::Entity;

/// Counts by entity: open addressing over hashes that are mixed already. It is never walked, so its order decides
/// nothing.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Of a length that is a power of two, at the most half full; a count of 0 is a free place.
    table: Vec<(u64, u64)>,
    used: usize,
}

impl Tally {
    const START: usize = 64;

    /// Counts once more for `entity`; 1 is the first time.
    ///
    /// Two entities that share a hash share a count: once in 2⁶⁴ pairs.
    #[inline]
    pub fn next(&mut self, entity: Entity) -> u64 {
        if self.used * 2 >= self.table.len() {
            self.grow();
        }
        let key = entity.as_u64();
        let place = self.place(key);
        let (known, count) = &mut self.table[place];
        *known = key;
        *count += 1;
        self.used += usize::from(*count == 1);
        *count
    }

    /// Every entity that was counted, with its count, in no order that means anything.
    pub fn counts(&self) -> impl Iterator<Item = (Entity, u64)> {
        let counted = self.table.iter().filter(|(_, count)| *count > 0);
        counted.map(|&(key, count)| (Entity::from_u64(key), count))
    }

    /// The tally that has these counts.
    pub fn of(counts: impl IntoIterator<Item = (Entity, u64)>) -> Tally {
        let mut tally = Tally::default();
        for (entity, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            tally.next(entity);
            let place = tally.place(entity.as_u64());
            tally.table[place].1 = count;
        }
        tally
    }

    /// Where the key is, or is to be.
    #[inline]
    fn place(&self, key: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut place = key as usize & mask;
        while self.table[place].1 > 0 && self.table[place].0 != key {
            place = (place + 1) & mask;
        }
        place
    }

    #[cold]
    fn grow(&mut self) {
        let larger = vec![(0, 0); (self.table.len() * 2).max(Tally::START)];
        for (key, count) in std::mem::replace(&mut self.table, larger) {
            if count > 0 {
                let place = self.place(key);
                self.table[place] = (key, count);
            }
        }
    }
}

#[cfg(test)]
mod tests;
