use super::*;
use crate::figures::{HARD_CASES, HardCase};
use lkesim_linode_api::{LkePoolCreate, RateClass};
use std::sync::Arc;

#[track_caller]
fn check(story: Story, name: &str, times: u64) {
    let sometimes = story.finish(3_600).sometimes;
    assert_eq!(sometimes[name], times, "{name}");
}

fn create_pool(node_pool: &str) -> Request {
    let body = LkePoolCreate {
        plan: "g6-standard-4".into(),
        count: 1,
        tags: [format!("karpenter.sh/nodepool={node_pool}").as_str()].into_iter().collect(),
        labels: Vec::new(),
        taints: Vec::new(),
        firewall: None,
        k8s_version: None,
        more: None,
    };
    Request::CreatePool { cluster: CLUSTER, body }
}

#[test]
fn the_catalogue_names_each_case_once_in_the_order_of_the_enum() {
    let mut names: Vec<&str> = HARD_CASES.iter().map(|(_, name, _)| *name).collect();
    assert!(HARD_CASES.iter().enumerate().all(|(index, (case, ..))| *case as usize == index));
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), HARD_CASES.len());
    assert_eq!(Story::new().finish(0).sometimes.len(), HARD_CASES.len());
    assert_eq!(RateClass::ALL.len(), 3);
}

#[test]
fn a_second_read_back_in_a_run_is_needed_once() {
    let mut story = Story::new();
    let create = story.started(Operation::Create, None);
    let verify = Purpose { cause: Cause::Verify, ..create.clone() };
    story.asked(&create, write_tags(1), Seen::default());
    story.asked(&verify, get_instance(1), Seen::default());
    assert_eq!(story.figures.occurred(HardCase::VerifyNeededAgain), 0);
    story.asked(&verify, get_instance(1), Seen::default());
    story.asked(&verify, get_instance(1), Seen::default());
    check(story, "verify_needed_again", 1);
}

#[test]
fn a_retried_read_back_is_one_read() {
    let mut story = Story::new();
    let create = story.started(Operation::Create, None);
    let verify = Purpose { cause: Cause::Verify, ..create };
    let call = story.called(&verify, 0, get_instance(1));
    story.failed(call, too_many(), true, None);
    story.called(&verify, 1, get_instance(1));
    check(story, "verify_needed_again", 0);
}

#[test]
fn pools_race_while_both_creations_are_under_way() {
    let mut story = Story::new();
    let create = story.started(Operation::Create, None);
    let first = story.called(&create, 0, create_pool("general"));
    story.called(&create, 0, create_pool("batch"));
    assert_eq!(story.figures.occurred(HardCase::PoolRaced), 0);
    story.called(&create, 0, create_pool("general"));
    assert_eq!(story.figures.occurred(HardCase::PoolRaced), 1);
    story.answered(first, Seen::default());
    check(story, "pool_raced", 1);
}

#[test]
fn an_answered_creation_races_no_more() {
    let mut story = Story::new();
    let create = story.started(Operation::Create, None);
    story.asked(&create, create_pool("general"), Seen::default());
    story.called(&create, 0, create_pool("general"));
    check(story, "pool_raced", 0);
}

#[test]
fn creates_overlap_when_one_begins_within_another_of_its_key() {
    let mut story = Story::new();
    let (one, two) = (story.claim_created(1), story.claim_created(2));
    let first = story.started(Operation::Create, Some(&one));
    let second = story.started(Operation::Create, Some(&two));
    story.returned(&first, Returned::Done).returned(&second, Returned::Done);
    let third = story.started(Operation::Create, Some(&two));
    story.returned(&third, Returned::Dropped);
    let sometimes = story.finish(3_600).sometimes;
    assert_eq!(sometimes["creates_overlapped"], 1);
    assert_eq!(sometimes["create_repeated"], 1);
    assert_eq!(sometimes["create_interrupted"], 1);
}

#[test]
fn a_create_that_runs_while_its_claim_is_deleted_is_seen() {
    let mut story = Story::new();
    let one = story.claim_created(1);
    story.started(Operation::Create, Some(&one));
    story.deleting(&one, "workload");
    check(story, "claim_deleted_in_create", 1);
}

#[test]
fn a_later_attempt_waits_once_a_run() {
    let mut story = Story::new();
    let one = story.claim_created(1);
    let create = story.started(Operation::Create, Some(&one));
    for attempt in [1, 2, 2, 3] {
        story.asked(&Purpose { attempt, ..create.clone() }, list_pools(), page_of(1, 0));
    }
    story.returned(&create, Returned::Failed("NodePoolProvisioning: no instance yet".into()));
    let sometimes = story.finish(3_600).sometimes;
    assert_eq!(sometimes["claim_waited"], 1);
    assert_eq!(sometimes["create_timed_out"], 1);
}

#[test]
fn answers_may_be_late_lost_refused_or_short_of_linodes() {
    let mut story = Story::new();
    let create = story.started(Operation::Create, None);
    let late = story.called(&create, 0, get_pool(1));
    story.at(5).answered(late, slots(1, 2));
    let lost = story.called(&create, 0, get_pool(1));
    story.failed(lost, CallError::Timeout, false, Some("lose"));
    let refused = story.called(&create, 0, get_pool(1));
    story.failed(refused, CallError::Api(ApiError::new(500, "Internal error")), false, Some("refuse"));
    let refused = story.called(&create, 0, get_pool(1));
    story.failed(refused, CallError::Api(ApiError::not_found()), false, None);
    let sometimes = story.finish(3_600).sometimes;
    let of = |name: &str| sometimes[name];
    assert_eq!((of("answer_delayed"), of("answer_lost"), of("call_refused_by_fault")), (1, 1, 1));
    assert_eq!(of("slot_without_id"), 1);
}

