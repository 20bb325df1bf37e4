//! Calls that no design makes: who makes them is another client of the account.

mod clusters;
mod control_plane;
mod power;
mod tags;

use super::{Served, not_found};
use crate::agenda::View;
use crate::world::World;
use lkesim_linode_api::{ClusterId, LkePoolId, PoolNodeId, Rarer, RarerReply, Reply};

/// An answer of a kind that only these calls have.
fn rare(reply: RarerReply) -> Served {
    Ok(Reply::Rarer(Box::new(reply)))
}

impl World {
    #[cold]
    pub(super) fn serve_rarest(&mut self, call: &Rarer) -> Served {
        match call {
            Rarer::CreateCluster { body } => self.create_cluster(body),
            Rarer::UpdateCluster { cluster, body } => self.update_cluster(*cluster, body),
            Rarer::DeleteCluster { cluster } => self.delete_cluster(*cluster),
            Rarer::RecycleCluster { cluster } => self.recycle_cluster(*cluster),
            Rarer::RegenerateCluster { cluster } | Rarer::DeleteKubeconfig { cluster } => {
                self.renew_kubeconfig(*cluster)
            }
            Rarer::DeleteServiceToken { cluster } => self.renew_service_token(*cluster),
            Rarer::GetKubeconfig { cluster } => self.get_kubeconfig(*cluster),
            Rarer::ListApiEndpoints { cluster, page } => self.list_api_endpoints(*cluster, *page),
            Rarer::GetDashboard { cluster } => self.get_dashboard(*cluster),
            Rarer::GetControlPlaneAcl { cluster } => self.get_acl(*cluster),
            Rarer::UpdateControlPlaneAcl { cluster, acl } => self.update_acl(*cluster, acl),
            Rarer::DeleteControlPlaneAcl { cluster } => self.delete_acl(*cluster),
            Rarer::RecyclePool { cluster, lke_pool } => self.recycle_lke_pool(*cluster, *lke_pool),
            Rarer::GetNode { cluster, node } => self.get_node(*cluster, *node),
            Rarer::RecycleNode { cluster, node } => self.recycle_node(*cluster, *node),
            Rarer::UpdateInstance { instance, body } => self.change_instance(*instance, body),
            Rarer::BootInstance { instance } => self.boot_instance(*instance),
            Rarer::RebootInstance { instance } => self.reboot_instance(*instance),
            Rarer::ShutdownInstance { instance } => self.shut_instance_down(*instance),
            Rarer::ListTags { filter, page } => self.list_tags(filter.as_ref(), *page),
            Rarer::ListTaggedObjects { label, page } => self.list_tagged(label, *page),
            Rarer::DeleteTag { label } => self.delete_tag(label),
        }
    }

    /// A node as its pool's GET shows it (`nodes` of the pool, under the same lags).
    fn get_node(&mut self, cluster: ClusterId, node: PoolNodeId) -> Served {
        let Some(ix) = self.live_lke_pool(cluster, node.lke_pool) else {
            return not_found();
        };
        let shown = self.lke_pools[ix].shown(View::Get);
        match shown.and_then(|pool| pool.nodes.iter().find(|own| own.id == node)) {
            Some(own) => rare(RarerReply::Node(*own)),
            None => not_found(),
        }
    }

    /// Replaces a node: `{}` at once, another Linode under another node id, and the old id is gone (*documented*). The
    /// old Linode goes at once here; the order of both in truth is *unknown*.
    fn recycle_node(&mut self, cluster: ClusterId, node: PoolNodeId) -> Served {
        let Some(ix) = self.live_lke_pool(cluster, node.lke_pool) else {
            return not_found();
        };
        let slot = self.lke_pools[ix].open_slots().find(|slot| slot.id == node);
        let Some(machine) = slot.map(|slot| slot.machine) else {
            return not_found();
        };
        self.replace(ix, &[machine]);
        Ok(Reply::Empty)
    }

    /// Replaces every node of a pool.
    fn recycle_lke_pool(&mut self, cluster: ClusterId, lke_pool: LkePoolId) -> Served {
        match self.live_lke_pool(cluster, lke_pool) {
            Some(_) => {
                self.recycle(lke_pool);
                Ok(Reply::Empty)
            }
            None => not_found(),
        }
    }
}
