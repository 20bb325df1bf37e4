//! The fake's draws, each keyed by what it is for and whose it is.
//!
//! A machine's entity is (cluster, plan, value of the pool's `karpenter.sh/nodepool` tag, n-th created of these): the
//! third machine of a key boots equally slowly under every design, which makes two designs comparable under one seed.

use crate::saved::Saved;
use lkesim_linode_api::{ClusterId, Tags};
use lkesim_runtime::{Entity, Key, Quantiles, Seed, Tally, Word};
use std::time::Duration;

/// The tag of a pool that names its Karpenter NodePool.
const NODE_POOL_TAG: &str = "karpenter.sh/nodepool";

/// The keys of the fake's purposes.
pub(crate) struct Luck {
    pub lke_pool_list: Key,
    pub lke_pool_get: Key,
    pub members: Key,
    pub slot_id: Key,
    pub instance_seen: Key,
    pub tag_get: Key,
    pub tag_list: Key,
    pub propagation: Key,
    pub boot: Key,
    pub deletion: Key,
    pub heal: Key,
    pub shutdown: Key,
    pub kubeconfig: Key,
    pub api_endpoints: Key,
    pub resync: Key,
    pub node_id: Key,
    pub label: Key,
    pub victims: Key,
    pub order: Key,
    pub fault: Key,
    pub fault_delay: Key,
    seed: Seed,
    machines: Tally,
    lke_pools: Tally,
}

impl Luck {
    pub fn new(seed: Seed) -> Luck {
        Luck {
            lke_pool_list: seed.key("cloud.pool_list"),
            lke_pool_get: seed.key("cloud.pool_get"),
            members: seed.key("cloud.members"),
            slot_id: seed.key("cloud.slot_id"),
            instance_seen: seed.key("cloud.instance_seen"),
            tag_get: seed.key("cloud.tag_get"),
            tag_list: seed.key("cloud.tag_list"),
            propagation: seed.key("cloud.propagation"),
            boot: seed.key("cloud.boot"),
            deletion: seed.key("cloud.deletion"),
            heal: seed.key("cloud.heal"),
            shutdown: seed.key("cloud.shutdown"),
            kubeconfig: seed.key("cloud.kubeconfig"),
            api_endpoints: seed.key("cloud.api_endpoints"),
            resync: seed.key("cloud.resync"),
            node_id: seed.key("cloud.node_id"),
            label: seed.key("cloud.label"),
            victims: seed.key("cloud.victims"),
            order: seed.key("cloud.order"),
            fault: seed.key("cloud.fault"),
            fault_delay: seed.key("cloud.fault_delay"),
            seed,
            machines: Tally::default(),
            lke_pools: Tally::default(),
        }
    }

    /// The entity of the next machine of this key.
    pub fn next_machine(&mut self, cluster: Option<ClusterId>, plan: &str, tags: &Tags) -> Entity {
        next(&mut self.machines, key_entity(cluster, plan, tags))
    }

    /// The entity of the next LKE pool of this key.
    pub fn next_lke_pool(&mut self, cluster: ClusterId, plan: &str, tags: &Tags) -> Entity {
        next(&mut self.lke_pools, key_entity(Some(cluster), plan, tags))
    }
}

fn key_entity(cluster: Option<ClusterId>, plan: &str, tags: &Tags) -> Entity {
    Entity::named(tags.value(NODE_POOL_TAG).unwrap_or_default()).and_name(plan).and(cluster.map_or(0, |id| id.0))
}

fn next(made: &mut Tally, entity: Entity) -> Entity {
    entity.and(made.next(entity))
}

/// The delay that an entity draws for the n-th time.
#[inline]
pub(crate) fn delay(key: Key, lag: &Quantiles, entity: Entity, n: u64) -> Duration {
    if lag.is_zero() {
        return Duration::ZERO;
    }
    lag.draw(key.draw(entity, n))
}

/// Writes `count` letters and digits that read as no word, as Kubernetes draws them for names.
pub(crate) fn letters(into: &mut String, word: Word, count: usize) {
    const ALPHABET: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";
    let mut rest = word.0;
    for _ in 0..count {
        into.push(char::from(ALPHABET[(rest % 27) as usize]));
        rest /= 27;
    }
}

/// The keys follow from the seed.
impl Saved for Luck {
    fn save(&self) -> serde_json::Value {
        serde_json::Value::from(vec![self.seed.save(), self.machines.save(), self.lke_pools.save()])
    }

    fn load(value: &serde_json::Value) -> Option<Luck> {
        let [seed, machines, lke_pools] = &value.as_array()?[..] else {
            return None;
        };
        let (machines, lke_pools) = (Tally::load(machines)?, Tally::load(lke_pools)?);
        Some(Luck { machines, lke_pools, ..Luck::new(Seed::load(seed)?) })
    }
}
