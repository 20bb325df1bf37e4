//! Hand-made outcomes and traces, small and with one of everything.

use lkesim_judge::Outcome;
use lkesim_judge::outcome::BudgetRow;
use lkesim_judge::trace::{Header, Trace, TraceWriter};
use serde_json::json;

/// Two NodeClaims on Enterprise: one that launched, one that took the other's Linode.
pub fn failed() -> Outcome {
    let mut outcome = passed();
    let text = "linode/1001 is held by nodeclaim/burst-0 and nodeclaim/burst-1";
    let objects = ["linode/1001", "nodeclaim/burst-0", "nodeclaim/burst-1"];
    outcome.verdict = serde_json::from_value(json!("fail")).expect("a verdict");
    outcome.ending.settled = false;
    outcome.ending.unsettled = vec!["nodeclaim/burst-1 waits for its node".to_owned()];
    let broken = &mut outcome.invariants[0];
    (broken.held, broken.count) = (false, 5);
    broken.violations = [65_300, 66_000]
        .map(|at_ms| lkesim_judge::outcome::Violation {
            at_ms,
            text: text.to_owned(),
            objects: objects.map(str::to_owned).to_vec(),
        })
        .to_vec();
    outcome.expectations[0].held = false;
    outcome.expectations[0].actual = serde_json::from_value(json!(812)).ok();
    outcome
}

/// A run in which all went well.
pub fn passed() -> Outcome {
    let invariant = |name: &str, kind: &str| {
        json!({ "name": name, "kind": kind, "held": true, "expected_to_break": false, "not_promised": false, "count": 0,
            "violations": [] })
    };
    let times = |n: u64, p50: u64| json!({ "n": n, "of": 50, "p50_ms": p50, "p90_ms": p50 * 2, "p99_ms": p50 * 3, "max_ms": p50 * 3 });
    let line =
        |calls: u64, retries: u64, budget: Option<u64>| json!({ "calls": calls, "retries": retries, "budget": budget });
    let spread = |max: u64| json!({ "min": 1, "median": 1, "max": max });
    let row = |operation: &str, call: &str, stated: &str, counts: [u64; 3], a_run: [u64; 2], why: Option<&str>| {
        let [calls, retries, budget] = counts;
        json!({ "name": format!("{operation}.{call}"), "operation": operation, "call": call, "stated": stated, "runs": 50,
            "calls": calls, "retries": retries, "budget": budget, "a_run": spread(a_run[0]),
            "allowed_a_run": spread(a_run[1]), "runs_over": 5 * u64::from(calls > budget), "difference": why })
    };
    serde_json::from_value(json!({
        "schema": "lkesim.run/1", "scenario": "burst-enterprise", "about": "Fifty NodeClaims at once.",
        "design": "documented", "seed": 1, "digest": "0123456789abcdef", "virtual_ms": 1_350_000, "events": 12_345,
        "verdict": "pass",
        "ending": { "calm_from_ms": 1_200_000, "settled": true, "unsettled": [] },
        "invariants": [
            invariant("one-claim-per-instance", "always"),
            invariant("scale-matches-demand", "always"),
            invariant("orphans-collected", "eventually"),
        ],
        "expectations": [
            { "figure": "api.calls", "expected": "600..700", "actual": 650, "held": true, "decides": true },
        ],
        "api": {
            "calls": 650, "throttled": 12,
            "by_class": {
                "list": { "calls": 400, "throttled": 12, "peak_in_window": 205, "limit": 200, "window_ms": 60_000 },
                "other": { "calls": 250, "throttled": 0, "peak_in_window": 90, "limit": 1600, "window_ms": 60_000 },
                "create_instance": {
                    "calls": 0, "throttled": 0, "peak_in_window": 0, "limit": 20, "window_ms": 15_000
                },
            },
            "by_endpoint": {
                "ListInstances": { "calls": 300, "throttled": 10, "errors": 0, "retries": 10 },
                "ListLKENodePools": { "calls": 100, "throttled": 2, "errors": 1, "retries": 2 },
                "GetInstance": { "calls": 150, "throttled": 0, "errors": 0, "retries": 0 },
                "UpdateInstance": { "calls": 50, "throttled": 0, "errors": 0, "retries": 0 },
                "UpdateLKENodePool": { "calls": 49, "throttled": 0, "errors": 0, "retries": 0 },
                "CreateLKENodePool": { "calls": 1, "throttled": 0, "errors": 0, "retries": 0 },
            },
            "by_operation": {
                "List": { "runs": 10, "attempts": 10, "calls": { "ListInstances": line(10, 0, Some(10)) } },
                "Create": { "runs": 50, "attempts": 70, "calls": {
                    "CreateLKENodePool": line(1, 0, None),
                    "GetInstance": line(150, 0, Some(250)),
                    "ListInstances": line(125, 10, Some(120)),
                    "ListLKENodePools": line(70, 2, Some(70)),
                    "UpdateInstance": line(50, 0, Some(50)),
                    "UpdateLKENodePool": line(49, 0, Some(50)),
                } },
                "Get": { "runs": 3, "attempts": 3, "calls": {} },
            },
            "by_cause": { "claim": 400, "verify": 150, "gc": 100 },
            "by_client": { "karpenter": { "calls": 650, "throttled": 12 } },
        },
        "budgets": [
            row("Create", "CreateLKENodePool or UpdateLKENodePool", "one a Create", [50, 0, 50], [1, 1], None),
            row("Create", "GetInstance", "five a claim", [150, 0, 250], [3, 5],
                Some("100 fewer: reading back ends at the first answer that shows the tag")),
            row("Create", "ListInstances", "the lookup, and the members an attempt", [125, 10, 120], [3, 2],
                Some("over in 5 of 50 runs: the design's file gives no reason")),
            row("Create", "ListLKENodePools", "one an attempt", [70, 2, 70], [2, 2], None),
            row("Create", "UpdateInstance", "one an attempt", [50, 0, 70], [1, 2], Some("20 fewer: waits")),
            row("List", "ListInstances", "one a page", [10, 0, 10], [1, 1], None),
        ],
        "claims": { "requested": 50, "launched": 50, "registered": 50, "initialized": 50, "failed": 0, "deleted": 0 },
        "instances": { "created": 52, "peak": 52, "unclaimed_at_end": 0, "unclaimed_minutes": 12,
            "created_per_100_launched": 104 },
        "taints": { "default": { "nodes_launched": 50, "taint_removed": 50 } },
        "time_to": { "launch": times(50, 12_340), "register": times(50, 133_000), "ready": times(50, 143_000) },
        "cost": { "total_usd": 1.872, "unclaimed_usd": 0.0036 },
        "sometimes": { "create_raced": 3, "throttled": 12 },
    }))
    .expect("an outcome")
}

