//! The machines' side of the cluster: nodes that join, become ready, fall silent and are removed.
//!
//! One [`Kubelet`] stands for the kubelets of all machines and for the two controllers that watch them: Kubernetes'
//! node lifecycle controller, which taints, and the cloud's node controller, which removes. Who boots and deletes
//! machines (the simulator's bridge to the cloud) calls [`Kubelet::join`] and [`Kubelet::gone`].

use crate::ApiError;
use crate::client::Client;
use crate::object::{
    ConditionStatus, ConditionType, Node, Object, ProviderId, Resources, StringMap, Taint, TaintEffect, labels,
};
use crate::store::{Lock, Part};
use lkesim_runtime::{Runtime, TaskName, Time};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// How long a write waits after the API server failed.
const RETRY: Duration = Duration::from_secs(10);

/// A machine that booted, and how it joins.
#[derive(Clone, Debug)]
pub struct Joining {
    /// The Node's name; on LKE the instance's label.
    pub node_name: Rc<str>,
    /// The machine.
    pub provider_id: ProviderId,
    /// Labels that the Node joins with.
    pub labels: StringMap,
    /// Taints that the Node joins with, besides that of a node that is not ready.
    pub taints: Vec<Taint>,
    /// All that the machine has.
    pub capacity: Resources,
    /// What of it pods can use.
    pub allocatable: Resources,
    /// From the end of boot to the Node.
    pub join: Duration,
    /// From the Node to its being ready.
    pub ready: Duration,
    /// What comes later than the Node.
    pub late: Late,
}

/// What a Node lacks at first. By default it has all of it from the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Late {
    /// From the Node to its providerID. Until then it has the taint that kubelets of external clouds join with, and the
    /// cloud's controller takes it away with the same write.
    pub provider_id: Option<Duration>,
    /// From its being ready to its devices, which their plugin registers.
    pub devices: Option<Duration>,
}

/// How the cluster notices that a machine is gone.
#[derive(Clone, Copy, Debug)]
pub struct Silence {
    /// From the machine's end until its Node counts as not ready.
    pub not_ready: Duration,
    /// From then until the Node's deletion is asked for; `None` is never.
    pub removed: Option<Duration>,
}

impl Silence {
    /// Kubernetes' defaults: 50 s of grace (`node-monitor-grace-period`), then the cloud's controller looks every 5 s.
    pub const DEFAULT: Silence = Silence { not_ready: Duration::from_secs(50), removed: Some(Duration::from_secs(5)) };
}

/// The kubelets of all machines. Clones share them.
#[derive(Clone)]
pub struct Kubelet(Rc<Inner>);

struct Inner {
    runtime: Runtime,
    client: Client,
    machines: RefCell<BTreeMap<ProviderId, Rc<Machine>>>,
}

struct Machine {
    node_name: Rc<str>,
    gone: Cell<bool>,
}

impl Kubelet {
    /// Kubelets whose tasks run in `runtime`'s process: not that of a controller, whose restart would end them.
    pub fn new(runtime: Runtime, client: &Client) -> Kubelet {
        Kubelet(Rc::new(Inner { runtime, client: client.named("kubelet"), machines: RefCell::default() }))
    }

    /// A machine ended its boot: its Node joins and becomes ready after the delays given.
    pub fn join(&self, joining: Joining) {
        let machine = Rc::new(Machine { node_name: joining.node_name.clone(), gone: Cell::new(false) });
        let id = joining.provider_id.clone();
        self.0.machines.borrow_mut().insert(id, machine.clone());
        let inner = self.0.clone();
        let name = TaskName::on("kubelet", joining.node_name.clone());
        self.0.runtime.spawn(name, async move { inner.run(joining, &machine).await });
    }

