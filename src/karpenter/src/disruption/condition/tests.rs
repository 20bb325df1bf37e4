use super::*;
use lkesim_kube::object::node_pool::NodePoolSpec;
use std::time::Duration;

fn secs(secs: u64) -> Time {
    Time::from_secs(secs)
}

/// A claim that was initialized then, on whose node pods last changed then.
fn claim(initialized: Option<Time>, event: Option<Time>) -> NodeClaim {
    let mut claim = crate::testing::claim("a");
    if let Some(at) = initialized {
        claim.status.conditions.set_true(at, ConditionType::Initialized);
    }
    claim.status.last_pod_event = event;
    claim
}

fn node_pool(after: Option<u64>) -> NodePool {
    let consolidate_after = after.map(Duration::from_secs);
    NodePool::new("default", NodePoolSpec { consolidate_after, ..NodePoolSpec::default() })
}

#[test]
fn time_counts_from_the_last_event_of_a_pod_and_without_one_from_initialization() {
    let pool = node_pool(Some(30));
    let never = claim(Some(secs(100)), None);
    assert_eq!(since(&never, &pool, secs(129)), Consolidatable::From(secs(130)));
    assert_eq!(since(&never, &pool, secs(130)), Consolidatable::Now);
    let later = claim(Some(secs(100)), Some(secs(120)));
    assert_eq!(since(&later, &pool, secs(149)), Consolidatable::From(secs(150)));
    assert_eq!(since(&later, &pool, secs(150)), Consolidatable::Now);
}

#[test]
fn initialization_counts_in_whole_seconds_as_the_api_server_keeps_it() {
    let claim = claim(Some(secs(100) + Duration::from_millis(900)), None);
    assert_eq!(since(&claim, &node_pool(Some(0)), secs(100)), Consolidatable::Now);
}

#[test]
fn never_and_a_claim_that_is_not_initialized_are_not_consolidatable() {
    assert_eq!(since(&claim(Some(secs(1)), None), &node_pool(None), secs(900)), Consolidatable::No);
    assert_eq!(since(&claim(None, Some(secs(1))), &node_pool(Some(0)), secs(900)), Consolidatable::No);
}
