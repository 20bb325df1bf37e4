//! Checks of clusters, and of what names one.

use super::Checker;
use crate::cloud::BasePool;
use crate::cluster::{Cluster, MOST, USUAL_NAME};
use crate::path::Path;
use lkesim_linode_api::Tier;
use std::collections::BTreeSet;

/// The region where nobody names one, which has both tiers.
const USUAL_REGION: &str = "us-ord";

/// The longest label of a cluster at LKE.
const LABEL_LENGTH: usize = 32;

impl Checker<'_> {
    pub(super) fn clusters(&mut self) {
        let path = Path::default().key("clusters");
        let clusters = &self.scenario.clusters;
        if clusters.len() > MOST {
            self.wrong(path, format!("{} clusters are listed; expected at most {MOST}", clusters.len()));
            return;
        }
        if clusters.is_empty() {
            let cloud = &self.scenario.cloud;
            self.has_lke(Path::default().key("cloud").key("region"), &cloud.region, cloud.tier);
        }
        let (mut names, mut ids) = (BTreeSet::new(), BTreeSet::new());
        for (place, cluster) in clusters.iter().enumerate() {
            let path = path.index(place);
            self.object_name(path.key("name"), &cluster.name, LABEL_LENGTH);
            if !names.insert(&cluster.name) {
                self.wrong(path.key("name"), format!("the cluster `{}` stands twice", cluster.name));
            }
            self.cluster(&path, place, cluster, &mut ids);
        }
        if !(self.damaged)(&path) {
            self.named_clusters();
        }
    }

    fn cluster(&mut self, path: &Path, place: usize, cluster: &Cluster, ids: &mut BTreeSet<u32>) {
        let id = cluster.id(place);
        if id == 0 || !ids.insert(id) {
            self.wrong(path.key("id"), format!("the id is {id}; expected one above 0 that no other cluster has"));
        }
        if let Some(design) = &cluster.design {
            self.known(path.key("design"), "design", design, self.names.designs);
        }
        if let Some(region) = &cluster.region {
            self.known(path.key("region"), "region", region, self.names.regions);
        }
        let cloud = &self.scenario.cloud;
        let place = if cluster.region.is_some() { path.key("region") } else { path.clone() };
        let region = cluster.region.as_deref().unwrap_or(&cloud.region);
        self.has_lke(place, region, self.scenario.tier_of(cluster));
        if let Some(account) = &cluster.account {
            self.object_name(path.key("account"), account, 63);
        }
        let token = cluster.token.as_deref().unwrap_or(&self.scenario.karpenter.token);
        if self.scenario.account_of(token) != cluster.account.as_deref() {
            let message = format!("the token `{token}` is of another account; expected one of the cluster's own");
            self.wrong(path.key(if cluster.token.is_some() { "token" } else { "account" }), message);
        }
        if let Some(token) = &cluster.token {
            self.object_name(path.key("token"), token, 63);
        }
        if let Some(base_pool) = &cluster.base_pool {
            let path = path.key("base_pool");
            self.known(path.key("type"), "instance type", &base_pool.plan, self.names.types);
            if !BasePool::COUNTS.contains(base_pool.count.into()) {
                self.wrong(path.key("count"), format!("found {}; expected {}", base_pool.count, BasePool::COUNTS));
            }
        }
    }

    /// The API makes no cluster where its tier is not to be had. A region that is unknown altogether is told of elsewhere.
    fn has_lke(&mut self, path: Path, region: &str, tier: Tier) {
        let (having, product) = match tier {
            Tier::Standard => (self.names.lke_regions, "LKE"),
            Tier::Enterprise => (self.names.enterprise_regions, "LKE Enterprise"),
        };
        if having.is_empty() || having.contains(&region) || !self.names.regions.contains(&region) {
            return;
        }
        let one = if having.contains(&USUAL_REGION) { USUAL_REGION } else { having[0] };
        self.wrong(path, format!("the region `{region}` has no {product}; expected one that has, such as `{one}`"));
    }

    fn named_clusters(&mut self) {
        let scenario = self.scenario;
        let top = Path::default();
        let mut named: Vec<(Path, &Option<String>)> = Vec::new();
        for (index, step) in scenario.workload.iter().enumerate() {
            named.push((top.key("workload").index(index).key(step.kind()), step.cluster()));
        }
        for (index, node_pool) in scenario.node_pools.iter().enumerate() {
            named.push((top.key("node_pools").index(index), &node_pool.cluster));
        }
        let start = top.key("start");
        for (index, lke_pool) in scenario.start.lke_pools.iter().enumerate() {
            named.push((start.key("lke_pools").index(index), &lke_pool.cluster));
        }
        for (index, claim) in scenario.start.claims.iter().enumerate() {
            named.push((start.key("claims").index(index), &claim.cluster));
        }
        for (index, chaos) in scenario.chaos.iter().enumerate() {
            named.push((top.key("chaos").index(index).key(chaos.kind()), chaos.cluster()));
        }
        for (index, act) in scenario.by_hand.iter().enumerate() {
            named.push((top.key("by_hand").index(index).key(act.kind()), act.cluster()));
        }
        for (path, name) in named {
            if let Some(name) = name {
                self.named_cluster(path.key("cluster"), name);
            }
        }
    }

    fn named_cluster(&mut self, path: Path, name: &str) {
        let clusters = &self.scenario.clusters;
        if clusters.is_empty() {
            let name = crate::decode::shortened(name);
            let message =
                format!("`{name}` names a cluster, but no `clusters` are listed: there is one, `{USUAL_NAME}`");
            self.wrong(path, message);
        } else if !clusters.iter().any(|cluster| cluster.name == name) {
            let known: Vec<&str> = clusters.iter().map(|cluster| cluster.name.as_str()).collect();
            self.unknown(path, "cluster", name, &known, false);
        }
    }
}
