//! Every built-in scenario comes out as it says.

use crate::support::{Run, broken, figure, lkesim, read};
use lkesim_judge::figures::NO_REASON;
use lkesim_judge::outcome::Verdict;
use lkesim_lke::{DESIGNS, Design};
use lkesim_scenario::builtin;

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
