//! Other clients of the account, and the tokens that they share.

use crate::support::{Run, figure};
use lkesim_judge::trace::TraceEvent;
use lkesim_linode_api::Endpoint;
use lkesim_lke::DESIGNS;

const HEAD: &str = "about: x\nduration: 5m\ncloud: {tier: standard}\nworkload: [create: {claims: 3}]\n";

fn run(rest: &str) -> Run {
    Run::yaml("clients.yaml", &format!("{HEAD}{rest}"))
}

/// When the client's calls left, in milliseconds.
fn calls_of(run: &Run, name: &str) -> Vec<u64> {
    let (_, trace) = run.traced();
    let of = |line: &lkesim_judge::trace::EventLine| match &line.what {
        TraceEvent::ApiCalled { client: Some(client), .. } if client == name => Some(line.at_ms),
        _ => None,
    };
    trace.events.iter().filter_map(of).collect()
}

#[test]
fn a_client_keeps_its_rate_until_the_calm() {
    let calls = calls_of(&run("clients: [{name: other, rate: 30/1m}]\n"), "other");
    assert_eq!(calls.len(), 150);
    assert!(calls.iter().zip(0..).all(|(at, n)| (n * 2_000..(n + 1) * 2_000).contains(at)), "{calls:?}");
}

#[test]
fn a_later_end_goes_on_into_the_calm() {
    let calls = calls_of(&run("clients: [{name: other, rate: 60/1m, from: 1m, until: 6m}]\n"), "other");
    assert_eq!(calls.len(), 300);
    assert!(calls[0] >= 60_000 && calls[299] >= 359_000 && calls[299] < 360_000);
}

#[test]
fn a_client_with_a_token_of_its_own_changes_nothing_for_karpenter() {
    let alone = Run::builtin("shared-token").set("clients=[]");
    let beside = Run::builtin("shared-token").set("clients[0].token=own");
    for design in DESIGNS {
        let (alone, beside) = (alone.clone().design(design).outcome(), beside.clone().design(design).outcome());
        assert_eq!(alone.time_to, beside.time_to, "{}", design.facts.name);
        assert_eq!(alone.api.by_client["karpenter"], beside.api.by_client["karpenter"], "{}", design.facts.name);
    }
}

#[test]
fn who_shares_a_token_by_name_shares_its_limit() {
    let launch = |token: &str| {
        let run = Run::builtin("shared-token").set(format!("karpenter.token={token}")).set("clients[0].token=both");
        figure(&run.outcome(), "time_to.launch.p99_ms")
    };
    assert!(launch("both") > launch("main") + 20_000);
}

#[test]
fn any_read_can_be_made_and_uses_the_limit_of_its_class() {
    let outcome = run("clients: [{name: other, calls: any, rate: 90/1m}]\n").outcome();
    let foreign = &outcome.api.by_operation["Foreign"].calls;
    let reads =
        Endpoint::ALL.into_iter().filter(|call| call.is_read() && call.is_provider() && !call.is_wished()).count();
    assert_eq!(foreign.len(), reads, "{foreign:?}");
    assert!(foreign.values().all(|line| line.calls.abs_diff(450 / reads as u64) <= 1), "{foreign:?}");
    assert_eq!(outcome.api.by_client["other"].calls, 450);
    assert!(outcome.api.by_endpoint.values().all(|used| used.errors == 0), "{:?}", outcome.api.by_endpoint);
}
