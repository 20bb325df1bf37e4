//! Where garbage collection looks for Linodes that nobody owns: at List, or into the LKE pools.

use crate::support::{Run, broken, design, figure};
use lkesim_judge::outcome::Outcome;
use lkesim_sim::{RunError, Simulator};

fn outcome(scenario: &str, by: &str) -> Outcome {
    Run::builtin(scenario).set(format!("provider.orphans_by={by}")).outcome()
}

/// What each collection deleted, and the reads of single Linodes that it took to look.
fn collected(outcome: &Outcome) -> (i64, i64) {
    (figure(outcome, "sometimes.orphan_deleted"), figure(outcome, "api.by_operation.List.calls.GetInstance.calls"))
}

/// Tags of a LKE pool do not reach its Linodes on Standard, so that the list by tag shows one of six.
#[test]
fn on_standard_the_pools_show_orphans_that_the_list_misses() {
    let (by_list, by_pool) = (outcome("orphans-standard", "list"), outcome("orphans-standard", "pool"));
    assert_eq!(collected(&by_list), (1, 0));
    assert_eq!(broken(&by_list), ["orphans-collected", "state-agrees"]);
    let (deleted, reads) = collected(&by_pool);
    assert_eq!(deleted, 6);
    assert!(broken(&by_pool).is_empty(), "{:?}", broken(&by_pool));
    assert!(reads > 100, "every node at every pass: {reads}");
    assert_eq!(figure(&by_pool, "instances.unclaimed_at_end"), 0);
    let unclaimed = |outcome| figure(outcome, "instances.unclaimed_minutes");
    assert!(unclaimed(&by_pool) < unclaimed(&by_list), "{} < {}", unclaimed(&by_pool), unclaimed(&by_list));
}

/// The Linodes inherited the tags there: both find all six, and the pools only cost more.
#[test]
fn on_enterprise_both_find_the_same_and_the_pools_cost_a_read_for_each_node() {
    let (by_list, by_pool) = (outcome("orphans-enterprise", "list"), outcome("orphans-enterprise", "pool"));
    assert_eq!(collected(&by_list), (6, 0));
    let (deleted, reads) = collected(&by_pool);
    assert_eq!(deleted, 6);
    assert!(reads > 100 && figure(&by_pool, "api.calls") > figure(&by_list, "api.calls") + 100, "{reads}");
    assert!(broken(&by_list).is_empty() && broken(&by_pool).is_empty());
}

#[test]
fn a_design_that_looks_at_the_list_alone_has_no_such_setting() {
    for name in ["shipped", "v0.1.3", "direct-instances"] {
        let run = Run::builtin("orphans-standard").set("provider.orphans_by=pool").design(design(name));
        match Simulator::new().run(&run.request(), None) {
            Err(RunError::NotModelled(what)) => assert!(what.contains("`provider.orphans_by`"), "{name}: {what}"),
            _ => panic!("{name} was run"),
        }
    }
}
