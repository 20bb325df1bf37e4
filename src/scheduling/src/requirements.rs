//! Requirements on several labels, and how sets of them are compared (core v1.9.0 `pkg/scheduling/requirements.go`).

use crate::requirement::Requirement;
use lkesim_kube::object::{PodSpec, Requirement as Selector, StringMap, labels};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

/// One requirement a label. Requirements on the same label are intersected.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requirements(BTreeMap<Rc<str>, Rc<Requirement>>);

/// Labels that Karpenter knows, and which a NodeClaim need not define before a pod may ask for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WellKnownLabels(BTreeSet<Rc<str>>);

/// The eight that the core knows by itself.
const WELL_KNOWN: [&str; 8] = [
    labels::NODE_POOL,
    labels::ZONE,
    labels::REGION,
    labels::INSTANCE_TYPE,
    labels::ARCH,
    labels::OS,
    labels::CAPACITY_TYPE,
    labels::WINDOWS_BUILD,
];

impl Default for WellKnownLabels {
    fn default() -> WellKnownLabels {
        WellKnownLabels(WELL_KNOWN.into_iter().map(Rc::from).collect())
    }
}

impl WellKnownLabels {
    /// With labels that a provider adds.
    #[must_use]
    pub fn with(mut self, more: impl IntoIterator<Item = impl Into<Rc<str>>>) -> WellKnownLabels {
        self.0.extend(more.into_iter().map(Into::into));
        self
    }

    /// Without labels that a provider takes away.
    #[must_use]
    pub fn without<'a>(mut self, gone: impl IntoIterator<Item = &'a str>) -> WellKnownLabels {
        for key in gone {
            self.0.remove(key);
        }
        self
    }

    /// Whether the label is one of them.
    pub fn has(&self, key: &str) -> bool {
        self.0.contains(key)
    }
}

/// Why two sets of requirements can't hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incompatible {
    /// A label is asked for that the other does not define.
    Undefined {
        /// The label.
        key: Rc<str>,
        /// What was perhaps meant.
        typo_of: Option<Rc<str>>,
    },
    /// No value is allowed by both: what is asked for, and what there is.
    Disjoint(Vec<(Rc<Requirement>, Rc<Requirement>)>),
}

impl Requirements {
    /// No requirement.
    pub const NONE: Requirements = Requirements(BTreeMap::new());

