//! In the end, cloud, cluster and controllers tell one story.
//!
//! # Why it matters
//!
//! Each difference is a latent fault: a tag that names another than the holder is the next double claim, a count that
//! is not the number of nodes is the next scale-up that does nothing, or too much.
//!
//! # How it is judged
//!
//! In the calm, all of this holds:
//! - the Linodes that live NodeClaims hold are the live Linodes that Karpenter manages;
//! - a Linode that a live NodeClaim holds bears that claim's nodeclaim tag and no other; none, where its design owns
//!   Linodes by other tags;
//! - the count of each managed LKE pool is the number of its live Linodes;
//! - what a Create returned for a live NodeClaim is what its stored providerID says;
//! - once the run is over, the process that leads knows what is stored: the NodeClaims, Nodes, NodePools and
//!   NodeClasses that exist and no others, in runs with pods also the pods, their workloads and PodDisruptionBudgets,
//!   each with the providerID and the deletionTimestamp that it has, and with all else as the last write to it left it.
//!   What changed in the last 150 s may be on its way to it.
//!
//! Controllers and designs see the cluster by these caches alone, and Karpenter's cluster state is read off them
//! whenever it is asked for. Not looked at is what a process remembers beside them, as nothing is stored to compare it
//! with: what a provider remembers of Linodes, which machines disruption has marked, what provisioning has nominated,
//! what waits in queues. Nor is what kube-scheduler and the other controllers of the control plane know: they are no
//! part of Karpenter.

mod believed;

use super::{Beliefs, Invariant, Pending, Topics, words};
use crate::truth::{Claim, Linode, LkePool, Truth};
use lkesim_linode_api::{InstanceId, LkePoolId};

#[derive(Default)]
pub struct StateAgrees;

impl Invariant for StateAgrees {
    fn follows(&self) -> Topics {
        Topics::CLOUD
            .and(Topics::POOL_CREATED)
            .and(Topics::POOL_COUNT)
            .and(Topics::TAGS)
            .and(Topics::INSTANCE_DELETED)
            .and(Topics::HOLDING)
            .and(Topics::PROVIDER_ID)
            .and(Topics::CLAIM_DELETING)
    }

    /// Looks at everything, but only after a change, and only once no Linode is unheld.
    fn holds(&self, truth: &Truth) -> bool {
        truth.unheld().is_empty() && differences(truth).next().is_none()
    }

    fn waits_for(&self, truth: &Truth) -> Vec<Pending> {
        differences(truth).collect()
    }

    fn misbelieved(&self, truth: &Truth, beliefs: &Beliefs) -> Vec<Pending> {
        believed::differences(truth, beliefs)
    }
}

fn differences(truth: &Truth) -> impl Iterator<Item = Pending> + '_ {
    let live = truth.claims().filter(|claim| claim.is_live());
    let of_claims = live.flat_map(|claim| of_claim(truth, claim));
    let of_linodes = truth.linodes().filter_map(|(id, linode)| of_linode(truth, id, linode));
    let of_pools = truth.lke_pools().filter_map(|(id, lke_pool)| of_pool(id, lke_pool));
    of_claims.chain(of_linodes).chain(of_pools)
}

fn of_claim<'a>(truth: &'a Truth, claim: &'a Claim) -> impl Iterator<Item = Pending> + 'a {
    let belief = claim.returned.filter(|returned| claim.stored != Some(*returned)).map(|returned| Pending {
        text: format!("{claim} waits for its providerID to be stored: Create returned {}", words::linode(returned)),
        objects: vec![claim.to_string(), words::linode(returned)],
    });
    let is_there = |id: &InstanceId| truth.linode(*id).is_some_and(|linode| linode.is_live() && linode.is_managed());
    let absent = claim.holdings().filter(move |id| !is_there(id)).map(move |id| Pending {
        text: format!("{claim} holds {}, which is no live Linode that Karpenter manages", words::linode(id)),
        objects: vec![claim.to_string(), words::linode(id)],
    });
    belief.into_iter().chain(absent)
}

fn of_linode(truth: &Truth, id: InstanceId, linode: &Linode) -> Option<Pending> {
    if !linode.is_live() || !linode.is_managed() {
        return None;
    }
    if linode.live_holders == 0 {
        let name = words::linode(id);
        let text = format!("{name} waits for a live NodeClaim that holds it, or to go");
        return Some(Pending { text, objects: vec![name] });
    }
    let prefix = truth.design_of(linode).claim_tag_prefix;
    let borne = || linode.tags.iter().filter(|tag| tag.starts_with(prefix));
    let is_holders = |tag: &str| truth.live_holders(id).any(|claim| *claim.tag == *tag);
    // By which tags its design owns is asked last, as they are written anew for each question.
    let named = |claim: &Claim| borne().any(|tag| **tag == *claim.tag) || !owns_by_claim_tag(truth, claim, linode);
    let agrees = borne().all(|tag| is_holders(tag)) && truth.live_holders(id).all(named);
    if agrees {
        return None;
    }
    let name = words::linode(id);
    let tags: Vec<String> = borne().map(ToString::to_string).collect();
    let mut objects: Vec<String> = truth.live_holders(id).map(Claim::to_string).collect();
    let text = format!("{name} bears {} as nodeclaim tag and is held by {}", words::list(&tags), words::list(&objects));
    objects.push(name);
    Some(Pending { text, objects })
}

/// Whether the nodeclaim tag is one of those by which the claim's design owns its Linode.
fn owns_by_claim_tag(truth: &Truth, claim: &Claim, linode: &Linode) -> bool {
    super::claim_tag_survives::owned_tags(truth, claim, linode).iter().any(|tag| **tag == *claim.tag)
}

fn of_pool(id: LkePoolId, lke_pool: &LkePool) -> Option<Pending> {
    let nodes = lke_pool.members.len();
    let differs = lke_pool.node_pool.is_some() && !lke_pool.gone && lke_pool.count as usize != nodes;
    differs.then(|| Pending {
        text: format!("{} has a count of {} and {nodes} Linodes", words::lke_pool(id), lke_pool.count),
        objects: vec![words::lke_pool(id)],
    })
}
