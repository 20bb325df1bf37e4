//! A scenario with everything filled in: delays from the preset, NodeClaims by name and time, NodePools from the
//! workload.

pub(crate) mod start;

pub use start::{PlacedClaim, PlacedLinode, PlacedLkePool, Start};

use crate::value::Delay;
use crate::workload::{Create, Delete, Step, Taint, Which};
use crate::{Scenario, presets};
use lkesim_linode_api::object::Tier;
use lkesim_runtime::{Quantiles, Time};
use start::Numbering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a run needs and a scenario may leave out.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// How long changes stay unseen, and how long machines take, for the tier that `cloud` names.
    pub lags: Lags,
    /// How long calls of Linode's API take.
    pub latency: Latency,
    /// How long Kubernetes takes.
    pub kubernetes: Kubernetes,
    /// What each cluster has, in the order of the file.
    pub clusters: Vec<OfCluster>,
}

/// What one cluster has.
#[derive(Clone, Debug, PartialEq)]
pub struct OfCluster {
    /// Its tier.
    pub tier: Tier,
    /// The lags of its LKE pools and Linodes.
    pub lags: Lags,
    /// Karpenter's NodePools; those without types allow the types that start and workload name for them.
    pub node_pools: Vec<NodePool>,
    /// What is there when the run begins.
    pub start: Start,
    /// The NodeClaims to make, by time and then by the order of the file.
    pub claims: Vec<Claim>,
    /// The deletions, by time and then by the order of the file.
    pub deletions: Vec<Deletion>,
}

/// Lags of the cloud; see [`crate::cloud::Lags`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lags {
    /// Until lists of pools show a change.
    pub pool_list: Quantiles,
    /// Until reading a pool shows a change.
    pub pool_get: Quantiles,
    /// Until a pool shows a new node.
    pub members: Quantiles,
    /// Until a pool's node shows its Linode.
    pub slot_id: Quantiles,
    /// Until reading a new Linode finds it.
    pub instance_get: Quantiles,
    /// Until lists show a new Linode.
    pub instance_list: Quantiles,
    /// Until reading a Linode shows new tags.
    pub tag_to_get: Quantiles,
    /// Until lists know new tags.
    pub tag_to_list: Quantiles,
    /// Until a Linode bears its pool's tags.
    pub propagation: Quantiles,
    /// Until a Linode runs.
    pub boot: Quantiles,
    /// Until a deleted Linode is no longer shown.
    pub deletion: Quantiles,
    /// Until LKE replaces a Linode that was deleted by itself.
    pub heal: Quantiles,
    /// Until a Linode that is shut down is off.
    pub shutdown: Quantiles,
    /// Until a cluster has a kubeconfig.
    pub kubeconfig: Quantiles,
    /// Until a cluster's control plane has an address.
    pub api_endpoints: Quantiles,
    /// Until a deleted cluster is no longer shown.
    pub cluster_deletion: Quantiles,
}

/// Latencies of Linode's API; see [`crate::cloud::Latency`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Latency {
    /// GET of one object.
    pub get: Quantiles,
    /// GET of a list.
    pub list: Quantiles,
    /// PUT.
    pub put: Quantiles,
    /// DELETE.
    pub delete: Quantiles,
    /// POST of a pool.
    pub create_pool: Quantiles,
    /// Every other POST.
    pub post: Quantiles,
}

/// Delays of Kubernetes; see [`crate::kubernetes::Kubernetes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kubernetes {
    /// A call, there and back.
    pub call: Quantiles,
    /// Until a controller's cache knows a change.
    pub watch: Quantiles,
    /// From the end of a boot until the Node is there.
    pub join: Quantiles,
    /// From then until it is ready.
    pub ready: Quantiles,
    /// From a Linode's end until its Node counts as not ready.
    pub silence: Quantiles,
    /// From then until its Node is removed.
    pub cloud_controller: Quantiles,
    /// From a pod's wait for the scheduler until it is bound, or told that no node takes it.
    pub binding: Quantiles,
    /// From a pod's binding until it runs.
    pub pod_start: Quantiles,
    /// From a Node's appearance until it has its providerID.
    pub provider_id: Quantiles,
    /// From a Node's being ready until its extended resources are listed.
    pub devices: Quantiles,
    /// From a Node's being ready until its startup taints are gone.
    pub startup_taints: Quantiles,
}

