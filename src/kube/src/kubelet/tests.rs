use super::*;
use crate::store::Store;
use lkesim_kernel::Kernel;
use lkesim_runtime::{Quantiles, Seed};

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

struct Setup {
    kernel: Kernel,
    store: Store,
    kubelet: Kubelet,
}

fn setup() -> Setup {
    let (kernel, store) = (Kernel::new(), Store::new());
    let latency = Quantiles::constant(Duration::from_millis(10));
    let client = Client::new(kernel.runtime(), store.clone(), Seed(1), latency);
    let kubelet = Kubelet::new(kernel.runtime(), &client);
    Setup { kernel, store, kubelet }
}

fn joining(id: u64) -> Joining {
    Joining {
        node_name: "lke1-2-3".into(),
        provider_id: ProviderId::linode(id),
        labels: StringMap::EMPTY,
        taints: Vec::new(),
        capacity: Resources::of(2_000, 4 << 30),
        allocatable: Resources::of(1_930, 2 << 30),
        join: secs(60),
        ready: secs(10),
        late: Default::default(),
    }
}

#[test]
fn a_node_joins_not_ready_and_becomes_ready() {
    let setup = setup();
    setup.kubelet.join(joining(7));
    setup.kernel.run_until(Time::from_secs(65)).unwrap();
    let node = setup.store.get::<Node>("lke1-2-3").unwrap();
    assert!(!node.is_ready() && node.has_taint(labels::NOT_READY_TAINT, TaintEffect::NoSchedule));
    setup.kernel.run_until(Time::from_secs(75)).unwrap();
    let node = setup.store.get::<Node>("lke1-2-3").unwrap();
    assert!(node.is_ready() && node.spec.taints.is_empty());
}

#[test]
fn a_machine_that_goes_before_it_joins_leaves_no_node() {
    let setup = setup();
    setup.kubelet.join(joining(7));
    setup.kernel.run_until(Time::from_secs(30)).unwrap();
    setup.kubelet.gone(&ProviderId::linode(7), Silence::DEFAULT);
    setup.kernel.run_until(Time::MAX).unwrap();
    assert_eq!(setup.store.count::<Node>(), 0);
}

#[test]
fn the_node_of_a_machine_that_is_gone_falls_silent_and_is_removed() {
    let setup = setup();
    setup.kubelet.join(joining(7));
    let (kubelet, runtime) = (setup.kubelet.clone(), setup.kernel.runtime());
    setup.kernel.runtime().spawn("cloud", async move {
        runtime.sleep(secs(100)).await;
        kubelet.gone(&ProviderId::linode(7), Silence::DEFAULT);
    });
    setup.kernel.run_until(Time::from_secs(149)).unwrap();
    assert!(setup.store.get::<Node>("lke1-2-3").unwrap().is_ready());
    setup.kernel.run_until(Time::from_secs(151)).unwrap();
    let node = setup.store.get::<Node>("lke1-2-3").unwrap();
    assert!(!node.is_ready() && node.has_taint(labels::UNREACHABLE_TAINT, TaintEffect::NoExecute));
    setup.kernel.run_until(Time::from_secs(156)).unwrap();
    assert_eq!(setup.store.count::<Node>(), 0);
}

/// Refuses all calls for the first 100 s.
struct Outage(Runtime);

impl crate::client::CallFault for Outage {
    fn judge(&self, _: &crate::client::Call<'_>) -> crate::client::CallVerdict {
        match self.0.now() < Time::from_secs(100) {
            true => crate::client::CallVerdict::Refuse(ApiError::Unavailable),
            false => crate::client::CallVerdict::Serve,
        }
    }
}

#[test]
fn a_node_joins_once_the_api_server_answers() {
    let setup = setup();
    let outage = Outage(setup.kernel.runtime());
    setup.kubelet.0.client.set_fault(Some(Rc::new(outage)));
    setup.kubelet.join(joining(7));
    setup.kernel.run_until(Time::from_secs(99)).unwrap();
    assert_eq!(setup.store.count::<Node>(), 0);
    setup.kernel.run_until(Time::MAX).unwrap();
    assert!(setup.store.get::<Node>("lke1-2-3").unwrap().is_ready());
}

#[test]
fn what_comes_late_came_before_the_run_where_the_node_did() {
    let setup = setup();
    let late = Late { provider_id: Some(secs(60)), devices: Some(secs(60)) };
    setup.kubelet.joined(Joining { late, ..joining(7) }, true, |_| {});
    let node = setup.store.get::<Node>("lke1-2-3").unwrap();
    assert_eq!(node.spec.provider_id, Some(ProviderId::linode(7)));
    assert!(node.is_ready() && node.spec.taints.is_empty());
}
