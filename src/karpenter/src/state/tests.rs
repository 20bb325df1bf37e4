use crate::CreateError;
use crate::testing::{Cluster, claim};

/// The first second at which the gate is open again, asked each second.
fn open_again(cluster: &Cluster, from: u64) -> u64 {
    (from..)
        .find(|&second| {
            cluster.run_until(second);
            cluster.is_synced()
        })
        .expect("it opens")
}

#[test]
fn the_gate_is_shut_from_a_claims_creation_to_its_launch() {
    let cluster = Cluster::new();
    cluster.run_until(1);
    assert!(cluster.is_synced(), "no claim keeps it shut");
    cluster.create(claim("a"));
    assert_eq!(open_again(&cluster, 2), 3, "Create takes two seconds");
    cluster.create(claim("b"));
    cluster.run_until(4);
    assert!(!cluster.is_synced(), "one of two is enough");
}

/// A Create that never succeeds shuts it until the claim is given up: six minutes, as the last Create starts before
/// five.
#[test]
fn a_claim_that_cannot_be_launched_shuts_the_gate_until_it_is_gone() {
    let cluster = Cluster::new();
    cluster.cloud.create_takes.set(std::time::Duration::from_millis(10_300));
    cluster.cloud.create_fails(CreateError::Other("no".into()));
    cluster.create(claim("a"));
    assert_eq!(open_again(&cluster, 1), 360);
}
