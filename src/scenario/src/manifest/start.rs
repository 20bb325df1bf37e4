//! NodeClaims among the manifests: what of the cloud stands behind them when the run begins.
//!
//! The cloud gives ids and labels of its own, so that a Linode is not called as in the manifests; who places the
//! objects calls Nodes and pods after it.

use super::Objects;
use crate::path::Path;
use crate::resolved::{PlacedClaim, PlacedLinode, PlacedLkePool, Start};
use crate::start::ClaimState;
use crate::workload::DEFAULT_TYPE;
use lkesim_kube::object::{NodeClaim, Requirement, labels};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long before the run the Linodes of manifests were created: long enough for garbage collection to look at them.
const AGE: Duration = Duration::from_secs(3_600);

/// How far a NodeClaim has come, as its conditions say; no further than its providerID allows.
pub fn state(claim: &NodeClaim) -> ClaimState {
    match claim {
        _ if claim.status.provider_id.is_none() => ClaimState::Created,
        _ if claim.is_initialized() => ClaimState::Initialized,
        _ if claim.is_registered() => ClaimState::Registered,
        _ => ClaimState::Launched,
    }
}

/// The instance type of a NodeClaim's Linode: by its label, or because it allows no other.
pub fn plan(claim: &NodeClaim) -> Option<Arc<str>> {
    let by_label = claim.metadata.labels.get(labels::INSTANCE_TYPE);
    let only = claim.instance_types().filter(|types| types.len() == 1).and_then(|types| types.first());
    by_label.or(only).map(|plan| (&**plan).into())
}

/// Where it stands, of a NodeClaim at this place.
pub fn place_of_plan(claim_at: &Path, claim: &NodeClaim) -> Path {
    if claim.metadata.labels.contains_key(labels::INSTANCE_TYPE) {
        return claim_at.key("metadata").key("labels").key(labels::INSTANCE_TYPE);
    }
    let asks = |one: &Requirement| *one.key == *labels::INSTANCE_TYPE;
    let place = claim.spec.requirements.iter().position(asks).unwrap_or_default();
    claim_at.key("spec").key("requirements").index(place).key("values").index(0)
}

/// Adds the NodeClaims of manifests, each with its Linode in the LKE pool of its NodePool and type.
pub fn add(start: &mut Start, objects: &Objects) {
    let mut places: BTreeMap<(Arc<str>, Arc<str>), usize> = BTreeMap::new();
    for claim in &objects.node_claims {
        let name = claim.name().to_string();
        let node_pool: Arc<str> = claim.node_pool().map_or("default", |name| name).into();
        let plan: Arc<str> = plan(claim).unwrap_or_else(|| DEFAULT_TYPE.into());
        let state = state(claim);
        let linode = (state > ClaimState::Created).then(|| {
            let place = *places.entry((node_pool.clone(), plan.clone())).or_insert_with(|| {
                start.lke_pools.push(PlacedLkePool {
                    plan: plan.clone(),
                    node_pool: Some(node_pool.clone()),
                    outside_lke: false,
                    tags: Vec::new(),
                    linodes: Vec::new(),
                });
                start.lke_pools.len() - 1
            });
            let linodes = &mut start.lke_pools[place].linodes;
            let linode =
                PlacedLinode { age: AGE, claim_tag: Some(name.clone()), holder: Some(state), ..Default::default() };
            linodes.push(linode);
            (place, linodes.len() - 1)
        });
        start.claims.push(PlacedClaim { name, node_pool, plan, linode, state });
    }
}
