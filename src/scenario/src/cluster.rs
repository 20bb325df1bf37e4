//! Several clusters of one account: which there are, and what of the scenario belongs to which.
//!
//! A scenario without `clusters` has one. Steps of the workload, NodePools, what is there at the start, chaos and hand
//! edits name theirs; what names none belongs to the first.

use crate::cloud::{BasePool, Cloud, TierName};
use crate::resolved::start::Numbering;
use crate::workload::Step;
use crate::{Scenario, Start};
use lkesim_linode_api::object::Tier;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The label of the one cluster of a scenario that lists none.
pub const USUAL_NAME: &str = "lkesim";

/// The most clusters of a scenario.
pub const MOST: usize = 8;

/// A cluster: a Kubernetes store, Karpenter's processes and a design of its own. Clusters of one account share its
/// limits and see each other's Linodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `name`")]
pub struct Cluster {
    /// Its label at LKE, by which Karpenter finds it, and by which the scenario and reports name it.
    pub name: String,
    /// Its id at LKE, which its tag `lke<id>` bears. Left out, `12345` for the first, `23456` for the second, and so
    /// on, of which none is the beginning of another.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<u32>,
    /// Its tier, with the preset's lags and the limits of nodes of that tier. Left out, `cloud.tier`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<TierName>,
    /// The account that it is of, by any name. Left out, the first, which has no name. Accounts see nothing of each
    /// other, and each has its own limits; what a region has left they share.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Its region, whose prices must be those of `cloud.region`. Left out, `cloud.region`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The design that its Karpenter has, whatever the others have. Left out, the run's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<String>,
    /// The token that its Karpenter uses, which no cluster of another account has. Left out, `karpenter.token`, which the
    /// clusters then share with its limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The pool that it was made with. Left out, `cloud.base_pool`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_pool: Option<BasePool>,
}

/// What of a scenario belongs to one cluster.
pub(crate) struct Part<'a> {
    /// The scenario as if it had this cluster alone: its workload, start and NodePools.
    pub scenario: Cow<'a, Scenario>,
    /// Where the part's steps stand in the whole workload.
    pub steps: Vec<usize>,
    /// Where the part's listed NodeClaims stand in the whole start.
    pub claims: Vec<usize>,
}

impl Cluster {
    /// Its id where it is the cluster at this place, from 0.
    pub fn id(&self, place: usize) -> u32 {
        self.id.unwrap_or_else(|| usual_id(place))
    }
}

/// The id of the cluster at this place, from 0, where none is set.
pub const fn usual_id(place: usize) -> u32 {
    12_345 + 11_111 * place as u32
}

impl Scenario {
    /// How many clusters there are.
    pub fn cluster_count(&self) -> usize {
        self.clusters.len().max(1)
    }

    /// The tier of a cluster.
    pub fn tier_of(&self, cluster: &Cluster) -> Tier {
        cluster.tier.map_or(self.cloud.tier, Tier::from)
    }

    /// The accounts, by name; the first has none.
    pub fn accounts(&self) -> Vec<Option<&str>> {
        let mut all = vec![None];
        for cluster in &self.clusters {
            let account = cluster.account.as_deref();
            if !all.contains(&account) {
                all.push(account);
            }
        }
        all
    }

    /// The account of a token: that of the cluster that uses it, or the first.
    pub fn account_of(&self, token: &str) -> Option<&str> {
        let uses = |cluster: &&Cluster| cluster.token.as_deref().unwrap_or(&self.karpenter.token) == token;
        self.clusters.iter().find(uses).and_then(|cluster| cluster.account.as_deref())
    }

    /// The place of the cluster that is named, or the first; none where there is no such cluster.
    pub fn cluster_place(&self, named: Option<&str>) -> Option<usize> {
        match named {
            None => Some(0),
            Some(name) => self.clusters.iter().position(|cluster| cluster.name == name),
        }
    }

    /// The pool that the cluster at this place was made with.
    pub fn base_pool(&self, place: usize) -> &BasePool {
        let own = self.clusters.get(place).and_then(|cluster| cluster.base_pool.as_ref());
        own.unwrap_or(&self.cloud.base_pool)
    }

    /// What belongs to the cluster at this place. What names a cluster that does not exist belongs to none.
    pub(crate) fn part(&self, place: usize) -> Part<'_> {
        let of = |named: &Option<String>| self.cluster_place(named.as_deref()) == Some(place);
        let steps = places(&self.workload, |step| of(step.cluster()));
        let claims = places(&self.start.claims, |claim| of(&claim.cluster));
        if self.clusters.is_empty() {
            return Part { scenario: Cow::Borrowed(self), steps, claims };
        }
        let digits = Numbering::of(self).digits();
        let tier = self.clusters.get(place).map_or(self.cloud.tier, |cluster| self.tier_of(cluster));
        let scenario = Scenario {
            digits,
            about: String::new(),
            design: None,
            cloud: Cloud { tier, ..self.cloud.clone() },
            kubernetes: self.kubernetes.clone(),
            karpenter: self.karpenter.clone(),
            provider: self.provider.clone(),
            clusters: Vec::new(),
            node_pools: self.node_pools.iter().filter(|node_pool| of(&node_pool.cluster)).cloned().collect(),
            start: Start {
                lke_pools: self.start.lke_pools.iter().filter(|pool| of(&pool.cluster)).cloned().collect(),
                claims: claims.iter().map(|&at| self.start.claims[at].clone()).collect(),
            },
            manifests: Vec::new(),
            catalogue: Vec::new(),
            workload: steps.iter().map(|&at| self.workload[at].clone()).collect(),
            faults: Vec::new(),
            clients: Vec::new(),
            by_hand: Vec::new(),
            chaos: Vec::new(),
            expect: crate::Expect::default(),
            ..*self
        };
        Part { scenario: Cow::Owned(scenario), steps, claims }
    }
}

/// The places of those that belong.
fn places<T>(all: &[T], belongs: impl Fn(&T) -> bool) -> Vec<usize> {
    all.iter().enumerate().filter(|(_, one)| belongs(one)).map(|(place, _)| place).collect()
}

impl Step {
    /// What it does, as the file names it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Step::Create(_) => "create",
            Step::Delete(_) => "delete",
            Step::Deploy(_) => "deploy",
            Step::Scale(_) => "scale",
            Step::Apply(_) => "apply",
            Step::Patch(_) => "patch",
            Step::Arrive(_) => "arrive",
        }
    }

    /// The cluster that it names.
    pub const fn cluster(&self) -> &Option<String> {
        match self {
            Step::Create(create) => &create.cluster,
            Step::Delete(delete) => &delete.cluster,
            Step::Deploy(deploy) => &deploy.cluster,
            Step::Scale(scale) => &scale.cluster,
            Step::Apply(apply) => &apply.cluster,
            Step::Patch(patch) => &patch.cluster,
            Step::Arrive(arrive) => &arrive.cluster,
        }
    }

    /// Whether it is about pods and what makes them, and not about NodeClaims.
    pub const fn is_about_pods(&self) -> bool {
        match self {
            Step::Create(_) => false,
            Step::Delete(delete) => delete.of.is_some(),
            Step::Deploy(_) | Step::Scale(_) | Step::Apply(_) | Step::Patch(_) | Step::Arrive(_) => true,
        }
    }
}

#[cfg(test)]
mod tests;
