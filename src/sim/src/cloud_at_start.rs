//! What the cloud alone has when a run begins: LKE pools, their Linodes and all tags.
//!
//! A simulated run puts them there beside NodeClaims and Nodes; a served cloud begins with just these.

use crate::plan::{ClusterPlan, Plan};
use crate::workload::NODE_CLASS;
use fake_linode::{Cloud, PlacedInstance, PlacedLkePool, PlacedNode};
use lkesim_linode_api::{InstanceId, Tags, Tier};
use lkesim_lke::{Design, tags};
use lkesim_runtime::Seed;
use lkesim_scenario::resolved::{self, PlacedLinode};
use lkesim_scenario::start::ClaimState;

impl Plan {
    /// The cloud as a run with this seed finds it, with the tags that `design` gives claimed Linodes. A cluster that
    /// names a design of its own has that one's.
    pub fn cloud_at_start(&self, seed: Seed, design: &'static Design) -> Cloud {
        let mut cloud = Cloud::new(self.cloud.clone(), seed);
        let mut dying = Vec::new();
        for (place, of) in self.resolved.clusters.iter().enumerate() {
            let own = self.clusters[place].design.as_deref().and_then(lkesim_lke::design);
            for placed in &of.start.lke_pools {
                let instances = place_lke_pool(&mut cloud, self, place, own.unwrap_or(design), placed);
                let both = instances.into_iter().zip(&placed.linodes);
                dying.extend(both.filter(|(_, linode)| linode.dying).map(|(instance, _)| instance));
            }
        }
        for instance in dying {
            cloud.remove_placed(instance);
        }
        cloud
    }
}

/// Puts a LKE pool of the cluster at `place` into the cloud, with its Linodes and their tags.
pub(crate) fn place_lke_pool(
    cloud: &mut Cloud,
    plan: &Plan,
    place: usize,
    design: &Design,
    placed: &resolved::PlacedLkePool,
) -> Vec<InstanceId> {
    let cluster = &plan.clusters[place];
    let of_karpenter = placed.node_pool.as_ref().map(|name| tags::of_lke_pool(&cluster.label, name, NODE_CLASS));
    let pool_tags = tags::appended(&of_karpenter.unwrap_or_default(), &placed.tags);
    if placed.outside_lke {
        return place_instances(cloud, design, cluster, placed, &pool_tags);
    }
    let node = |linode: &PlacedLinode| PlacedNode { tags: Tags::default(), age: linode.age };
    let (_, instances) = cloud.place_lke_pool(&PlacedLkePool {
        cluster: cluster.id,
        plan: placed.plan.clone(),
        tags: pool_tags.clone(),
        nodes: placed.linodes.iter().map(node).collect(),
    });
    for (&instance, linode) in instances.iter().zip(&placed.linodes) {
        let tags = linode_tags(cloud, cluster.tier, design, instance, linode, &pool_tags);
        if !tags.is_empty() {
            cloud.tag_placed(instance, &tags);
        }
    }
    instances
}

/// Linodes that are no LKE nodes, with the tags of a pool save the one that says so, as the provider's instance mode
/// writes them (provider e1c5200 `pkg/utils/utils.go`, `GetTags`).
fn place_instances(
    cloud: &mut Cloud,
    design: &Design,
    cluster: &ClusterPlan,
    placed: &resolved::PlacedLkePool,
    pool_tags: &Tags,
) -> Vec<InstanceId> {
    let of_lke = tags::tag(tags::MANAGED, "true");
    let own: Tags = pool_tags.iter().filter(|tag| **tag != of_lke).cloned().collect();
    let mut place = |linode: &PlacedLinode| {
        let instance = PlacedInstance {
            beside: cluster.id,
            label: format!("{}-{}", cluster.label, cloud.instances().len()).into(),
            plan: placed.plan.clone(),
            tags: own.clone(),
            age: linode.age,
        };
        let instance = cloud.place_instance(&instance);
        let more = linode_tags(cloud, Tier::Enterprise, design, instance, linode, &own);
        if !more.is_empty() {
            cloud.tag_placed(instance, &more);
        }
        instance
    };
    placed.linodes.iter().map(&mut place).collect()
}

/// The tags that a Linode has beside those that the cloud gives it: a claimed one those of its claim, of its Node, and,
/// on Standard, where Linodes do not inherit them, those of the LKE pool.
fn linode_tags(
    cloud: &Cloud,
    tier: Tier,
    design: &Design,
    instance: InstanceId,
    linode: &PlacedLinode,
    pool: &Tags,
) -> Tags {
    let mut more: Vec<String> = linode.tags.clone();
    let Some(claim) = &linode.claim_tag else {
        return tags::appended(&Tags::default(), &more);
    };
    more.push((design.facts.claim_tag)(claim));
    if linode.holder >= Some(ClaimState::Registered)
        && let Some(truth) = cloud.instance(instance)
    {
        more.push(tags::tag(tags::NODE_NAME, &truth.label).to_string());
    }
    match tier {
        Tier::Standard => tags::appended(pool, &more),
        Tier::Enterprise => tags::appended(&Tags::default(), &more),
    }
}
