//! Every invariant can break and can hold: a scenario shows the one, and one that is all but the same shows the other.
//!
//! Where no design, fault or setting breaks one, a design does that is made to break it. It is told here, so that an
//! invariant that nothing can break is known as such.

use crate::planted::{Meddling, meddler};
use crate::support::{Run, broken, design, invariant};
use lkesim_judge::invariants::INVARIANTS;
use lkesim_scenario::builtin;
use std::collections::BTreeMap;

/// The invariants that no scenario breaks, and what does, in which scenario.
const PLANTED: [(&str, Meddling, &str); 1] =
    [("provisioner-only-adds", Meddling::DeletesAsProvisioner, "pods/five-pods")];

/// A scenario, and the design under which it shows something.
type Under = (&'static str, String);

/// By invariant: the scenarios that list it under `violates`, and those that name it as a near miss.
fn shown() -> BTreeMap<String, [Vec<Under>; 2]> {
    let mut shown: BTreeMap<String, [Vec<Under>; 2]> = BTreeMap::new();
    for found in builtin::all() {
        let scenario = Run::builtin(found.name).scenario();
        for (design, violations) in scenario.expect.violates {
            for violation in violations {
                shown.entry(violation.invariant).or_default()[0].push((found.name, design.to_string()));
            }
        }
        let design = scenario.design.unwrap_or_else(|| "documented".to_owned());
        for name in scenario.expect.near_miss {
            shown.entry(name).or_default()[1].push((found.name, design.clone()));
        }
    }
    shown
}

/// `every_scenario_comes_out_as_expected_with_seed_1` runs them all, so that what is listed here is true.
#[test]
fn each_invariant_has_a_scenario_that_breaks_it_and_one_that_all_but_does() {
    let shown = shown();
    let mut missing = Vec::new();
    for info in INVARIANTS {
        let [broken, near] = shown.get(info.name).cloned().unwrap_or_default();
        let planted = PLANTED.iter().any(|(name, ..)| *name == info.name);
        assert!(!planted || broken.is_empty(), "{} needs no planted design: {broken:?} break it", info.name);
        if broken.is_empty() && !planted {
            missing.push(format!("{}: nothing breaks it", info.name));
        }
        if near.is_empty() {
            missing.push(format!("{}: no near miss", info.name));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn a_planted_design_breaks_what_no_scenario_can_and_nothing_else_that_comes_first() {
    for (name, meddling, scenario) in PLANTED {
        let run = Run::builtin(scenario).design(meddler(meddling));
        let outcome = run.outcome();
        let found = invariant(&outcome, name);
        assert_eq!(
            found.violations.first().map(|violation| violation.at_ms / 60_000),
            Some(5),
            "{:?}",
            broken(&outcome)
        );
        let near = Run::builtin(scenario).design(design("documented")).outcome();
        assert!(broken(&near).is_empty());
    }
}

/// The cache of the process that leads is part of what must agree. With a watch that lags by 4 min the NodeClaim goes at
/// 17:09, which the cache hears at 21:09; the run ends at 20:30, 150 s into its calm, as all else agrees.
#[test]
fn a_cache_that_lags_by_more_than_the_end_of_the_calm_disagrees_and_a_quicker_one_does_not() {
    let text = "about: A NodeClaim goes, and its controller hears of it late.\n\
                duration: 18m\n\
                start: {lke_pools: [{type: g6-standard-4, claims: 2}]}\n\
                workload: [{delete: {claims: 1, at: 1m}}]\n";
    for (watch, disagrees) in [("4m", true), ("3m", false)] {
        let outcome = Run::yaml("late", text).set(format!("kubernetes.watch={watch}")).outcome();
        let expected = if disagrees { vec!["state-agrees"] } else { Vec::new() };
        assert_eq!(broken(&outcome), expected, "{watch}");
        if disagrees {
            let found = &invariant(&outcome, "state-agrees").violations;
            let texts: Vec<&str> = found.iter().map(|violation| violation.text.as_str()).collect();
            assert_eq!(texts, ["nodeclaim/claim-1: process 1 knows it to exist, and it is gone"]);
        }
    }
}

/// Nodes too. The one here is initialized 150 s before the run ends, as nothing else is waited for; a write to it that came
/// before can only be under way where a watch lags by more.
#[test]
fn a_cache_that_lags_by_more_than_the_last_150_s_is_wrong_of_a_node_and_a_quicker_one_is_not() {
    let text = "about: A node is initialized, and its controller hears of it late.\n\
                duration: 2m\n\
                workload: [{create: {claims: 1, type: g6-standard-4}}]\n";
    for (watch, disagrees) in [("3m", true), ("150s", false)] {
        let outcome = Run::yaml("late", text).set(format!("kubernetes.watch={watch}")).outcome();
        let found = &invariant(&outcome, "state-agrees").violations;
        let told: Vec<&str> =
            found.iter().filter_map(|found| found.text.split_once(": ")).map(|(_, told)| told).collect();
        let expected = if disagrees { vec!["state-agrees"] } else { Vec::new() };
        assert_eq!(broken(&outcome), expected, "{watch}");
        assert!(found.iter().all(|found| found.objects[0].starts_with("node/")), "{watch}: {found:?}");
        if disagrees {
            assert_eq!(told, ["process 1 knows version 3 of it, and stored is version 5"]);
        }
    }
}

/// And all else of which it has a cache. Each object is written to 160 s before the run ends.
const WRITTEN_LATE: &str = "\
about: Objects change, and the controllers hear of it late.
cloud: {base_pool: {schedulable: true}}
duration: 6m
manifests:
  - {apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {containers: [{name: c}]}}
  - {apiVersion: apps/v1, kind: Deployment, metadata: {name: web}, spec: {replicas: 0, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: c}]}}}}
  - {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web}, spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}}
  - {apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: general}, spec: {template: {spec: {nodeClassRef: {group: karpenter.k8s.linode, kind: LinodeNodeClass, name: default}, requirements: []}}}}
  - {apiVersion: karpenter.k8s.linode/v1alpha1, kind: LinodeNodeClass, metadata: {name: default}, spec: {}}
