use crate::CreateError;
use crate::testing::{Cluster, claim};
use lkesim_kube::ApiError;
use lkesim_kube::client::{Call, CallFault, CallVerdict, Verb};
use lkesim_kube::object::{ConditionStatus, ConditionType, Node, NodeClaim, Taint, TaintEffect, labels};
use lkesim_runtime::{Quantiles, Time};
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

fn sold_out() -> CreateError {
    CreateError::Create { reason: "NodePoolProvisioning", message: "no slot yet".into() }
}

/// The starts are those that follow from client-go's queue: the delays of the first failures end while the next
/// Create is running, so that Creates run back to back until the backoff is longer than one of them.
#[test]
fn a_launch_that_always_fails_backs_off_as_upstream() {
    let cluster = Cluster::new();
    cluster.cloud.create_takes.set(Duration::from_millis(10_300));
    cluster.cloud.create_fails(sold_out());
    cluster.create(claim("a"));
    cluster.run_until(299);
    let starts: Vec<u64> = cluster.cloud.starts("create").iter().map(|at| at.as_millis()).collect();
    let expected = [0, 11_300, 21_600, 31_900, 42_200, 52_500, 68_500, 138_800, 209_100, 279_400];
    assert_eq!(starts, expected);
    // The pass of 279.4 s ends at 289.7 s, before the limit. Liveness asks to come back at 300 s (`liveness.go:79`),
    // but Create's error goes first: `lifecycle/controller.go` returns an empty result beside an error, and
    // controller-runtime v0.22.4 `reconcileHandler` looks at the result of a pass without an error alone. So the
    // backoff of 60 s counts, one more Create starts at 349.7 s, and at its end liveness deletes the claim.
    cluster.run_until(359);
    assert_eq!(cluster.store.count::<NodeClaim>(), 1);
    cluster.run_until(361);
    assert_eq!(cluster.cloud.starts("create").last(), Some(&Time::from_millis(349_700)));
    assert_eq!(cluster.store.count::<NodeClaim>(), 0);
    assert!(cluster.cloud.starts("delete").is_empty());
}

#[test]
fn a_claim_is_launched_registered_and_initialized() {
    let cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(4);
    let launched = cluster.claim("a");
    assert!(launched.is_launched() && !launched.is_registered());
    assert!(launched.metadata.has_finalizer(labels::TERMINATION_FINALIZER));
    assert!(launched.metadata.labels.has(labels::INSTANCE_TYPE, "g6-standard-2"));
    assert_eq!(launched.status.allocatable.cpu_milli, 1_930);
    cluster.join("a", "node-a", 10);
    cluster.run_until(16);
    let registered = cluster.claim("a");
    assert!(registered.is_registered() && !registered.is_initialized());
    assert_eq!(registered.status.node_name.as_deref(), Some("node-a"));
    cluster.run_until(30);
    assert!(cluster.claim("a").is_initialized());
    let node = cluster.store.get::<Node>("node-a").unwrap();
    assert!(node.metadata.has_finalizer(labels::TERMINATION_FINALIZER));
    assert_eq!(node.metadata.owner_references[0].uid, registered.metadata.uid);
    assert!(node.metadata.labels.has(labels::NODE_POOL, "default"));
    assert!(node.metadata.labels.has(labels::NODE_INITIALIZED, "true"));
    assert_eq!(cluster.cloud.starts("create").len(), 1);
}

#[test]
fn registration_takes_the_unregistered_taint_and_brings_the_claims_own() {
    let cluster = Cluster::new();
    let mut tainted = claim("a");
    let spec = Rc::make_mut(&mut tainted.spec);
    spec.taints = vec![Taint::new("team", TaintEffect::NoSchedule)];
    spec.startup_taints = vec![Taint::new("cni", TaintEffect::NoExecute)];
    cluster.create(tainted);
    cluster.run_until(4);
    let mut joining = cluster.joining("a", "node-a", 1);
    joining.taints = vec![Taint::new(labels::UNREGISTERED_TAINT, TaintEffect::NoExecute)];
    cluster.kubelet.join(joining);
    cluster.run_until(60);
    let node = cluster.store.get::<Node>("node-a").unwrap();
    let keys: Vec<&str> = node.spec.taints.iter().map(|taint| &*taint.key).collect();
    assert_eq!(keys, ["team", "cni"]);
    // The startup taint is another's to remove; until then the node takes no pods.
    let waiting = cluster.claim("a");
    let initialized = waiting.status.conditions.get(ConditionType::Initialized).unwrap();
    assert_eq!(initialized.reason, "StartupTaintsExist");
}

