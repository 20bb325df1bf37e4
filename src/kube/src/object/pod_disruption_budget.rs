//! PodDisruptionBudget: how many pods an eviction must leave.

use super::meta::in_namespace;
use super::{Kind, LabelSelector, Object, ObjectMeta, merge};
use crate::store::{Change, ObjectChange, Table, Tables};
use std::rc::Rc;

/// `policy/v1` PodDisruptionBudget. Its name in the store is that of [`in_namespace`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PodDisruptionBudget {
    /// Name, versions, labels.
    pub metadata: ObjectMeta,
    /// Its namespace.
    pub namespace: Rc<str>,
    /// The pods that it is about.
    pub selector: Rc<LabelSelector>,
    /// What must be left.
    pub bound: Bound,
    /// Whether pods that are not ready may always be evicted (`unhealthyPodEvictionPolicy: AlwaysAllow`).
    pub always_allows_unhealthy: bool,
}

/// How much disruption a budget allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// So many pods must stay ready.
    MinAvailable(Share),
    /// So many pods may be not ready.
    MaxUnavailable(Share),
}

/// A number of pods, or a share of those that there should be, in percent; a share is rounded up, as upstream does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Share {
    /// So many.
    Pods(u32),
    /// So many of a hundred.
    Percent(u32),
}

impl Share {
    /// How many pods of so many.
    pub fn of(self, pods: u32) -> u32 {
        match self {
            Share::Pods(count) => count,
            Share::Percent(percent) => {
                let share = (u64::from(pods) * u64::from(percent)).div_ceil(100);
                u32::try_from(share).unwrap_or(u32::MAX)
            }
        }
    }
}

impl PodDisruptionBudget {
    /// A new budget.
    pub fn new(namespace: &str, name: &str, selector: LabelSelector, bound: Bound) -> PodDisruptionBudget {
        PodDisruptionBudget {
            metadata: ObjectMeta::named(in_namespace(namespace, name)),
            namespace: namespace.into(),
            selector: Rc::new(selector),
            bound,
            always_allows_unhealthy: false,
        }
    }
}

impl Object for PodDisruptionBudget {
    const KIND: Kind = Kind::PodDisruptionBudget;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn merge_spec(&mut self, base: &PodDisruptionBudget, changed: &PodDisruptionBudget) {
        merge(&mut self.selector, &base.selector, &changed.selector);
        merge(&mut self.bound, &base.bound, &changed.bound);
    }

    fn merge_status(&mut self, _: &PodDisruptionBudget, _: &PodDisruptionBudget) {}

    fn to_change(change: Change<PodDisruptionBudget>) -> ObjectChange {
        ObjectChange::PodDisruptionBudget(change)
    }

    fn table(tables: &Tables) -> &Table<PodDisruptionBudget> {
        &tables.pod_disruption_budgets
    }
}