#[test]
fn odd_answers_are_counted_by_the_kind_of_their_fault() {
    let mut story = Story::new();
    let create = story.started(Operation::Create, None);
    let under = |fault: &str| Some(Arc::from(fault));
    for (fault, truncated) in [("twice", false), ("stale", false), ("double", false), ("partial", true)] {
        let call = story.called(&create, 0, list_pools());
        let fault = under(&format!("faults[3].{fault}"));
        story.answered(call, Seen { pages: 1, entries: 2, truncated, fault, ..Seen::default() });
    }
    let call = story.called(&create, 0, list_pools());
    story.answered(call, Seen { pages: 1, entries: 0, fault: under("faults[3].double"), ..Seen::default() });
    let call = story.called(&create, 0, list_pools());
    story.answered(call, Seen { pages: 1, fault: under("faults[0].partial"), ..Seen::default() });
    let down = ApiError { maintenance: true, ..ApiError::new(503, "down") };
    let call = story.called(&create, 0, list_pools());
    story.failed(call, CallError::Api(down), false, Some("faults[1].maintenance"));
    let call = story.called(&create, 0, list_pools());
    story.failed(call, CallError::Api(ApiError::empty(500)), false, Some("faults[1].refuse"));
    let call = story.called(&create, 0, list_pools());
    story.failed(call, CallError::Unreadable("body"), false, Some("faults[1].garble"));
    let call = story.called(&create, 0, list_pools());
    story.failed(call, CallError::Api(ApiError::not_found()), false, Some("faults[2].twice"));
    let sometimes = story.finish(3_600).sometimes;
    let of = |name: &str| sometimes[name];
    assert_eq!((of("call_made_twice"), of("answer_stale"), of("answer_empty")), (2, 1, 1));
    assert_eq!((of("list_entry_doubled"), of("list_cut"), of("maintenance_met")), (1, 1, 1));
    assert_eq!((of("answer_unreadable"), of("call_refused_by_fault")), (1, 0));
}

#[test]
fn garbage_collection_deletes_orphans_that_no_one_held() {
    let mut story = Story::new();
    story.lke_pool(1, Some("general")).linode(101, 1, Some(1));
    let delete = story.started(Operation::Delete, None);
    let gc = Purpose { cause: Cause::Gc, ..delete };
    let node = PoolNodeId { lke_pool: LkePoolId(1), suffix: 1 };
    let call = story.at(400).called(&gc, 0, Request::DeleteNode { cluster: CLUSTER, node });
    story.linode_deleted(101, Some(call));
    let sometimes = story.finish(3_600).sometimes;
    assert_eq!((sometimes["orphan_deleted"], sometimes["linode_never_held"], sometimes["linode_unclaimed"]), (1, 1, 1));
}

#[test]
fn a_gap_shorter_than_the_orphan_ttl_is_no_hard_case() {
    let mut story = Story::new();
    story.lke_pool(1, Some("general")).linode(101, 1, Some(1));
    story.at(299).held(101, true);
    check(story, "linode_unclaimed", 0);
}

#[test]
fn a_claims_tag_may_be_overwritten_or_doubled() {
    let tagged = |story: &mut Story, before: &[&str], after: &[&str]| {
        story.happens(What::InstanceTagged {
            instance: InstanceId(101),
            before: before.iter().copied().collect(),
            after: after.iter().copied().collect(),
            call: None,
        });
    };
    let (a, b) = ("karpenter.sh/nodeclaim=a", "karpenter.sh/nodeclaim=b");
    let mut story = Story::new();
    story.lke_pool(1, Some("general")).linode(101, 1, Some(1));
    tagged(&mut story, &[], &[a]);
    tagged(&mut story, &[a], &[a, "more"]);
    tagged(&mut story, &[a], &[b]);
    tagged(&mut story, &[b], &[b, a]);
    tagged(&mut story, &[b, a], &[]);
    let sometimes = story.finish(3_600).sometimes;
    assert_eq!((sometimes["tag_overwritten"], sometimes["tag_doubled"]), (1, 1));
}

#[test]
fn a_process_restarts_from_its_second_start() {
    let mut story = Story::new();
    story.happens(What::ProcessStarted { cluster: CLUSTER, start: 1 });
    story.happens(What::ProcessStopped { cluster: CLUSTER, start: 1 });
    story.happens(What::ProcessStarted { cluster: CLUSTER, start: 2 });
    check(story, "process_restarted", 1);
}

#[test]
fn a_new_pool_refused_with_400_in_other_words_is_unrecognized() {
    let mut story = Story::new();
    let create = story.started(Operation::Create, None);
    let refused = |status, reason: &'static str| CallError::Api(ApiError::new(status, reason));
    let sold_out = "The Linode plan you chose is not currently available in the selected region.";
    for (status, reason) in [(400, "no"), (400, sold_out), (403, "no"), (500, "no")] {
        let call = story.called(&create, 0, create_pool("general"));
        story.failed(call, refused(status, reason), false, None);
    }
    check(story, "pool_refused_unrecognized", 1);
}
