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
    async fn run(&self, joining: Joining, machine: &Machine) {
        self.runtime.sleep(joining.join).await;
        loop {
            if machine.gone.get() {
                return;
            }
            match self.client.create(self.new_node(&joining)).await {
                Ok(_) => break,
                Err(ApiError::Unavailable) => self.runtime.sleep(RETRY).await,
                // A Node of this name belongs to a kubelet that joined before; it stays as it is.
                Err(_) => return,
            }
        }
        self.become_ready(joining, machine).await;
    }

    async fn become_ready(&self, joining: Joining, machine: &Machine) {
        self.runtime.sleep(joining.ready).await;
        if !machine.gone.get() {
            self.make_ready(&joining).await;
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
        let id = joining.provider_id.clone();
        let mut node = Node::new(joining.node_name.clone(), Some(id));
        node.metadata.labels = joining.labels.clone();
        node.spec.taints = joining.taints.clone().into();
        node.spec.taints.push(Taint::new(labels::NOT_READY_TAINT, TaintEffect::NoSchedule));
        node.status.capacity = joining.capacity;
        node.status.allocatable = joining.allocatable;
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
        self.client.store().get::<Node>(name).filter(|node| node.provider_id() == Some(id))
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
