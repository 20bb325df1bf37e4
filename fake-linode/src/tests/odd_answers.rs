//! Faults whose answers come from the state, or look like none of the API's.

use super::*;
use crate::fault::Cut;
use crate::{Action, Fault};
use lkesim_linode_api::{Endpoint, Page};
use lkesim_runtime::Ppm;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

fn under(action: Action, endpoint: Endpoint) -> Client {
    let fault = Fault { endpoints: vec![endpoint], ..Fault::new("faults[0].odd", action) };
    client(Settings { faults: vec![fault], ..Settings::usual(Tier::Standard) })
}

const POOLS: Request = Request::ListPools { cluster: CLUSTER, filter: None, page: PageRequest::FIRST };

fn instances(page: u32) -> Request {
    Request::ListInstances { filter: None, page: PageRequest { page, size: 25 } }
}

#[track_caller]
fn linodes(reply: Reply) -> Page<Arc<Instance>> {
    match reply {
        Reply::Instances(page) => page,
        other => panic!("not a list of Linodes: {other:?}"),
    }
}

#[test]
fn a_pool_created_twice_is_two_pools_and_the_second_is_answered() {
    let mut client = under(Action::Twice, Endpoint::CreatePool);
    let answered = client.create_pool(pool_of(1)).id;
    let made = client.happened(|kind| match kind {
        ChangeKind::LkePoolCreated { lke_pool, .. } => Some(*lke_pool),
        _ => None,
    });
    assert_eq!(made.len(), 3, "the base pool and two more");
    assert_eq!(answered, made[2]);
}

#[test]
fn a_pool_deleted_twice_is_not_found() {
    let mut client = under(Action::Twice, Endpoint::DeletePool);
    let lke_pool = client.create_pool(pool_of(1)).id;
    assert_eq!(client.refused(Request::DeletePool { cluster: CLUSTER, lke_pool }).status, 404);
    assert!(client.members(lke_pool).is_empty());
}

#[test]
fn partial_lists_lack_entries_and_do_not_say_so() {
    let mut client = under(Action::Partial(Cut::After(2)), Endpoint::ListInstances);
    client.create_pool(pool_of(60));
    client.at(600);
    let handled = client.handle(instances(1)).unwrap();
    assert!(handled.truncated);
    let page = linodes(handled.answer.result.unwrap());
    assert_eq!((page.data.len(), page.pages, page.results), (2, 1, 2));
    let mut client = under(Action::Partial(Cut::Each(Ppm(500_000))), Endpoint::ListInstances);
    client.create_pool(pool_of(60));
    let page = linodes(client.at(600).accepted(instances(1)));
    assert!((5..20).contains(&page.data.len()), "{} of 25", page.data.len());
    assert_eq!((page.pages, page.results), (3, 63));
}

#[test]
fn a_list_that_lacks_nothing_is_not_cut() {
    let mut client = under(Action::Partial(Cut::After(9)), Endpoint::ListPools);
    assert!(!client.handle(POOLS).unwrap().truncated);
}

#[test]
fn an_entry_is_shown_twice_across_pages_or_at_the_end_of_a_single_one() {
    let mut client = under(Action::Double, Endpoint::ListInstances);
    client.create_pool(pool_of(40));
    client.at(600);
    let (first, second) = (linodes(client.accepted(instances(1))), linodes(client.accepted(instances(2))));
    assert_eq!((first.data.len(), second.data.len()), (25, 19));
    assert_eq!(first.data.last(), second.data.first());
    let mut client = under(Action::Double, Endpoint::ListPools);
    assert_eq!(client.pools().iter().map(|pool| pool.id.0).collect::<Vec<_>>(), [101, 101]);
}

#[test]
fn maintenance_says_so_in_a_header() {
    let refused = under(Action::Maintenance, Endpoint::ListPools).refused(POOLS);
    assert_eq!((refused.status, refused.maintenance), (503, true));
}

#[test]
fn a_body_that_breaks_off_has_made_its_change() {
    let mut client = under(Action::Garble, Endpoint::CreatePool);
    let answer = client.answer(Request::CreatePool { cluster: CLUSTER, body: pool_of(1) });
    assert!(matches!(answer.result, Err(CallError::Unreadable(_))));
    assert_eq!(client.cloud.lke_pools().len(), 2);
}

