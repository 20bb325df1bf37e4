//! How long things took, one by one: what quantiles are made of, of one run or of many.

use super::quantiles::times;
use crate::outcome::TimeTo;
use std::time::Duration;

/// The times of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lasted {
    /// From each NodeClaim's creation to its providerID.
    pub launch: Reached,
    /// From each NodeClaim's creation to its node's registration.
    pub register: Reached,
    /// From each NodeClaim's creation to its ready node.
    pub ready: Reached,
    /// From the first NodeClaim's creation to the last ready node; the horizon where one never became ready.
    pub makespan_ms: u64,
    /// Where a run has pods: from each one's creation to the scheduler's choice, and to its readiness.
    pub of_pods: Option<(Reached, Reached)>,
}

/// How long it took each NodeClaim to come so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// Each, in virtual milliseconds, sorted. What never came so far counts as the horizon.
    pub all_ms: Vec<u64>,
    /// How many of them did.
    pub finished: u64,
}

impl Lasted {
    /// The quantiles of one run.
    pub fn time_to(&self) -> TimeTo {
        let of_pods = self.of_pods.as_ref();
        TimeTo {
            launch: times(&self.launch),
            register: times(&self.register),
            ready: times(&self.ready),
            bind: of_pods.map(|(bind, _)| times(bind)),
            pod_ready: of_pods.map(|(_, ready)| times(ready)),
        }
    }
}

impl Reached {
    /// These times, and as many that never came so far.
    pub fn of(finished: impl Iterator<Item = Duration>, unfinished: usize, horizon: Duration) -> Reached {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let mut all_ms: Vec<u64> = finished.map(millis).collect();
        let finished = all_ms.len();
        all_ms.resize(finished + unfinished, millis(horizon));
        all_ms.sort_unstable();
        Reached { all_ms, finished: finished as u64 }
    }
}
