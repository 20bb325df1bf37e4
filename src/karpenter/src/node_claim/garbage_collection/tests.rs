use crate::testing::{Cluster, claim};
use lkesim_kube::kubelet::Silence;
use lkesim_kube::object::{Node, NodeClaim, ProviderId};
use lkesim_runtime::{Quantiles, Time};
use std::time::Duration;

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

/// The period counts from the end of a pass, which a slow deletion makes longer.
#[test]
fn it_looks_when_the_process_starts_and_two_minutes_after_each_pass() {
    let mut cluster = Cluster::new();
    let seconds =
        |cluster: &Cluster| -> Vec<u64> { cluster.cloud.starts("list").iter().map(|at| at.as_secs()).collect() };
    cluster.run_until(500);
    assert_eq!(seconds(&cluster), [0, 120, 240, 360, 480]);
    cluster.restart();
    cluster.run_until(700);
    assert_eq!(seconds(&cluster)[5..], [500, 620]);
}

/// Calls take a second: 45 claims go in three lots.
#[test]
fn twenty_claims_are_deleted_at_once() {
    let cluster = Cluster::with(Quantiles::constant(Duration::from_secs(1)), Quantiles::zero());
    cluster.create(claim("seen"));
    cluster.run_until(10);
    cluster.join("seen", "seen-node", 5);
    cluster.run_until(60);
    assert!(cluster.claim("seen").is_initialized());
    let lost: Vec<String> = (10..55).map(|n| format!("lost-{n}")).collect();
    for (n, name) in lost.iter().enumerate() {
        let mut one = claim(name);
        one.metadata.finalizers = cluster.claim("seen").metadata.finalizers.clone();
        one.status = cluster.claim("seen").status.clone();
        one.status.provider_id = Some(ProviderId::linode(900 + n as u64));
        cluster.create(one);
    }
    let deleting = |at: u64| {
        cluster.kernel.run_until(Time::from_millis(at)).unwrap();
        45 - lost.iter().filter(|name| cluster.store.get::<NodeClaim>(name).is_some_and(|one| one.is_live())).count()
    };
    cluster.run_until(120);
    let pass = cluster.cloud.starts("list").last().unwrap().as_millis() + 120_000;
    assert_eq!([400, 600, 1_400, 1_600, 2_400, 2_600].map(|after| deleting(pass + after)), [0, 20, 20, 40, 40, 45]);
    assert!(cluster.claim("seen").is_live());
}
