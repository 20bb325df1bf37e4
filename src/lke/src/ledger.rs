//! Who has which Linode, recorded where a write can be made to fail: in the Kubernetes API.
//!
//! Linode's API replaces a Linode's tags whatever they were, so that of two writers the second wins unseen. The
//! Kubernetes API refuses to make an object whose name is taken, and a write that is based on an old version. One
//! ConfigMap a Linode, named by its id, is therefore a claim that only one can have; one a LKE pool's key tells which
//! pool was made, though no list shows it yet.

use crate::locks::PoolKey;
use lkesim_kube::ApiError;
use lkesim_kube::client::Client;
use lkesim_kube::object::config_map::ConfigMap;
use lkesim_kube::object::{NodeClaim, StringMap, Uid};
use lkesim_kube::store::Lock;
use lkesim_linode_api::{InstanceId, LkePoolId};
use lkesim_runtime::Time;
use std::rc::Rc;
use std::time::Duration;

const LINODE: &str = "linode-";
const LKE_POOL: &str = "lke-pool-";
const GONE: &str = "gone";

/// The ledger of a cluster.
#[derive(Clone)]
pub struct Ledger(Client);

/// A Linode that is a NodeClaim's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The Linode.
    pub instance: InstanceId,
    /// Its LKE pool.
    pub lke_pool: LkePoolId,
    /// The NodeClaim's uid: another one of the same name is another one.
    pub uid: Uid,
    /// Whether the API accepted the Linode's deletion.
    pub gone: bool,
    stored: Rc<ConfigMap>,
}

/// What is known of a key's LKE pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PoolState {
    /// It was made, and has this id.
    Made(LkePoolId),
    /// It was asked for at this time, and what came of it is not known.
    Asked(Time),
}

/// A key's LKE pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolRecord {
    /// The key.
    pub key: PoolKey,
    /// What is known of it.
    pub state: PoolState,
    stored: Rc<ConfigMap>,
}

/// All that is recorded.
#[derive(Default)]
pub struct Recorded {
    /// The Linodes.
    pub linodes: Vec<Record>,
    /// The LKE pools.
    pub lke_pools: Vec<PoolRecord>,
}

impl Ledger {
    /// The ledger that this client reaches.
    pub fn new(client: Client) -> Ledger {
        Ledger(client)
    }

    /// Reads all of it from the server.
    pub async fn all(&self) -> Result<Recorded, ApiError> {
        let mut all = Recorded::default();
        for stored in self.0.list::<ConfigMap>().await? {
            all.linodes.extend(Record::read(&stored));
            all.lke_pools.extend(PoolRecord::read(&stored));
        }
        Ok(all)
    }

