use crate::CreateError;
use crate::testing::{Cluster, claim};
use lkesim_kube::object::NodeClaim;
use lkesim_runtime::Time;
use std::time::Duration;

fn sold_out() -> CreateError {
    CreateError::Create {
        reason: "NodePoolProvisioning",
        message: "no slot yet".into(),
    }
}

/// The starts are those that follow from client-go's queue: the delays of the first failures end while the next Create is
/// running, so that Creates run back to back until the backoff is longer than one of them.
#[test]
fn a_launch_that_always_fails_backs_off_as_upstream() {
    let cluster = Cluster::new();
    cluster
        .cloud
        .create_takes
        .set(Duration::from_millis(10_300));
    cluster.cloud.create_fails(sold_out());
    cluster.create(claim("a"));
    cluster.run_until(299);
    let starts: Vec<u64> = cluster
        .cloud
        .starts("create")
        .iter()
        .map(|at| at.as_millis())
        .collect();
    let expected = [
        0, 11_300, 21_600, 31_900, 42_200, 52_500, 68_500, 138_800, 209_100, 279_400,
    ];
    assert_eq!(starts, expected);
    // The pass of 279.4 s ends before the limit and fails, so its backoff of 60 s counts: one more Create, and at its end the
    // claim is deleted.
    cluster.run_until(359);
    assert_eq!(cluster.store.count::<NodeClaim>(), 1);
    cluster.run_until(361);
    assert_eq!(
        cluster.cloud.starts("create").last(),
        Some(&Time::from_millis(349_700))
    );
    assert_eq!(cluster.store.count::<NodeClaim>(), 0);
    assert!(cluster.cloud.starts("delete").is_empty());
}
