use super::*;
use crate::settings::ListOrder;
use crate::{Lags, Limits};
use lkesim_linode_api::{InstanceStatus, PoolNodeId};
use lkesim_runtime::Quantiles;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// What a client does next. Numbers choose among what is there.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Wait(u64),
    Create(u32),
    Count(usize, u32),
    DeletePool(usize),
    DeleteNode(usize),
    Tag(usize, u8),
    Look,
}

pub(super) fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        3 => (1u64..20_000).prop_map(Step::Wait),
        1 => (0u32..5).prop_map(Step::Create),
        2 => (any::<usize>(), 0u32..8).prop_map(|(pool, count)| Step::Count(pool, count)),
        1 => any::<usize>().prop_map(Step::DeletePool),
        2 => any::<usize>().prop_map(Step::DeleteNode),
        3 => (any::<usize>(), 0u8..4).prop_map(|(instance, tag)| Step::Tag(instance, tag)),
        4 => Just(Step::Look),
    ];
    prop::collection::vec(step, 0..60)
}

pub(super) fn lags() -> impl Strategy<Value = Lags> {
    prop::collection::vec(0u64..30, 12).prop_map(|secs| {
        let spread = |n: usize| {
            let (half, most) = (Duration::from_secs(secs[n] / 2), Duration::from_secs(secs[n]));
            Quantiles::through(&[(500_000, half), (1_000_000, most)]).unwrap()
        };
        Lags {
            lke_pool_list: spread(0),
            lke_pool_get: spread(1),
            members: spread(2),
            slot_id: spread(3),
            instance_get: spread(4),
            instance_list: spread(5),
            tag_get: spread(6),
            tag_list: spread(7),
            propagation: spread(8),
            boot: spread(9),
            deletion: spread(10),
            heal: spread(11),
            ..Lags::zero()
        }
    })
}

pub(super) fn settings(lags: Lags, enterprise: bool, list_order: ListOrder) -> Settings {
    let tier = if enterprise { Tier::Enterprise } else { Tier::Standard };
    let mut limits = Limits::documented();
    limits.list.count = u32::MAX;
    limits.other.count = u32::MAX;
    Settings { lags, limits, list_order, ..Settings::quiet(tier) }
}

pub(super) fn orders() -> impl Strategy<Value = ListOrder> {
    prop_oneof![Just(ListOrder::Id), Just(ListOrder::Newest), Just(ListOrder::Shuffled)]
}

fn pick<T: Clone>(items: &[T], n: usize) -> Option<T> {
    (!items.is_empty()).then(|| items[n % items.len()].clone())
}

fn request(client: &Client, step: &Step) -> Option<Request> {
    let pools: Vec<LkePoolId> = client.cloud.lke_pools().map(|pool| pool.id).collect();
    let nodes: Vec<PoolNodeId> = client.cloud.instances().filter_map(|truth| truth.node).collect();
    let instances: Vec<InstanceId> = client.cloud.instances().map(|truth| truth.id).collect();
    let cluster = CLUSTER;
    Some(match *step {
        Step::Wait(_) | Step::Look => return None,
        Step::Create(count) => Request::CreatePool { cluster, body: pool_of(count) },
        Step::Count(n, count) => Request::UpdatePool {
            cluster,
            lke_pool: pick(&pools, n)?,
            body: LkePoolUpdate { count: Some(count), ..LkePoolUpdate::default() },
        },
        Step::DeletePool(n) => Request::DeletePool { cluster, lke_pool: pick(&pools, n)? },
        Step::DeleteNode(n) => Request::DeleteNode { cluster, node: pick(&nodes, n)? },
        Step::Tag(n, tag) => Request::UpdateInstance {
            instance: pick(&instances, n)?,
            tags: tags([&*format!("claim={tag}"), "nodepool=101"]),
        },
    })
}

/// Does a step; `true` where the client looked around.
pub(super) fn walk(client: &mut Client, step: &Step) -> Option<Answer> {
    if let Step::Wait(millis) = step {
        client.now += Duration::from_millis(*millis);
    }
    request(client, step).map(|request| client.answer(request))
}