/// The outcome of another design.
pub fn other_design() -> Outcome {
    let mut outcome = failed();
    outcome.design = "shipped".to_owned();
    outcome.api.calls = 812;
    outcome.budgets.remove(0);
    let (name, operation, call) = ("Create.GetLKENodePool".into(), "Create".into(), "GetLKENodePool".into());
    let difference = Some("the document names no such call".into());
    outcome.budgets.insert(0, BudgetRow { name, operation, call, calls: 70, difference, ..BudgetRow::default() });
    outcome
}

/// A trace of lines that are written as in the file, between a header and a footer.
pub fn trace(source: &str, lines: &str, outcome: &Outcome) -> Trace {
    let header = Header::new(&outcome.scenario, &outcome.design, outcome.seed, json!({ "about": "two" }));
    let lines: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
    let ends = TraceWriter::begin(Vec::new(), &header).and_then(|writer| writer.end(outcome, Vec::new()));
    let ends = String::from_utf8(ends.expect("memory takes all")).expect("text");
    let (head, foot) = ends.split_once('\n').expect("two lines");
    let foot = foot.replacen("\"events\":0", &format!("\"events\":{}", lines.len()), 1);
    let whole = format!("{head}\n{}\n{foot}", lines.join("\n"));
    Trace::read(source, whole.as_bytes()).unwrap_or_else(|error| panic!("{error}"))
}

/// A NodeClaim that makes a pool, waits for its Linode, claims it and sees it join.
pub const ONE_CLAIM: &str = include_str!("samples/one_claim.jsonl");