    /// Those of node selector requirements.
    pub fn of_selectors<'a>(selectors: impl IntoIterator<Item = &'a Selector>) -> Requirements {
        selectors.into_iter().map(Requirement::new).collect()
    }

    /// Each label with its value.
    pub fn of_labels(labels: &StringMap) -> Requirements {
        labels.iter().map(|(key, value)| Requirement::any_of(key.clone(), [value.clone()])).collect()
    }

    /// What a pod needs of its node: its node selector, the first of its required terms, and, unless `strict`, the
    /// heaviest preference, all as requirements.
    pub fn of_pod(pod: &PodSpec, strict: bool) -> Requirements {
        let mut found = Requirements::of_labels(&pod.node_selector);
        let Some(affinity) = &pod.node_affinity else { return found };
        if !strict {
            let heaviest = affinity.preferred.iter().map(|one| one.weight).max();
            let first = affinity.preferred.iter().find(|one| Some(one.weight) == heaviest);
            if let Some(preferred) = first {
                found.add_all(&Requirements::of_selectors(&preferred.term.match_expressions));
            }
        }
        if let Some(term) = affinity.required.first() {
            found.add_all(&Requirements::of_selectors(&term.match_expressions));
        }
        found
    }

    /// Adds a requirement to what there is on its label.
    pub fn add(&mut self, requirement: impl Into<Rc<Requirement>>) {
        let requirement = requirement.into();
        match self.0.get_mut(&requirement.key) {
            Some(existing) => *existing = Rc::new(requirement.intersection(existing)),
            None => {
                self.0.insert(requirement.key.clone(), requirement);
            }
        }
    }

    /// Adds all of `other`.
    pub fn add_all(&mut self, other: &Requirements) {
        other.0.values().for_each(|requirement| self.add(requirement.clone()));
    }

    /// Puts a requirement in the place of what there is on its label.
    pub fn replace(&mut self, requirement: Requirement) {
        self.0.insert(requirement.key.clone(), Rc::new(requirement));
    }

    /// Takes the requirement on a label out.
    pub fn remove(&mut self, key: &str) -> Option<Rc<Requirement>> {
        self.0.remove(key)
    }

    /// The requirement on a label, if there is one.
    pub fn get(&self, key: &str) -> Option<&Rc<Requirement>> {
        self.0.get(key)
    }

    /// All, in the order of their labels.
    pub fn iter(&self) -> impl Iterator<Item = &Rc<Requirement>> {
        self.0.values()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any has `minValues`.
    pub fn has_min_values(&self) -> bool {
        self.0.values().any(|requirement| requirement.min_values.is_some())
    }

    /// Whether what `asked` needs can be met by what has these requirements. A label that is not defined here can't
    /// be asked for, unless it is one of `allowed`; that the label is not set can.
    pub fn compatible(&self, asked: &Requirements, allowed: Option<&WellKnownLabels>) -> Result<(), Incompatible> {
        for (key, requirement) in &asked.0 {
            let is_allowed = allowed.is_some_and(|allowed| allowed.has(key));
            if !is_allowed && !self.0.contains_key(key) && !requirement.is_met_without() {
                return Err(Incompatible::Undefined { key: key.clone(), typo_of: self.typo_of(key, allowed) });
            }
        }
        self.intersects(asked)
    }

    /// Whether on each label that both have a requirement on, some value is allowed by both; or both are met by a
    /// node without the label.
    pub fn intersects(&self, other: &Requirements) -> Result<(), Incompatible> {
        let (few, many) = if self.0.len() > other.0.len() { (other, self) } else { (self, other) };
        let mut disjoint = Vec::new();
        for key in few.0.keys().filter(|key| many.0.contains_key(*key)) {
            let (existing, incoming) = (&self.0[key], &other.0[key]);
            let both_without = incoming.is_met_without() && existing.is_met_without();
            if !existing.has_intersection(incoming) && !both_without {
                disjoint.push((incoming.clone(), existing.clone()));
            }
        }
        if disjoint.is_empty() { Ok(()) } else { Err(Incompatible::Disjoint(disjoint)) }
    }

    /// A label that is known and looks like `key`. Upstream takes any that does, here the first by name.
    fn typo_of(&self, key: &str, allowed: Option<&WellKnownLabels>) -> Option<Rc<str>> {
        let suffix = key.split_once('/').map_or(key, |(_, after)| after);
        let looks_so = |known: &&Rc<str>| known.contains(key) || known.ends_with(suffix);
        let well_known = allowed.into_iter().flat_map(|allowed| &allowed.0);
        well_known.chain(self.0.keys()).find(looks_so).cloned()
    }
}

impl<R: Into<Rc<Requirement>>> FromIterator<R> for Requirements {
    fn from_iter<I: IntoIterator<Item = R>>(entries: I) -> Requirements {
        let mut found = Requirements::NONE;
        entries.into_iter().for_each(|requirement| found.add(requirement));
        found
    }
}

impl fmt::Display for Requirements {
    /// Sorted by their text; the host name, which stands for no real one, is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = self.0.values().filter(|requirement| *requirement.key != *labels::HOSTNAME);
        let mut texts: Vec<String> = shown.map(ToString::to_string).collect();
        texts.sort_unstable();
        f.write_str(&texts.join(", "))
    }
}

impl fmt::Display for Incompatible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incompatible::Undefined { key, typo_of } => {
                write!(f, "label \"{key}\" does not have known values")?;
                match typo_of {
                    Some(known) => write!(f, " (typo of \"{known}\"?)"),
                    None => Ok(()),
                }
            }
            Incompatible::Disjoint(pairs) => {
                let text = |(incoming, existing): &(Rc<Requirement>, Rc<Requirement>)| {
                    format!("key {}, {incoming} not in {existing}", incoming.key)
                };
                f.write_str(&pairs.iter().map(text).collect::<Vec<_>>().join("; "))
            }
        }
    }
}

#[cfg(test)]
mod tests;
