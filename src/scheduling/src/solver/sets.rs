//! Sets of requirements by number, so that what was found out of two of them is found out once.
//!
//! Thousands of NodeClaims differ by their host name and little else. The host name is therefore kept apart: a set
//! here has no requirement on it, and few sets are left.

use super::memo::Memo;
use crate::requirement::Requirement;
use crate::requirements::{Requirements, WellKnownLabels};
use lkesim_kube::object::labels;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A set's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SetId(pub u32);

/// A set, and the requirement on the host name that was taken out of it.
#[derive(Clone, Debug)]
pub struct Split {
    /// All but the host name.
    pub set: SetId,
    /// The host name.
    pub host: Option<Rc<Requirement>>,
}

impl Split {
    /// Whether a node of this host name is allowed.
    pub fn allows_host(&self, host: &str) -> bool {
        self.host.as_ref().is_none_or(|requirement| requirement.has(host))
    }
}

/// What stands in a memo for "they can't hold together".
const INCOMPATIBLE: u32 = u32::MAX;

/// All sets that a pass meets.
#[derive(Debug)]
pub struct Sets {
    all: Vec<Rc<Requirements>>,
    numbers: BTreeMap<Rc<Requirements>, SetId>,
    has_min_values: Vec<bool>,
    joined: [Memo; 2],
    added: Memo,
    well_known: WellKnownLabels,
}

impl Sets {
    /// No set but the empty one, which is number 0.
    pub fn new(well_known: WellKnownLabels) -> Sets {
        let mut sets = Sets {
            all: Vec::new(),
            numbers: BTreeMap::new(),
            has_min_values: Vec::new(),
            joined: Default::default(),
            added: Memo::default(),
            well_known,
        };
        sets.number(Requirements::NONE);
        sets
    }

    /// The number of a set, which has no requirement on the host name.
    pub fn number(&mut self, set: Requirements) -> SetId {
        if let Some(known) = self.numbers.get(&set) {
            return *known;
        }
        let id = SetId(u32::try_from(self.all.len()).expect("fewer than 2^32 sets"));
        let set = Rc::new(set);
        self.has_min_values.push(set.has_min_values());
        self.all.push(set.clone());
        self.numbers.insert(set, id);
        id
    }

    /// A set without its host name, and that.
    pub fn split(&mut self, mut set: Requirements) -> Split {
        let host = set.remove(labels::HOSTNAME);
        Split { set: self.number(set), host }
    }

    /// The set of a number.
    pub fn get(&self, id: SetId) -> &Rc<Requirements> {
        &self.all[id.0 as usize]
    }

    /// Whether any requirement has `minValues`.
    pub fn has_min_values(&self, id: SetId) -> bool {
        self.has_min_values[id.0 as usize]
    }

    /// The labels that may be asked for though not defined.
    pub fn well_known(&self) -> &WellKnownLabels {
        &self.well_known
    }

    /// `existing` with `asked` added, if it is compatible. `allow`: whether well-known labels may be undefined.
    #[inline]
    pub fn join(&mut self, existing: SetId, asked: SetId, allow: bool) -> Option<SetId> {
        if let Some(known) = self.joined[usize::from(allow)].get(existing.0, asked.0) {
            return (known != INCOMPATIBLE).then_some(SetId(known));
        }
        let allowed = allow.then_some(&self.well_known);
        let compatible = self.get(existing).compatible(self.get(asked), allowed).is_ok();
        let joined = compatible.then(|| self.add(existing, asked));
        self.joined[usize::from(allow)].put(existing.0, asked.0, joined.map_or(INCOMPATIBLE, |set| set.0));
        joined
    }

    /// Whether what has `existing` can have `asked`.
    pub fn is_compatible(&mut self, existing: SetId, asked: SetId, allow: bool) -> bool {
        self.join(existing, asked, allow).is_some()
    }

    /// `existing` with `asked` added, whether they are compatible or not.
    pub fn add(&mut self, existing: SetId, asked: SetId) -> SetId {
        if let Some(known) = self.added.get(existing.0, asked.0) {
            return SetId(known);
        }
        let mut sum = Requirements::clone(self.get(existing));
        sum.add_all(&self.get(asked).clone());
        let sum = self.number(sum);
        self.added.put(existing.0, asked.0, sum.0);
        sum
    }

    /// The whole set, with the host name in place.
    pub fn whole(&self, set: SetId, host: Option<&Rc<Requirement>>) -> Requirements {
        let mut whole = Requirements::clone(self.get(set));
        if let Some(host) = host {
            whole.add(host.clone());
        }
        whole
    }
}
