//! The calls that designs are expected to make, told as the laboratory tells those that they made.

use super::lab::{Lab, PLAN, POOL_TAGS, is_document};
use lkesim_linode_api::{LkePoolId, Tier};

/// The lookup by a NodeClaim's tag.
pub fn lookup(value: &str) -> String {
    format!(r#"GET /linode/instances?1 {{"tags":{{"+contains":"karpenter.sh/nodeclaim={value}"}}}}"#)
}

/// The list of pools.
pub const LIST_POOLS: &str = "GET /lke/clusters/1/pools?1";

/// A look into a pool for claimable Linodes, as far as it does not depend on what it finds.
pub fn discovery(design: &str, tier: Tier, lke_pool: u64) -> String {
    let managed = r#"{"tags":{"+contains":"karpenter.k8s.linode/lke-managed=true"}}"#;
    match (tier, design) {
        (Tier::Standard, _) => format!("GET /lke/clusters/1/pools/{lke_pool}"),
        (Tier::Enterprise, _) if is_document(design) => format!(
            r#"GET /linode/instances?1 {{"+and":[{{"tags":{{"+contains":"nodepool={lke_pool}"}}}},{{"tags":{{"+contains":"lke1"}}}},{managed}]}}"#
        ),
        (Tier::Enterprise, _) => format!("GET /linode/instances?1 {managed}"),
    }
}

/// The creation of a pool of one node.
pub fn create_pool(design: &str, tier: Tier) -> String {
    create_pool_with(design, tier, &[])
}

/// The same with more tags than its own.
pub fn create_pool_with(design: &str, tier: Tier, more: &[&str]) -> String {
    let mut tags: Vec<String> = POOL_TAGS.iter().chain(more).map(|tag| format!("{tag:?}")).collect();
    tags.sort();
    let labels = if design == "v0.1.3" { "{}" } else { r#"{"karpenter.sh/nodepool":"default"}"# };
    let tags = tags.join(",");
    let strategy = match (design, tier) {
        ("v0.1.3", _) | (_, Tier::Standard) => "",
        _ => r#","update_strategy":"on_recycle""#,
    };
    let body = format!(r#"{{"type":"{PLAN}","count":1,"tags":[{tags}],"labels":{labels},"taints":[]{strategy}}}"#);
    format!("POST /lke/clusters/1/pools {body}")
}

/// The calls of a Create of `claim-1` that claims this Linode, which has no tags of its own, in the pool that is there.
pub fn claiming(lab: &Lab, design: &str, tier: Tier, lke_pool: LkePoolId, free: u64) -> Vec<String> {
    let mut calls = vec![lookup("claim-1")];
    calls.extend(attempt(lab, design, tier, lke_pool, free));
    calls.push(get(free));
    calls
}

/// The calls of one attempt of that Create up to its write.
pub fn attempt(lab: &Lab, design: &str, tier: Tier, lke_pool: LkePoolId, free: u64) -> Vec<String> {
    let tags = claimed(tier, lke_pool.0, &["karpenter.sh/nodeclaim=claim-1"]);
    let start = [LIST_POOLS.to_owned(), discovery(design, tier, lke_pool.0)];
    start.into_iter().chain(scanned_to(lab, tier, lke_pool, free)).chain([put(free, &tags)]).collect()
}

/// The reads of a pool's Linodes in its order, up to one: on Standard alone, where each is read.
pub fn scanned_to(lab: &Lab, tier: Tier, lke_pool: LkePoolId, found: u64) -> Vec<String> {
    let members = lab.members(lke_pool);
    let upto = members.iter().position(|id| *id == found).expect("it is in the pool");
    members[..=upto].iter().filter(|_| tier == Tier::Standard).map(|id| get(*id)).collect()
}

/// The read of a Linode.
pub fn get(id: u64) -> String {
    format!("GET /linode/instances/{id}")
}

/// The tags of a Linode of a pool that [`Lab::place`] or Create made, once this NodeClaim has it. Sorted.
pub fn claimed(tier: Tier, lke_pool: u64, more: &[&str]) -> Vec<String> {
    let mut tags: Vec<String> = POOL_TAGS.iter().chain(more).map(ToString::to_string).collect();
    if tier == Tier::Enterprise {
        tags.extend([format!("nodepool={lke_pool}"), "lke1".to_owned()]);
    }
    tags.sort();
    tags
}

/// A write of tags.
pub fn put(id: u64, tags: &[String]) -> String {
    let mut tags: Vec<String> = tags.iter().map(|tag| format!("{tag:?}")).collect();
    tags.sort();
    format!(r#"PUT /linode/instances/{id} {{"tags":[{}]}}"#, tags.join(","))
}
