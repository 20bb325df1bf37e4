//! Several clusters in one run.

use crate::support::{Run, design, figure, lkesim};
use lkesim_judge::Outcome;
use lkesim_judge::trace::TraceEvent;
use proptest::prelude::*;

const TWO: &str = "clusters: [{name: blue}, {name: green}]\n";

/// The second has no base pool, as the account's next pool would have another id, and a Node's luck goes by its name.
const IDLE: &str = "clusters: [{name: blue}, {name: green, base_pool: {count: 0}}]\n";

fn yaml(clusters: &str, tier: &str, rest: &str) -> Run {
    let text = format!("about: x\nduration: 10m\ncloud: {{tier: {tier}, limits: none}}\n{clusters}{rest}");
    Run::yaml("clusters", &text)
}

/// What an idle cluster beside it must leave as it is.
fn of_its_own(outcome: &Outcome) -> impl PartialEq + std::fmt::Debug + use<> {
    let broken = outcome.invariants.iter().filter(|found| !found.held);
    let broken: Vec<_> = broken.map(|found| (found.name.clone(), found.count)).collect();
    let creates = outcome.api.by_operation.get("Create").cloned();
    (
        outcome.claims.clone(),
        outcome.time_to.clone(),
        outcome.taints.clone(),
        outcome.instances.clone(),
        broken,
        creates,
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    /// Instance mode is left out: garbage collection of the idle cluster deletes the other's Linodes.
    #[test]
    fn an_idle_cluster_changes_nothing_in_the_one_beside_it(
        of in prop::sample::select(vec!["documented", "documented-strict", "v0.1.3", "shipped"]),
        tier in prop::sample::select(vec!["standard", "enterprise"]),
        claims in 1..6_u32,
        every in 0..20_u32,
        deleted in 0..2_u32,
        seed in 1..1_000_u64,
    ) {
        let mut steps = format!("workload:\n- create: {{claims: {claims}, at: 30s, every: {every}s}}\n");
        if deleted > 0 {
            steps.push_str("- delete: {claims: 1, at: 4m}\n");
        }
        let outcome = |clusters: &str| yaml(clusters, tier, &steps).design(design(of)).seed(seed).outcome();
        prop_assert_eq!(of_its_own(&outcome("")), of_its_own(&outcome(IDLE)));
    }
}

#[test]
fn a_name_alone_is_one_cluster_as_without() {
    let steps = "workload: [create: {claims: 3}]\n";
    let (none, one) = (yaml("", "enterprise", steps), yaml("clusters: [{name: lkesim}]\n", "enterprise", steps));
    assert_eq!(none.outcome().digest, one.outcome().digest);
}

#[test]
fn chaos_meets_the_cluster_that_it_names() {
    let steps = "workload: [create: {claims: 2}]\nchaos: [crash: {at: 1m, cluster: green}]\n";
    let (_, trace) = yaml(TWO, "enterprise", steps).traced();
    let stopped = trace.events.iter().filter_map(|line| match line.what {
        TraceEvent::ProcessStopped { cluster, start } => Some((cluster, start, line.at_ms)),
        _ => None,
    });
    assert_eq!(stopped.collect::<Vec<_>>(), [(23_456, 1, 60_000)]);
}

#[test]
fn a_cluster_has_the_design_that_it_names_and_a_run_of_two_has_no_budget() {
    let clusters = "clusters: [{name: blue}, {name: green, design: shipped}]\n";
    let steps = "workload: [create: {claims: 2}, create: {claims: 2, cluster: green, name: other}]\n";
    let outcome = yaml(clusters, "standard", steps).outcome();
    assert_eq!(figure(&outcome, "claims.initialized"), 4);
    assert!(outcome.budgets.is_empty());
    let same = yaml(TWO, "standard", steps).outcome();
    assert!(!same.budgets.is_empty());
}

#[test]
fn a_start_and_a_hand_reach_the_cluster_that_they_name() {
    let rest = "start: {lke_pools: [{claims: 2, cluster: green}, {claims: 2}]}\nworkload: []\n\
        by_hand: [delete_linode: {claim: claim-1, cluster: green, at: 1m}]\n";
    let (_, trace) = yaml(TWO, "standard", rest).traced();
    let gone = trace.events.iter().filter_map(|line| match &line.what {
        TraceEvent::NodeClaimGone { claim } => Some(claim.name.as_str()),
        _ => None,
    });
    assert_eq!(gone.collect::<Vec<_>>(), ["green/claim-1"]);
}

#[test]
fn a_claim_is_shown_by_its_cluster_and_name() {
    let folder = std::env::temp_dir().join(format!("lkesim-clusters-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let trace = folder.join("trace").display().to_string();
    lkesim(&["run", "two-clusters-one-account", "--trace", &trace]);
    let (code, _, error) = lkesim(&["show", &trace, "--claim", "claim-1"]);
    assert_eq!(code, 2);
    assert!(error.contains("`blue/claim-1`, `green/claim-1`"), "{error}");
    let (code, story, _) = lkesim(&["show", &trace, "--claim", "green/claim-1"]);
    let (replayed, _, _) = lkesim(&["replay", &trace]);
    std::fs::remove_dir_all(&folder).expect("it is there");
    assert_eq!((code, replayed), (0, 0));
    assert!(story.contains("nodeclaim/green/claim-1") && !story.contains("Create for nodeclaim/blue"), "{story}");
}

#[test]
fn clusters_of_two_tiers_are_each_as_their_tier_is() {
    let clusters = "clusters: [{name: blue}, {name: green, tier: standard, token: own}]\n";
    let steps = "workload: [create: {claims: 2, name: b}, create: {claims: 2, cluster: green, name: g}]\n";
    let (outcome, trace) = yaml(clusters, "enterprise", steps).traced();
    assert_eq!(figure(&outcome, "claims.initialized"), 4);
    assert!(outcome.budgets.is_empty(), "a budget is of one tier");
    let tagged_by_the_cloud: Vec<bool> = trace
        .events
        .iter()
        .filter_map(|line| match &line.what {
            TraceEvent::LinodeTagged { after, call: None, .. } => Some(after.iter().any(|tag| tag == "lke12345")),
            _ => None,
        })
        .collect();
    assert!(!tagged_by_the_cloud.is_empty() && tagged_by_the_cloud.iter().all(|of_blue| *of_blue));
    let labels = trace.events.iter().filter_map(|line| match &line.what {
        TraceEvent::LinodeCreated { label, .. } => label.strip_prefix("lke23456-"),
        _ => None,
    });
    // As linodego has recorded them: the pool's id and a node's twelve digits.
    let of_standard = |label: &str| label.split_once('-').is_some_and(|(_, digits)| digits.len() == 12);
    assert!(labels.clone().count() >= 2 && labels.clone().all(of_standard), "{:?}", labels.collect::<Vec<_>>());
}
