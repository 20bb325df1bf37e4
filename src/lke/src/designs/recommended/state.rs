//! What a process knows while it is the writer: the ledger as it stands, who waits, and what is promised to whom.

use crate::ledger::{PoolRecord, PoolState, Record};
use crate::locks::PoolKey;
use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_kube::object::Uid;
use lkesim_linode_api::{InstanceId, LkePoolId, Tags};
use lkesim_runtime::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A NodeClaim that wants a Linode.
pub struct Demand {
    pub key: PoolKey,
    pub name: Rc<str>,
    /// The run of its Create, while one waits.
    pub run: Option<u64>,
    /// Its place in the queue.
    pub place: u64,
    /// Whether a round has counted it.
    pub counted: bool,
    /// Whether its last Create had a part in a write that made or raised a LKE pool of the key: it is known to want a
    /// Linode of this one.
    pub told: bool,
}

/// What is known of a key.
#[derive(Default)]
pub struct OfKey {
    /// The LKE pools that serve it; the first is the one that grows.
    pub lke_pools: Vec<LkePoolId>,
    /// What the ledger says of it.
    pub record: Option<PoolRecord>,
    /// Not before then is there anything to look for.
    pub next_look: Time,
    /// When the members were read for it last.
    pub looked: Time,
    /// When the truth of its count was asked for last.
    pub checked: Option<Time>,
    /// Nodes that were nobody's, at that time, less those promised since.
    pub free: u32,
}

#[derive(Default)]
pub struct State {
    pub is_loaded: bool,
    pub records: BTreeMap<InstanceId, Record>,
    pub keys: BTreeMap<PoolKey, OfKey>,
    /// LKE pools that Karpenter does not manage.
    pub foreign: BTreeSet<LkePoolId>,
    pub demand: BTreeMap<Uid, Demand>,
    /// Linodes on their way into the ledger.
    pub promised: BTreeMap<InstanceId, (Uid, LkePoolId)>,
    /// Linodes that turned out not to be there, and until when they are passed over.
    pub shunned: BTreeMap<InstanceId, Time>,
    /// What becomes of Creates that no Linode can be had for.
    pub refused: BTreeMap<Uid, CreateError>,
    /// Tags that this process wrote.
    pub tagged: BTreeMap<InstanceId, Tags>,
    /// Linodes that a view has shown to this process, or that a pool had already when it became the writer.
    pub seen: BTreeSet<InstanceId>,
    /// Linodes that a pool has and no list shows, since when.
    pub dead: BTreeMap<InstanceId, Time>,
    /// Linodes without an owner: since when, and in which LKE pool.
    pub unowned: BTreeMap<InstanceId, (Time, LkePoolId)>,
    /// When a Linode of the ledger was seen to be there. Of those that are not among them this process knows nothing.
    pub alive: BTreeMap<InstanceId, Time>,
    /// Linodes that this process deleted or found to be gone, and when.
    pub gone: BTreeMap<InstanceId, Time>,
    /// Linodes of the ledger that a Create did not find, since when.
    pub lost: BTreeMap<InstanceId, Time>,
    /// A rate limit refused a write, and no deletion was accepted since.
    pub is_throttled: bool,
    /// Until when those who wait make no calls, for a collection that a rate limit refused.
    pub gives_way_until: Time,
    /// When they began to give way last.
    pub gave_way: Option<Time>,
    /// LKE pools that a write did not find, since when.
    pub missed: BTreeMap<LkePoolId, Time>,
    /// Until when nothing is written to the LKE pools of a key: a write was not answered and may still arrive.
    pub quiet: BTreeMap<PoolKey, Time>,
    /// Linodes that bore a NodeClaim's tag before there was a ledger: they are kept for it.
    pub kept_for: BTreeMap<InstanceId, Uid>,
    /// When the cloud was listed for all that is there.
    pub loaded_at: Option<Time>,
    /// The POST of a key by the time that the ledger has of it, and until when it is open what came of it.
    pub doubts: BTreeMap<PoolKey, (Time, Time)>,
    names: BTreeMap<Uid, Rc<str>>,
    places: u64,
}

impl State {
    /// The API accepted its deletion.
    pub fn is_gone(&self, id: InstanceId) -> bool {
        self.records.get(&id).is_some_and(|record| record.gone)
    }

    pub fn owner_name(&self, id: InstanceId) -> Option<Rc<str>> {
        self.names.get(&self.records.get(&id)?.uid).cloned()
    }

    /// What came of the POST that was asked for then is open until that time, unless this process has its own word on it.
    /// When it was asked for, by the clock of who asked, is but its name.
    pub fn doubt_anew(&mut self, key: &PoolKey, asked: Time, until: Time) {
        if self.doubts.get(key).is_none_or(|(known, _)| *known != asked) {
            self.doubts.insert(key.clone(), (asked, until));
        }
    }

    pub fn name(&mut self, uid: Uid, name: &Rc<str>) {
        self.names.insert(uid, name.clone());
    }

    pub fn record_of(&self, uid: Uid) -> Option<&Record> {
        self.records.values().find(|record| record.uid == uid && !record.gone)
    }

    pub fn promise_of(&self, uid: Uid) -> Option<InstanceId> {
        self.promised.iter().find(|(_, (to, _))| *to == uid).map(|(id, _)| *id)
    }

    /// The Linode is to be this NodeClaim's.
    pub fn promise(&mut self, key: &PoolKey, uid: Uid, id: InstanceId, lke_pool: LkePoolId) {
        self.promised.insert(id, (uid, lke_pool));
        let of = self.of(key);
        of.free = of.free.saturating_sub(1);
    }

