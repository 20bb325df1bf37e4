//! Linodes: made, tagged, gone.

use super::Truth;
use lkesim_linode_api::{ClusterId, InstanceId, LkePoolId, Tags};
use lkesim_runtime::Time;
use std::sync::Arc;

/// The tag by which a Linode without a LKE pool belongs to a Karpenter NodePool.
const NODE_POOL_TAG: &str = "karpenter.sh/nodepool";

/// Whether a Linode exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinodeLife {
    /// Something speaks of it, and the cloud never made it.
    Unknown,
    /// It exists.
    Live,
    /// The cloud accepted its deletion, though it may stay visible.
    Gone,
}

/// A Linode.
#[derive(Clone, Debug)]
pub struct Linode {
    /// Whether it exists.
    pub life: LinodeLife,
    /// When it was made.
    pub created: Time,
    /// The cluster that it is a node of.
    pub cluster: Option<ClusterId>,
    /// Its LKE pool, if it is a LKE node.
    pub lke_pool: Option<LkePoolId>,
    /// The Karpenter NodePool that it serves: its LKE pool's or, where it has none, the one that its first tags name.
    pub node_pool: Option<Arc<str>>,
    /// Its plan.
    pub plan: Arc<str>,
    /// Its tags.
    pub tags: Tags,
    /// The uids of the NodeClaims, live or deleting, that hold it, in the order in which they began.
    pub holders: Vec<u64>,
    /// How many of its holders are live.
    pub live_holders: u32,
}

impl Linode {
    /// Whether it exists and no deletion of it was accepted.
    pub fn is_live(&self) -> bool {
        self.life == LinodeLife::Live
    }

    /// Whether Karpenter made it: it serves a Karpenter NodePool.
    pub fn is_managed(&self) -> bool {
        self.node_pool.is_some()
    }

    /// Whether it can be a node of the cluster: it is a node of no other.
    pub fn can_serve(&self, cluster: ClusterId) -> bool {
        self.cluster.is_none_or(|own| own == cluster)
    }

    pub(super) fn unknown() -> Linode {
        Linode {
            life: LinodeLife::Unknown,
            created: Time::MAX,
            cluster: None,
            lke_pool: None,
            node_pool: None,
            plan: "".into(),
            tags: Tags::default(),
            holders: Vec::new(),
            live_holders: 0,
        }
    }

    fn is_orphan(&self) -> bool {
        self.is_live() && self.is_managed() && self.live_holders == 0
    }
}

impl Truth {
    pub(super) fn linode_created(
        &mut self,
        at: Time,
        id: InstanceId,
        lke_pool: Option<LkePoolId>,
        cluster: Option<ClusterId>,
        plan: &Arc<str>,
        tags: &Tags,
    ) {
        let linode = self.linodes.get_or_insert_with(id.0, Linode::unknown);
        linode.life = LinodeLife::Live;
        linode.created = at;
        linode.cluster = cluster;
        linode.lke_pool = lke_pool;
        linode.plan = plan.clone();
        linode.node_pool = match lke_pool.map(|lke_pool| self.lke_pools.get_mut(lke_pool.0)) {
            Some(Some(lke_pool)) => {
                lke_pool.members.insert(id);
                lke_pool.node_pool.clone()
            }
            Some(None) => None,
            None => tags.value(NODE_POOL_TAG).map(Arc::from),
        };
        self.linode_tagged(id, &Tags::default(), tags);
        for holder in self.linodes.get(id.0).map(|linode| linode.holders.clone()).unwrap_or_default() {
            self.count_holder(holder, id, 1);
        }
        self.watch_orphan(id);
    }

    pub(super) fn linode_tagged(&mut self, id: InstanceId, before: &Tags, after: &Tags) {
        let Some(linode) = self.linodes.get_mut(id.0) else {
            return;
        };
        linode.tags = after.clone();
        if !linode.is_live() {
            return;
        }
        let cluster = linode.cluster;
        let prefix = self.design_at(cluster).claim_tag_prefix;
        for tag in before.iter().filter(|tag| tag.starts_with(prefix) && !after.has(tag)) {
            self.names.remove_linode(tag, id);
        }
        for tag in after.iter().filter(|tag| tag.starts_with(prefix) && !before.has(tag)) {
            self.names.add_linode(tag, id);
        }
    }

    pub(super) fn linode_deleted(&mut self, id: InstanceId) {
        let Some(linode) = self.linodes.get(id.0) else {
            return;
        };
        if !linode.is_live() {
            return;
        }
        let (tags, lke_pool) = (linode.tags.clone(), linode.lke_pool);
        let prefix = self.design_of(linode).claim_tag_prefix;
        for holder in linode.holders.clone() {
            self.count_holder(holder, id, -1);
        }
        for tag in tags.iter().filter(|tag| tag.starts_with(prefix)) {
            self.names.remove_linode(tag, id);
        }
        if let Some(lke_pool) = lke_pool.and_then(|id| self.lke_pools.get_mut(id.0)) {
            lke_pool.members.remove(&id);
        }
        if let Some(linode) = self.linodes.get_mut(id.0) {
            linode.life = LinodeLife::Gone;
        }
        self.watch_orphan(id);
    }

    /// Keeps the set of Linodes without a live holder true of this one.
    pub(super) fn watch_orphan(&mut self, id: InstanceId) {
        if self.linodes.get(id.0).is_some_and(Linode::is_orphan) {
            self.unheld.insert(id);
        } else {
            self.unheld.remove(&id);
        }
    }
}
