use super::*;
use serde_json::{Value, json};

/// An outcome in which every list and map has an entry.
pub(crate) fn sample() -> Outcome {
    let line = BudgetLine { calls: 3, retries: 1, budget: Some(5) };
    let calls = [("GetInstance".into(), line)].into();
    let operation = OperationUse { runs: 3, attempts: 4, calls, ..OperationUse::default() };
    let budget =
        BudgetRow { name: "Create.GetInstance".into(), difference: Some("two fewer".into()), ..BudgetRow::default() };
    let class = ClassUse { limit: Some(200), window_ms: Some(60_000), ..ClassUse::default() };
    let violation = Violation { at_ms: 61_000, text: "two".into(), objects: vec!["linode/1001".into()] };
    Outcome {
        schema: SCHEMA.into(),
        scenario: "burst".into(),
        about: "Three claims at once.".into(),
        design: "documented".into(),
        clusters: vec![ClusterRun { name: "east".into(), design: "shipped".into() }],
        warnings: vec![Warning { at_ms: 5, path: "by_hand[0].delete_node".into(), text: "nothing".into() }],
        seed: u64::MAX,
        digest: "00000000000000ff".into(),
        virtual_ms: 3_600_000,
        events: 12_345,
        verdict: Verdict::Pass,
        ending: Ending { calm_from_ms: 1_200_000, settled: true, unsettled: Vec::new() },
        invariants: vec![InvariantOutcome {
            name: "one-claim-per-instance".into(),
            kind: Kind::Always,
            held: false,
            expected_to_break: true,
            not_promised: false,
            count: 1,
            violations: vec![violation],
        }],
        expectations: vec![ExpectationOutcome {
            figure: "cost.total_usd".into(),
            expected: "1..2".into(),
            actual: Some(Quantity(1_250_000)),
            held: true,
            decides: true,
        }],
        api: ApiUse {
            by_class: [("list".into(), class)].into(),
            by_endpoint: [("GetInstance".into(), EndpointUse::default())].into(),
            by_operation: [("Create".into(), operation)].into(),
            by_cause: [("claim".into(), 4)].into(),
            by_client: [("karpenter".into(), ClientUse { calls: 4, throttled: 0 })].into(),
            ..ApiUse::default()
        },
        budgets: vec![budget],
        claims: ClaimCounts { launched: 3, ..ClaimCounts::default() },
        instances: InstanceCounts::default(),
        pending: Vec::new(),
        pods: Some(PodCounts { created: 5, ..PodCounts::default() }),
        passes: Some(PassCounts::default()),
        nodes: Some(NodeCounts { at_end: [("g6-standard-6".into(), 1)].into(), ..NodeCounts::default() }),
        taints: [("general".into(), TaintCounts::default())].into(),
        time_to: TimeTo::default(),
        cost: Cost { total_usd: Dollars(1_234_567), unclaimed_usd: Dollars(40) },
        sometimes: [("throttled".into(), 2)].into(),
    }
}

fn document() -> Value {
    serde_json::to_value(sample()).expect("an outcome is JSON")
}

/// Each member that the command line's description promises, by its path.
const PROMISED: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "schema",
            "scenario",
            "design",
            "seed",
            "digest",
            "virtual_ms",
            "events",
            "verdict",
            "invariants",
            "expectations",
            "api",
            "claims",
            "instances",
            "taints",
            "time_to",
            "cost",
            "sometimes",
        ],
    ),
    ("/invariants/0", &["name", "kind", "held", "violations"]),
    ("/invariants/0/violations/0", &["at_ms", "text", "objects"]),
    ("/api", &["calls", "throttled", "by_class", "by_endpoint", "by_operation", "by_cause", "by_client"]),
    ("/api/by_class/list", &["peak_in_window", "limit"]),
    ("/claims", &["requested", "launched", "registered", "initialized", "failed", "deleted"]),
    ("/instances", &["created", "peak", "unclaimed_at_end", "unclaimed_minutes"]),
    ("/taints/general", &["nodes_launched", "taint_removed"]),
    ("/time_to", &["launch", "register", "ready"]),
    ("/time_to/launch", &["n", "of", "p50_ms", "p90_ms", "p99_ms", "max_ms"]),
    ("/cost", &["total_usd", "unclaimed_usd"]),
];

#[test]
fn the_document_has_every_promised_member() {
    let document = document();
    for (pointer, members) in PROMISED {
        let value = document.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"));
        for member in *members {
            assert!(value.get(member).is_some(), "{pointer}/{member}");
        }
    }
}

#[test]
fn the_document_begins_with_its_schema() {
    let text = serde_json::to_string(&sample()).expect("an outcome is JSON");
    assert!(text.starts_with(r#"{"schema":"lkesim.run/1","#), "{text}");
}

#[test]
fn the_json_schema_demands_every_promised_member() {
    let schema = serde_json::to_value(schema()).expect("a schema is JSON");
    let required = schema["required"].as_array().expect("a list of names");
    for member in PROMISED[0].1 {
        assert!(required.contains(&json!(member)), "{member}");
    }
}

#[test]
fn money_has_four_decimals_and_figures_as_many_as_they_need() {
    let document = document();
    assert_eq!(document["cost"]["total_usd"].to_string(), "1.2346");
    assert_eq!(document["cost"]["unclaimed_usd"].to_string(), "0.0");
    assert_eq!(document["expectations"][0]["actual"].to_string(), "1.25");
    assert_eq!(json!(Quantity::whole(-3)).to_string(), "-3");
}

#[test]
fn a_document_reads_back_as_what_it_was_but_for_rounded_money() {
    let read: Outcome = serde_json::from_value(document()).expect("an outcome");
    let mut sample = sample();
    sample.cost = Cost { total_usd: Dollars(1_234_600), unclaimed_usd: Dollars(0) };
    assert_eq!(read, sample);
}

#[test]
fn a_quantity_is_a_decimal_number_of_at_most_six_decimals() {
    let parse = |text: &str| text.parse::<Quantity>().ok();
    assert_eq!(parse("12"), Some(Quantity::whole(12)));
    assert_eq!(parse("-0.5"), Some(Quantity(-500_000)));
    assert_eq!(parse("0.000001"), Some(Quantity(1)));
    assert_eq!(serde_json::from_str::<Quantity>(&json!(Quantity(-1)).to_string()).ok(), Some(Quantity(-1)));
    for wrong in ["", "-", "1.", ".5", "1e3", "0.0000001", "+1", "99999999999999999999"] {
        assert_eq!(parse(wrong), None, "{wrong}");
    }
}
