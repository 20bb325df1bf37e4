use super::*;
use crate::fault::Body;
use crate::{Action, Fault, Limits, Refusal, RetryAfter};
use lkesim_linode_api::{Endpoint, ErrorBody};
use lkesim_runtime::{Ppm, Quantiles};
use std::time::Duration;

fn with(faults: Vec<Fault>) -> Client {
    client(Settings { faults, ..Settings::quiet(Tier::Standard) })
}

const TYPES: Request = Request::ListTypes { page: PageRequest::FIRST };

#[test]
fn a_refused_call_changes_nothing() {
    let mut refuse = Fault::new("busy", Action::Refuse(Refusal::status(503)));
    refuse.endpoints = vec![Endpoint::CreatePool];
    let mut client = with(vec![refuse]);
    let refused = client.refused(Request::CreatePool { cluster: CLUSTER, body: pool_of(1) });
    assert_eq!((refused.status, refused.maintenance), (503, false));
    assert_eq!(refused.retry_after_secs, Some(60));
    assert_eq!(client.pools().len(), 1);
    let hits: Vec<u64> = client.cloud.fault_hits().map(|(_, hits)| hits).collect();
    assert_eq!(hits, [1]);
}

#[test]
fn a_lost_answer_has_made_its_change() {
    let mut client = with(vec![Fault::new("lost", Action::Lose)]);
    let handled = client.handle(Request::CreatePool { cluster: CLUSTER, body: pool_of(1) }).unwrap();
    assert!(handled.lost && handled.fault.as_deref() == Some("lost"));
    assert_eq!(client.cloud.lke_pools().len(), 2);
    assert_eq!(client.happened(|kind| matches!(kind, ChangeKind::Faulted { .. }).then_some(())).len(), 1);
}

#[test]
fn a_delayed_answer_comes_later() {
    let delay = Action::Delay(Quantiles::constant(Duration::from_secs(12)));
    let handled = with(vec![Fault::new("slow", delay)]).handle(TYPES).unwrap();
    assert_eq!((handled.extra_delay, handled.lost), (Duration::from_secs(12), false));
    assert!(handled.answer.result.is_ok());
}

#[test]
fn a_fault_hits_its_calls_in_its_time() {
    let mut second = Fault::new("second", Action::Refuse(Refusal::status(500)));
    (second.first_call, second.last_call) = (2, 2);
    second.endpoints = vec![Endpoint::ListTypes];
    let mut later = Fault::new("later", Action::Refuse(Refusal::status(502)));
    (later.from, later.until) = (Time::from_secs(10), Time::from_secs(20));
    let mut client = with(vec![second, later]);
    let mut status = |secs| client.at(secs).answer(TYPES).result.err().and_then(|error| error.status());
    let seen = [status(0), status(1), status(9), status(10), status(19), status(20)];
    assert_eq!(seen, [None, Some(500), None, Some(502), Some(502), None]);
}

#[test]
fn the_first_fault_that_matches_wins() {
    let refuse = |status| Fault::new("refuse", Action::Refuse(Refusal::status(status)));
    let mut client = with(vec![refuse(500), refuse(502)]);
    assert_eq!(client.refused(TYPES).status, 500);
}

#[test]
fn a_refusal_has_its_own_words() {
    let refusal = Refusal {
        reason: Some("Cluster is busy".into()),
        retry_after: RetryAfter::Seconds(7),
        maintenance: true,
        ..Refusal::status(503)
    };
    let refused = with(vec![Fault::new("own", Action::Refuse(refusal))]).refused(TYPES);
    assert_eq!(
        (refused.text().as_str(), refused.retry_after_secs, refused.maintenance),
        ("Cluster is busy", Some(7), true)
    );
}

#[test]
fn a_refusal_may_have_no_reason_a_page_for_a_body_and_a_date_to_come_back() {
    let with_body = |body, retry_after| {
        let refusal = Refusal { body: Some(body), retry_after, ..Refusal::status(400) };
        with(vec![Fault::new("own", Action::Refuse(refusal))]).refused(TYPES)
    };
    assert!(with_body(Body::Empty, RetryAfter::Window).lists_nothing());
    assert_eq!(with_body(Body::NginxPage, RetryAfter::Absent).body, ErrorBody::NginxPage);
    assert_eq!(with_body(Body::Garbled, RetryAfter::Absent).body, ErrorBody::Garbled);
    let dated = with_body(Body::NginxPage, RetryAfter::Date);
    assert!(dated.retry_after_secs.is_none() && dated.retry_after_text.is_some());
}

#[test]
fn a_chance_is_met_by_about_its_share_and_equally_with_other_faults_about() {
    let sometimes = || {
        let mut fault = Fault::new("sometimes", Action::Refuse(Refusal::status(500)));
        fault.chance = Ppm(250_000);
        fault
    };
    let mut never = Fault::new("never", Action::Lose);
    never.chance = Ppm::NEVER;
    let outcome = |faults| {
        let mut client = with(faults);
        (0..400).map(|n| client.at(n).answer(TYPES).result.is_err()).collect::<Vec<_>>()
    };
    let alone = outcome(vec![sometimes()]);
    let hits = alone.iter().filter(|hit| **hit).count();
    assert!((60..140).contains(&hits), "{hits} of 400 hits");
    assert_eq!(alone, outcome(vec![never, sometimes()]));
}

#[test]
fn the_limit_comes_before_the_fault_and_a_refused_call_has_spent_its_quota() {
    let mut settings = Settings::quiet(Tier::Standard);
    settings.limits = Limits::documented();
    settings.limits.list.count = 2;
    settings.faults = vec![Fault::new("down", Action::Refuse(Refusal::status(500)))];
    let mut client = client(settings);
    let seen: Vec<u16> = (0..3).map(|_| client.refused(TYPES).status).collect();
    assert_eq!(seen, [500, 500, 429]);
    assert_eq!(client.refused(TYPES).text(), "Too many requests");
    assert_eq!(client.happened(|kind| matches!(kind, ChangeKind::Throttled { .. }).then_some(())).len(), 2);
}

#[test]
fn faults_end_with_the_calm() {
    let mut client = with(vec![Fault::new("down", Action::Refuse(Refusal::status(500)))]);
    client.refused(TYPES);
    client.cloud.end_faults();
    client.accepted(TYPES);
}

#[test]
fn an_unknown_token_is_refused() {
    let mut client = quiet(Tier::Standard);
    let handled = client.cloud.handle(Time::ZERO, TokenId(9), 1, &call(TYPES)).unwrap();
    assert_eq!(handled.answer.result.unwrap_err().status(), Some(401));
}