    /// A machine that joined before the run: its Node is there at once, `dressed` as who registered it left it, and is
    /// ready or becomes so after `joining.ready`.
    pub fn joined(&self, joining: Joining, is_ready: bool, dressed: impl FnOnce(&mut Node)) {
        // What comes late came before the run.
        let devices = joining.late.devices.filter(|_| !is_ready);
        let joining = Joining { late: Late { provider_id: None, devices }, ..joining };
        let machine = Rc::new(Machine { node_name: joining.node_name.clone(), gone: Cell::new(false) });
        self.0.machines.borrow_mut().insert(joining.provider_id.clone(), machine.clone());
        let mut node = self.0.new_node(&joining);
        if is_ready {
            set_ready(&mut node, self.0.runtime.now(), ConditionStatus::True);
            node.spec.taints = joining.taints.clone().into();
        }
        dressed(&mut node);
        self.0.client.place(node);
        if !is_ready {
            let inner = self.0.clone();
            let name = TaskName::on("kubelet", joining.node_name.clone());
            self.0.runtime.spawn(name, async move { inner.become_ready(joining, &machine).await });
        }
    }

    /// A machine from elsewhere than the modelled cloud, whose Node the cluster has already: nothing here ends it.
    pub fn stands(&self, provider_id: ProviderId, node_name: Rc<str>) {
        let machine = Machine { node_name, gone: Cell::new(false) };
        self.0.machines.borrow_mut().insert(provider_id, Rc::new(machine));
    }

    /// Whether this machine joined, or is to join, and is not gone.
    pub fn lives(&self, provider_id: &ProviderId) -> bool {
        self.0.machines.borrow().contains_key(provider_id)
    }

    /// A machine is gone: its Node, if it joined, falls silent. A machine that is still joining never does.
    pub fn gone(&self, provider_id: &ProviderId, silence: Silence) {
        let Some(machine) = self.0.machines.borrow_mut().remove(provider_id) else {
            return;
        };
        machine.gone.set(true);
        let (inner, id) = (self.0.clone(), provider_id.clone());
        let name = TaskName::on("node-lifecycle", machine.node_name.clone());
        self.0.runtime.spawn(name, async move { inner.silence(&machine.node_name, &id, silence).await });
    }
}

impl Inner {
    /// The cloud's controller sees a Node that has no providerID yet.
    fn complete(self: &Rc<Inner>, joining: &Joining) {
        let Some(after) = joining.late.provider_id else {
            return;
        };
        let (inner, name, id) = (self.clone(), joining.node_name.clone(), joining.provider_id.clone());
        let task = TaskName::on("cloud-node", name.clone());
        self.runtime.spawn(task, async move {
            inner.runtime.sleep(after).await;
            let known = |node: &mut Node| {
                node.spec.provider_id = Some(id.clone());
                node.spec.taints.retain(|taint| *taint.key != *labels::EXTERNAL_CLOUD_PROVIDER_TAINT);
            };
            inner.change(&name, &id, Part::Object, known).await;
        });
    }

    async fn run(self: &Rc<Inner>, joining: Joining, machine: &Machine) {
        self.runtime.sleep(joining.join).await;
        loop {
            if machine.gone.get() {
                return;
            }
            match self.client.create(self.new_node(&joining)).await {
                Ok(_) => break self.complete(&joining),
                Err(ApiError::Unavailable) => self.runtime.sleep(RETRY).await,
                // A Node of this name belongs to a kubelet that joined before; it stays as it is.
                Err(_) => return,
            }
        }
        self.become_ready(joining, machine).await;
    }

    async fn become_ready(&self, joining: Joining, machine: &Machine) {
        self.runtime.sleep(joining.ready).await;
        if machine.gone.get() {
            return;
        }
        self.make_ready(&joining).await;
        if let Some(after) = joining.late.devices {
            self.runtime.sleep(after).await;
            let (name, id) = (&joining.node_name, &joining.provider_id);
            let register = |node: &mut Node| {
                node.status.capacity.gpus = joining.capacity.gpus;
                node.status.allocatable.gpus = joining.allocatable.gpus;
            };
            if !machine.gone.get() {
                self.change(name, id, Part::Status, register).await;
            }
        }
    }