/// A NodePool of Karpenter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodePool {
    /// Its name.
    pub name: String,
    /// The types that it allows, in the order of the file.
    pub types: Vec<String>,
}

/// A NodeClaim to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its name.
    pub name: String,
    /// Its NodePool.
    pub node_pool: Arc<str>,
    /// The types that it allows.
    pub types: Arc<[String]>,
    /// Its labels beside Karpenter's own.
    pub labels: Arc<BTreeMap<String, String>>,
    /// Its taints.
    pub taints: Arc<[Taint]>,
    /// When.
    pub at: Time,
}

/// NodeClaims to delete at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deletion {
    /// When.
    pub at: Time,
    /// Their names.
    pub claims: Vec<String>,
}

impl Scenario {
    /// Fills in everything that the scenario leaves out.
    pub fn resolved(&self) -> Resolved {
        Resolved {
            lags: self.lags(),
            latency: self.latency(),
            kubernetes: self.kubernetes_delays(),
            clusters: (0..self.cluster_count()).map(|place| self.of_cluster(place)).collect(),
        }
    }

    /// What the cluster at this place has, the NodeClaims of its manifests included.
    fn of_cluster(&self, place: usize) -> OfCluster {
        let mut of = self.part(place).scenario.of_only_cluster();
        if !self.manifests.is_empty() {
            crate::manifest::start::add(&mut of.start, &self.objects(place));
        }
        of
    }

    /// What its one cluster has.
    fn of_only_cluster(&self) -> OfCluster {
        OfCluster {
            tier: self.cloud.tier,
            lags: self.lags(),
            node_pools: self.node_pools(),
            start: self.placed(),
            claims: self.claims(),
            deletions: self.deletions(),
        }
    }

    fn delay(&self, own: &[&Option<Delay>], knobs: &[&str]) -> Quantiles {
        if let Some(delay) = own.iter().find_map(|own| own.as_ref()) {
            return delay.quantiles().clone();
        }
        let of_preset = |knob: &&str| presets::delay(self.preset, self.cloud.tier, knob);
        knobs.iter().map(of_preset).find(|delay| !delay.is_zero()).unwrap_or_else(Quantiles::zero)
    }

    /// The cloud's lags.
    pub fn lags(&self) -> Lags {
        let lags = &self.cloud.lags;
        let seen = "cloud.lags.instance_seen";
        Lags {
            pool_list: self.delay(&[&lags.pool_list], &["cloud.lags.pool_list"]),
            pool_get: self.delay(&[&lags.pool_get], &["cloud.lags.pool_get"]),
            members: self.delay(&[&lags.members], &["cloud.lags.members"]),
            slot_id: self.delay(&[&lags.slot_id], &["cloud.lags.slot_id"]),
            instance_get: self.delay(&[&lags.instance_get, &lags.instance_seen], &["cloud.lags.instance_get", seen]),
            instance_list: self.delay(&[&lags.instance_list, &lags.instance_seen], &["cloud.lags.instance_list", seen]),
            tag_to_get: self.delay(&[&lags.tag_to_get], &["cloud.lags.tag_to_get"]),
            tag_to_list: self.delay(&[&lags.tag_to_list], &["cloud.lags.tag_to_list"]),
            propagation: self.delay(&[&lags.propagation], &["cloud.lags.propagation"]),
            boot: self.delay(&[&lags.boot], &["cloud.lags.boot"]),
            deletion: self.delay(&[&lags.deletion], &["cloud.lags.deletion"]),
            heal: self.delay(&[&lags.heal], &["cloud.lags.heal"]),
            shutdown: self.delay(&[&lags.shutdown], &["cloud.lags.shutdown"]),
            kubeconfig: self.delay(&[&lags.kubeconfig], &["cloud.lags.kubeconfig"]),
            api_endpoints: self.delay(&[&lags.api_endpoints], &["cloud.lags.api_endpoints"]),
            cluster_deletion: self.delay(&[&lags.cluster_deletion], &["cloud.lags.cluster_deletion"]),
        }
    }

