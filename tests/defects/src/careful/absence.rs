//! Whether a Linode is there. That it is not is believed where its pool and a GET of it agree, never for an error.

use super::{Careful, Trouble};
use lkesim_karpenter::cloud_provider::ProviderError;
use lkesim_kube::object::ProviderId;
use lkesim_linode_api::{Cause, Instance, InstanceId, InstanceStatus, LkePool, LkePoolId, PoolNodeId, Purpose};
use lkesim_lke::ledger::Recorded;
use lkesim_lke::reader::pool_in_label;
use lkesim_lke::run::Run;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// How long a Linode that a pool has may be missed before it counts as gone: LKE need not replace it.
const MISSED_FOR: Duration = Duration::from_secs(30);

impl Careful {
    /// The Linode, if a GET shows that it is there, lives, and is of this cluster.
    pub async fn look(&self, run: &Run, id: InstanceId) -> Result<Option<Arc<Instance>>, Trouble> {
        let is_ours = |one: &Instance| one.lke_cluster == Some(self.cx.cluster.id);
        match self.api.get_instance(&run.purpose(Cause::Verify), id).await {
            Ok(one) => Ok(Some(one).filter(|one| one.status != InstanceStatus::Deleting && is_ours(one))),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Reads a Linode.
    pub async fn read(&self, run: &Run, id: InstanceId, cause: Cause) -> Result<Arc<Instance>, ProviderError> {
        let error = match self.api.get_instance(&run.purpose(cause), id).await {
            Ok(read) => {
                self.missed.borrow_mut().remove(&id);
                return Ok(read);
            }
            Err(error) => error,
        };
        if self.steps.is_absent(self, &run.purpose(cause), id, &error).await? {
            return Err(ProviderError::NotFound(error.to_string()));
        }
        Err(ProviderError::Other(error.to_string()))
    }

    /// The Linodes of all NodeClaims, as far as they are there.
    pub async fn all_held(&self, run: &Run) -> Result<Vec<Arc<Instance>>, ProviderError> {
        let claims = self.claims().await?;
        let held = claims.iter().filter_map(|claim| claim.status.provider_id.as_ref().and_then(ProviderId::id));
        let held: BTreeSet<InstanceId> = held.map(InstanceId).collect();
        self.steps.list(self, run, held).await
    }

    /// Whether a Linode that a GET did not show is gone: no pool has it, or it has not been there for long.
    pub async fn has_gone(&self, because: &Purpose, id: InstanceId) -> Result<bool, Trouble> {
        let now = self.now();
        let since = *self.missed.borrow_mut().entry(id).or_insert(now);
        Ok(since + MISSED_FOR <= now || self.is_in_no_pool(because, id).await?)
    }

    /// Whether a Linode that a GET did not show is in no pool either.
    pub async fn is_in_no_pool(&self, because: &Purpose, id: InstanceId) -> Result<bool, Trouble> {
        let recorded = self.ledger().await?;
        if recorded.linodes.iter().any(|record| record.instance == id && record.gone) {
            return Ok(true);
        }
        Ok(self.node_of(because, &recorded, (id, None)).await?.is_none())
    }

    /// The node of a Linode and its pool, as the reply to a write shows it; none where no pool has it. The pool is asked
    /// that the ledger names, or the one given, or else all of them.
    pub async fn node_of(
        &self,
        because: &Purpose,
        recorded: &Recorded,
        (id, lke_pool): (InstanceId, Option<LkePoolId>),
    ) -> Result<Option<(Arc<LkePool>, PoolNodeId)>, Trouble> {
        let known = recorded.linodes.iter().find(|record| record.instance == id).map(|record| record.lke_pool);
        let pools: Vec<LkePoolId> = match known.or(lke_pool) {
            Some(lke_pool) => vec![lke_pool],
            None => {
                let listed = self.api.list_pools(because, self.cx.cluster.id).await?;
                self.sight(recorded, listed.iter().map(|lke_pool| &**lke_pool)).await?;
                let recorded = recorded.lke_pools.iter().filter_map(super::growing::made);
                listed.iter().map(|lke_pool| lke_pool.id).chain(recorded).collect()
            }
        };
        for lke_pool in pools {
            let Some(shown) = self.put_nothing(because, lke_pool).await? else { continue };
            let node = shown.nodes.iter().find(|node| node.instance == Some(id)).map(|node| node.id);
            if let Some(node) = node {
                return Ok(Some((shown, node)));
            }
        }
        Ok(None)
    }

    /// The pool of a Linode: by the ledger, by the last survey, or by its label.
    pub async fn pool_of(
        &self,
        because: &Purpose,
        recorded: &Recorded,
        id: InstanceId,
    ) -> Result<Option<LkePoolId>, Trouble> {
        if let Some(record) = recorded.linodes.iter().find(|record| record.instance == id) {
            return Ok(Some(record.lke_pool));
        }
        if let Some((_, lke_pool)) = self.idle.borrow().get(&id) {
            return Ok(Some(*lke_pool));
        }
        match self.api.get_instance(because, id).await {
            Ok(read) => Ok(pool_in_label(&read)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
