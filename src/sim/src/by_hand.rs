//! What a person does in Linode's console: calls of another client, past Karpenter's limits and faults.

use crate::bridge;
use crate::cluster::Cluster;
use crate::link::ending;
use crate::world::World;
use fake_linode::{InstanceTruth, LkePoolTruth};
use lkesim_judge::event::What;
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::{
    Call, Cause, ClusterId, InstanceId, LkePoolId, LkePoolUpdate, Operation, Purpose, Request, Tags,
};
use lkesim_lke::tags;
use lkesim_runtime::Time;
use lkesim_scenario::ByHand;
use lkesim_scenario::by_hand::Pick;
use std::rc::Rc;
use std::sync::Arc;

/// The name of that person in reports.
pub(crate) const CLIENT: &str = "by hand";

/// Does it all, each act at its time.
pub(crate) async fn play(world: Rc<World>) {
    let mut acts: Vec<(usize, &ByHand)> = world.plan.scenario.by_hand.iter().enumerate().collect();
    acts.sort_by_key(|(_, act)| act.at());
    for (place, act) in acts {
        let at = Time::ZERO + act.at().get();
        if world.runtime.now() < at {
            world.runtime.sleep_until(at).await;
        }
        let went = match act {
            ByHand::RecyclePool(pool) => world.recycle(act, &pool.node_pool, pool.plan.as_deref()),
            act => match world.request_by_hand(act) {
                Some(request) => world.call_by_hand(request),
                None => Err(absent(act)),
            },
        };
        if let Err(why) = went {
            world.warn(format!("by_hand[{place}].{}", act.kind()), why);
        }
    }
}

/// What an act was to change, in words, where it is not there.
fn absent(act: &ByHand) -> String {
    let node_pool = act.node_pool();
    match (act, act.claim(), act.plan()) {
        (_, Some(claim), _) => format!("the NodeClaim {claim} has no live Linode"),
        (ByHand::DeleteLinode(_) | ByHand::DeleteNode(_) | ByHand::RetagLinode(_), None, _) => {
            format!("the NodePool {node_pool} has no live Linode")
        }
        (_, _, Some(plan)) => format!("the NodePool {node_pool} has no live LKE pool of {plan}"),
        _ => format!("the NodePool {node_pool} has no live LKE pool"),
    }
}

impl World {
    /// The request that the act makes; none where what it is about is not there.
    fn request_by_hand(&self, hand: &ByHand) -> Option<Request> {
        let cluster = self.cluster_of_hand(hand)?;
        Some(match hand {
            ByHand::DeleteLinode(act) => {
                Request::DeleteInstance { instance: self.one_linode(cluster, hand, act.which)? }
            }
            ByHand::DeleteNode(act) => {
                let instance = self.one_linode(cluster, hand, act.which)?;
                let cloud = self.cloud.borrow();
                let truth = cloud.instance(instance)?;
                Request::DeleteNode { cluster: truth.cluster?, node: truth.node? }
            }
            ByHand::RetagLinode(act) => {
                let instance = self.one_linode(cluster, hand, act.which)?;
                let tags = changed(&self.cloud.borrow().instance(instance)?.tags, &act.remove, &act.add);
                Request::UpdateInstance { instance, tags }
            }
            ByHand::ResizePool(act) => {
                let (cluster, lke_pool) = self.lke_pool(cluster, &act.node_pool, act.plan.as_deref())?;
                let count = self.cloud.borrow().lke_pool(lke_pool)?.count;
                let to = act.to.unwrap_or_else(|| count.saturating_add_signed(act.by.unwrap_or_default()));
                Request::UpdatePool {
                    cluster,
                    lke_pool,
                    body: LkePoolUpdate { count: Some(to), ..LkePoolUpdate::default() },
                }
            }
            ByHand::RetagPool(act) => {
                let (cluster, lke_pool) = self.lke_pool(cluster, &act.node_pool, act.plan.as_deref())?;
                let tags = changed(&self.cloud.borrow().lke_pool(lke_pool)?.tags, &act.remove, &act.add);
                Request::UpdatePool {
                    cluster,
                    lke_pool,
                    body: LkePoolUpdate { tags: Some(tags), ..LkePoolUpdate::default() },
                }
            }
            ByHand::DeletePool(act) => {
                let (cluster, lke_pool) = self.lke_pool(cluster, &act.node_pool, act.plan.as_deref())?;
                Request::DeletePool { cluster, lke_pool }
            }
            ByHand::RecyclePool(_) => return None,
        })
    }

    fn one_linode(&self, cluster: &Cluster, act: &ByHand, which: Option<Pick>) -> Option<InstanceId> {
        self.linode(cluster, act.claim(), act.node_pool(), which.unwrap_or_default())
    }

