//! Values by their numbers, of which none goes.
//!
//! Linodes, LKE pools and NodeClaims are numbered as they are made, so that most stand where their number says: how far
//! it is from the first. Where numbers have gaps, they are searched for.

/// A map from numbers that come in ascending order, as a rule, and stay.
#[derive(Debug)]
pub(super) struct ById<V>(Vec<(u64, V)>);

impl<V> ById<V> {
    pub const fn new() -> ById<V> {
        ById(Vec::new())
    }

    #[inline]
    fn place(&self, id: u64) -> Result<usize, usize> {
        let first = self.0.first().map_or(id, |&(first, _)| first);
        let place = usize::try_from(id.wrapping_sub(first)).unwrap_or(usize::MAX);
        match self.0.get(place) {
            Some(&(there, _)) if there == id => Ok(place),
            _ => self.0.binary_search_by_key(&id, |&(there, _)| there),
        }
    }

    #[inline]
    pub fn get(&self, id: u64) -> Option<&V> {
        self.place(id).ok().map(|place| &self.0[place].1)
    }

    #[inline]
    pub fn get_mut(&mut self, id: u64) -> Option<&mut V> {
        self.place(id).ok().map(|place| &mut self.0[place].1)
    }

    pub fn get_or_insert_with(&mut self, id: u64, make: impl FnOnce() -> V) -> &mut V {
        let place = self.place(id).unwrap_or_else(|place| {
            self.0.insert(place, (id, make()));
            place
        });
        &mut self.0[place].1
    }

    pub fn insert(&mut self, id: u64, value: V) {
        match self.place(id) {
            Ok(place) => self.0[place].1 = value,
            Err(place) => self.0.insert(place, (id, value)),
        }
    }

    /// All, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &V)> {
        self.0.iter().map(|(id, value)| (*id, value))
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests;
