//! Generated scenarios: what holds for every one of them.
//!
//! Cases are few and small. With `PROPTEST_RNG_SEED` they are the same each time; `PROPTEST_CASES` makes them more.

use crate::planted::locked_by_claim;
use crate::support::{Run, broken, design, invariant};
use lkesim_explore::{Drawn, Palette, portfolio};
use lkesim_judge::Outcome;
use lkesim_judge::figures::NO_REASON;
use lkesim_judge::trace::{Trace, TraceEvent};
use lkesim_lke::{DESIGNS, Design};
use lkesim_runtime::Seed;
use lkesim_sim::{Order, Plan, Request, RunError, Simulator};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

/// A small scenario, its seed and its order.
#[derive(Clone)]
struct Case {
    tier: &'static str,
    preset: &'static str,
    types: u32,
    claims: u32,
    every_ms: u64,
    deleted: u32,
    sets: Vec<String>,
    faults: Vec<String>,
    seed: u64,
    order: Option<u64>,
}

impl Case {
    fn text(&self) -> String {
        let mut text =
            format!("about: A generated case.\npreset: {}\ncloud: {{tier: {}}}\nworkload:\n", self.preset, self.tier);
        for (place, plan) in ["g6-standard-2", "g6-standard-4"].into_iter().take(self.types as usize).enumerate() {
            let claims = (self.claims + place as u32) / self.types;
            if claims > 0 {
                let every = self.every_ms;
                text.push_str(&format!("  - create: {{claims: {claims}, type: {plan}, every: {every}ms}}\n"));
            }
        }
        if self.deleted > 0 {
            text.push_str(&format!("  - delete: {{claims: {}, at: 6m}}\n", self.deleted.min(self.claims)));
        }
        if !self.faults.is_empty() {
            text.push_str("faults:\n");
        }
        for fault in &self.faults {
            text.push_str(&format!("  - {fault}\n"));
        }
        text
    }

    fn run(&self, design: &'static Design) -> Run {
        let order = self.order.map_or(Order::Fifo, |seed| Order::Random(Seed(seed)));
        let run = Run::yaml("generated", &self.text()).design(design).seed(self.seed).order(order);
        self.sets.iter().fold(run, |run, set| run.set(set.clone()))
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}, order {:?}, sets {:?}", self.seed, self.order, self.sets)?;
        f.write_str(&self.text())
    }
}

const SETS: &[&str] = &[
    "cloud.lags.instance_seen=0s",
    "cloud.lags.instance_seen=12s",
    "cloud.lags.tag_to_get={p0: 0s, p99: 8s}",
    "cloud.lags.tag_to_get=20s",
    "cloud.lags.tag_to_list=20s",
    "cloud.lags.members=50s",
    "cloud.lags.slot_id={p50: 1s, p99: 9s}",
    "cloud.lags.pool_list=3s",
    "cloud.latency.list={p50: 300ms, p99: 3s}",
    "cloud.latency.put={p50: 100ms, p99: 3s}",
    "cloud.latency.get=250ms",
    "cloud.list_order=newest",
    "cloud.list_order=shuffled",
    "cloud.limits.list=12/1m",
    "karpenter.controller_cpus=4",
];

/// Settings that leave alone what the design document states of lags: calls that take time, and slots that fill late.
const MILD_SETS: &[&str] = &[
    "cloud.latency.list={p50: 120ms, p99: 800ms}",
    "cloud.latency.put={p50: 200ms, p99: 1s}",
    "cloud.latency.get={p50: 60ms, p99: 400ms}",
    "cloud.lags.slot_id={p50: 0s, p99: 2s}",
    "karpenter.controller_cpus=4",
];

const FAULTS: &[&str] = &[
    "refuse: {call: UpdateLKENodePool, status: 503, nth: 1..2}",
    "refuse: {call: ListInstances, status: 500, chance: 10%}",
    "refuse: {call: CreateLKENodePool, status: 400, reason: bad, nth: 1}",
    "refuse: {call: UpdateInstance, status: 429, nth: 2}",
    "lose: {call: CreateLKENodePool, nth: 1}",
    "lose: {call: UpdateInstance, chance: 20%}",
    "delay: {call: ListLKENodePools, by: 12s, chance: 10%}",
];

fn some_of(table: &'static [&'static str], most: usize) -> impl Strategy<Value = Vec<String>> {
    prop::sample::subsequence(table, 0..=most).prop_map(|some| some.into_iter().map(str::to_owned).collect())
}

fn cases(
    presets: &'static [&'static str],
    sets: &'static [&'static str],
    faults: &'static [&'static str],
) -> impl Strategy<Value = Case> {
    let world = (prop::sample::select(&["standard", "enterprise"][..]), prop::sample::select(presets));
    let workload = (1..=2_u32, 1..=8_u32, prop::sample::select(&[0, 100, 1_500][..]), 0..=3_u32);
    let luck = (any::<u64>(), prop::option::of(any::<u64>()));
    let trouble = (some_of(sets, 2), some_of(faults, faults.len().min(2)));
    (world, workload, trouble, luck).prop_map(|(world, workload, trouble, luck)| Case {
        tier: world.0,
        preset: world.1,
        types: workload.0.min(workload.1),
        claims: workload.1,
        every_ms: workload.2,
        deleted: workload.3,
        sets: trouble.0,
        faults: trouble.1,
        seed: luck.0,
        order: luck.1,
    })
}

fn any_case() -> impl Strategy<Value = Case> {
    cases(&["default", "document", "zero"], SETS, FAULTS)
}

/// What the design document assumes, and nothing that goes wrong.
fn case_of_the_document() -> impl Strategy<Value = Case> {
    cases(&["document"], MILD_SETS, &[])
}

