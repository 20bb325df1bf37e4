use super::*;
use lkesim_linode_api::{InstanceId, InstanceStatus, LkePoolId, UnixSeconds};

fn instance(id: u64, tags: &[&str]) -> Arc<Instance> {
    Arc::new(Instance {
        id: InstanceId(id),
        label: "node".into(),
        status: InstanceStatus::Running,
        created: UnixSeconds(0),
        plan: "g6-standard-4".into(),
        region: "us-ord".into(),
        tags: tags.iter().copied().collect(),
        lke_cluster: None,
        rest: None,
    })
}

fn lke_pool(id: u64) -> Arc<LkePool> {
    Arc::new(LkePool {
        id: LkePoolId(id),
        plan: "g6-standard-4".into(),
        count: 1,
        nodes: Arc::new([]),
        tags: Default::default(),
        labels: Arc::new([]),
        taints: Arc::new([]),
        k8s_version: None,
        firewall: None,
        rest: Arc::default(),
    })
}

/// The reasons for which both readings fail.
fn reasons(of: impl Fn(Several) -> Result<(), CreateError>) -> [Option<&'static str>; 2] {
    [Several::First, Several::Fail].map(|several| match of(several) {
        Err(CreateError::Create { reason, .. }) => Some(reason),
        _ => None,
    })
}

#[test]
fn one_of_each_is_no_mistake() {
    assert_eq!(reasons(|several| several.lke_pools(&lke_pool(1), None)), [None, None]);
    assert_eq!(reasons(|several| several.instances(&[])), [None, None]);
    assert_eq!(reasons(|several| several.instances(&[instance(1, &[])])), [None, None]);
    let claimed = instance(1, &["karpenter.sh/nodeclaim=a", "karpenter.sh/nodeclaims=b"]);
    assert_eq!(reasons(|several| several.claim_tags(&claimed)), [None, None]);
}

#[test]
fn two_of_each_fail_the_strict_reading_alone() {
    let second = lke_pool(2);
    let pools = reasons(|several| several.lke_pools(&lke_pool(1), Some(&second)));
    assert_eq!(pools, [None, Some("MultipleNodePools")]);
    let instances = reasons(|several| several.instances(&[instance(1, &[]), instance(2, &[])]));
    assert_eq!(instances, [None, Some("MultipleInstances")]);
    let claimed = instance(1, &["karpenter.sh/nodeclaim=a", "karpenter.sh/nodeclaim=b"]);
    assert_eq!(reasons(|several| several.claim_tags(&claimed)), [None, Some("MultipleNodeClaimTags")]);
}