    fn cluster_of_hand(&self, act: &ByHand) -> Option<&Cluster> {
        self.clusters.get(self.plan.place(act.cluster())?)
    }

    /// Whether a Linode is to be looked at where one of this cluster is meant.
    fn is_of(&self, instance: InstanceId, cluster: &Cluster) -> bool {
        let places = self.places.borrow();
        !self.plan.has_several_clusters()
            || places.get(&instance).is_some_and(|place| place.cluster == Some(cluster.id))
    }

    /// A living Linode of a cluster: the one that a NodeClaim holds, or one of a NodePool's.
    fn linode(&self, cluster: &Cluster, claim: Option<&str>, node_pool: &str, which: Pick) -> Option<InstanceId> {
        let cloud = self.cloud.borrow();
        let live = || cloud.live_instances().filter(|truth| self.is_of(truth.id, cluster));
        if let Some(name) = claim {
            let held = cluster.store.get::<NodeClaim>(name);
            let stored = held.and_then(|claim| claim.status.provider_id.as_ref()?.id()).map(InstanceId);
            let tagged = |truth: &&InstanceTruth| truth.tags.values(tags::NODE_CLAIM).any(|holder| holder == name);
            let found = stored.or_else(|| live().find(tagged).map(|truth| truth.id));
            return found.filter(|&id| cloud.instance(id).is_some_and(InstanceTruth::is_live));
        }
        let of_node_pool = |truth: &&InstanceTruth| {
            let lke_pool = truth.node.and_then(|node| cloud.lke_pool(node.lke_pool));
            let named = truth.tags.value(tags::NODE_POOL).or_else(|| lke_pool?.tags.value(tags::NODE_POOL));
            named == Some(node_pool)
        };
        let mut found = live().filter(of_node_pool).map(|truth| truth.id);
        match which {
            Pick::Oldest => found.next(),
            Pick::Newest => found.last(),
        }
    }

    /// The first living LKE pool of a cluster's NodePool, of this type where one is named.
    fn lke_pool(&self, cluster: &Cluster, node_pool: &str, plan: Option<&str>) -> Option<(ClusterId, LkePoolId)> {
        let cloud = self.cloud.borrow();
        let asked = |truth: &&LkePoolTruth| {
            truth.is_live()
                && truth.cluster == cluster.id
                && truth.tags.value(tags::NODE_POOL) == Some(node_pool)
                && plan.is_none_or(|plan| plan == &*truth.plan)
        };
        cloud.lke_pools().find(asked).map(|truth| (truth.cluster, truth.id))
    }

    fn call_by_hand(self: &Rc<World>, request: Request) -> Result<(), String> {
        let purpose = Purpose {
            caller: CLIENT,
            operation: Operation::Foreign,
            invocation: 0,
            attempt: 0,
            subject: CLIENT.into(),
            cause: Cause::Foreign,
            joined: Default::default(),
        };
        let number = self.next_call();
        let call = Rc::new(Call { purpose, attempt: 0, request });
        self.record(What::Called { call: number, sent: call.clone() });
        let handled = self.cloud.borrow_mut().handle_by_hand(self.runtime.now(), number, &call);
        match handled {
            Ok(handled) => {
                bridge::tell_changes(self);
                let ending = ending(&handled.answer, false, None);
                self.record(What::Answered { call: number, arrival: None, ending });
                handled.answer.result.map(drop).map_err(|error| format!("the API refused it: {error}"))
            }
            Err(what) => {
                self.abort(what);
                Ok(())
            }
        }
    }

    /// The API's call for it is not part of the model, as no client of it makes one.
    fn recycle(self: &Rc<World>, act: &ByHand, node_pool: &str, plan: Option<&str>) -> Result<(), String> {
        let found = self.cluster_of_hand(act).and_then(|cluster| self.lke_pool(cluster, node_pool, plan));
        let (_, lke_pool) = found.ok_or_else(|| absent(act))?;
        let recycled = self.cloud.borrow_mut().recycle_by_hand(self.runtime.now(), lke_pool);
        bridge::tell_changes(self);
        if recycled { Ok(()) } else { Err("nodes of its plan can't be had".to_owned()) }
    }
}

/// Tags after some went, by their whole text or their key, and others came.
fn changed(before: &Tags, remove: &[String], add: &[String]) -> Tags {
    let goes = |tag: &str| {
        remove
            .iter()
            .any(|gone| tag.strip_prefix(gone.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')))
    };
    let stay = before.iter().filter(|tag| !goes(tag)).cloned();
    stay.chain(add.iter().map(|tag| Arc::from(tag.as_str()))).collect()
}
