//! A provider's instance types as the scheduling simulation knows them.

use crate::cloud_provider;
use lkesim_kube::object::labels;
use lkesim_scheduling::{InstanceType, Offering, Price, Requirement, Requirements};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// By name, the types that were translated last. A provider tells the same ones pass after pass.
#[derive(Default)]
pub struct InstanceTypes(RefCell<BTreeMap<Rc<str>, Translated>>);

/// What a provider told, and what that is here. As the former is kept, no other has its address.
type Translated = (Rc<cloud_provider::InstanceType>, Rc<InstanceType>);

impl InstanceTypes {
    /// A provider's type, which is translated unless it is the very one of before.
    pub fn known(&self, from: &Rc<cloud_provider::InstanceType>) -> Rc<InstanceType> {
        let mut known = self.0.borrow_mut();
        if let Some((before, translated)) = known.get(&from.name)
            && Rc::ptr_eq(before, from)
        {
            return translated.clone();
        }
        let translated = Rc::new(instance_type(from));
        known.insert(from.name.clone(), (from.clone(), translated.clone()));
        translated
    }
}

fn instance_type(from: &cloud_provider::InstanceType) -> InstanceType {
    let mut requirements = Requirements::of_labels(&from.labels);
    // Linode has no zones: its provider's offerings are of regions (provider e1c5200 pkg/providers/instancetype/offering).
    let place = if from.labels.contains_key(labels::REGION) { labels::REGION } else { labels::ZONE };
    let places = from.offerings.iter().map(|one| one.zone.clone());
    requirements.add(Requirement::any_of(place, places));
    let kinds = from.offerings.iter().map(|one| Rc::from(one.capacity_type));
    requirements.add(Requirement::any_of(labels::CAPACITY_TYPE, kinds));
    let ids = from.offerings.iter().filter_map(|one| Some(one.reservation.as_ref()?.id.clone()));
    let ids: Vec<Rc<str>> = ids.collect();
    if !ids.is_empty() {
        requirements.add(Requirement::any_of(labels::RESERVATION_ID, ids));
    }
    let offering = |one: &cloud_provider::Offering| {
        let price = Price::from_micro_dollars(one.price);
        match &one.reservation {
            Some(of) => Offering {
                available: one.available,
                ..Offering::reserved(&one.zone, labels::RESERVATION_ID, &of.id, price, of.left)
            },
            None => Offering::at((place, &one.zone), one.capacity_type, price, one.available),
        }
    };
    InstanceType {
        name: from.name.clone(),
        requirements,
        offerings: from.offerings.iter().map(offering).collect(),
        capacity: (&from.capacity).into(),
        allocatable: (&from.allocatable).into(),
    }
}
