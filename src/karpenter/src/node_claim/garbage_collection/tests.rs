use crate::testing::{Cluster, claim};
use lkesim_kube::kubelet::Silence;
use lkesim_kube::object::{Node, NodeClaim};

#[test]
fn a_registered_claim_whose_machine_is_not_listed_is_deleted_unless_its_node_is_ready() {
    let cluster = Cluster::initialized("a");
    let id = cluster.claim("a").status.provider_id.clone().unwrap();
    cluster.cloud.machines.borrow_mut().clear();
    cluster.run_until(121);
    assert!(cluster.claim("a").is_live());
    let never_removed = Silence { removed: None, ..Silence::DEFAULT };
    cluster.kubelet.gone(&id, never_removed);
    cluster.run_until(239);
    assert!(cluster.claim("a").is_live());
    cluster.run_until(270);
    assert_eq!((cluster.store.count::<NodeClaim>(), cluster.store.count::<Node>()), (0, 0));
}

#[test]
fn a_claim_that_is_not_registered_is_left_to_liveness() {
    let cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(10);
    cluster.cloud.machines.borrow_mut().clear();
    cluster.run_until(600);
    assert!(cluster.claim("a").is_live());
}

#[test]
fn a_failed_list_deletes_nothing_and_is_asked_again_soon() {
    let cluster = Cluster::initialized("a");
    let id = cluster.claim("a").status.provider_id.clone().unwrap();
    cluster.kubelet.gone(&id, Silence { removed: None, ..Silence::DEFAULT });
    cluster.cloud.list_fails.set(true);
    cluster.run_until(130);
    assert!(cluster.claim("a").is_live());
    assert!(cluster.cloud.starts("list").len() > 5);
}