const TWO: [&str; 2] = ["one-claim-per-instance", "one-instance-per-claim"];

/// As many cases as `PROPTEST_CASES` says, else a few: each is a whole run.
fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    Config { cases: cases.unwrap_or(32), failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn equal_runs_have_equal_digests_and_figures_add_up(case in any_case()) {
        let run = case.run(design("documented"));
        let (outcome, trace) = run.traced();
        prop_assert_eq!(&run.outcome().digest, &outcome.digest);
        check_conservation(&outcome, &trace)?;
    }

    #[test]
    fn departures_repeat_any_run(case in any_case()) {
        let run = case.run(design("documented"));
        let first = run.ran();
        let again = run.order(Order::Replay(first.deviations)).ran();
        prop_assert_eq!(again.unmatched, Vec::<String>::new());
        prop_assert_eq!(again.outcome, first.outcome);
    }

    #[test]
    fn whatever_is_beside_a_budget_has_its_reason(case in any_case(), drawn in 0..u64::from(u32::MAX)) {
        for &design in DESIGNS {
            check_reasons(design, &case.run(design).outcome())?;
            let Drawn { name, scenario } = Palette::WithoutPods.draw(drawn, design);
            let request = Request {
                plan: Rc::new(Plan::new(&scenario)),
                name,
                design,
                seed: Seed(drawn),
                order: portfolio::order(drawn),
                as_written: false,
            };
            match Simulator::new().run(&request, None) {
                Ok(ran) => check_reasons(design, &ran.outcome)?,
                // A design that this scenario is not about.
                Err(RunError::NotModelled(_)) => {}
                Err(error) => prop_assert!(false, "{} {drawn}: {error}", design.facts.name),
            }
        }
    }

    #[test]
    fn as_the_document_assumes_no_linode_is_claimed_twice(case in case_of_the_document()) {
        check_two(&case, design("documented"))?;
    }
}

/// Holdings from the trace alone, against the figures of the outcome.
fn check_conservation(outcome: &Outcome, trace: &Trace) -> Result<(), TestCaseError> {
    let mut managed = BTreeSet::new();
    let mut live = BTreeSet::new();
    let mut created = 0;
    let mut held: BTreeMap<u64, u64> = BTreeMap::new();
    let mut requested = 0;
    for line in &trace.events {
        match &line.what {
            TraceEvent::LkePoolCreated { lke_pool, node_pool: Some(_), .. } => {
                managed.insert(*lke_pool);
            }
            TraceEvent::LinodeCreated { linode, lke_pool: Some(lke_pool), .. } if managed.contains(lke_pool) => {
                live.insert(*linode);
                created += 1;
            }
            TraceEvent::LinodeDeleted { linode, .. } => {
                live.remove(linode);
            }
            TraceEvent::NodeClaimCreated { .. } => requested += 1,
            TraceEvent::NodeClaimProviderId { claim, after: Some(linode), .. } => {
                held.insert(claim.uid, *linode);
            }
            TraceEvent::NodeClaimDeleting { claim, .. } | TraceEvent::NodeClaimGone { claim } => {
                held.remove(&claim.uid);
            }
            _ => {}
        }
    }
    let holders: BTreeSet<u64> = held.values().copied().collect();
    let unclaimed = live.difference(&holders).count() as u64;
    prop_assert_eq!(outcome.instances.created, created);
    prop_assert_eq!(outcome.claims.requested, requested);
    prop_assert_eq!(outcome.instances.unclaimed_at_end, unclaimed);
    let claims = &outcome.claims;
    prop_assert!(claims.initialized <= claims.registered && claims.registered <= claims.launched, "{claims:?}");
    prop_assert!(claims.launched <= claims.requested, "{claims:?}");
    prop_assert!(outcome.instances.peak <= outcome.instances.created);
    let by_endpoint: u64 = outcome.api.by_endpoint.values().map(|of| of.calls).sum();
    let by_cause: u64 = outcome.api.by_cause.values().sum();
    let by_class: u64 = outcome.api.by_class.values().map(|of| of.calls).sum();
    prop_assert_eq!((by_endpoint, by_cause, by_class), (outcome.api.calls, outcome.api.calls, outcome.api.calls));
    Ok(())
}

fn check_reasons(design: &Design, outcome: &Outcome) -> Result<(), TestCaseError> {
    for row in &outcome.budgets {
        let difference = row.difference.as_deref().unwrap_or_default();
        let (name, stated) = (design.facts.name, row.stated.as_deref().unwrap_or_default());
        prop_assert!(!difference.ends_with(NO_REASON), "{name}: {} ({stated}): {difference}", row.name);
    }
    Ok(())
}

fn check_two(case: &Case, design: &'static Design) -> Result<(), TestCaseError> {
    let outcome = case.run(design).outcome();
    for name in TWO {
        let found = invariant(&outcome, name);
        prop_assert!(found.held, "{name}: {:?}, broken {:?}", found.violations, broken(&outcome));
    }
    Ok(())
}

/// The property above has teeth: with the lock keyed by claim, the same cases find the double claim, and make it small.
#[test]
fn a_design_that_locks_by_claim_is_found() {
    let config = Config { cases: 64, failure_persistence: None, max_shrink_iters: 256, ..Config::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let found =
        TestRunner::new_with_rng(config, rng).run(&case_of_the_document(), |case| check_two(&case, locked_by_claim()));
    match found {
        Err(TestError::Fail(_, case)) => {
            assert!(case.claims <= 3, "it was not made small: {case:?}")
        }
        other => panic!("the planted mistake was not found: {other:?}"),
    }
}