#[test]
fn two_nodes_of_one_machine_end_registration() {
    let cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(4);
    let id = cluster.claim("a").status.provider_id.clone();
    for name in ["one", "two"] {
        cluster.store.create(cluster.write(), Node::new(name, id.clone())).unwrap();
    }
    cluster.run_until(10);
    let claim = cluster.claim("a");
    let registered = claim.status.conditions.get(ConditionType::Registered).unwrap();
    assert_eq!((registered.status, registered.reason), (ConditionStatus::False, "MultipleNodesFound"));
}

#[test]
fn without_capacity_or_node_class_the_claim_goes_at_once() {
    for error in [CreateError::InsufficientCapacity("g6".into()), CreateError::NodeClassNotReady("nc".into())] {
        let cluster = Cluster::new();
        cluster.cloud.create_fails(error);
        cluster.create(claim("a"));
        cluster.run_until(10);
        assert_eq!(cluster.store.count::<NodeClaim>(), 0);
        assert_eq!(cluster.cloud.starts("create").len(), 1);
        assert_eq!(cluster.cloud.starts("delete").len(), 0);
    }
}

#[test]
fn a_failure_is_written_to_the_claim_with_a_message_cut_short() {
    let cluster = Cluster::new();
    cluster.cloud.create_fails(CreateError::Other("x".repeat(400)));
    cluster.create(claim("a"));
    cluster.run_until(10);
    let claim = cluster.claim("a");
    let launched = claim.status.conditions.get(ConditionType::Launched).unwrap();
    assert_eq!((launched.status, launched.reason), (ConditionStatus::Unknown, "LaunchFailed"));
    assert_eq!(launched.message.as_ref().unwrap().len(), 303);
}

/// Liveness comes after launch in the same pass, however long that took, and upstream sets no limit to a Create.
#[test]
fn a_create_that_outlasts_the_limit_is_its_claims_last() {
    let cluster = Cluster::new();
    cluster.cloud.create_takes.set(Duration::from_secs(400));
    cluster.cloud.create_fails(sold_out());
    cluster.create(claim("a"));
    cluster.run_until(399);
    assert!(cluster.claim("a").is_live());
    cluster.run_until(410);
    assert_eq!((cluster.store.count::<NodeClaim>(), cluster.cloud.starts("create").len()), (0, 1));
}

/// The limit counts from the last change of Registered: from creation while it is Unknown, anew from the moment that it
/// is False.
#[test]
fn a_claim_with_two_nodes_is_deleted_fifteen_minutes_after_they_were_found() {
    let cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(60);
    let id = cluster.claim("a").status.provider_id.clone();
    for name in ["one", "two"] {
        cluster.store.create(cluster.write(), Node::new(name, id.clone())).unwrap();
    }
    cluster.run_until(959);
    assert!(cluster.claim("a").is_live());
    cluster.run_until(975);
    assert_eq!(cluster.store.count::<NodeClaim>(), 0);
    assert_eq!(cluster.cloud.starts("delete")[0], Time::from_secs(960));
}

#[test]
fn a_launched_claim_without_a_node_is_deleted_after_fifteen_minutes() {
    let cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(899);
    assert!(cluster.claim("a").is_live());
    cluster.run_until(930);
    assert_eq!(cluster.store.count::<NodeClaim>(), 0);
    assert!(cluster.cloud.machines.borrow().is_empty());
    assert_eq!(cluster.cloud.starts("delete")[0], Time::from_secs(900));
}

/// Loses the first write of a status.
struct LoseOneStatus(Cell<bool>);

