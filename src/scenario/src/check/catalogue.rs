//! Checks of a catalogue of instance types.

use super::Checker;
use crate::catalogue::{CapacityType, InstanceType};
use crate::path::Path;
use crate::value::Amount;
use lkesim_kube::object::resource_list::names;
use std::collections::{BTreeMap, BTreeSet};

/// The most instance types of a catalogue.
const MOST: usize = 2_000;

impl Checker<'_> {
    pub(super) fn catalogue(&mut self) {
        let path = Path::default().key("catalogue");
        let types = &self.scenario.catalogue;
        if types.len() > MOST {
            self.wrong(path, format!("{} instance types are listed; expected at most {MOST}", types.len()));
            return;
        }
        let mut names = BTreeSet::new();
        for (place, one) in types.iter().enumerate() {
            let path = path.index(place);
            if one.name.is_empty() {
                self.wrong(path.key("name"), "expected a name");
            }
            if !names.insert(&one.name) {
                self.wrong(path.key("name"), format!("the instance type `{}` stands twice", one.name));
            }
            if self.names.types.contains(&&*one.name) {
                self.wrong(path.key("name"), format!("`{}` is a plan of Linode's; expected another name", one.name));
            }
            for (field, amounts) in [("resources", &one.resources), ("overhead", &one.overhead)] {
                self.amounts_of_nodes(&path.key(field), amounts);
            }
            self.labels_of_type(&path.key("labels"), one);
            self.offerings(&path.key("offerings"), one);
        }
    }

    /// Machines here have these resources and no others.
    fn amounts_of_nodes(&mut self, path: &Path, amounts: &BTreeMap<String, Amount>) {
        let known = [names::CPU, names::MEMORY, names::EPHEMERAL_STORAGE, names::PODS, names::GPU];
        for name in amounts.keys().filter(|name| !known.contains(&&***name)) {
            let message = format!("machines have no `{name}` here; expected one of {}", known.join(", "));
            self.wrong(path.key(name), message);
        }
    }

    fn labels_of_type(&mut self, path: &Path, one: &InstanceType) {
        for (key, value) in &one.labels {
            self.printable(path.key(key), key);
            self.printable(path.key(key), value);
        }
    }

    fn offerings(&mut self, path: &Path, one: &InstanceType) {
        if one.offerings.is_empty() {
            self.wrong(path.clone(), "the list is empty; expected at least one offering");
        }
        for (place, offering) in one.offerings.iter().enumerate() {
            let path = path.index(place);
            match (&offering.reservation, offering.capacity_type) {
                (None, CapacityType::Reserved) => {
                    self.wrong(path.key("capacity_type"), "reserved capacity is of a `reservation`");
                }
                (Some(_), CapacityType::OnDemand | CapacityType::Spot) => {
                    self.wrong(path.key("reservation"), "a reservation is of `capacity_type: reserved`");
                }
                _ => {}
            }
        }
    }
}
