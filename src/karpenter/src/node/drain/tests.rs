use crate::provisioning::ProvisioningSettings;
use crate::testing::{Cluster, claim, secs};
use lkesim_kube::object::node_claim::NodeClaimSpec;
use lkesim_kube::object::pod_disruption_budget::{Bound, Share};
use lkesim_kube::object::{LabelSelector, Node, NodeClaim, Pod, PodDisruptionBudget, PodSpec, Toleration, labels};
use lkesim_kube::store::{StoreChange, StoreObserver};
use lkesim_runtime::Time;
use std::cell::RefCell;
use std::rc::Rc;

/// A cluster with one claim, whose node is ready before 60 s.
fn with_node(change: impl FnOnce(&mut NodeClaimSpec)) -> Cluster {
    let cluster = Cluster::with_pods(ProvisioningSettings::default());
    let mut claim = claim("a");
    change(Rc::make_mut(&mut claim.spec));
    cluster.create(claim);
    cluster.run_until(60);
    assert!(cluster.claim("a").is_initialized());
    cluster
}

fn delete_claim(cluster: &Cluster) {
    cluster.store.delete::<NodeClaim>(cluster.write(), "a").expect("it is there");
}

fn is_ending(cluster: &Cluster, pod: &str) -> bool {
    cluster.store.get::<Pod>(pod).is_none_or(|pod| pod.is_terminating())
}

fn grace(seconds: u64) -> impl FnOnce(&mut PodSpec) {
    move |spec| spec.termination_grace_period = Some(secs(seconds))
}

#[test]
fn pods_go_group_by_group_and_the_machine_after_them() {
    let cluster = with_node(|_| {});
    cluster.create_pod("plain", 100, grace(10));
    cluster.create_pod("critical", 100, |spec| {
        grace(10)(spec);
        spec.priority = 2_000_000_000;
    });
    cluster.create_pod("tolerant", 100, |spec| spec.tolerations.push(Toleration::of_key(labels::DISRUPTED_TAINT)));
    cluster.run_until(70);
    delete_claim(&cluster);
    cluster.run_until(72);
    assert_eq!(["plain", "critical", "tolerant"].map(|pod| is_ending(&cluster, pod)), [true, false, false]);
    assert!(cluster.cloud.starts("delete").is_empty());
    cluster.run_until(83);
    assert_eq!(["plain", "critical", "tolerant"].map(|pod| is_ending(&cluster, pod)), [true, true, false]);
    cluster.run_until(95);
    assert!(cluster.cloud.starts("delete")[0] >= Time::from_secs(90));
    cluster.run_until(120);
    assert_eq!((cluster.store.count::<Node>(), cluster.store.count::<NodeClaim>()), (0, 0));
}

#[test]
fn a_pod_that_is_not_to_be_disturbed_holds_the_drain_until_it_ends_by_itself() {
    let cluster = with_node(|_| {});
    let mut pod = Pod::new("busy", crate::testing::asks(100));
    pod.runs_for = Some(secs(300));
    pod.metadata.annotations.insert(labels::DO_NOT_DISRUPT, "true");
    cluster.store.create(cluster.write(), pod).expect("new");
    cluster.run_until(70);
    delete_claim(&cluster);
    cluster.run_until(350);
    assert!(cluster.cloud.starts("delete").is_empty());
    cluster.run_until(400);
    assert_eq!(cluster.store.count::<Node>(), 0);
}

#[test]
fn a_node_with_a_time_to_be_gone_by_deletes_what_would_outlive_it() {
    let cluster = with_node(|spec| spec.termination_grace_period = Some(secs(100)));
    let mut pod = Pod::new("busy", crate::testing::asks(100));
    Rc::make_mut(&mut pod.spec).termination_grace_period = Some(secs(40));
    pod.metadata.annotations.insert(labels::DO_NOT_DISRUPT, "true");
    cluster.store.create(cluster.write(), pod).expect("new");
    cluster.run_until(70);
    delete_claim(&cluster);
    cluster.run_until(129);
    assert!(!is_ending(&cluster, "busy"));
    cluster.run_until(132);
    let gone = cluster.store.get::<Pod>("busy").expect("it ends").metadata.deletion_timestamp;
    assert_eq!(gone.map(Time::as_secs), Some(170));
    cluster.run_until(200);
    assert_eq!(cluster.store.count::<Node>(), 0);
}

/// Never fewer ready pods of the budget than it asks for, while pods go by eviction.
struct AtLeast(u32, RefCell<Vec<Rc<Pod>>>);

impl StoreObserver for AtLeast {
    fn on_change(&self, change: &StoreChange) {
        let lkesim_kube::store::ObjectChange::Pod(pod) = &change.object else { return };
        let mut pods = self.1.borrow_mut();
        pods.retain(|known| known.metadata.uid != pod.latest().metadata.uid);
        pods.extend(pod.after.clone());
        let ready = pods.iter().filter(|pod| pod.status.is_ready && pod.is_active()).count();
        let by_eviction = change.by == super::EVICTION_QUEUE;
        assert!(!by_eviction || ready >= self.0 as usize, "{} ready at {:?}", ready, change.at);
    }
}

#[test]
fn a_budget_slows_a_drain_down_and_is_never_broken() {
    use lkesim_kube::object::{PodTemplate, Workload, WorkloadKind};
    let cluster = Cluster::with_pods(ProvisioningSettings::default());
    cluster.node_pool("default", Default::default());
    let bound = Bound::MaxUnavailable(Share::Pods(1));
    let budget = PodDisruptionBudget::new("default", "b", LabelSelector::label("app", "web"), bound);
    cluster.store.create(cluster.write(), budget).expect("new");
    let template = PodTemplate { labels: [("app", "web")].into_iter().collect(), ..PodTemplate::default() };
    let template = PodTemplate { spec: Rc::new(crate::testing::asks(600)), ..template };
    let web = Workload::new(WorkloadKind::Deployment, "default", "web", template);
    cluster.store.create(cluster.write(), Workload { replicas: 3, ..web }).expect("new");
    cluster.run_until(120);
    let claims = cluster.store.list::<NodeClaim>();
    assert!(claims.len() == 1 && claims[0].is_initialized());
    cluster.store.observe(Rc::new(AtLeast(2, RefCell::new(cluster.store.list()))));
    let first = claims[0].name().clone();
    cluster.store.delete::<NodeClaim>(cluster.write(), &first).expect("it is there");
    cluster.run_until(600);
    assert!(cluster.store.get::<NodeClaim>(&first).is_none());
    let ready = cluster.store.list::<Pod>().iter().filter(|pod| pod.status.is_ready).count();
    assert_eq!((ready, cluster.store.count::<NodeClaim>()), (3, 1));
}