#[test]
fn writes_are_never_stale_and_reads_are_never_doubled() {
    let mut stale = Fault::new("stale", Action::Stale(Duration::from_secs(60)));
    stale.endpoints = vec![Endpoint::CreatePool];
    let mut double = Fault::new("double", Action::Double);
    double.endpoints = vec![Endpoint::GetPool];
    let mut client = client(Settings { faults: vec![stale, double], ..Settings::quiet(Tier::Standard) });
    let lke_pool = client.create_pool(pool_of(1)).id;
    client.pool(lke_pool).unwrap();
    assert_eq!(client.cloud.fault_hits().map(|(_, hits)| hits).sum::<u64>(), 0);
}

/// A change by a client.
#[derive(Clone, Debug)]
enum Step {
    Create(u32),
    Count(u32),
    Tag(u8),
    DeletePool,
}

fn steps() -> impl Strategy<Value = Vec<(u64, Step)>> {
    let step = prop_oneof![
        (1..4_u32).prop_map(Step::Create),
        (1..6_u32).prop_map(Step::Count),
        (0..9_u8).prop_map(Step::Tag),
        Just(Step::DeletePool),
    ];
    prop::collection::vec((1..40_u64, step), 1..12)
}

impl Client {
    fn does(&mut self, step: &Step) {
        let last = self.cloud.lke_pools().last().unwrap().id;
        match step {
            Step::Create(count) => drop(self.create_pool(pool_of(*count))),
            Step::Count(count) => drop(self.set_count(last, *count)),
            Step::Tag(tag) => {
                let instance = self.cloud.instances().last().unwrap().id;
                self.put(instance, tags([&*format!("tag={tag}")]));
            }
            Step::DeletePool => drop(self.answer(Request::DeletePool { cluster: CLUSTER, lke_pool: last })),
        }
    }

    /// Both lists, each Linode and each pool.
    fn all_that_is_read(&mut self) -> [Vec<Option<Reply>>; 3] {
        let ids: Vec<InstanceId> = self.cloud.instances().map(|truth| truth.id).collect();
        let pools: Vec<LkePoolId> = self.cloud.lke_pools().map(|truth| truth.id).collect();
        let page = PageRequest { page: 1, size: 500 };
        let lists = vec![POOLS, Request::ListInstances { filter: Some(Filter::new(Vec::new())), page }];
        let instances = ids.into_iter().map(|instance| Request::GetInstance { instance }).collect();
        let pools = pools.into_iter().map(|lke_pool| Request::GetPool { cluster: CLUSTER, lke_pool }).collect();
        let mut ask =
            |requests: Vec<Request>| requests.into_iter().map(|request| self.answer(request).result.ok()).collect();
        [lists, instances, pools].map(&mut ask)
    }
}

proptest! {
    /// A cloud whose reads are stale by some age answers as one without faults did so long ago, whatever happened
    /// since.
    #[test]
    fn a_stale_read_is_what_was_read_then(
        steps in steps(),
        tier in prop_oneof![Just(Tier::Standard), Just(Tier::Enterprise)],
    ) {
        const AGE: u64 = 44;
        let stale = Fault::new("stale", Action::Stale(Duration::from_secs(AGE)));
        let mut late = client(Settings { faults: vec![stale], ..Settings::usual(tier) });
        let mut plain = client(Settings::usual(tier));
        let (mut now, mut seen) = (0, BTreeMap::new());
        for (pause, step) in &steps {
            // Changes are made at even seconds, and read at odd ones.
            for second in (now + 1..now + 2 * pause).step_by(2) {
                seen.insert(second, plain.at(second).all_that_is_read());
                if let Some(expected) = second.checked_sub(AGE).and_then(|then| seen.get(&then)) {
                    let found = late.at(second).all_that_is_read();
                    for (found, expected) in found.iter().zip(expected) {
                        // What was made since was not there then.
                        let (known, since) = found.split_at(expected.len());
                        prop_assert_eq!(known, &expected[..], "at {}", second);
                        prop_assert!(since.iter().all(Option::is_none), "at {}", second);
                    }
                }
            }
            now += 2 * pause;
            plain.at(now).does(step);
            late.at(now).does(step);
        }
    }
}
