use super::*;
use crate::outcome::ClientUse;
use lkesim_linode_api::{Endpoint, RateClass};

#[test]
fn enums_index_arrays_in_the_order_of_their_lists() {
    assert!(Endpoint::PROVIDER.iter().enumerate().all(|(index, endpoint)| *endpoint as usize == index));
    assert!(RateClass::ALL.iter().enumerate().all(|(index, class)| *class as usize == index));
    assert!(Operation::ALL.iter().enumerate().all(|(index, operation)| *operation as usize == index));
    assert!(Cause::ALL.iter().enumerate().all(|(index, cause)| *cause as usize == index));
}

#[test]
fn every_request_counts_and_retries_stand_apart() {
    let mut story = Story::new();
    let create = story.started(Operation::Create, None);
    let call = story.called(&create, 0, list_pools());
    story.failed(call, too_many(), true, None);
    let call = story.called(&create, 1, list_pools());
    story.answered(call, page_of(1, 0));
    let api = story.finish(60).api;
    assert_eq!((api.calls, api.throttled), (2, 1));
    let endpoint = &api.by_endpoint["ListLKENodePools"];
    assert_eq!((endpoint.calls, endpoint.throttled, endpoint.errors, endpoint.retries), (2, 1, 0, 1));
    let line = &api.by_operation["Create"].calls["ListLKENodePools"];
    assert_eq!((line.calls, line.retries), (1, 1));
    assert_eq!(api.by_cause["claim"], 2);
    assert_eq!(api.by_client["karpenter"].calls, 2);
}

#[test]
fn each_class_shows_its_peak_beside_its_limit() {
    let mut story = Story::new();
    let list = story.started(Operation::List, None);
    for second in [0, 10, 59, 60, 100] {
        story.at(second).asked(&list, list_instances(1), page_of(1, 0));
    }
    story.asked(&list, get_instance(7), Seen::default());
    let api = story.finish(200).api;
    let class = &api.by_class["list"];
    assert_eq!((class.calls, class.peak_in_window), (5, 3));
    assert_eq!((class.limit, class.window_ms), (Some(200), Some(60_000)));
    assert_eq!(api.by_class["other"].calls, 1);
    assert_eq!(api.by_class["create_instance"].calls, 0);
}

#[test]
fn other_clients_are_told_by_the_subject_of_their_calls() {
    let mut story = Story::new();
    let own = story.started(Operation::Get, None);
    let foreign = Purpose {
        operation: Operation::Foreign,
        invocation: 0,
        attempt: 0,
        subject: "terraform".into(),
        cause: Cause::Foreign,
        ..own.clone()
    };
    story.asked(&own, get_instance(1), Seen::default());
    story.asked(&foreign, list_instances(1), page_of(1, 0));
    story.asked(&foreign, list_instances(1), page_of(1, 0));
    let api = story.finish(60).api;
    assert_eq!(api.calls, 3);
    assert_eq!(api.by_client["karpenter"].calls, 1);
    assert_eq!(api.by_client["terraform"].calls, 2);
    assert_eq!(api.by_operation["Foreign"].calls["ListInstances"].calls, 2);
}

#[test]
fn what_another_client_meets_is_its_own_and_no_hard_case() {
    let mut story = Story::new();
    let own = story.started(Operation::Get, None);
    let foreign = Purpose {
        operation: Operation::Foreign,
        invocation: 0,
        attempt: 0,
        subject: "autoscaler".into(),
        cause: Cause::Foreign,
        ..own.clone()
    };
    let refused = || CallError::Api(ApiError::new(429, "Too many requests"));
    for _ in 0..3 {
        let call = story.called(&foreign, 0, list_instances(1));
        story.failed(call, refused(), true, None);
    }
    story.asked(&foreign, list_instances(1), page_of(1, 0));
    let call = story.called(&own, 0, list_instances(1));
    story.failed(call, refused(), true, None);
    let measured = story.finish(60);
    assert_eq!(measured.api.throttled, 4);
    assert_eq!(measured.api.by_client["autoscaler"], ClientUse { calls: 4, throttled: 3 });
    assert_eq!(measured.api.by_client["karpenter"], ClientUse { calls: 1, throttled: 1 });
    assert_eq!(measured.sometimes["throttled"], 1);
}

#[test]
fn other_failures_are_errors_of_their_endpoint() {
    let mut story = Story::new();
    let get = story.started(Operation::Get, None);
    let call = story.called(&get, 0, get_instance(1));
    story.failed(call, CallError::Api(ApiError::not_found()), false, None);
    let call = story.called(&get, 0, get_instance(1));
    story.failed(call, CallError::Timeout, false, None);
    let api = story.finish(60).api;
    assert_eq!(api.by_endpoint["GetInstance"].errors, 2);
    assert_eq!(api.throttled, 0);
}

#[test]
fn the_sums_by_anything_are_the_calls() {
    let mut story = Story::new();
    let create = story.started(Operation::Create, None);
    let verify = Purpose { cause: Cause::Verify, ..create.clone() };
    for id in 0..5 {
        story.asked(&create, list_pools(), page_of(1, 0));
        story.asked(&create, write_tags(id), Seen::default());
        story.asked(&verify, get_instance(id), Seen::default());
    }
    let api = story.finish(60).api;
    assert_eq!(api.calls, 15);
    assert_eq!(api.by_class.values().map(|class| class.calls).sum::<u64>(), 15);
    assert_eq!(api.by_endpoint.values().map(|endpoint| endpoint.calls).sum::<u64>(), 15);
    assert_eq!(api.by_cause.values().sum::<u64>(), 15);
    assert_eq!(api.by_client.values().map(|client| client.calls).sum::<u64>(), 15);
    let lines = api.by_operation.values().flat_map(|operation| operation.calls.values());
    assert_eq!(lines.map(|line| line.calls + line.retries).sum::<u64>(), 15);
}
