use super::*;
use lkesim_linode_api::Endpoint;

/// Lines in the words of the design document, "Per-function API call budgets".
static BUDGETS: [Budget; 7] = [
    Budget::line(Operation::Create, Some(Tier::Standard), Endpoint::ListInstances, "the lookup", |work| work.runs),
    Budget::line(
        Operation::Create,
        Some(Tier::Enterprise),
        Endpoint::ListInstances,
        "the lookup, and the members an attempt",
        |work| work.runs + work.attempts + work.extra_instance_pages,
    ),
    Budget::line(Operation::Create, None, Endpoint::ListPools, "one an attempt", |work| {
        work.attempts + work.extra_pool_pages
    }),
    Budget::line(Operation::Create, Some(Tier::Standard), Endpoint::GetPool, "one an attempt", |work| work.attempts),
    Budget::line(Operation::Create, Some(Tier::Standard), Endpoint::GetInstance, "one a node scanned", |work| {
        work.nodes_scanned
    }),
    Budget::line(Operation::Create, None, Endpoint::GetInstance, "five a claim", |work| 5 * work.tag_writes),
    Budget::line(Operation::List, None, Endpoint::ListInstances, "one a page", |work| {
        work.runs + work.extra_instance_pages
    }),
];

/// One attempt of a Standard Create that reads a pool with these slots.
fn scan(story: &mut Story, purpose: &Purpose, with_linode: u32) {
    story.asked(purpose, list_pools(), page_of(1, 1));
    story.asked(purpose, get_pool(1), slots(with_linode, with_linode));
    for id in 0..with_linode {
        story.asked(purpose, get_instance(id.into()), Seen::default());
    }
}

#[test]
fn a_standard_create_may_read_each_node_of_each_attempt_and_five_times_what_it_tagged() {
    let mut story = Story::with_budgets(&BUDGETS, Tier::Standard);
    let claim = story.claim_created(1);
    let first = story.started(Operation::Create, Some(&claim));
    let lookup = Purpose { attempt: 0, ..first.clone() };
    story.asked(&lookup, list_instances(1), page_of(1, 0));
    scan(&mut story, &first, 3);
    let second = Purpose { attempt: 2, ..first.clone() };
    scan(&mut story, &second, 4);
    story.asked(&second, write_tags(3), Seen::default());
    story.asked(&Purpose { cause: Cause::Verify, ..second.clone() }, get_instance(3), Seen::default());
    story.returned(&first, Returned::Instance(InstanceId(3)));

    let create = story.finish(60).api.by_operation.remove("Create").expect("a Create ran");
    assert_eq!((create.runs, create.attempts), (1, 2));
    let line = |name: &str| (create.calls[name].calls, create.calls[name].budget);
    assert_eq!(line("ListInstances"), (1, Some(1)));
    assert_eq!(line("ListLKENodePools"), (2, Some(2)));
    assert_eq!(line("GetLKENodePool"), (2, Some(2)));
    assert_eq!(line("GetInstance"), (3 + 4 + 1, Some(3 + 4 + 5)));
    assert_eq!(line("UpdateInstance"), (1, None));
}

#[test]
fn an_enterprise_create_may_list_members_once_an_attempt_and_once_a_further_page() {
    let mut story = Story::with_budgets(&BUDGETS, Tier::Enterprise);
    let create = story.started(Operation::Create, None);
    let lookup = Purpose { attempt: 0, ..create.clone() };
    story.asked(&lookup, list_instances(1), page_of(1, 0));
    story.asked(&create, list_pools(), page_of(1, 1));
    story.asked(&create, list_instances(1), page_of(3, 100));
    story.asked(&create, list_instances(2), page_of(3, 100));
    story.asked(&create, list_instances(3), page_of(3, 7));
    let api = story.finish(60).api;
    let create = &api.by_operation["Create"];
    let line = &create.calls["ListInstances"];
    assert_eq!((line.calls, line.budget), (4, Some(1 + 1 + 2)));
    assert!(!create.calls.contains_key("GetLKENodePool"), "a line of the other tier");
    assert_eq!(create.calls["GetInstance"].budget, Some(0), "the document names it, and nothing was tagged");
}

#[test]
fn retries_raise_neither_the_budget_nor_the_calls_beside_it() {
    let mut story = Story::with_budgets(&BUDGETS, Tier::Standard);
    let list = story.started(Operation::List, None);
    for attempt in 0..3 {
        let call = story.called(&list, attempt, list_instances(1));
        story.failed(call, too_many(), true, None);
    }
    let call = story.called(&list, 3, list_instances(1));
    story.answered(call, page_of(1, 9));
    let api = story.finish(60).api;
    let line = &api.by_operation["List"].calls["ListInstances"];
    assert_eq!((line.calls, line.retries, line.budget), (1, 3, Some(1)));
}

#[test]
fn a_claim_whose_answer_was_lost_may_be_read_back_and_one_that_was_refused_may_not() {
    let budget_after = |error: CallError| {
        let mut story = Story::with_budgets(&BUDGETS, Tier::Enterprise);
        let create = story.started(Operation::Create, None);
        let call = story.called(&create, 0, write_tags(1));
        story.failed(call, error, false, None);
        story.finish(60).api.by_operation["Create"].calls["GetInstance"].budget
    };
    assert_eq!(budget_after(CallError::ConnectionLost), Some(5));
    assert_eq!(budget_after(CallError::Api(ApiError::not_found())), Some(0));
}

#[test]
fn tagging_one_linode_twice_in_a_run_is_one_claim() {
    let mut story = Story::with_budgets(&BUDGETS, Tier::Enterprise);
    let create = story.started(Operation::Create, None);
    for id in [1, 1, 2] {
        story.asked(&create, write_tags(id), Seen::default());
    }
    assert_eq!(story.finish(60).api.by_operation["Create"].calls["GetInstance"].budget, Some(10));
}

#[test]
fn attempts_are_those_that_made_a_call_of_any_number_of_runs() {
    let mut story = Story::with_budgets(&BUDGETS, Tier::Enterprise);
    let (first, second) = (story.started(Operation::Create, None), story.started(Operation::Create, None));
    story.asked(&first, list_pools(), page_of(1, 0));
    story.asked(&second, list_pools(), page_of(1, 0));
    story.asked(&Purpose { attempt: 2, ..first.clone() }, list_pools(), page_of(1, 0));
    story.asked(&Purpose { attempt: 3, ..first }, list_pools(), page_of(1, 0));
    let api = story.finish(60).api;
    assert_eq!((api.by_operation["Create"].runs, api.by_operation["Create"].attempts), (2, 4));
}
