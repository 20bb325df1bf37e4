//! The slow, obvious twin of each invariant: it knows no index and reads the whole history for every question.
//!
//! Random streams of plausible events must break each invariant at the same event as its twin, and what must hold in
//! the end must hold at the same moments.

mod always;
mod beliefs;
mod eventually;
mod pods;
mod streams;
mod world;

use super::stream::{Stream, clusters};
use super::{INVARIANTS, Judge};
use crate::outcome::Kind;
use proptest::prelude::*;
use world::World;

/// A twin: whether the invariant is broken by the last event of the history, or does not hold after it.
type Twin = fn(&World<'_>) -> bool;

const TWINS: &[(&str, Twin)] = &[
    ("one-claim-per-instance", always::a_linode_has_two_live_holders),
    ("one-instance-per-claim", always::a_live_claim_has_two_linodes),
    ("one-pool-per-key", always::two_pools_share_a_key),
    ("claim-in-own-pool", always::a_claim_holds_a_strange_linode),
    ("create-returns-a-living-linode", always::a_create_returned_what_is_gone),
    ("launched-has-provider-id", always::a_launched_claim_lacks_or_changes_its_provider_id),
    ("delete-removes-only-its-target", always::a_delete_took_anothers_linode),
    ("scale-matches-demand", always::a_count_rose_above_demand),
    ("scale-up-never-shrinks", always::a_scale_up_lowered_a_count),
    ("no-lost-scale", always::a_scale_up_missed_its_difference),
    ("gc-spares-the-claimed", always::garbage_collection_took_a_claimed_linode),
    ("finalizer-after-instance", always::a_finalizer_went_before_its_linode),
    ("claim-tag-survives", always::a_held_linode_lost_a_tag),
    ("no-claim-tag-on-a-pool", always::a_pool_got_a_claim_tag),
    ("an-error-is-not-absence", always::an_error_was_taken_for_absence),
    ("only-the-scheduler-binds", pods::another_than_the_scheduler_bound),
    ("provisioner-only-adds", pods::a_pass_deleted),
    ("nodepool-limits-hold", pods::a_claim_broke_a_limit),
    ("orphans-collected", eventually::a_linode_is_unheld),
    ("claims-settle", eventually::a_claim_is_unsettled),
    ("pods-run", pods::a_pod_waits_without_a_reason),
    ("state-agrees", eventually::something_disagrees),
];

/// By invariant: the event that breaks it first, or for what must hold in the end, every event after which it does not.
fn by_twins(stream: &Stream) -> Vec<Vec<usize>> {
    let broken = |(name, twin): &(&str, Twin)| {
        let after = |last: &usize| twin(&World { events: &stream.events[..=*last] });
        let all = (0..stream.events.len()).filter(after);
        if is_eventual(name) { all.collect() } else { all.take(1).collect() }
    };
    TWINS.iter().map(broken).collect()
}

fn by_judge(stream: &Stream) -> Vec<Vec<usize>> {
    let mut judge = Judge::new(clusters());
    let mut broken = vec![Vec::new(); INVARIANTS.len()];
    for (index, event) in stream.events.iter().enumerate() {
        judge.see(event);
        assert_eq!(judge.is_settled(), judge.is_settled_by_asking_all(), "after {event:?}");
        for ((name, found), broken) in judge.findings().zip(&mut broken) {
            if found.count() > 0 && broken.is_empty() {
                broken.push(index);
            }
            if is_eventual(name) && judge.does_not_hold(name) {
                broken.push(index);
            }
        }
    }
    broken
}

fn is_eventual(name: &str) -> bool {
    super::by_name(name).is_some_and(|info| info.kind == Kind::Eventually)
}

fn agree(stream: &Stream) -> Result<(), TestCaseError> {
    for (((name, _), twin), judge) in TWINS.iter().zip(by_twins(stream)).zip(by_judge(stream)) {
        let last = twin.first().into_iter().chain(judge.first()).min().copied().unwrap_or_default();
        let story = || stream.events[..stream.events.len().min(last + 1)].iter().map(|event| format!("\n{event:?}"));
        prop_assert_eq!(&twin, &judge, "{}: twin and judge differ{}", name, story().collect::<String>());
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_judge_finds_what_a_full_scan_finds(steps in streams::steps(70)) {
        agree(&streams::told(&steps))?;
    }
}

#[test]
fn every_invariant_has_its_twin() {
    let names: Vec<&str> = INVARIANTS.iter().map(|info| info.name).collect();
    let twins: Vec<&str> = TWINS.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, twins);
}

/// Random streams that never break an invariant would compare nothing.
#[test]
fn random_streams_break_every_invariant() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut broken = vec![0; INVARIANTS.len()];
    for _ in 0..400 {
        let steps = streams::steps(120).new_tree(&mut runner).expect("a strategy without filters").current();
        for (count, found) in broken.iter_mut().zip(by_judge(&streams::told(&steps))) {
            *count += usize::from(!found.is_empty());
        }
    }
    for (info, count) in INVARIANTS.iter().zip(&broken) {
        assert!(*count > 0, "{} broke in no stream: {broken:?}", info.name);
    }
}
