//! What happens to Karpenter's processes: crashes, a change of leader, a pause, a clock that is set.
//!
//! Source: core v1.9.0 `pkg/operator/operator.go` and client-go v0.35.1 `leaderelection`: a lease of 15 s, renewed
//! every 2 s, given up by a leader that could not renew it for 10 s, and released by one that is told to stop. Others
//! look at it every 2 to 4.4 s, and count its 15 s from when they first saw its last renewal.

use crate::fault::Calls;
use crate::value::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Something that happens to Karpenter's processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Chaos {
    /// The leader dies where it stands; with it go locks, caches, and what its Create calls returned and did not store.
    /// It keeps the lease until that runs out, and starts anew after `karpenter.restart`, as another holder: it too
    /// waits for the lease, for its whole duration from when it first sees it.
    Crash(Crash),
    /// The leader is told to stop and releases the lease, which another replica takes at its next try.
    LeaderChange(LeaderChange),
    /// The leader stands still, as in a frozen container, and works on after it. Where the lease ran out meanwhile, it
    /// does so for up to `karpenter.lease.renew_deadline` beside the one that took it.
    Pause(Pause),
    /// The clock of the leader's machine is set, as by a time service that corrects it: from then on it shows more or less
    /// than the true time, to this process and to those that start after it on the machine, until it is set again or the
    /// trouble ends. Whatever compares with a time that somebody else wrote goes wrong by as much: the age of a Linode, of
    /// a NodeClaim, of a cache's entry. Sleeps and deadlines go by a clock that nobody sets.
    ClockStep(ClockStep),
}

impl Chaos {
    /// The kind, as the file names it.
    pub fn kind(&self) -> &'static str {
        match self {
            Chaos::Crash(_) => "crash",
            Chaos::LeaderChange(_) => "leader_change",
            Chaos::Pause(_) => "pause",
            Chaos::ClockStep(_) => "clock_step",
        }
    }

    /// The cluster that it names.
    pub const fn cluster(&self) -> &Option<String> {
        match self {
            Chaos::Crash(crash) => &crash.cluster,
            Chaos::LeaderChange(change) => &change.cluster,
            Chaos::Pause(pause) => &pause.cluster,
            Chaos::ClockStep(step) => &step.cluster,
        }
    }
}

/// When the leader dies: at a time, or once the cloud has done what a call asks, before the answer arrives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `at`, or of `after` and `nth`")]
pub struct Crash {
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Span>,
    /// The call that it dies after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Calls>,
    /// The how-manieth such call of Karpenter that the cloud accepts, from 1.
    #[serde(default = "first", skip_serializing_if = "is_first")]
    pub nth: u64,
    /// The cluster whose Karpenter it happens to. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

fn first() -> u64 {
    1
}

fn is_first(nth: &u64) -> bool {
    *nth == 1
}

/// A change of leader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `at` and `overlap`")]
pub struct LeaderChange {
    /// When the lease changes hands.
    pub at: Span,
    /// How long the old leader works on beside the new one. Left out, it stops first.
    #[serde(default, skip_serializing_if = "is_none")]
    pub overlap: Span,
    /// The cluster whose Karpenter it happens to. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

fn is_none(span: &Span) -> bool {
    *span == Span::ZERO
}

/// A pause of the leader.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `at` and `for`")]
pub struct Pause {
    /// When it begins.
    pub at: Span,
    /// How long it lasts.
    #[serde(rename = "for")]
    pub length: Span,
    /// The cluster whose Karpenter it happens to. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// A clock that is set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `at`, and of `ahead` or `behind`")]
pub struct ClockStep {
    /// When.
    pub at: Span,
    /// By how much it is ahead of the true time from then on; 0s sets it right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ahead: Option<Span>,
    /// By how much it is behind the true time from then on: no more than `at`, as a run has no times before its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub behind: Option<Span>,
    /// The cluster whose Karpenter it happens to. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}

/// Leader election.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of `duration`, `renew_deadline` and `retry`")]
pub struct Lease {
    /// How long a lease lasts from its last renewal.
    pub duration: Span,
    /// How long a leader that cannot renew it goes on.
    pub renew_deadline: Span,
    /// How often a leader renews it. Another tries to take it after one to 2.2 times as long, by chance.
    pub retry: Span,
}

impl Default for Lease {
    fn default() -> Lease {
        Lease { duration: Span::secs(15), renew_deadline: Span::secs(10), retry: Span::secs(2) }
    }
}

impl Lease {
    /// Whether all is as upstream has it.
    pub fn is_usual(&self) -> bool {
        *self == Lease::default()
    }
}
