//! Taints on their way from a NodeClaim to a LKE pool.
//!
//! Source: provider e1c5200 pkg/providers/lke/lke.go:246, 590 (`convertToLkeTaints`).

use lkesim_kube::object::{NodeClaim, TaintEffect};
use lkesim_linode_api::Taint;

/// The taints and startup taints of the NodeClaim: LKE does not tell them apart.
pub fn of_node_claim(claim: &NodeClaim) -> Vec<Taint> {
    let both = claim.spec.taints.iter().chain(&claim.spec.startup_taints);
    let as_linode = |taint: &lkesim_kube::object::Taint| Taint {
        key: (&*taint.key).into(),
        value: taint.value.as_deref().unwrap_or_default().into(),
        effect: match taint.effect {
            TaintEffect::NoSchedule => "NoSchedule",
            TaintEffect::PreferNoSchedule => "PreferNoSchedule",
            TaintEffect::NoExecute => "NoExecute",
        }
        .into(),
    };
    both.map(as_linode).collect()
}
