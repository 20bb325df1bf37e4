//! The Linodes of managed LKE pools, whatever their tags: where garbage collection may look instead of at List.
//!
//! On Standard, LKE gives no tag to a Linode, so that List, which asks by tag, does not show one that was never
//! claimed. Its slot in the pool does. As for a claim on Standard, each node costs a GET: the list of pools tells
//! neither age nor tags.

use super::{Documented, failed, is_managed};
use lkesim_karpenter::cloud_provider::{Caller, ProviderError};
use lkesim_linode_api::{Cause, Instance, Operation};
use std::sync::Arc;

impl Documented {
    /// Every Linode that a managed LKE pool shows. One that is gone meanwhile is left out; any other failure is no
    /// absence.
    pub(super) async fn nodes_of_pools(&self, caller: Caller) -> Result<Arc<[Arc<Instance>]>, ProviderError> {
        let run = self.cx.run(caller, Operation::List, "cluster");
        let listed = self.cx.api.list_pools(&run.purpose(Cause::Gc), self.cx.cluster.id).await.map_err(failed)?;
        let nodes = listed.iter().filter(|lke_pool| is_managed(lke_pool)).flat_map(|lke_pool| lke_pool.nodes.iter());
        let mut found = Vec::new();
        for instance in nodes.filter_map(|node| node.instance) {
            match self.read(&run, instance, Cause::Gc).await {
                Ok(instance) => found.push(instance),
                Err(ProviderError::NotFound(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found.into())
    }
}
