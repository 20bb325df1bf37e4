//! What can be set of the control plane.

use lkesim_kube::controller::Bucket;
use lkesim_runtime::Quantiles;
use std::time::Duration;

/// Constants and delays of the control plane and of the kubelets. The defaults are those of Kubernetes v1.33, where it has
/// some.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How far the caches of scheduler, controllers and kubelets lag (unknown: 10 ms to 200 ms, as Karpenter's).
    pub watch: Quantiles,
    /// How long the scheduler thinks about one pod (unknown: no time).
    pub attempt: Duration,
    /// From the scheduler's decision to its call (unknown: no time).
    pub bind: Quantiles,
    /// How many calls a second the scheduler makes: bindings and conditions (documented: kube-scheduler's
    /// `clientConnection.qps` 50 and `burst` 100).
    pub scheduler_calls: Bucket,
    /// How many calls a second each controller makes (documented: kube-controller-manager's `--kube-api-qps` 20 and
    /// `--kube-api-burst` 30).
    pub controller_calls: Bucket,
    /// How long the scheduler leaves a pod alone after its first failure; twice as long after each further one
    /// (documented: `podInitialBackoffSeconds` 1).
    pub initial_backoff: Duration,
    /// The longest of these (documented: `podMaxBackoffSeconds` 10).
    pub max_backoff: Duration,
    /// After this time the scheduler looks again at a pod that fits nowhere, though nothing happened (documented:
    /// `pkg/scheduler/backend/queue/scheduling_queue.go` DefaultPodMaxInUnschedulablePodsDuration 5 m).
    pub flush: Duration,
    /// From the kubelet's hearing of a pod to its being ready, images included (documented: the startup objective of
    /// Kubernetes, 5 s for 99 of 100 pods without images; the median is unknown: 2 s).
    pub start: Quantiles,
    /// How long containers take to end once they are asked to; `None` is all the grace that they have (unknown).
    pub stop: Option<Quantiles>,
    /// How often the pod garbage collector looks for pods without a node (documented: `pkg/controller/podgc/gc_controller.go`
    /// gcCheckPeriod 20 s).
    pub collection_period: Duration,
    /// How long a node must be missed before its pods are collected (documented: quarantineTime 40 s).
    pub quarantine: Duration,
}

impl Default for Settings {
    fn default() -> Settings {
        let points = |points: &[(u32, u64)]| {
            let points: Vec<_> = points.iter().map(|&(place, millis)| (place, Duration::from_millis(millis))).collect();
            Quantiles::through(&points).unwrap_or_else(|_| Quantiles::zero())
        };
        Settings {
            watch: points(&[(500_000, 10), (990_000, 200)]),
            attempt: Duration::ZERO,
            bind: Quantiles::zero(),
            scheduler_calls: Bucket { qps: 50, burst: 100 },
            controller_calls: Bucket { qps: 20, burst: 30 },
            initial_backoff: Duration::from_secs(1),
            max_backoff: Duration::from_secs(10),
            flush: Duration::from_secs(5 * 60),
            start: points(&[(500_000, 2_000), (990_000, 5_000)]),
            stop: None,
            collection_period: Duration::from_secs(20),
            quarantine: Duration::from_secs(40),
        }
    }
}
