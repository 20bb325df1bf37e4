//! The tags by which the provider finds and owns what it made.
//!
//! Tags are `key=value`, split at the first `=`; a tag without a value is opaque: it is kept and never read.
//! Source: provider e1c5200 `pkg/utils/utils.go`, `pkg/apis/v1alpha1/labels.go`.

pub mod map;

use crate::fnv::fnv1a_32;
use lkesim_linode_api::Tags;
use std::borrow::Cow;
use std::sync::Arc;

/// The key of the tag that says which NodeClaim owns a Linode. On instances alone.
pub const NODE_CLAIM: &str = "karpenter.sh/nodeclaim";
/// The key of the tag that says which Karpenter NodePool a LKE pool serves.
pub const NODE_POOL: &str = "karpenter.sh/nodepool";
/// The key of the tag that marks what Karpenter manages.
pub const MANAGED: &str = "karpenter.k8s.linode/lke-managed";
/// The key of the tag that names the LinodeNodeClass.
pub const NODE_CLASS: &str = "karpenter.k8s.linode/linodenodeclass";
/// The key of the tag that names the cluster.
pub const CLUSTER_NAME: &str = "lke-cluster-name";
/// The key of the tag that names the node.
pub const NODE_NAME: &str = "Name";

/// The most characters that Linode takes in a tag. The provider heeds it for the nodeclaim tag alone.
pub const LENGTH_MAX: usize = 50;

/// The five tags that a new LKE pool gets.
pub fn of_lke_pool(cluster_name: &str, node_pool: &str, node_class: &str) -> Tags {
    let tags: [Arc<str>; 5] = [
        format!("kubernetes.io/cluster/{cluster_name}=owned").into(),
        tag(NODE_POOL, node_pool),
        tag(CLUSTER_NAME, cluster_name),
        tag(NODE_CLASS, node_class),
        tag(MANAGED, "true"),
    ];
    tags.into_iter().collect()
}

/// `key=value`.
pub fn tag(key: &str, value: &str) -> Arc<str> {
    [key, "=", value].concat().into()
}

/// The tag that gives a Linode to this NodeClaim.
pub fn of_node_claim(name: &str) -> Arc<str> {
    tag(NODE_CLAIM, &node_claim_value(name))
}

/// A NodeClaim's name as the tag holds it: cut and given a hash where the tag would be too long.
///
/// Names that share the first 18 characters and a 32-bit hash get the same tag.
pub fn node_claim_value(name: &str) -> Cow<'_, str> {
    const HASH_LENGTH: usize = 1 + 8;
    let budget = LENGTH_MAX - NODE_CLAIM.len() - 1;
    if name.len() <= budget {
        return name.into();
    }
    let prefix = &name[..budget - HASH_LENGTH];
    format!("{prefix}-{:08x}", fnv1a_32(name)).into()
}

/// Whether the Linode bears a nodeclaim tag, whoever it names.
pub fn is_claimed(tags: &Tags) -> bool {
    tags.value(NODE_CLAIM).is_some()
}

/// The values of its nodeclaim tags that have one, in their order.
pub fn claims_named_by(tags: &Tags) -> impl Iterator<Item = &str> {
    tags.values(NODE_CLAIM).filter(|value| !value.is_empty())
}

/// `tags`, then those of `more` that are not there yet.
pub fn appended(tags: &Tags, more: &[String]) -> Tags {
    let mut all: Vec<Arc<str>> = tags.iter().cloned().collect();
    for tag in more {
        if !all.iter().any(|other| **other == **tag) {
            all.push(tag.as_str().into());
        }
    }
    all.into_iter().collect()
}

/// Both lists one after the other, each tag once, sorted: what the provider writes to an instance.
pub fn joined<'a>(lists: impl IntoIterator<Item = &'a Tags>, more: impl IntoIterator<Item = Arc<str>>) -> Tags {
    let mut all: Vec<Arc<str>> = lists.into_iter().flat_map(Tags::iter).cloned().collect();
    all.extend(more);
    all.sort_unstable();
    all.dedup();
    all.into_iter().collect()
}

#[cfg(test)]
mod tests;
