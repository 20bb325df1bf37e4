use crate::testing::{Cluster, claim};
use lkesim_kube::kubelet::Silence;
use lkesim_kube::object::{Node, NodeClaim, TaintEffect, labels};

impl Cluster {
    fn delete_node(&self, name: &str) {
        self.store.delete::<Node>(self.write(), name).unwrap();
    }
}

/// The first pass deletes the claim and so loses the lock of its own write to it; that failure's delay of 100 ms ends
/// before the 5 s of the second pass, which the taint's event started at once.
#[test]
fn a_deleted_node_is_tainted_and_takes_claim_and_machine_with_it() {
    let cluster = Cluster::initialized("a");
    cluster.cloud.machines.borrow_mut().values_mut().for_each(|lingers| *lingers = 3);
    cluster.delete_node("a-node");
    cluster.run_until(33);
    let node = cluster.store.get::<Node>("a-node").unwrap();
    assert!(node.has_taint(labels::DISRUPTED_TAINT, TaintEffect::NoSchedule));
    assert!(node.metadata.labels.contains_key(labels::EXCLUDE_BALANCERS));
    assert!(!cluster.claim("a").is_live());
    cluster.run_until(60);
    assert_eq!((cluster.store.count::<NodeClaim>(), cluster.store.count::<Node>()), (0, 0));
    assert!(cluster.cloud.machines.borrow().is_empty());
    let starts: Vec<u64> = cluster.cloud.starts("delete").iter().map(|at| at.as_millis()).collect();
    assert_eq!(starts, [30_000, 30_000, 30_100, 35_100, 35_100]);
}

#[test]
fn a_silent_node_whose_machine_is_gone_goes_without_a_delete_of_its_own() {
    let cluster = Cluster::initialized("a");
    let id = cluster.claim("a").status.provider_id.clone().unwrap();
    cluster.cloud.machines.borrow_mut().clear();
    cluster.kubelet.gone(&id, Silence::DEFAULT);
    cluster.run_until(90);
    assert_eq!((cluster.store.count::<NodeClaim>(), cluster.store.count::<Node>()), (0, 0));
    assert!(!cluster.cloud.starts("get").is_empty());
    let by_node = cluster.cloud.asked("delete").iter().any(|asked| asked.pass == super::NAME);
    assert!(!by_node);
}

/// Of two claims neither is the Node's: the Node goes, and nobody asks for the machine's end.
#[test]
fn a_node_with_two_claims_goes_and_leaves_the_machine() {
    let cluster = Cluster::initialized("a");
    let mut second = claim("b");
    second.status = cluster.claim("a").status.clone();
    second.metadata.add_finalizer(labels::TERMINATION_FINALIZER);
    cluster.create(second);
    cluster.delete_node("a-node");
    cluster.run_until(60);
    assert_eq!((cluster.store.count::<NodeClaim>(), cluster.store.count::<Node>()), (2, 0));
    assert_eq!(cluster.cloud.machines.borrow().len(), 1);
    assert!(cluster.cloud.starts("delete").is_empty());
}

/// 100 ms, doubling to 10 s. The first pass loses its lock to its own deletion of the claim, which is a failure too.
#[test]
fn a_machine_that_cannot_be_deleted_is_asked_for_with_the_controllers_own_backoff() {
    let cluster = Cluster::initialized("a");
    cluster.cloud.delete_fails(crate::ProviderError::Other("503".into()));
    cluster.delete_node("a-node");
    cluster.run_until(64);
    let asked = cluster.cloud.asked("delete");
    assert!(asked.iter().all(|asked| asked.pass == super::NAME), "the claim waits for its Node");
    let starts: Vec<u64> = asked.iter().map(|asked| asked.at.as_millis()).collect();
    assert_eq!(starts, [30_000, 30_000, 30_100, 30_500, 31_300, 32_900, 36_100, 42_500, 52_500, 62_500]);
}
