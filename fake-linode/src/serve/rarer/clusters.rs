//! Clusters come, change and go.

use crate::account::Home;
use crate::capacity;
use crate::catalogue::Catalogue;
use crate::cluster::default_acl;
use crate::serve::{INVALID_REGION, Refused, Served, not_found, not_modelled};
use crate::settings::ClusterLabels;
use crate::world::World;
use lkesim_linode_api::{
    ApiError, ClusterCreate, ClusterId, ClusterUpdate, LkeCluster, LkePoolCreate, LkePoolId, Reply, Tier,
};
use std::collections::BTreeMap;

/// The reply to a Standard cluster without pools. Its real text is *unknown*.
pub const NO_POOLS_GIVEN: &str = "node_pools is required";

/// The reply to a cluster's label of a length that the API does not take. Its real text is *unknown*.
pub const CLUSTER_LABEL: &str = "Label must be 1-32 characters";

/// The reply to a cluster's label of other characters than the API takes: the words of the cloud manager's form. The
/// API's own are *unknown*.
pub const CLUSTER_LABEL_FORM: &str = "Cluster labels cannot contain special characters, spaces, or underscores.";

/// The reply to a cluster's label that another cluster has. That it is unique is *documented* (OpenAPI 4.176.0), the
/// text is *unknown*.
pub const CLUSTER_LABEL_TAKEN: &str = "Label must be unique among your clusters";

impl World {
    /// Makes a cluster with its pools; all or nothing. The reply says that it is ready (recorded), though its
    /// kubeconfig is not there for minutes.
    pub(super) fn create_cluster(&mut self, body: &ClusterCreate) -> Served {
        if body.tier != self.settings.tier {
            return not_modelled("a cluster of another tier than the account's first");
        }
        self.check_region(&body.region)?;
        self.check_cluster_label(&body.label, None)?;
        self.check_tags(&body.tags)?;
        self.check_version(body.tier, &body.k8s_version)?;
        check_high_availability(body.tier, body.high_availability)?;
        if body.lke_pools.is_empty() && body.tier == Tier::Standard {
            return Err(ApiError::field("node_pools", NO_POOLS_GIVEN).into());
        }
        let lke_pools: Vec<_> = body.lke_pools.iter().map(|own| self.as_read(body.tier, own).into_owned()).collect();
        self.check_first_lke_pools(body.tier, &self.new_home(&body.region), &lke_pools)?;
        let now = self.wall_clock_now();
        let id = self.next_cluster_id();
        let enterprise = body.tier == Tier::Enterprise;
        let ix = self.open_cluster(LkeCluster {
            id,
            label: body.label.clone(),
            region: body.region.clone(),
            tier: Some(body.tier),
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
        for lke_pool in &lke_pools {
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
        match self.settings.has_region(region) {
            true => Ok(()),
            false => not_modelled(format!("a cluster in `{region}`, a region without a cluster")),
        }
    }

    fn check_first_lke_pools(&self, tier: Tier, home: &Home, lke_pools: &[LkePoolCreate]) -> Result<(), Refused> {
        let mut of_plan: BTreeMap<&str, u32> = BTreeMap::new();
        let mut nodes: u32 = 0;
        for body in lke_pools {
            self.check_lke_pool_body(tier, body)?;
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
            self.check_plan(home, plan, count)?;
        }
        Ok(())
    }

    pub(super) fn update_cluster(&mut self, id: ClusterId, body: &ClusterUpdate) -> Served {
        let Some(ix) = self.live_cluster(id) else {
            return not_found();
        };
        let tier = self.clusters[ix].truth.shown.tier.unwrap_or(self.settings.tier);
        if let Some(label) = &body.label {
            self.check_cluster_label(label, Some(id))?;
        }
        if let Some(tags) = &body.tags {
            self.check_tags(tags)?;
        }
        if let Some(version) = &body.k8s_version {
            self.check_version(tier, version)?;
        }
        check_high_availability(tier, body.high_availability)?;
        if body.high_availability == Some(false) && self.clusters[ix].truth.shown.high_availability {
            // Having it is irreversible (documented); what asking for it meets is unknown.
            return not_modelled("a control plane that is no longer highly available");
        }
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

    /// Refuses a label of a wrong length or form, or one that another cluster has.
    fn check_cluster_label(&self, label: &str, own: Option<ClusterId>) -> Result<(), ApiError> {
        if !(1..=32).contains(&label.chars().count()) {
            return Err(ApiError::field("label", CLUSTER_LABEL));
        }
        let fits = |char: char| match self.settings.cluster_labels {
            ClusterLabels::Plain => char.is_ascii_alphanumeric() || char == '-',
            ClusterLabels::Any => char.len_utf8() < 4,
        };
        if !label.chars().all(fits) {
            return Err(ApiError::field("label", CLUSTER_LABEL_FORM));
        }
        let others = self.clusters.iter().map(|cluster| &cluster.truth).filter(|truth| Some(truth.shown.id) != own);
        match others
            .filter(|truth| truth.vanished.is_none() && self.sees(truth.account))
            .any(|truth| *truth.shown.label == *label)
        {
            true => Err(ApiError::field("label", CLUSTER_LABEL_TAKEN)),
            false => Ok(()),
        }
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
