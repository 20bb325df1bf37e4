//! The same scenario on the kernel and on a tokio `LocalSet` with a paused clock: no code under test knows which.
//!
//! Tokio's clock ticks in milliseconds, so every delay is a constant, and an even number of them: a call takes one
//! half there and one back. No two delays are equal: no order hangs on which of two timers of an instant fires first.

use crate::support::{Run, broken};
use lkesim_judge::Outcome;
use lkesim_runtime::real::on_tokio;
use lkesim_scenario::presets::TABLE;
use lkesim_sim::run_on;
use std::collections::BTreeSet;

pub fn with_constant_delays(name: &str) -> Run {
    let knobs: BTreeSet<&str> = TABLE.iter().map(|row| row.knob).collect();
    let delay = |(place, knob): (usize, &&str)| match *knob {
        "cloud.lags.boot" => format!("{knob}=61026ms"),
        "kubernetes.join" => format!("{knob}=60014ms"),
        _ => format!("{knob}={}ms", 106 + 22 * place),
    };
    let sets: Vec<String> = knobs.iter().enumerate().map(delay).collect();
    sets.into_iter().fold(Run::builtin(name), Run::set)
}

fn on_tokio_with_a_paused_clock(run: &Run) -> Outcome {
    let tokio = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime of tokio");
    let request = run.request();
    tokio::task::LocalSet::new().block_on(&tokio, async { run_on(on_tokio(), &request).await }).expect("it runs")
}

/// All but the kernel's own count of steps and the hash that has its schedule in it.
pub fn without_schedule(outcome: Outcome) -> Outcome {
    Outcome { digest: String::new(), events: 0, ..outcome }
}

/// With one NodeClaim the order is forced: all of the outcome is the same, every time and every call.
#[track_caller]
fn check_all_is_the_same(name: &str) {
    let run = with_constant_delays(name);
    let simulated = without_schedule(run.outcome());
    assert_eq!(simulated.claims.initialized, 1);
    assert_eq!((simulated.instances.created, simulated.instances.unclaimed_at_end), (1, 0));
    assert_eq!(broken(&simulated), Vec::<&str>::new());
    let real = without_schedule(on_tokio_with_a_paused_clock(&run));
    assert_eq!(simulated, real);
}

#[test]
fn one_claim_on_standard_comes_to_the_same_end() {
    check_all_is_the_same("one-claim-standard");
}

#[test]
fn one_claim_on_enterprise_comes_to_the_same_end() {
    check_all_is_the_same("one-claim-enterprise");
}

/// Twelve claims of three keys: who is first is the driver's choice, what comes of it is not.
#[test]
fn two_node_pools_come_to_the_same_end() {
    let run = with_constant_delays("two-pools");
    let (simulated, real) = (run.outcome(), on_tokio_with_a_paused_clock(&run));
    assert_eq!(simulated.claims.launched, 12);
    assert_eq!(simulated.claims, real.claims);
    assert_eq!(simulated.instances, real.instances);
    assert_eq!(simulated.taints, real.taints);
    assert_eq!(simulated.ending.settled, real.ending.settled);
    let pools_made = |outcome: &Outcome| outcome.api.by_endpoint["CreateLKENodePool"].calls;
    assert_eq!((pools_made(&simulated), pools_made(&real)), (3, 3));
    assert_eq!(broken(&simulated), broken(&real));
}