impl CallFault for LoseOneStatus {
    fn judge(&self, call: &Call<'_>) -> CallVerdict {
        match call.verb == Verb::PatchStatus && self.0.replace(false) {
            true => CallVerdict::Refuse(ApiError::Unavailable),
            false => CallVerdict::Serve,
        }
    }
}

#[test]
fn a_launch_whose_write_was_lost_is_remembered_and_not_made_again() {
    let cluster = Cluster::new();
    cluster.client.set_fault(Some(Rc::new(LoseOneStatus(Cell::new(true)))));
    cluster.create(claim("a"));
    cluster.run_until(10);
    assert!(cluster.claim("a").is_launched());
    assert_eq!(cluster.cloud.starts("create").len(), 1);
}

/// Loses every write of a status.
struct LoseStatuses;

impl CallFault for LoseStatuses {
    fn judge(&self, call: &Call<'_>) -> CallVerdict {
        match call.verb == Verb::PatchStatus {
            true => CallVerdict::Refuse(ApiError::Unavailable),
            false => CallVerdict::Serve,
        }
    }
}

/// Each pass that uses the memory renews its hour (`launch.go`, `SetDefault`), so that it does not run out between two.
#[test]
fn a_launch_that_can_never_be_written_is_remembered_until_the_process_ends() {
    let mut cluster = Cluster::new();
    cluster.client.set_fault(Some(Rc::new(LoseStatuses)));
    cluster.create(claim("a"));
    cluster.run_until(600);
    assert!(!cluster.claim("a").is_launched());
    assert_eq!(cluster.cloud.starts("create").len(), 1);
    cluster.restart();
    cluster.run_until(610);
    assert_eq!(cluster.cloud.starts("create").len(), 2);
}

/// The memory goes by uid: a second claim of the same name is another one.
#[test]
fn a_claim_of_the_same_name_is_launched_anew() {
    let cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(10);
    let first = cluster.claim("a").metadata.uid;
    cluster.store.delete::<NodeClaim>(cluster.write(), "a").unwrap();
    cluster.run_until(40);
    cluster.create(claim("a"));
    cluster.run_until(60);
    assert!(cluster.claim("a").is_launched() && cluster.claim("a").metadata.uid != first);
    assert_eq!(cluster.cloud.starts("create").len(), 2);
}

#[test]
fn a_launch_whose_result_died_with_the_process_is_made_again() {
    let mut cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(1);
    cluster.restart();
    cluster.run_until(10);
    assert!(cluster.claim("a").is_launched());
    let starts: Vec<u64> = cluster.cloud.starts("create").iter().map(|at| at.as_secs()).collect();
    assert_eq!(starts, [0, 1]);
}

/// The cache lags more than the pass's pause, so the second pass sees a claim that is not launched.
#[test]
fn a_stale_cache_makes_no_second_machine() {
    let lag = Quantiles::constant(Duration::from_millis(1_500));
    let cluster = Cluster::with(Quantiles::constant(Duration::from_millis(20)), lag);
    cluster.create(claim("a"));
    cluster.run_until(30);
    assert!(cluster.claim("a").is_launched());
    assert_eq!(cluster.cloud.starts("create").len(), 1);
}

/// Latencies and lags of a usual cluster change when things happen, not what happens.
#[test]
fn the_usual_delays_move_the_starts_of_a_failing_launch_by_little() {
    let millis = Duration::from_millis;
    let latency = Quantiles::through(&[(500_000, millis(5)), (990_000, millis(50))]).unwrap();
    let lag = Quantiles::through(&[(500_000, millis(10)), (990_000, millis(200))]).unwrap();
    let cluster = Cluster::with(latency, lag);
    cluster.cloud.create_takes.set(millis(10_300));
    cluster.cloud.create_fails(sold_out());
    cluster.create(claim("a"));
    cluster.run_until(340);
    let starts: Vec<u64> = cluster.cloud.starts("create").iter().map(|at| at.as_secs()).collect();
    assert_eq!(starts, [0, 11, 21, 31, 42, 52, 68, 138, 209, 279]);
}