    /// The latencies of Linode's API.
    pub fn latency(&self) -> Latency {
        let latency = &self.cloud.latency;
        Latency {
            get: self.delay(&[&latency.get], &["cloud.latency.get"]),
            list: self.delay(&[&latency.list], &["cloud.latency.list"]),
            put: self.delay(&[&latency.put], &["cloud.latency.put"]),
            delete: self.delay(&[&latency.delete], &["cloud.latency.delete"]),
            create_pool: self.delay(&[&latency.create_pool], &["cloud.latency.create_pool"]),
            post: self.delay(&[&latency.post], &["cloud.latency.post"]),
        }
    }

    /// The delays of Kubernetes.
    pub fn kubernetes_delays(&self) -> Kubernetes {
        let kubernetes = &self.kubernetes;
        Kubernetes {
            call: self.delay(&[&kubernetes.call], &["kubernetes.call"]),
            watch: self.delay(&[&kubernetes.watch], &["kubernetes.watch"]),
            join: self.delay(&[&kubernetes.join], &["kubernetes.join"]),
            ready: self.delay(&[&kubernetes.ready], &["kubernetes.ready"]),
            silence: self.delay(&[&kubernetes.silence], &["kubernetes.silence"]),
            cloud_controller: self.delay(&[&kubernetes.cloud_controller], &["kubernetes.cloud_controller"]),
            binding: self.delay(&[&kubernetes.binding], &["kubernetes.binding"]),
            pod_start: self.delay(&[&kubernetes.pod_start], &["kubernetes.pod_start"]),
            provider_id: self.delay(&[&kubernetes.provider_id], &["kubernetes.provider_id"]),
            devices: self.delay(&[&kubernetes.devices], &["kubernetes.devices"]),
            startup_taints: self.delay(&[&kubernetes.startup_taints], &["kubernetes.startup_taints"]),
        }
    }

    /// Karpenter's NodePools: those that are listed, or those that start and workload name, in the order of the file.
    pub fn node_pools(&self) -> Vec<NodePool> {
        let of_listed = |listed: &crate::NodePool| NodePool { name: listed.name.clone(), types: listed.types.clone() };
        let mut node_pools: Vec<NodePool> = self.node_pools.iter().map(of_listed).collect();
        // Where each stands, and whether its types follow from the workload.
        let mut places: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
        for (place, listed) in self.node_pools.iter().enumerate() {
            places.insert(&listed.name, (place, listed.types.is_empty()));
        }
        let mut seen: BTreeSet<(usize, &str)> = BTreeSet::new();
        for (name, types) in self.node_pool_uses() {
            let (place, derived) = *places.entry(name).or_insert((node_pools.len(), true));
            if place == node_pools.len() {
                node_pools.push(NodePool { name: name.to_owned(), types: Vec::new() });
            }
            for plan in types.into_iter().filter(|_| derived) {
                if seen.insert((place, plan)) {
                    node_pools[place].types.push(plan.to_owned());
                }
            }
        }
        node_pools
    }

    /// The NodePools that something names, each with the types that it is named with.
    fn node_pool_uses(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        let of_lke_pools = self.start.lke_pools.iter().filter(|lke_pool| lke_pool.managed);
        let of_lke_pools = of_lke_pools.map(|lke_pool| (lke_pool.node_pool.as_str(), vec![lke_pool.plan.as_str()]));
        let of_claims = self.start.claims.iter();
        let of_claims = of_claims.map(|claim| (claim.node_pool.as_str(), claim.plan.as_deref().into_iter().collect()));
        let of_workload = self.creates().map(|create| (create.node_pool.as_str(), create.types()));
        of_lke_pools.chain(of_claims).chain(of_workload)
    }

