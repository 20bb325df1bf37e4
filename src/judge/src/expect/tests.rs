use super::{Bound, Expectations, FigureExpectation, Violates, figure, figure_paths};
use crate::outcome::tests::sample;
use crate::outcome::{InvariantOutcome, Kind, Outcome, Quantity, Verdict, Violation};
use serde_json::json;

fn invariant(name: &str, broken_at: &[u64], not_promised: bool) -> InvariantOutcome {
    let violation = |&at_ms: &u64| Violation { at_ms, text: "broke".into(), objects: Vec::new() };
    InvariantOutcome {
        name: name.into(),
        kind: Kind::Always,
        held: broken_at.is_empty(),
        expected_to_break: false,
        not_promised,
        count: broken_at.len() as u64,
        violations: broken_at.iter().map(violation).collect(),
    }
}

fn outcome(invariants: Vec<InvariantOutcome>) -> Outcome {
    Outcome { invariants, expectations: Vec::new(), ..sample() }
}

fn must_break(name: &str) -> Violates {
    Violates { invariant: name.into(), count: None, first_ms: None }
}

fn expects(path: &str, bound: Bound) -> Expectations {
    let figures = vec![FigureExpectation { figure: path.into(), bound }];
    Expectations { figures, violates: Vec::new() }
}

#[track_caller]
fn check(expected: &Expectations, mut outcome: Outcome, as_written: bool, verdict: Verdict) -> Outcome {
    expected.judge(&mut outcome, as_written);
    assert_eq!(outcome.verdict, verdict);
    outcome
}

#[test]
fn without_expectations_a_run_passes_when_every_promised_invariant_held() {
    let none = Expectations::default();
    check(&none, outcome(vec![invariant("a", &[], false)]), true, Verdict::Pass);
    check(&none, outcome(vec![invariant("a", &[5], false)]), true, Verdict::Fail);
    check(&none, outcome(vec![invariant("a", &[5], false)]), false, Verdict::Fail);
    check(&none, outcome(vec![invariant("a", &[5], true)]), true, Verdict::Pass);
}

#[test]
fn what_is_listed_must_break_under_the_seed_it_was_written_for() {
    let listed = Expectations { violates: vec![must_break("a")], ..Expectations::default() };
    let broke = check(&listed, outcome(vec![invariant("a", &[5], false)]), true, Verdict::Pass);
    assert!(broke.invariants[0].expected_to_break);
    check(&listed, outcome(vec![invariant("a", &[], false)]), true, Verdict::Fail);
}

#[test]
fn under_another_seed_what_is_listed_may_hold_and_the_rest_must() {
    let listed = Expectations { violates: vec![must_break("a")], ..Expectations::default() };
    check(&listed, outcome(vec![invariant("a", &[], false)]), false, Verdict::Pass);
    check(&listed, outcome(vec![invariant("a", &[5], false)]), false, Verdict::Pass);
    let both = vec![invariant("a", &[5], false), invariant("b", &[6], false)];
    check(&listed, outcome(both), false, Verdict::Fail);
}

#[test]
fn what_is_not_promised_never_fails_even_where_listed() {
    let listed = Violates { count: Some(Bound::between(1, 1)), ..must_break("a") };
    let listed = Expectations { violates: vec![listed], ..Expectations::default() };
    let held = check(&listed, outcome(vec![invariant("a", &[], true)]), true, Verdict::Pass);
    assert!(!held.expectations[0].held && !held.expectations[0].decides);
}

#[test]
fn count_and_first_time_of_a_breach_are_rows() {
    let listed =
        Violates { count: Some(Bound::between(2, 3)), first_ms: Some(Bound::between(10, 20)), ..must_break("a") };
    let listed = Expectations { violates: vec![listed], ..Expectations::default() };
    let passed = check(&listed, outcome(vec![invariant("a", &[12, 90], false)]), true, Verdict::Pass);
    let rows: Vec<_> = passed.expectations.iter().map(|row| (row.figure.as_str(), row.actual)).collect();
    let expected =
        [("invariants.a.count", Some(Quantity::whole(2))), ("invariants.a.first_ms", Some(Quantity::whole(12)))];
    assert_eq!(rows, expected);
    check(&listed, outcome(vec![invariant("a", &[12], false)]), true, Verdict::Fail);
    check(&listed, outcome(vec![invariant("a", &[30, 90], false)]), true, Verdict::Fail);
    check(&listed, outcome(vec![invariant("a", &[30], false)]), false, Verdict::Pass);
}