workload:
  - {patch: {of: NodePool/general, at: 350s, with: {spec: {weight: 5}}}}
  - {patch: {of: LinodeNodeClass/default, at: 350s, with: {metadata: {labels: {a: b}}}}}
  - {patch: {of: Deployment/web, at: 350s, with: {metadata: {labels: {a: b}}}}}
  - {patch: {of: PodDisruptionBudget/web, at: 350s, with: {metadata: {labels: {a: b}}}}}
  - {patch: {of: Pod/one, at: 350s, with: {metadata: {labels: {a: b}}}}}
";

#[test]
fn a_cache_that_lags_is_wrong_of_each_kind_that_was_written_to() {
    for (watch, kinds) in [("4m", 5), ("150s", 0)] {
        let outcome = Run::yaml("late", WRITTEN_LATE).set(format!("kubernetes.watch={watch}")).outcome();
        let found = &invariant(&outcome, "state-agrees").violations;
        let of: Vec<&str> = found.iter().map(|found| found.objects[0].as_str()).collect();
        let all =
            ["nodeclass/default", "nodepool/general", "workload/Deployment/web", "poddisruptionbudget/web", "pod/one"];
        assert_eq!(of, all[..kinds], "{watch}");
    }
}

/// A near miss is one of something: some other scenario breaks the same invariant under the same design.
#[test]
fn a_near_miss_is_of_an_invariant_that_its_design_breaks_elsewhere() {
    for (name, [broken, near]) in shown() {
        let planted = PLANTED.iter().any(|(planted, ..)| *planted == name);
        for (scenario, design) in near {
            let elsewhere = broken.iter().any(|(other, under)| *other != scenario && *under == design);
            assert!(
                planted || elsewhere,
                "{name} is a near miss of {scenario}, and no other scenario breaks it under {design}"
            );
        }
    }
}
