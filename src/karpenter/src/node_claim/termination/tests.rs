use crate::ProviderError;
use crate::testing::{Cluster, claim};
use lkesim_kube::object::{ConditionType, Node, NodeClaim};
use lkesim_runtime::Time;

impl Cluster {
    fn delete(&self, name: &str) {
        self.store.delete::<NodeClaim>(self.write(), name).unwrap();
    }
}

/// The write of the taint wakes the Node's pass at once, so that it asks twice in the beginning; then every 5 s. The
/// claim asks once more on its own: four calls for one machine.
#[test]
fn a_deleted_claim_takes_its_node_first_and_then_its_machine() {
    let cluster = Cluster::initialized("a");
    cluster.delete("a");
    cluster.run_until(34);
    let ending = cluster.claim("a");
    assert!(ending.status.conditions.is_true(ConditionType::InstanceTerminating));
    assert!(cluster.store.get::<Node>("a-node").unwrap().metadata.is_deleting());
    cluster.run_until(60);
    assert_eq!((cluster.store.count::<NodeClaim>(), cluster.store.count::<Node>()), (0, 0));
    let asked = cluster.cloud.asked("delete");
    let asked: Vec<_> = asked.iter().map(|asked| (asked.at.as_secs(), asked.pass)).collect();
    let (node, claim) = ("node.termination", "nodeclaim.lifecycle");
    assert_eq!(asked, [(30, node), (30, node), (35, node), (35, claim)]);
}

#[test]
fn a_claim_without_a_node_asks_for_its_machines_end_every_five_seconds() {
    let cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(10);
    cluster.delete("a");
    cluster.run_until(40);
    assert_eq!(cluster.store.count::<NodeClaim>(), 0);
    // The write of InstanceTerminating wakes the claim at once.
    let starts: Vec<u64> = cluster.cloud.starts("delete").iter().map(|at| at.as_secs()).collect();
    assert_eq!(starts, [10, 10, 15]);
}

/// The deletion waits for the pass that runs, whose Create returns a machine: it is written to the claim, and deleted.
#[test]
fn a_claim_deleted_during_its_create_takes_its_machine_along() {
    let cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(1);
    cluster.delete("a");
    cluster.run_until(20);
    assert_eq!(cluster.store.count::<NodeClaim>(), 0);
    assert!(cluster.cloud.machines.borrow().is_empty());
}

/// After a restart nothing tells that a Create was running.
#[test]
fn a_claim_without_a_machine_goes_without_a_word_to_the_cloud() {
    let mut cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(1);
    cluster.delete("a");
    cluster.restart();
    cluster.run_until(2);
    assert_eq!(cluster.store.count::<NodeClaim>(), 0);
    assert!(cluster.cloud.starts("delete").is_empty());
}

#[test]
fn an_error_of_the_cloud_keeps_the_finalizer_and_backs_off() {
    let cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(10);
    cluster.cloud.delete_fails(ProviderError::Other("503".into()));
    cluster.delete("a");
    cluster.run_until(24);
    let starts: Vec<u64> = cluster.cloud.starts("delete").iter().map(|at| at.as_secs()).collect();
    assert_eq!(starts, [10, 11, 13, 17]);
    cluster.cloud.delete_fails(None);
    cluster.run_until(60);
    assert_eq!(cluster.store.count::<NodeClaim>(), 0);
    assert_eq!(cluster.cloud.starts("delete")[4], Time::from_secs(25));
}