#[test]
fn a_listed_invariant_that_was_not_judged_does_not_hold() {
    let listed = Expectations { violates: vec![must_break("a")], ..Expectations::default() };
    let failed = check(&listed, outcome(Vec::new()), true, Verdict::Fail);
    assert_eq!((failed.expectations[0].actual, failed.expectations[0].held), (None, false));
}

#[test]
fn figures_decide_only_as_written() {
    let wrong = expects("claims.launched", Bound::between(1_000, 2_000));
    check(&wrong, outcome(Vec::new()), true, Verdict::Fail);
    let other = check(&wrong, outcome(Vec::new()), false, Verdict::Pass);
    assert!(!other.expectations[0].held && !other.expectations[0].decides);
    check(&expects("claims.launched", Bound::between(3, 3)), outcome(Vec::new()), true, Verdict::Pass);
}

#[test]
fn a_figure_that_does_not_exist_is_not_held() {
    let failed = check(&expects("claims.lunched", Bound::default()), outcome(Vec::new()), true, Verdict::Fail);
    assert_eq!(failed.expectations[0].actual, None);
}

#[test]
fn open_bounds_hold_beyond_and_both_ends_are_included() {
    let at_least = Bound { min: Some(2_500_000), ..Bound::default() };
    assert!(at_least.holds(Quantity(2_500_000)) && at_least.holds(Quantity::whole(9)));
    assert!(!at_least.holds(Quantity(2_499_999)));
    assert!(Bound::between(1, 2).holds(Quantity::whole(2)) && !Bound::between(1, 2).holds(Quantity::whole(3)));
}

#[test]
fn what_did_not_occur_is_zero_where_the_name_is_known() {
    let document = json!({ "api": { "by_endpoint": { "GetInstance": { "calls": 4 } } }, "sometimes": {} });
    let of = |path| figure(&document, path);
    assert_eq!(of("api.by_endpoint.GetInstance.calls"), Some(Quantity::whole(4)));
    assert_eq!(of("api.by_endpoint.ListInstances.calls"), Some(Quantity::whole(0)));
    assert_eq!(of("sometimes.throttled"), Some(Quantity::whole(0)));
    assert_eq!(of("api.by_operation.Create.calls.GetInstance.budget"), Some(Quantity::whole(0)));
    assert_eq!(of("api.by_endpoint.GetInstances.calls"), None);
    assert_eq!(of("api.by_endpoint"), None);
    assert_eq!(of(""), None);
}

#[test]
fn an_explicit_null_is_no_figure() {
    let document = json!({ "api": { "by_class": { "list": { "limit": null } } } });
    assert_eq!(figure(&document, "api.by_class.list.limit"), None);
}

#[test]
fn names_may_have_dots_and_lists_are_walked_by_name() {
    let document = json!({
        "taints": { "gpu.eu": { "nodes_launched": 2 }, "gpu": { "nodes_launched": 1 } },
        "invariants": [{ "name": "a.b", "count": 3, "violations": [{ "at_ms": 7 }] },
            { "name": "c", "violations": [] }],
        "cost": { "total_usd": 0.0001 },
    });
    let of = |path| figure(&document, path);
    assert_eq!(of("taints.gpu.eu.nodes_launched"), Some(Quantity::whole(2)));
    assert_eq!(of("taints.gpu.nodes_launched"), Some(Quantity::whole(1)));
    assert_eq!(of("invariants.a.b.count"), Some(Quantity::whole(3)));
    assert_eq!(of("invariants.a.b.first_ms"), Some(Quantity::whole(7)));
    assert_eq!(of("invariants.c.first_ms"), None);
    assert_eq!(of("cost.total_usd"), Some(Quantity(100)));
}

#[test]
fn every_listed_path_is_a_figure_of_any_outcome() {
    let paths = figure_paths();
    let document = serde_json::to_value(sample()).expect("an outcome is JSON");
    for path in paths.iter().filter(|path| !path.ends_with('*')) {
        assert!(figure(&document, path).is_some(), "{path}");
    }
    for path in ["claims.launched", "api.by_endpoint.ListInstances.calls", "time_to.launch.p99_ms", "taints.*"] {
        assert!(paths.iter().any(|known| known == path), "{path}");
    }
    assert!(paths.iter().any(|path| path == "instances.created_per_100_launched"));
}