fn filters() -> Vec<Filter> {
    vec![
        Filter::tag("claim=1"),
        Filter::tag_contains("claim="),
        Filter::all([Filter::tag_contains("nodepool=10"), Filter::tag_contains("lke1")]),
        Filter::field("lke_cluster_id", 1),
        Filter::parse(r#"{"tags":"claim=2","+order_by":"id","+order":"desc"}"#).unwrap(),
    ]
}

/// The count of each pool is its live nodes, every live Linode is in a live pool, and the changes add up to the truth.
fn check_truth(client: &Client) {
    let mut in_pools = 0;
    for pool in client.cloud.lke_pools() {
        let members = client.members(pool.id);
        assert_eq!(members.len(), if pool.is_live() { pool.count as usize } else { 0 });
        assert!(members.iter().all(|&id| client.cloud.instance(id).unwrap().is_live()));
        in_pools += members.len();
    }
    let live: Vec<_> = client.cloud.live_instances().collect();
    let claimed = live.iter().filter(|truth| truth.tags.value("claim").is_some()).count();
    let unclaimed = live.iter().filter(|truth| truth.tags.value("claim").is_none()).count();
    assert_eq!(claimed + unclaimed, in_pools);
    let created = client.happened(|kind| matches!(kind, ChangeKind::InstanceCreated { .. }).then_some(()));
    let deleted = client.happened(|kind| matches!(kind, ChangeKind::InstanceDeleted { .. }).then_some(()));
    assert_eq!(created.len() - deleted.len(), live.len());
}

/// How far each view of each object has come. It may only grow.
#[derive(Default)]
struct Progress(BTreeMap<String, u32>);

impl Progress {
    fn note(&mut self, what: String, stage: u32) {
        let last = self.0.entry(what.clone()).or_default();
        assert!(*last <= stage, "{what} went back from {last} to {stage}");
        *last = stage;
    }

    /// Absent, then there in this stage, then absent for good.
    fn linode(&mut self, view: &str, id: InstanceId, shown: Option<InstanceStatus>) {
        let what = format!("{view} {id}");
        let stage = match shown {
            Some(InstanceStatus::Provisioning) => 1,
            Some(InstanceStatus::Running) => 2,
            Some(_) => 3,
            None if self.0.get(&what).is_some_and(|stage| *stage > 0) => 4,
            None => 0,
        };
        self.note(what, stage);
    }

    fn pool(&mut self, view: &str, id: LkePoolId, shown: Option<&LkePool>) {
        let there = format!("{view} pool {id}");
        let stage = match shown {
            Some(_) => 1,
            None if self.0.get(&there).is_some_and(|stage| *stage > 0) => 2,
            None => 0,
        };
        self.note(there, stage);
        let prefix = format!("{view} slot {id}-");
        let known: Vec<String> = self.0.range(prefix.clone()..).map(|(what, _)| what.clone()).collect();
        let nodes = shown.map_or(&[][..], |pool| &pool.nodes);
        let name = |node: &lkesim_linode_api::PoolNode| format!("{view} slot {}", node.id);
        for node in nodes {
            self.note(name(node), 1 + u32::from(node.instance.is_some()));
        }
        for what in known.into_iter().take_while(|what| what.starts_with(&prefix)) {
            if !nodes.iter().any(|node| name(node) == what) {
                self.note(what, 3);
            }
        }
    }
}

fn look(client: &mut Client, progress: &mut Progress) {
    let all = client.list_objects(None);
    let ids: Vec<_> = client.cloud.instances().map(|truth| truth.id).collect();
    for id in ids {
        let listed = all.iter().find(|instance| instance.id == id);
        progress.linode("list", id, listed.map(|instance| instance.status));
        let got = client.get(id);
        progress.linode("get", id, got.map(|instance| instance.status));
    }
    let listed = client.pools();
    let ids: Vec<_> = client.cloud.lke_pools().map(|pool| pool.id).collect();
    for id in ids {
        progress.pool("list", id, listed.iter().find(|pool| pool.id == id).map(|pool| &**pool));
        let got = client.pool(id);
        progress.pool("get", id, got.as_deref());
    }
    for filter in filters() {
        let mut expected: Vec<_> = all.iter().filter(|instance| filter.matches(&***instance)).cloned().collect();
        if filter.order_by().is_some() {
            expected.sort_by_key(|instance| std::cmp::Reverse(instance.id));
        }
        assert_eq!(client.list_objects(Some(filter)), expected);
    }
}

proptest! {
    /// Whatever is asked: nothing panics, the truth adds up, no view goes back, and what lists remember of earlier
    /// questions is what judging every Linode anew gives.
    #[test]
    fn any_walk_keeps_the_truth_whole_and_the_views_forward(
        steps in steps(), lags in lags(), enterprise in any::<bool>(), order in orders(),
    ) {
        let mut client = client(settings(lags, enterprise, order));
        let mut progress = Progress::default();
        client.list(None);
        for step in &steps {
            walk(&mut client, step);
            if matches!(step, Step::Look) {
                look(&mut client, &mut progress);
            }
            check_truth(&client);
        }
        client.now += Duration::from_secs(1_000);
        look(&mut client, &mut progress);
        let listed = client.list(None).len();
        prop_assert_eq!(listed, client.cloud.live_instances().count());
    }

    /// Equal calls at equal times have equal answers, whether the clock moves event by event or in leaps.
    #[test]
    fn a_walk_is_repeated_to_the_byte(
        steps in steps(), lags in lags(), enterprise in any::<bool>(), order in orders(),
    ) {
        let run = |by_event: bool| {
            let mut client = client(settings(lags.clone(), enterprise, order));
            let mut answers = Vec::new();
            for step in &steps {
                let before = client.now;
                answers.push(walk(&mut client, step));
                while let Some(at) = client.cloud.next_event().filter(|&at| by_event && at <= client.now) {
                    assert!(at >= before);
                    client.cloud.advance(at);
                }
                answers.push(Some(client.answer(Request::ListInstances { filter: None, page: PageRequest::FIRST })));
            }
            (answers, client.changes)
        };
        let leaps = run(false);
        prop_assert_eq!(&leaps, &run(false));
        prop_assert_eq!(&leaps, &run(true));
    }
}

#[test]
fn the_cloud_can_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Cloud>();
}
