//! The instance types of a NodePool as bit sets: which meet a set of requirements, which have room, which can be had.

use super::amounts::{Amounts, Names};
use super::bits::Bits;
use super::sets::{SetId, Sets};
use crate::instance_type::{InstanceType, Offering};
use std::rc::Rc;

/// The types of a NodePool, in the provider's order, and what is known of them.
#[derive(Debug)]
pub struct TypeTable {
    /// The types.
    pub types: Rc<[Rc<InstanceType>]>,
    allocatable: Vec<Amounts>,
    capacity: Vec<Amounts>,
    /// For each resource: amounts, highest first, each with the types that have at least so much.
    room: Vec<Vec<(i64, Bits)>>,
    /// Types of which nothing is negative: into others fits nothing.
    sound: Bits,
    /// For each set of requirements that was asked for.
    known: Vec<Option<Rc<Suiting>>>,
    offering_sets: Vec<Vec<SetId>>,
    /// Offerings of reserved capacity that can be had: type, place.
    pub reserved: Vec<(usize, usize)>,
}

/// Which types suit a set of requirements.
#[derive(Debug)]
pub struct Suiting {
    /// By their own requirements.
    pub compatible: Bits,
    /// By an offering that can be had.
    pub offered: Bits,
    /// By both.
    pub both: Bits,
}

impl TypeTable {
    /// The table of these types. `names` knows all their resources.
    pub fn new(types: Rc<[Rc<InstanceType>]>, names: &Names, sets: &mut Sets, reserved: &str) -> TypeTable {
        let allocatable: Vec<Amounts> = types.iter().map(|one| names.row(&one.allocatable)).collect();
        let capacity = types.iter().map(|one| names.row(&one.capacity)).collect();
        let mut sound = Bits::none(types.len());
        for (place, row) in allocatable.iter().enumerate().filter(|(_, row)| row.iter().all(|amount| *amount >= 0)) {
            debug_assert_eq!(row.len(), names.len());
            sound.insert(place);
        }
        let room = (0..names.len()).map(|resource| steps(&allocatable, resource)).collect();
        let number = |one: &Offering, sets: &mut Sets| sets.number(one.requirements.clone());
        let offering_sets =
            types.iter().map(|one| one.offerings.iter().map(|offering| number(offering, sets)).collect()).collect();
        let offerings = types
            .iter()
            .enumerate()
            .flat_map(|(place, one)| one.offerings.iter().enumerate().map(move |(offering, of)| (place, offering, of)));
        let reserved = offerings.filter(|(_, _, of)| of.available && of.capacity_type() == reserved);
        let reserved = reserved.map(|(place, offering, _)| (place, offering)).collect();
        TypeTable { types, allocatable, capacity, room, sound, known: Vec::new(), offering_sets, reserved }
    }

    /// Which types suit a set of requirements.
    pub fn suiting(&mut self, set: SetId, sets: &mut Sets) -> Rc<Suiting> {
        let place = set.0 as usize;
        if let Some(Some(known)) = self.known.get(place) {
            return known.clone();
        }
        let requirements = sets.get(set).clone();
        let (mut compatible, mut offered) = (Bits::none(self.types.len()), Bits::none(self.types.len()));
        for (place, one) in self.types.iter().enumerate() {
            if one.requirements.intersects(&requirements).is_ok() {
                compatible.insert(place);
            }
            let mut offerings = one.offerings.iter().zip(&self.offering_sets[place]);
            if offerings.any(|(offering, asked)| offering.available && sets.is_compatible(set, *asked, true)) {
                offered.insert(place);
            }
        }
        let mut both = compatible.clone();
        both.keep(&offered);
        let found = Rc::new(Suiting { compatible, offered, both });
        if self.known.len() <= place {
            self.known.resize(place + 1, None);
        }
        self.known[place] = Some(found.clone());
        found
    }

    /// Keeps the types into which the requests fit.
    pub fn keep_fitting(&self, types: &mut Bits, requests: &[i64]) {
        types.keep(&self.sound);
        for (steps, wanted) in self.room.iter().zip(requests).filter(|(_, wanted)| **wanted > 0) {
            match steps.partition_point(|step| step.0 >= *wanted) {
                0 => return types.clear(),
                enough => types.keep(&steps[enough - 1].1),
            }
        }
    }

    /// The highest amount of each resource that one of the types has for pods.
    pub fn highest_allocatable(&self, types: &Bits) -> Amounts {
        highest(&self.allocatable, types, self.room.len())
    }

    /// The highest amount of each resource that one of the types has.
    pub fn highest_capacity(&self, types: &Bits) -> Amounts {
        highest(&self.capacity, types, self.room.len())
    }

    /// Keeps the types that do not have more than what is left of a limit.
    pub fn keep_within(&self, types: &mut Bits, left: &[(usize, i64)]) {
        for place in types.clone().iter() {
            if left.iter().any(|(resource, left)| self.capacity[place][*resource] > *left) {
                types.remove(place);
            }
        }
    }

    /// Whether an offering suits a set of requirements.
    pub fn offering_suits(&self, (place, offering): (usize, usize), set: SetId, sets: &mut Sets) -> bool {
        sets.is_compatible(set, self.offering_sets[place][offering], true)
    }

    /// The types of a bit set, in the provider's order.
    pub fn listed(&self, types: &Bits) -> Vec<Rc<InstanceType>> {
        types.iter().map(|place| self.types[place].clone()).collect()
    }
}

fn steps(rows: &[Amounts], resource: usize) -> Vec<(i64, Bits)> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|place| std::cmp::Reverse(rows[*place][resource]));
    let mut steps: Vec<(i64, Bits)> = Vec::new();
    let mut so_far = Bits::none(rows.len());
    for place in order {
        so_far.insert(place);
        let amount = rows[place][resource];
        match steps.last_mut().filter(|step| step.0 == amount) {
            Some(step) => step.1.insert(place),
            None => steps.push((amount, so_far.clone())),
        }
    }
    steps
}

fn highest(rows: &[Amounts], types: &Bits, resources: usize) -> Amounts {
    let mut highest = vec![0; resources];
    for place in types.iter() {
        for (highest, amount) in highest.iter_mut().zip(&rows[place]) {
            *highest = (*highest).max(*amount);
        }
    }
    highest
}
