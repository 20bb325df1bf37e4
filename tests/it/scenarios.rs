//! Every built-in scenario comes out as it says.

use crate::support::{Run, broken, design, figure, lkesim, read};
use lkesim_judge::figures::NO_REASON;
use lkesim_judge::outcome::Verdict;
use lkesim_lke::{DESIGNS, Design};
use lkesim_scenario::{Scenario, builtin};

#[test]
fn every_scenario_passes_its_own_check() {
    for scenario in builtin::all() {
        let (code, _, err) = lkesim(&["check", scenario.name]);
        assert_eq!((code, err.as_str()), (0, ""), "{}", scenario.name);
        assert!(!Run::builtin(scenario.name).scenario().about.trim().is_empty(), "{}", scenario.name);
    }
}

/// A scenario that names a design is about that one, and the others that it expects something of; any other is run
/// under all.
#[test]
fn every_scenario_comes_out_as_expected_with_seed_1() {
    let (mut failed, mut unexplained) = (Vec::new(), Vec::new());
    for scenario in builtin::all() {
        let run = Run::builtin(scenario.name);
        let written = run.scenario();
        let is_meant = |design: &&&Design| {
            let name = design.facts.name;
            written.design.as_deref().is_none_or(|own| own == name || written.expect.speaks_of(name))
        };
        for design in DESIGNS.iter().filter(is_meant) {
            let outcome = run.clone().design(design).outcome();
            unexplained.extend(outcome.budgets.iter().filter_map(|row| {
                let difference = row.difference.as_deref()?.strip_suffix(NO_REASON)?;
                Some(format!("{} under {}: {} {difference}", scenario.name, design.facts.name, row.name))
            }));
            if outcome.verdict != Verdict::Pass {
                let missed = outcome.expectations.iter().filter(|row| !row.held);
                let missed: Vec<_> = missed.map(|row| (&row.figure, &row.expected, row.actual)).collect();
                let name = design.facts.name;
                failed.push(format!(
                    "{} under {name}: broken {:?}, missed {missed:?}",
                    scenario.name,
                    broken(&outcome)
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(unexplained.is_empty(), "calls beside the budget without a reason:\n{}", unexplained.join("\n"));
}

/// The scenarios in which the five designs of the document and of the real provider are told apart. `orphans` is three.
const TOLD_APART: [&str; 26] = [
    "two-clusters-one-account",
    "rate-limited",
    "sold-out",
    "sells-out-between-refreshes",
    "pool-create-400",
    "availability-restricted",
    "scale-down",
    "delete-young-node",
    "crash-between-claim-and-status",
    "crash-between-scale-and-claim",
    "orphans-enterprise",
    "orphans-standard",
    "orphans-by-pool",
    "gc-100-orphans",
    "two-pools-one-key",
    "two-instances-one-claim",
    "two-tags-one-instance",
    "prefix-pool-ids",
    "long-names",
    "second-claim-other-labels",
    "offerings-burst",
    "shared-token",
    "two-leaders",
    "pool-full",
    "hand-deleted",
    "direct-creates",
];

/// Whether the design lacks a setting that the scenario needs: a run under it ends before it begins.
fn is_refused(scenario: &Scenario, design: &Design) -> bool {
    let has = design.setting_names();
    scenario.provider.named().iter().any(|name| !has.contains(name))
}

/// Figures of its own, or those of all designs where it is run with all. The test above holds each to what it says.
#[test]
fn each_scenario_that_tells_designs_apart_has_figures_of_each_or_is_refused_by_it() {
    let mut silent = Vec::new();
    for name in TOLD_APART {
        let scenario = Run::builtin(name).scenario();
        for of in ["documented", "documented-strict", "v0.1.3", "shipped", "direct-instances"] {
            let is_run = scenario.design.is_none() || scenario.expect.speaks_of(of);
            let has_figures = is_run && scenario.expect.figures(of).next().is_some();
            match (has_figures, is_refused(&scenario, design(of))) {
                (true, true) => silent.push(format!("{name} has figures of {of}, which refuses it")),
                (false, false) => silent.push(format!("{name} has no figure of {of}")),
                _ => {}
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

#[test]
fn generated_files_are_current() {
    assert!(read("scenarios/README.md") == builtin::readme(), "scenarios/README.md is old");
    let schema = format!("{:#}\n", lkesim_scenario::schema());
    assert!(read("scenarios/schema.json") == schema, "scenarios/schema.json is old");
}

/// The longer a Linode stays unseen, the more Linodes are asked for: Create's scaled flag ends with its deadline.
#[test]
fn a_linode_that_stays_unseen_is_asked_for_again() {
    let mut table = String::from("unseen  Linodes  launched  for 100 launched  failed  unclaimed minutes\n");
    let mut by_lag = Vec::new();
    for seconds in [0, 5, 10, 20, 30, 60, 90, 180] {
        let set = format!("cloud.lags.instance_seen={seconds}s");
        let outcome = Run::builtin("requeue-overscale").set(set).outcome();
        let created = figure(&outcome, "instances.created");
        table.push_str(&format!(
            "{:>5}s  {created:>7}  {:>8}  {:>16}  {:>6}  {:>17}\n",
            seconds,
            outcome.claims.launched,
            outcome.instances.created_per_100_launched,
            outcome.claims.failed,
            outcome.instances.unclaimed_minutes,
        ));
        by_lag.push(created);
    }
    insta::assert_snapshot!("requeue_overscale", table);
    assert_eq!(by_lag[0], 1, "a Linode that is seen at once is asked for once");
    assert!(by_lag.is_sorted(), "{by_lag:?}");
    assert!(by_lag[7] > by_lag[3], "{by_lag:?}");
}