    async fn make_ready(&self, joining: &Joining) {
        let (name, id) = (&joining.node_name, &joining.provider_id);
        let ready = |node: &mut Node| set_ready(node, self.runtime.now(), ConditionStatus::True);
        self.change(name, id, Part::Status, ready).await;
        let untaint = |node: &mut Node| {
            let taints = &mut node.spec.taints;
            taints.retain(|taint| *taint.key != *labels::NOT_READY_TAINT);
        };
        self.change(name, id, Part::Object, untaint).await;
    }

    fn new_node(&self, joining: &Joining) -> Node {
        let id = joining.late.provider_id.is_none().then(|| joining.provider_id.clone());
        let mut node = Node::new(joining.node_name.clone(), id);
        node.metadata.labels = joining.labels.clone();
        node.spec.taints = joining.taints.clone().into();
        node.spec.taints.push(Taint::new(labels::NOT_READY_TAINT, TaintEffect::NoSchedule));
        if joining.late.provider_id.is_some() {
            node.spec.taints.push(Taint::new(labels::EXTERNAL_CLOUD_PROVIDER_TAINT, TaintEffect::NoSchedule));
        }
        node.status.capacity = joining.capacity;
        node.status.allocatable = joining.allocatable;
        if joining.late.devices.is_some() {
            node.status.capacity.gpus = 0;
            node.status.allocatable.gpus = 0;
        }
        set_ready(&mut node, self.runtime.now(), ConditionStatus::False);
        node
    }

    async fn silence(&self, name: &str, id: &ProviderId, silence: Silence) {
        self.runtime.sleep(silence.not_ready).await;
        let silent = |node: &mut Node| set_ready(node, self.runtime.now(), ConditionStatus::Unknown);
        self.change(name, id, Part::Status, silent).await;
        self.change(name, id, Part::Object, taint_unreachable).await;
        let Some(removed) = silence.removed else {
            return;
        };
        self.runtime.sleep(removed).await;
        while let Some(node) = self.node(name, id) {
            match self.client.delete(&*node).await {
                Err(ApiError::Unavailable) => self.runtime.sleep(RETRY).await,
                // A Node that went meanwhile is what was wanted.
                _ => return,
            }
        }
    }

    /// Changes the Node, if there is one, and again until it is written. The list of taints is replaced as a whole, so
    /// that write holds a lock.
    async fn change(&self, name: &str, id: &ProviderId, part: Part, change: impl Fn(&mut Node)) {
        while let Some(node) = self.node(name, id) {
            let mut changed = Node::clone(&node);
            change(&mut changed);
            let written = match part {
                Part::Status => self.client.patch_status(&*node, &changed, Lock::None).await,
                Part::Object => self.client.patch(&*node, &changed, Lock::Optimistic).await,
            };
            match written {
                Err(ApiError::Unavailable) => self.runtime.sleep(RETRY).await,
                Err(ApiError::Conflict { .. }) => {}
                _ => return,
            }
        }
    }

    fn node(&self, name: &str, id: &ProviderId) -> Option<Rc<Node>> {
        let is_its = |node: &Rc<Node>| node.provider_id().is_none_or(|of_node| of_node == id);
        self.client.store().get::<Node>(name).filter(is_its)
    }
}

fn taint_unreachable(node: &mut Node) {
    for effect in [TaintEffect::NoSchedule, TaintEffect::NoExecute] {
        if !node.has_taint(labels::UNREACHABLE_TAINT, effect) {
            let taint = Taint::new(labels::UNREACHABLE_TAINT, effect);
            node.spec.taints.push(taint);
        }
    }
}

fn set_ready(node: &mut Node, now: Time, status: ConditionStatus) {
    node.status.conditions.set(now, ConditionType::Ready, status, "", None);
}

#[cfg(test)]
mod tests;