    /// Whether somebody has it or will have it.
    pub fn is_somebodys(&self, id: InstanceId) -> bool {
        self.promised.contains_key(&id) || self.records.get(&id).is_some_and(|record| !record.gone)
    }

    /// Whether somebody has it or will have it, or had it until it was deleted: an old answer may still show it.
    pub fn is_taken(&self, id: InstanceId) -> bool {
        self.records.contains_key(&id) || self.promised.contains_key(&id) || self.gone.contains_key(&id)
    }

    /// A Create for this NodeClaim begins to wait.
    pub fn wants(&mut self, uid: Uid, name: &Rc<str>, key: &PoolKey, run: u64) {
        self.name(uid, name);
        self.refused.remove(&uid);
        self.places += 1;
        let place = self.places;
        let known = self.demand.get_mut(&uid).filter(|known| known.key == *key);
        match known {
            Some(known) => (known.run, known.told) = (Some(run), false),
            None => {
                let demand =
                    Demand { key: key.clone(), name: name.clone(), run: Some(run), place, counted: false, told: false };
                self.demand.insert(uid, demand);
            }
        }
    }

    /// Its Create returns; it still wants a Linode.
    pub fn rests(&mut self, uid: Uid) {
        if let Some(demand) = self.demand.get_mut(&uid) {
            demand.run = None;
        }
    }

    /// Those who want a Linode of the key and are promised none, in the order in which they came.
    pub fn unserved(&self, key: &PoolKey) -> Vec<Uid> {
        let promised: BTreeSet<Uid> = self.promised.values().map(|(uid, _)| *uid).collect();
        let held: BTreeSet<Uid> =
            self.records.values().filter(|record| !record.gone).map(|record| record.uid).collect();
        let wants =
            |(uid, demand): &(&Uid, &Demand)| demand.key == *key && !promised.contains(*uid) && !held.contains(*uid);
        let mut all: Vec<(u64, Uid)> =
            self.demand.iter().filter(wants).map(|(uid, demand)| (demand.place, *uid)).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, uid)| uid).collect()
    }

    /// Those of them for whom nodes are asked for: who waits in a Create, or whose last one was told of. The next Create
    /// of another one may resolve to another key.
    pub fn growing(&self, key: &PoolKey) -> Vec<Uid> {
        let counts = |uid: &Uid| self.demand.get(uid).is_some_and(|demand| demand.run.is_some() || demand.told);
        self.unserved(key).into_iter().filter(counts).collect()
    }

    /// The Creates for which a call for the key is made: of all who want a Linode of it, also of who is promised one.
    pub fn waiting(&self, key: &PoolKey) -> Vec<(Uid, u64)> {
        let waiting = self.demand.iter().filter(|(_, demand)| demand.key == *key);
        waiting.filter_map(|(uid, demand)| Some((*uid, demand.run?))).collect()
    }

    /// The next call makes or raises a LKE pool of the key for all of them.
    pub fn tell(&mut self, key: &PoolKey) {
        for demand in self.demand.values_mut().filter(|demand| demand.key == *key) {
            demand.told |= demand.run.is_some();
        }
    }

    /// A round has counted these.
    pub fn count(&mut self, all: &[Uid]) {
        for uid in all {
            if let Some(demand) = self.demand.get_mut(uid) {
                demand.counted |= demand.run.is_some();
            }
        }
    }

    pub fn key_of_pool(&self, lke_pool: LkePoolId) -> Option<&PoolKey> {
        self.keys.iter().find(|(_, of)| of.lke_pools.contains(&lke_pool)).map(|(key, _)| key)
    }

    pub fn pools_of(&self, key: &PoolKey) -> Vec<LkePoolId> {
        self.keys.get(key).map(|of| of.lke_pools.clone()).unwrap_or_default()
    }

    pub fn of(&mut self, key: &PoolKey) -> &mut OfKey {
        self.keys.entry(key.clone()).or_default()
    }

    /// A LKE pool serves the key. That of the ledger stands first. What says nothing of the NodePool does not count
    /// beside what does.
    pub fn adopt(&mut self, key: &PoolKey, lke_pool: LkePoolId) {
        if let Some(known) = self.key_of_pool(lke_pool).cloned().filter(|known| known != key) {
            if key.node_pool.is_empty() {
                return;
            }
            if known.node_pool.is_empty() {
                self.drop_pool(lke_pool);
            }
        }
        let of = self.of(key);
        if !of.lke_pools.contains(&lke_pool) {
            of.lke_pools.push(lke_pool);
        }
        let recorded = of.record.as_ref().and_then(|record| match record.state {
            PoolState::Made(id) => Some(id),
            PoolState::Asked(_) => None,
        });
        of.lke_pools.sort_by_key(|id| (Some(*id) != recorded, *id));
    }

    pub fn drop_pool(&mut self, lke_pool: LkePoolId) {
        for of in self.keys.values_mut() {
            of.lke_pools.retain(|id| *id != lke_pool);
        }
    }

    /// Linodes of the LKE pool that the ledger or a promise gives to somebody.
    pub fn taken_in(&self, lke_pool: LkePoolId) -> Vec<InstanceId> {
        let recorded = self.records.values().filter(|record| record.lke_pool == lke_pool && !record.gone);
        let promised = self.promised.iter().filter(|(_, (_, pool))| *pool == lke_pool).map(|(id, _)| *id);
        recorded.map(|record| record.instance).chain(promised).collect()
    }
}