    /// The record of a Linode, if it has one.
    pub async fn of(&self, instance: InstanceId) -> Result<Option<Record>, ApiError> {
        match self.0.get::<ConfigMap>(&format!("{LINODE}{instance}")).await {
            Ok(stored) => Ok(Record::read(&stored)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Gives a Linode to a NodeClaim.
    ///
    /// # Errors
    /// [`ApiError::AlreadyExists`] where it is somebody's.
    pub async fn give(&self, instance: InstanceId, pool: LkePoolId, claim: &NodeClaim) -> Result<Record, ApiError> {
        let uid = claim.metadata.uid;
        let data: StringMap =
            [("claim", claim.name().to_string()), ("lke-pool", pool.to_string()), ("uid", uid.0.to_string())]
                .into_iter()
                .collect();
        let made = self.0.create(ConfigMap::new(format!("{LINODE}{instance}"), data)).await?;
        Ok(Record { instance, lke_pool: pool, uid, gone: false, stored: made })
    }

    /// Notes that the deletion of a Linode was accepted.
    ///
    /// # Errors
    /// [`ApiError::Conflict`] where somebody else changed the record.
    pub async fn note_gone(&self, record: &Record) -> Result<Record, ApiError> {
        let mut changed = ConfigMap::clone(&record.stored);
        changed.data.insert(GONE, "true");
        let stored = self.0.patch(&*record.stored, &changed, Lock::Optimistic).await?;
        Ok(Record { gone: true, stored, ..record.clone() })
    }

    /// Takes a Linode from its NodeClaim: it is nobody's.
    pub async fn free(&self, record: &Record) -> Result<(), ApiError> {
        absent_is_fine(self.0.delete(&*record.stored).await)
    }

    /// Notes that a key's LKE pool is asked for, before it is.
    ///
    /// # Errors
    /// [`ApiError::AlreadyExists`] where somebody else did.
    pub async fn ask_for_pool(&self, key: &PoolKey, at: Time) -> Result<PoolRecord, ApiError> {
        self.add_pool(key, PoolState::Asked(at)).await
    }

    /// Notes a LKE pool that was there before.
    ///
    /// # Errors
    /// [`ApiError::AlreadyExists`] where the key has one.
    pub async fn adopt_pool(&self, key: &PoolKey, pool: LkePoolId) -> Result<PoolRecord, ApiError> {
        self.add_pool(key, PoolState::Made(pool)).await
    }

    async fn add_pool(&self, key: &PoolKey, state: PoolState) -> Result<PoolRecord, ApiError> {
        let (node_pool, plan) = (key.node_pool.to_string(), key.plan.to_string());
        let mut data: StringMap = [("node-pool", node_pool), ("plan", plan)].into_iter().collect();
        write_state(&mut data, &state);
        let name = format!("{LKE_POOL}{}.{}", key.node_pool, key.plan);
        let stored = self.0.create(ConfigMap::new(name, data)).await?;
        Ok(PoolRecord { key: key.clone(), state, stored })
    }

    /// Notes which LKE pool came of what was asked for.
    ///
    /// # Errors
    /// [`ApiError::Conflict`] where somebody else changed the record.
    pub async fn note_pool(&self, record: &PoolRecord, pool: LkePoolId) -> Result<PoolRecord, ApiError> {
        let mut changed = ConfigMap::clone(&record.stored);
        let state = PoolState::Made(pool);
        write_state(&mut changed.data, &state);
        let stored = self.0.patch(&*record.stored, &changed, Lock::Optimistic).await?;
        Ok(PoolRecord { state, stored, ..record.clone() })
    }

    /// Forgets a key's LKE pool: there is none.
    pub async fn forget_pool(&self, record: &PoolRecord) -> Result<(), ApiError> {
        absent_is_fine(self.0.delete(&*record.stored).await)
    }
}

fn absent_is_fine(deleted: Result<(), ApiError>) -> Result<(), ApiError> {
    match deleted {
        Err(error) if !error.is_not_found() => Err(error),
        _ => Ok(()),
    }
}

fn write_state(data: &mut StringMap, state: &PoolState) {
    match state {
        PoolState::Made(pool) => {
            data.insert("id", pool.to_string());
            data.remove("asked-at-ms");
        }
        PoolState::Asked(at) => data.insert("asked-at-ms", at.as_millis().to_string()),
    }
}

impl Record {
    fn read(stored: &Rc<ConfigMap>) -> Option<Record> {
        let number = |key: &str| stored.data.get(key)?.parse().ok();
        Some(Record {
            instance: InstanceId(stored.name().strip_prefix(LINODE)?.parse().ok()?),
            lke_pool: LkePoolId(number("lke-pool")?),
            uid: Uid(number("uid")?),
            gone: stored.data.contains_key(GONE),
            stored: stored.clone(),
        })
    }
}

impl PoolRecord {
    fn read(stored: &Rc<ConfigMap>) -> Option<PoolRecord> {
        stored.name().strip_prefix(LKE_POOL)?;
        let text = |key: &str| stored.data.get(key).cloned();
        let number = |key: &str| text(key)?.parse().ok();
        let key = PoolKey { node_pool: text("node-pool")?, plan: text("plan")? };
        let asked = || Some(PoolState::Asked(Time::ZERO + Duration::from_millis(number("asked-at-ms")?)));
        let state = number("id").map(|id| PoolState::Made(LkePoolId(id))).or_else(asked)?;
        Some(PoolRecord { key, state, stored: stored.clone() })
    }
}
