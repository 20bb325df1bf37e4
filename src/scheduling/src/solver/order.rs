//! The order in which NodeClaims to be are tried: those with the fewest pods first.

use crate::go_sort;

/// NodeClaims to be with their number of pods, sorted before each attempt as upstream sorts them.
#[derive(Clone, Debug, Default)]
pub struct Order {
    entries: Vec<(u32, u32)>,
    is_sorted: bool,
}

impl Order {
    /// A NodeClaim that was opened with its first pod.
    pub fn open(&mut self, claim: usize) {
        self.entries.push((1, u32::try_from(claim).expect("fewer than 2^32 NodeClaims")));
        self.is_sorted = false;
    }

    /// The NodeClaim at a place has one pod more.
    pub fn grow(&mut self, place: usize) {
        self.entries[place].0 += 1;
        self.is_sorted = false;
    }

    /// Sorts, if anything changed.
    pub fn sort(&mut self) {
        if !self.is_sorted {
            go_sort::sort(&mut self.entries, |one, other| one.0 < other.0);
            self.is_sorted = true;
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The NodeClaim at a place.
    #[inline]
    pub fn claim(&self, place: usize) -> usize {
        self.entries[place].1 as usize
    }
}
