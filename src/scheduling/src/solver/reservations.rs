//! How many machines are left of each reservation, and who holds them (core v1.9.0 `scheduling/reservationmanager.go`).
//!
//! A NodeClaim holds every reservation that it could be launched with, so that none is promised twice.

use crate::instance_type::{InstanceType, capacity_type};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The reservations of a pass.
#[derive(Clone, Debug, Default)]
pub struct Reservations {
    left: BTreeMap<Rc<str>, u32>,
    held: BTreeMap<usize, BTreeSet<Rc<str>>>,
}

impl Reservations {
    /// Those that the types offer. Where two tell different counts, the lower holds.
    pub fn of<'a>(types: impl Iterator<Item = &'a InstanceType>, id_label: &str) -> Reservations {
        let mut left: BTreeMap<Rc<str>, u32> = BTreeMap::new();
        let offerings = types.flat_map(|one| &one.offerings);
        for one in offerings.filter(|one| one.capacity_type() == capacity_type::RESERVED) {
            let count = left.entry(one.reservation_id(id_label).into()).or_insert(one.reservation_capacity);
            *count = (*count).min(one.reservation_capacity);
        }
        Reservations { left, held: BTreeMap::new() }
    }

    /// Whether a NodeClaim holds the reservation, or could.
    pub fn can_reserve(&self, claim: usize, id: &str) -> bool {
        self.holds(claim, id) || self.left.get(id).is_some_and(|left| *left > 0)
    }

    fn holds(&self, claim: usize, id: &str) -> bool {
        self.held.get(&claim).is_some_and(|held| held.contains(id))
    }

    /// Lets a NodeClaim hold these reservations and no others.
    pub fn hold(&mut self, claim: usize, ids: &BTreeSet<Rc<str>>) {
        let held = self.held.entry(claim).or_default();
        for id in ids.difference(held) {
            let left = self.left.get_mut(id).filter(|left| **left > 0);
            *left.expect("a reservation is held only where one is left") -= 1;
        }
        for id in held.difference(ids) {
            *self.left.entry(id.clone()).or_default() += 1;
        }
        held.clone_from(ids);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instance_type::{Offering, Price};
    use crate::requirements::Requirements;
    use lkesim_kube::object::ResourceList;

    fn ids(ids: &[&str]) -> BTreeSet<Rc<str>> {
        ids.iter().map(|id| Rc::from(*id)).collect()
    }

    #[test]
    fn the_lower_of_two_counts_holds_and_what_is_let_go_is_free() {
        let offering = |left| Offering::reserved("a", "id", "r", Price::from_micro_dollars(1), left);
        let one = InstanceType {
            name: "t".into(),
            requirements: Requirements::NONE,
            offerings: vec![offering(3), offering(1)],
            capacity: ResourceList::EMPTY,
            allocatable: ResourceList::EMPTY,
        };
        let mut reservations = Reservations::of([&one].into_iter(), "id");
        reservations.hold(0, &ids(&["r"]));
        assert!(reservations.can_reserve(0, "r"));
        assert!(!reservations.can_reserve(1, "r"));
        reservations.hold(0, &ids(&[]));
        assert!(reservations.can_reserve(1, "r"));
        assert!(!reservations.can_reserve(1, "unknown"));
    }
}