    /// Whether something uses the NodePool without naming types, though others may name some.
    pub(crate) fn takes_any_type(&self, node_pool: &str) -> bool {
        self.node_pool_uses().any(|(name, types)| name == node_pool && types.is_empty())
    }

    /// The steps that make NodeClaims, in the order of the file.
    fn creates(&self) -> impl Iterator<Item = &Create> {
        self.workload.iter().filter_map(|step| match step {
            Step::Create(create) => Some(create),
            _ => None,
        })
    }

    /// The NodeClaims to make, by time and then by the order of the file.
    ///
    /// Steps with the same `name` go on counting in the order of the file.
    pub fn claims(&self) -> Vec<Claim> {
        let mut numbering = Numbering::of_workload(self);
        let mut claims = Vec::new();
        for create in self.creates() {
            let node_pool: Arc<str> = create.node_pool.as_str().into();
            let types: Arc<[String]> = create.types().into_iter().map(str::to_owned).collect();
            let labels = Arc::new(create.labels.clone());
            let taints: Arc<[Taint]> = create.taints.clone().into();
            let mut at = Time::ZERO + create.at.get();
            for _ in 0..create.claims {
                let name = numbering.next(&create.name);
                claims.push(Claim {
                    name,
                    node_pool: node_pool.clone(),
                    types: types.clone(),
                    labels: labels.clone(),
                    taints: taints.clone(),
                    at,
                });
                at += create.every.get();
            }
        }
        claims.sort_by_key(|claim| claim.at);
        claims
    }

    /// The deletions, by time and then by the order of the file. A count takes the claims that are made first and
    /// that no earlier deletion takes.
    pub fn deletions(&self) -> Vec<Deletion> {
        let claims = self.all_claims();
        let numbers: BTreeMap<&str, usize> =
            claims.iter().enumerate().map(|(number, (name, _))| (name.as_str(), number)).collect();
        // Claims are in the order of their making, so the first numbers left are the first made.
        let mut left: BTreeSet<usize> = (0..claims.len()).collect();
        let mut deletions = Vec::new();
        for delete in self.deletes() {
            let at = Time::ZERO + delete.at.get();
            let names = match &delete.claims {
                Which::Named(names) => {
                    for number in names.iter().filter_map(|name| numbers.get(name.as_str())) {
                        left.remove(number);
                    }
                    names.clone()
                }
                Which::First(count) => {
                    let there = left.iter().copied().take_while(|number| claims[*number].1 <= at);
                    let taken: Vec<usize> = there.take(*count as usize).collect();
                    for number in &taken {
                        left.remove(number);
                    }
                    taken.into_iter().map(|number| claims[number].0.clone()).collect()
                }
            };
            deletions.push(Deletion { at, claims: names });
        }
        deletions
    }

    /// Every NodeClaim's name and when it is made, in that order; those that are there at the start come first.
    pub(crate) fn all_claims(&self) -> Vec<(String, Time)> {
        let at_start = self.placed().claims.into_iter().map(|claim| (claim.name, Time::ZERO));
        at_start.chain(self.claims().into_iter().map(|claim| (claim.name, claim.at))).collect()
    }

    /// The steps that delete, by time and then by the order of the file.
    fn deletes(&self) -> Vec<&Delete> {
        self.deletes_at().into_iter().map(|(_, delete)| delete).collect()
    }

    /// The same with the steps' places in the workload.
    pub(crate) fn deletes_at(&self) -> Vec<(usize, &Delete)> {
        let steps = self.workload.iter().enumerate();
        let mut deletes: Vec<_> = steps
            .filter_map(|(index, step)| match step {
                Step::Delete(delete) if delete.of.is_none() => Some((index, delete)),
                _ => None,
            })
            .collect();
        deletes.sort_by_key(|(_, delete)| delete.at);
        deletes
    }
}

#[cfg(test)]
mod tests;
