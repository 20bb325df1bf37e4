//! Clusters come, change and go.

use crate::capacity;
use crate::catalogue::{Catalogue, k8s_versions};
use crate::cluster::default_acl;
use crate::serve::{INVALID_REGION, Refused, Served, check_tags, not_found, not_modelled};
use crate::world::World;
use lkesim_linode_api::{
    ApiError, ClusterCreate, ClusterId, ClusterUpdate, LkeCluster, LkePoolCreate, LkePoolId, Reply, Tier,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The reply to a version of Kubernetes that can't be had. Its real text is *unknown*.
pub const INVALID_VERSION: &str = "k8s_version is not valid";

/// The reply to a Standard cluster without pools. Its real text is *unknown*.
pub const NO_POOLS_GIVEN: &str = "node_pools is required";

/// The reply to a cluster's label of a length that the API does not take. Its real text is *unknown*.
pub const CLUSTER_LABEL: &str = "Label must be 1-32 characters";

impl World {
    /// Makes a cluster with its pools; all or nothing. The reply says that it is ready (recorded), though its
    /// kubeconfig is not there for minutes.
    pub(super) fn create_cluster(&mut self, body: &ClusterCreate) -> Served {
        if body.tier != self.settings.tier {
            return not_modelled("a cluster of another tier than the account's first");
        }
        self.check_region(&body.region)?;
        check_label(&body.label)?;
        check_tags(&body.tags)?;
        self.check_version(body.tier, &body.k8s_version)?;
        check_high_availability(body.tier, body.high_availability)?;
        if body.lke_pools.is_empty() && body.tier == Tier::Standard {
            return Err(ApiError::field("node_pools", NO_POOLS_GIVEN).into());
        }
        self.check_first_lke_pools(&body.lke_pools)?;
        let now = self.wall_clock_now();
        let id = self.next_cluster_id();
        let enterprise = body.tier == Tier::Enterprise;
        let ix = self.open_cluster(LkeCluster {
            id,
            label: body.label.clone(),
            region: body.region.clone(),
            tier: body.tier,
            k8s_version: body.k8s_version.clone(),
            tags: body.tags.clone(),
            created: now,
            updated: now,
            high_availability: enterprise || body.high_availability.unwrap_or(false),
            audit_logs_enabled: enterprise && body.audit_logs_enabled.unwrap_or(false),
        });
        if let Some(acl) = &body.acl {
            self.clusters[ix].acl = acl.clone().over(default_acl(body.tier));
        }
        for lke_pool in &body.lke_pools {
            self.fill_lke_pool(id, lke_pool);
        }
        Ok(Reply::Cluster(self.clusters[ix].truth.shown.clone()))
    }

    fn check_region(&self, region: &str) -> Result<(), Refused> {
        let enterprise = self.settings.tier == Tier::Enterprise;
        match Catalogue::recorded().region(region) {
            Some(own) if own.kubernetes && (own.enterprise || !enterprise) => {}
            _ => return Err(ApiError::field("region", INVALID_REGION).into()),
        }
        match *region == *self.settings.region {
            true => Ok(()),
            false => not_modelled(format!("a cluster in `{region}`, a second region")),
        }
    }

    fn check_version(&self, tier: Tier, version: &Arc<str>) -> Result<(), ApiError> {
        let own = tier == self.settings.tier && *version == self.settings.k8s_version;
        match own || k8s_versions(tier).contains(&&**version) {
            true => Ok(()),
            false => Err(ApiError::field("k8s_version", INVALID_VERSION)),
        }
    }

    fn check_first_lke_pools(&self, lke_pools: &[LkePoolCreate]) -> Result<(), Refused> {
        let mut of_plan: BTreeMap<&str, u32> = BTreeMap::new();
        let mut nodes: u32 = 0;
        for body in lke_pools {
            self.check_lke_pool_body(body)?;
            nodes = nodes.saturating_add(body.count);
            capacity::check_nodes(
                (self.settings.nodes_per_lke_pool, self.settings.nodes_per_cluster),
                body.count,
                nodes,
            )?;
            let all = of_plan.entry(&body.plan).or_default();
            *all = all.saturating_add(body.count);
        }
        for (plan, count) in of_plan {
            self.check_plan(plan, count)?;
        }
        Ok(())
    }

    pub(super) fn update_cluster(&mut self, id: ClusterId, body: &ClusterUpdate) -> Served {
        let Some(ix) = self.live_cluster(id) else {
            return not_found();
        };
        let tier = self.clusters[ix].truth.shown.tier;
        if let Some(label) = &body.label {
            check_label(label)?;
        }
        if let Some(tags) = &body.tags {
            check_tags(tags)?;
        }
        if let Some(version) = &body.k8s_version {
            self.check_version(tier, version)?;
        }
        check_high_availability(tier, body.high_availability)?;
        if body.audit_logs_enabled == Some(true) && tier == Tier::Standard {
            return not_modelled("the audit log of a Standard control plane");
        }
        if let Some(acl) = &body.acl {
            self.set_acl(ix, acl);
        }
        self.change_cluster(ix, |shown| {
            set(&mut shown.label, &body.label);
            set(&mut shown.k8s_version, &body.k8s_version);
            set(&mut shown.tags, &body.tags);
            set(&mut shown.high_availability, &body.high_availability);
            set(&mut shown.audit_logs_enabled, &body.audit_logs_enabled);
        });
        Ok(Reply::Cluster(self.clusters[ix].truth.shown.clone()))
    }

    /// Deletes a cluster with all its pools: `{}` at once; the cluster and its Linodes stay visible for a time.
    pub(super) fn delete_cluster(&mut self, id: ClusterId) -> Served {
        let Some(ix) = self.live_cluster(id) else {
            return not_found();
        };
        for lke_pool in self.live_lke_pools_of(id) {
            self.remove_lke_pool(lke_pool);
        }
        self.close_cluster(ix);
        Ok(Reply::Empty)
    }

    /// Replaces every node of every pool of a cluster.
    pub(super) fn recycle_cluster(&mut self, id: ClusterId) -> Served {
        if self.live_cluster(id).is_none() {
            return not_found();
        }
        let lke_pools: Vec<LkePoolId> =
            self.live_lke_pools_of(id).into_iter().map(|ix| self.lke_pools[ix].truth.id).collect();
        for lke_pool in lke_pools {
            self.recycle(lke_pool);
        }
        Ok(Reply::Empty)
    }

    fn live_lke_pools_of(&self, id: ClusterId) -> Vec<usize> {
        let own = |ix: &usize| {
            let truth = &self.lke_pools[*ix].truth;
            truth.cluster == id && truth.is_live()
        };
        (0..self.lke_pools.len()).filter(own).collect()
    }
}

fn set<T: Clone>(value: &mut T, asked: &Option<T>) {
    if let Some(asked) = asked {
        value.clone_from(asked);
    }
}

/// An Enterprise control plane always is highly available (*documented*); what asking for less meets is *unknown*.
fn check_high_availability(tier: Tier, asked: Option<bool>) -> Result<(), Refused> {
    match tier == Tier::Enterprise && asked == Some(false) {
        true => not_modelled("an Enterprise control plane without high availability"),
        false => Ok(()),
    }
}

fn check_label(label: &str) -> Result<(), ApiError> {
    match (1..=32).contains(&label.chars().count()) {
        true => Ok(()),
        false => Err(ApiError::field("label", CLUSTER_LABEL)),
    }
}
