//! Holding, waiting and reading, asked of the index directly. The random streams of the invariants' twins cover the
//! rest.

use super::{ClaimLife, Fact, Truth};
use crate::event::{Returned, Seen};
use crate::invariants::stream::{OURS, Stream, clusters, get_pool, list_instances, post_pool, put_count};
use lkesim_linode_api::{InstanceId, LkePoolId};

fn truth_of(stream: &Stream) -> Truth {
    let mut truth = Truth::new(clusters());
    stream.events.iter().for_each(|event| truth.apply(event));
    truth
}

/// Claim a, and Linodes 5 and 6 in pool 9.
fn a_claim() -> Stream {
    let mut stream = Stream::default();
    stream.pool(9, 2, None);
    stream.linode(5, 9);
    stream.linode(6, 9);
    stream.claim(1, "a");
    stream
}

fn held(truth: &Truth) -> Vec<u64> {
    truth.claim(1).unwrap().holdings().map(|id| id.0).collect()
}

#[test]
fn a_claim_holds_what_is_stored_and_what_its_latest_create_returned() {
    let mut stream = a_claim();
    stream.create(1, 5);
    assert_eq!(held(&truth_of(&stream)), [5]);
    stream.store(1, Some(5));
    assert_eq!(held(&truth_of(&stream)), [5]);
    stream.create(1, 6);
    assert_eq!(held(&truth_of(&stream)), [5, 6]);
    stream.process_dies();
    assert_eq!(held(&truth_of(&stream)), [5]);
}

#[test]
fn facts_tell_the_beginning_and_the_end_of_holding() {
    let mut stream = a_claim();
    stream.create(1, 5);
    let (claim, instance) = (1, InstanceId(5));
    assert_eq!(truth_of(&stream).facts(), [Fact::Held { claim, instance }]);
    stream.store(1, Some(5));
    assert_eq!(truth_of(&stream).facts(), [], "it held the Linode before");
    stream.deleting(1, "workload");
    stream.claim_gone(1);
    let truth = truth_of(&stream);
    assert_eq!(truth.facts(), [Fact::Released { claim, instance }]);
    assert_eq!(truth.claim(1).unwrap().life, ClaimLife::Gone);
    assert_eq!(truth.claim(1).unwrap().deleted_by, Some("workload"));
    assert_eq!(truth.claim(1).unwrap().last_holdings().count(), 1);
    assert_eq!(truth.unheld().len(), 2);
}

#[test]
fn a_claim_that_holds_two_linodes_of_a_pool_is_one_of_its_holders() {
    let mut stream = a_claim();
    stream.store(1, Some(5));
    stream.create(1, 6);
    let holders = |stream: &Stream| truth_of(stream).lke_pool(LkePoolId(9)).unwrap().holders;
    assert_eq!(holders(&stream), 1);
    stream.linode_gone(5, None);
    assert_eq!(holders(&stream), 1);
    stream.linode_gone(6, None);
    assert_eq!(holders(&stream), 0);
}

#[test]
fn a_claim_waits_at_the_key_of_the_last_pool_that_its_create_asked_for() {
    let mut stream = a_claim();
    stream.pool_of(10, OURS, Some("np"), "large", 1, None);
    let plan = |stream: &Stream| {
        let truth = truth_of(stream);
        truth.claim(1).unwrap().waits_at().map(|key| truth.key(key).plan.clone())
    };
    let run = stream.begin_create(1);
    stream.call(run, list_instances(1));
    assert_eq!(plan(&stream), None, "a list shows no key");
    stream.call(run, post_pool("huge"));
    assert_eq!(plan(&stream).as_deref(), Some("huge"));
    stream.call(run, get_pool(10));
    assert_eq!(plan(&stream).as_deref(), Some("large"));
    stream.call(run, get_pool(77));
    assert_eq!(plan(&stream).as_deref(), Some("large"), "an unknown pool shows no key");
    stream.returns(run, Returned::Instance(InstanceId(5)));
    assert_eq!(plan(&stream), None, "it holds a Linode");
}

#[test]
fn a_put_knows_the_count_that_its_operation_read_last() {
    let mut stream = a_claim();
    let run = stream.begin_create(1);
    stream.reads(run, 9, 7);
    stream.reads(run, 9, 3);
    let call = stream.call(run, put_count(9, 5));
    let other = stream.begin_create(1);
    let blind = stream.call(other, put_count(9, 5));
    let truth = truth_of(&stream);
    let write = truth.write(Some(call)).unwrap();
    assert_eq!((write.read, write.asked, write.raise()), (Some(3), Some(5), Some(2)));
    assert_eq!(truth.write(Some(blind)).unwrap().raise(), None, "what was not read can't be raised");
    assert!(truth.write(Some(1)).is_none(), "a GET writes nothing");
    assert!(truth.write(None).is_none());
}

#[test]
fn an_operation_is_misled_until_it_has_read_every_page() {
    let mut stream = a_claim();
    let run = stream.begin_create(1);
    let misled = |stream: &Stream| truth_of(stream).operation(run).unwrap().is_misled();
    for (page, left) in [(1, true), (2, true), (3, false)] {
        let call = stream.call(run, list_instances(page));
        stream.ok(call, Seen { pages: 3, ..Seen::default() });
        assert_eq!(misled(&stream), left, "after page {page}");
    }
    let call = stream.call(run, get_pool(9));
    stream.fails(call, 404);
    assert!(!misled(&stream));
    let call = stream.call(run, get_pool(9));
    stream.fails(call, 429);
    assert!(misled(&stream));
    stream.returns(run, Returned::Failed("no".into()));
    assert!(truth_of(&stream).operation(run).is_some(), "it can be asked for while its return is judged");
}

#[test]
fn a_linode_without_a_lke_pool_is_karpenters_if_its_first_tags_name_a_node_pool() {
    let mut stream = Stream::default();
    stream.direct_linode(5, Some(OURS), &["karpenter.sh/nodepool=np", "karpenter.sh/nodeclaim=a"]);
    stream.direct_linode(6, Some(OURS), &["karpenter.sh/nodepool=np"]);
    stream.direct_linode(7, Some(OURS), &["somebody=else"]);
    stream.claim(1, "a");
    stream.create(1, 6);
    let truth = truth_of(&stream);
    let managed: Vec<u64> = truth.linodes().filter(|(_, linode)| linode.is_managed()).map(|(id, _)| id.0).collect();
    assert_eq!(managed, [5, 6]);
    assert_eq!(truth.unheld().iter().map(|id| id.0).collect::<Vec<_>>(), [5]);
    let bearers: Vec<u64> = truth.bearers(truth.claim(1).unwrap()).map(|id| id.0).collect();
    assert_eq!(bearers, [5], "by a tag that it was made with");
}
