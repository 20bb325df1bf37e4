//! Whether a Linode is there. One answer does not end it: an answer may be old, cut or refused.
//!
//! Its LKE pool tells by the reply to a PUT that changes nothing, which does not lag; but a node comes into it late.
//! Where the pool has nodes of which it shows no Linode, the cluster's list has to agree with the GET of the Linode.

use super::{Recommended, Trouble};
use crate::locks::PoolKey;
use lkesim_linode_api::{InstanceId, InstanceStatus, LkePool, LkePoolId, LkePoolUpdate, PoolNodeId, Purpose};
use std::sync::Arc;

/// What is known of a Linode.
pub(super) enum Place {
    /// A LKE pool has it, as this node.
    Node(Arc<LkePool>, PoolNodeId),
    /// No pool shows it, and it may be there.
    There,
    Absent,
}

impl Recommended {
    /// Where a Linode is, whose LKE pool is this; any, where that is not known.
    pub(super) async fn place_of(
        &self,
        because: &Purpose,
        id: InstanceId,
        lke_pool: Option<LkePoolId>,
    ) -> Result<Place, Trouble> {
        let pools: Vec<LkePoolId> = match lke_pool {
            Some(lke_pool) => vec![lke_pool],
            None => self.state.borrow().keys.values().flat_map(|of| of.lke_pools.iter().copied()).collect(),
        };
        let mut is_sure = lke_pool.is_some();
        for lke_pool in pools {
            let Some(shown) = self.truth(because, lke_pool).await? else {
                is_sure = false;
                continue;
            };
            if let Some(node) = node_of(&shown, id) {
                return Ok(Place::Node(shown, node));
            }
            is_sure &= unknown_nodes(&shown) == 0;
        }
        if self.is_shown(because, id).await? {
            return Ok(Place::There);
        }
        if !is_sure {
            let reading = self.reader.since(self.cx.runtime.now(), because).await?;
            if reading.instances.iter().any(|one| one.id == id && one.status != InstanceStatus::Deleting) {
                return Ok(Place::There);
            }
        }
        Ok(Place::Absent)
    }

    /// A LKE pool by the reply to a PUT that changes nothing; none where there is no such pool.
    pub(super) async fn truth(&self, because: &Purpose, lke_pool: LkePoolId) -> Result<Option<Arc<LkePool>>, Trouble> {
        self.keep().await?;
        match self.api.update_pool(because, self.cx.cluster.id, lke_pool, LkePoolUpdate::default()).await {
            Ok(shown) => {
                self.state.borrow_mut().missed.remove(&lke_pool);
                Ok(Some(shown))
            }
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether a GET shows that it is there and not dying.
    pub(super) async fn is_shown(&self, because: &Purpose, id: InstanceId) -> Result<bool, Trouble> {
        match self.api.get_instance(because, id).await {
            Ok(one) => {
                self.state.borrow_mut().seen.insert(id);
                Ok(one.status != InstanceStatus::Deleting)
            }
            Err(error) if error.is_not_found() => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether nobody but this Linode is in the LKE pool, by what is true at this moment.
    pub(super) async fn is_alone(
        &self,
        because: &Purpose,
        lke_pool: LkePoolId,
        id: InstanceId,
    ) -> Result<bool, Trouble> {
        let shown = self.truth(because, lke_pool).await?;
        let is_taken = self.state.borrow().taken_in(lke_pool).iter().any(|taken| *taken != id);
        Ok(!is_taken && shown.is_some_and(|shown| is_last(&shown, id)))
    }

    /// A write was told that the LKE pool does not exist. A second one has to say the same some time later, and the other
    /// views must not show it.
    pub(super) async fn pool_is_gone(
        &self,
        purpose: &Purpose,
        key: &PoolKey,
        lke_pool: LkePoolId,
    ) -> Result<(), Trouble> {
        let now = self.cx.runtime.now();
        let since = *self.state.borrow_mut().missed.entry(lke_pool).or_insert(now);
        if since == now {
            return Err(Trouble::Unclear);
        }
        match self.api.get_pool(purpose, self.cx.cluster.id, lke_pool).await {
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error.into()),
            Ok(_) => return Err(Trouble::Unclear),
        }
        let listed = self.api.list_pools(purpose, self.cx.cluster.id).await?;
        if listed.iter().any(|shown| shown.id == lke_pool) {
            return Err(Trouble::Unclear);
        }
        let mut state = self.state.borrow_mut();
        state.missed.remove(&lke_pool);
        state.drop_pool(lke_pool);
        state.of(key).checked = None;
        Ok(())
    }
}

/// The node of a Linode.
pub(super) fn node_of(shown: &LkePool, id: InstanceId) -> Option<PoolNodeId> {
    shown.nodes.iter().find(|node| node.instance == Some(id)).map(|node| node.id)
}

/// How many nodes it has of which it does not show the Linode yet.
pub(super) fn unknown_nodes(shown: &LkePool) -> usize {
    let known = shown.nodes.iter().filter(|node| node.instance.is_some()).count();
    (shown.count as usize).saturating_sub(known)
}

/// Whether the pool has this Linode's node and no other.
pub(super) fn is_last(shown: &LkePool, id: InstanceId) -> bool {
    shown.count == 1 && matches!(&*shown.nodes, [only] if only.instance == Some(id))
}
