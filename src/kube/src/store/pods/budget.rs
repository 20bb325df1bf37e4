//! Whether a PodDisruptionBudget allows one more disruption.
//!
//! Upstream the disruption controller counts pods into the budget's status, and an eviction takes one off it. Here the
//! store counts at the eviction: a pod that turned ready counts a little sooner than it would there, one that is evicted
//! at once, as there.

use super::Store;
use crate::ApiError;
use crate::object::pod_disruption_budget::{Bound, Share};
use crate::object::{Pod, PodDisruptionBudget, Uid, Workload, WorkloadKind};
use std::collections::BTreeSet;
use std::rc::Rc;

/// How a budget stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// How many of its pods are ready and stay.
    pub healthy: u32,
    /// How many there must be.
    pub desired: u32,
    /// How many there should be.
    pub expected: u32,
}

impl Budget {
    /// How many pods may be evicted.
    pub fn allowed(&self) -> u32 {
        if self.expected == 0 { 0 } else { self.healthy.saturating_sub(self.desired) }
    }
}

impl Store {
    pub(super) fn check_budget(&self, pod: &Pod) -> Result<(), ApiError> {
        let budgets = self.list::<PodDisruptionBudget>();
        let mut about = budgets.into_iter().filter(|budget| is_about(budget, pod));
        let Some(budget) = about.next() else { return Ok(()) };
        if about.next().is_some() {
            return Err(ApiError::SeveralBudgets { name: pod.name().clone() });
        }
        let stand = self.budget(&budget);
        if !pod.status.is_ready
            && (budget.always_allows_unhealthy || (stand.healthy >= stand.desired && stand.desired > 0))
        {
            return Ok(());
        }
        match stand.allowed() {
            0 => Err(ApiError::TooManyRequests { name: pod.name().clone() }),
            _ => Ok(()),
        }
    }

    /// How a budget stands (Kubernetes v1.33 `pkg/controller/disruption/disruption.go`): a bound in percent or on
    /// unavailable pods counts the replicas that the pods' owners want, and allows nothing where an owner has none.
    pub fn budget(&self, budget: &PodDisruptionBudget) -> Budget {
        let pods: Vec<Rc<Pod>> = self.list::<Pod>().into_iter().filter(|pod| is_about(budget, pod)).collect();
        let is_healthy = |pod: &&Rc<Pod>| pod.status.is_ready && pod.is_active();
        let healthy = count(pods.iter().filter(is_healthy).count());
        let wanted = || self.replicas_of_owners(&pods);
        let (expected, desired) = match budget.bound {
            Bound::MinAvailable(Share::Pods(least)) => (count(pods.len()), least),
            Bound::MinAvailable(share) => match wanted() {
                Some(expected) => (expected, share.of(expected)),
                None => (0, 0),
            },
            Bound::MaxUnavailable(share) => match wanted() {
                Some(expected) => (expected, expected.saturating_sub(share.of(expected))),
                None => (0, 0),
            },
        };
        Budget { healthy, desired, expected }
    }

    /// The replicas that the owners of these pods want in sum; pods without an owner are left out. `None` if an owner has
    /// no scale: a DaemonSet or a Job.
    fn replicas_of_owners(&self, pods: &[Rc<Pod>]) -> Option<u32> {
        let mut seen: BTreeSet<Uid> = BTreeSet::new();
        let mut sum = 0;
        for owner in pods.iter().filter_map(|pod| pod.metadata.owner_references.first()) {
            if !seen.insert(owner.uid) {
                continue;
            }
            let Some(workload) = self.get::<Workload>(&owner.name) else { continue };
            if matches!(workload.kind, WorkloadKind::DaemonSet | WorkloadKind::Job) {
                return None;
            }
            sum += workload.replicas;
        }
        Some(sum)
    }
}

/// The empty selector is about all pods of the namespace.
fn is_about(budget: &PodDisruptionBudget, pod: &Pod) -> bool {
    budget.namespace == pod.namespace && budget.selector.matches(&pod.metadata.labels)
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
