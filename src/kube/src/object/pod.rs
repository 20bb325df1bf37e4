//! Pod: what wants to run, and where it may.

mod admission;

pub use admission::{admit_spec, spread_selector};

use super::affinity::{NodeAffinity, PodAffinity, TopologySpreadConstraint};
use super::meta::{DEFAULT_NAMESPACE, in_namespace};
use super::{
    Kind, List, Object, ObjectMeta, Quantity, ResourceList, StringMap, Toleration, labels, merge, resource_list::names,
};
use crate::store::{Change, ObjectChange, Table, Tables};
use core::net::IpAddr;
use lkesim_runtime::Time;
use std::rc::Rc;
use std::time::Duration;

/// How long a pod may take to end where it says nothing (`terminationGracePeriodSeconds`).
pub const DEFAULT_GRACE: Duration = Duration::from_secs(30);

/// `v1` Pod. Its name in the store is that of [`in_namespace`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    /// Name, versions, labels.
    pub metadata: ObjectMeta,
    /// Its namespace.
    pub namespace: Rc<str>,
    /// What it needs. Pods of one template share it.
    pub spec: Rc<PodSpec>,
    /// The Node that it is bound to.
    pub node_name: Option<Rc<str>>,
    /// The only Node that it may be bound to, where a DaemonSet made it. Upstream that is a required node affinity to
    /// the field `metadata.name`; here, so that all pods of the DaemonSet share their spec.
    pub made_for: Option<Rc<str>>,
    /// Who made it.
    pub owner: PodOwner,
    /// How long its containers run until they end well; `None` is for ever. No field of Kubernetes': it stands for what
    /// the containers do, and is no part of the spec, as pods that need the same share that.
    pub runs_for: Option<Duration>,
    /// How it is.
    pub status: PodStatus,
}

/// What kind of object made a pod, as far as Karpenter cares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PodOwner {
    /// Nobody.
    #[default]
    None,
    /// A ReplicaSet, a Job or another controller that makes it anew elsewhere.
    Controller,
    /// A StatefulSet, which makes it anew once it is gone.
    StatefulSet,
    /// A DaemonSet.
    DaemonSet,
    /// A Node: it is a static pod's mirror.
    Node,
}

/// `corev1.PodPhase`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PodPhase {
    /// It does not run yet.
    #[default]
    Pending,
    /// It runs.
    Running,
    /// It ended well.
    Succeeded,
    /// It ended badly.
    Failed,
}

/// How a pod is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodStatus {
    /// Where it is in its life.
    pub phase: PodPhase,
    /// The Node whose pods the scheduler evicts for it.
    pub nominated_node_name: Option<Rc<str>>,
    /// The scheduler's text, once it found no Node: PodScheduled is False with the reason Unschedulable.
    pub unschedulable: Option<Rc<str>>,
    /// Whether its containers are ready.
    pub is_ready: bool,
    /// When its kubelet first saw it.
    pub start_time: Option<Time>,
}

/// What a pod needs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PodSpec {
    /// Labels that its Node has.
    pub node_selector: StringMap,
    /// Affinity to nodes, if given.
    pub node_affinity: Option<NodeAffinity>,
    /// Affinity to pods, if given.
    pub pod_affinity: Option<PodAffinity>,
    /// Anti-affinity to pods, if given.
    pub pod_anti_affinity: Option<PodAffinity>,
    /// How it is spread.
    pub topology_spread_constraints: Vec<TopologySpreadConstraint>,
    /// Taints that it puts up with.
    pub tolerations: Vec<Toleration>,
    /// Containers that run together.
    pub containers: Vec<Container>,
    /// Containers that run one after the other before, or, if they restart always, beside.
    pub init_containers: Vec<Container>,
    /// What running it costs besides.
    pub overhead: ResourceList,
    /// Requests of the pod as a whole, which replace the sum of its containers' CPU, memory and huge pages.
    pub requests: ResourceList,
    /// Volumes that are claims.
    pub volumes: Vec<Volume>,
    /// Its priority.
    pub priority: i32,
    /// Whether it may evict pods of lower priority.
    pub never_preempts: bool,
    /// Gates that keep the scheduler from it.
    pub scheduling_gates: Vec<Rc<str>>,
    /// How long it may take to end; `None` is [`DEFAULT_GRACE`].
    pub termination_grace_period: Option<Duration>,
}

/// `corev1.Container`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Container {
    /// What it needs.
    pub requests: ResourceList,
    /// What it may use.
    pub limits: ResourceList,
    /// Ports of the node that it takes.
    pub host_ports: Vec<HostPort>,
    /// An init container that restarts always: a sidecar.
    pub restarts_always: bool,
    /// Whether it uses ResourceClaims of dynamic resource allocation.
    pub has_resource_claims: bool,
}

/// A port of the node that a container takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HostPort {
    /// The address, `0.0.0.0` if not given.
    pub ip: IpAddr,
    /// The port.
    pub port: u16,
    /// The protocol.
    pub protocol: Protocol,
}

/// `corev1.Protocol`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// TCP.
    #[default]
    Tcp,
    /// UDP.
    Udp,
    /// SCTP.
    Sctp,
}

impl Protocol {
    /// As upstream writes it.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Tcp => "TCP",
            Protocol::Udp => "UDP",
            Protocol::Sctp => "SCTP",
        }
    }
}

/// A volume that a PersistentVolumeClaim stands behind. Others need nothing of the node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Volume {
    /// The claim of this name.
    Claim(Rc<str>),
    /// An ephemeral volume of this name, whose claim is named after pod and volume.
    Ephemeral(Rc<str>),
}

impl Volume {
    /// The name of the claim.
    pub fn claim_name(&self, pod: &Pod) -> Rc<str> {
        match self {
            Volume::Claim(name) => name.clone(),
            Volume::Ephemeral(volume) => {
                let name = pod.metadata.name.rsplit('/').next().unwrap_or_default();
                format!("{name}-{volume}").into()
            }
        }
    }
}

impl Pod {
    /// A new pod in the namespace `default`.
    pub fn new(name: impl Into<Rc<str>>, spec: PodSpec) -> Pod {
        Pod {
            metadata: ObjectMeta::named(name),
            namespace: DEFAULT_NAMESPACE.into(),
            spec: Rc::new(spec),
            node_name: None,
            made_for: None,
            owner: PodOwner::None,
            runs_for: None,
            status: PodStatus::default(),
        }
    }

    /// A new pod in this namespace.
    pub fn new_in(namespace: impl Into<Rc<str>>, name: &str, spec: PodSpec) -> Pod {
        let namespace = namespace.into();
        Pod { metadata: ObjectMeta::named(in_namespace(&namespace, name)), namespace, ..Pod::new("", spec) }
    }

    /// Its name in the store.
    pub fn name(&self) -> &Rc<str> {
        &self.metadata.name
    }

    /// How long it may take to end.
    pub fn grace(&self) -> Duration {
        self.spec.termination_grace_period.unwrap_or(DEFAULT_GRACE)
    }

    /// Whether it ended.
    pub fn is_terminal(&self) -> bool {
        matches!(self.status.phase, PodPhase::Succeeded | PodPhase::Failed)
    }

    /// Whether its deletion was asked for.
    pub fn is_terminating(&self) -> bool {
        self.metadata.is_deleting()
    }

    /// Whether it neither ended nor ends.
    pub fn is_active(&self) -> bool {
        !self.is_terminal() && !self.is_terminating()
    }

    /// Whether Karpenter makes room for it: the scheduler gave it up, it is not bound, waits for no eviction, and is
    /// no DaemonSet's and no static pod (core v1.9.0 `pkg/utils/pod/scheduling.go` IsProvisionable).
    pub fn is_provisionable(&self) -> bool {
        self.status.unschedulable.is_some()
            && self.node_name.is_none()
            && self.status.nominated_node_name.is_none()
            && !matches!(self.owner, PodOwner::DaemonSet | PodOwner::Node)
    }

    /// Whether it needs a place when its node goes (core v1.9.0 IsReschedulable).
    pub fn is_reschedulable(&self) -> bool {
        (self.is_active() || (self.owner == PodOwner::StatefulSet && self.is_terminating()))
            && !matches!(self.owner, PodOwner::DaemonSet | PodOwner::Node)
    }

    /// Whether Karpenter was asked to leave it alone.
    pub fn has_do_not_disrupt(&self) -> bool {
        self.metadata.annotations.has(labels::DO_NOT_DISRUPT, "true")
    }

    /// What it takes of a node, itself counted as one of `pods`.
    pub fn requests(&self) -> ResourceList {
        let mut requests = self.spec.effective_requests();
        requests.set(names::PODS, one_pod());
        requests
    }
}

impl Object for Pod {
    const KIND: Kind = Kind::Pod;

    fn metadata(&self) -> &ObjectMeta {
        &self.metadata
    }

    fn metadata_mut(&mut self) -> &mut ObjectMeta {
        &mut self.metadata
    }

    fn merge_spec(&mut self, base: &Pod, changed: &Pod) {
        merge(&mut self.spec, &base.spec, &changed.spec);
        merge(&mut self.node_name, &base.node_name, &changed.node_name);
        merge(&mut self.runs_for, &base.runs_for, &changed.runs_for);
    }

    fn merge_status(&mut self, base: &Pod, changed: &Pod) {
        let (status, base, changed) = (&mut self.status, &base.status, &changed.status);
        merge(&mut status.phase, &base.phase, &changed.phase);
        merge(&mut status.nominated_node_name, &base.nominated_node_name, &changed.nominated_node_name);
        merge(&mut status.unschedulable, &base.unschedulable, &changed.unschedulable);
        merge(&mut status.is_ready, &base.is_ready, &changed.is_ready);
        merge(&mut status.start_time, &base.start_time, &changed.start_time);
    }

    fn admit(&mut self) {
        admission::admit(self);
    }

    /// A bound pod ends within its grace and goes when its kubelet says so; one that is not bound, or that ended, goes at
    /// once (Kubernetes v1.33 `pkg/registry/core/pod/strategy.go` CheckGracefulDelete).
    fn grace(&self, asked: Option<Duration>) -> Option<Duration> {
        let takes_some = self.node_name.is_some() && !self.is_terminal();
        takes_some.then(|| asked.unwrap_or_else(|| Pod::grace(self)))
    }

    fn to_change(change: Change<Pod>) -> ObjectChange {
        ObjectChange::Pod(change)
    }

    fn table(tables: &Tables) -> &Table<Pod> {
        &tables.pods
    }
}

/// One pod, written as Karpenter writes it.
fn one_pod() -> Quantity {
    Quantity::from_units(1).written(super::quantity::Format::DecimalExponent)
}

/// What these pods take of a node in sum, themselves counted as `pods` (core v1.9.0 `RequestsForPods`).
pub fn requests_of<'a>(specs: impl IntoIterator<Item = &'a PodSpec>) -> ResourceList {
    let mut sum = ResourceList::EMPTY;
    let mut count = 0;
    for spec in specs {
        sum.add(&spec.effective_requests());
        count += 1;
    }
    sum.set(names::PODS, Quantity::from_units(count).written(super::quantity::Format::DecimalExponent));
    sum
}

impl PodSpec {
    /// Containers in sum, or an init container that needs more together with the sidecars before it; requests of the
    /// pod as a whole in place of that; the overhead on top (k8s.io/component-helpers v0.34 `resource/helpers.go`).
    pub fn effective_requests(&self) -> ResourceList {
        let mut requests = ResourceList::EMPTY;
        for container in &self.containers {
            requests.add(&container.requests);
        }
        let mut sidecars = ResourceList::EMPTY;
        let mut highest = ResourceList::EMPTY;
        for container in &self.init_containers {
            if container.restarts_always {
                requests.add(&container.requests);
                sidecars.add(&container.requests);
                highest.raise_to(&sidecars);
            } else {
                let mut running = container.requests.clone();
                running.add(&sidecars);
                highest.raise_to(&running);
            }
        }
        requests.raise_to(&highest);
        let of_pods = |name: &str| matches!(name, names::CPU | names::MEMORY) || name.starts_with(names::HUGE_PAGES);
        for (name, quantity) in self.requests.iter().filter(|(name, _)| of_pods(name)) {
            requests.set(name.clone(), *quantity);
        }
        requests.add(&self.overhead);
        requests
    }

    /// Ports of the node that it takes. Those of init containers do not count (core v1.9.0 `GetHostPorts`).
    pub fn host_ports(&self) -> impl Iterator<Item = &HostPort> {
        self.containers.iter().flat_map(|container| &container.host_ports)
    }

    /// Whether a container uses ResourceClaims.
    pub fn has_resource_claims(&self) -> bool {
        self.containers.iter().chain(&self.init_containers).any(|container| container.has_resource_claims)
    }

    /// Lets limits stand in for requests that are not given, as the API server does with pods, but not with the
    /// templates of DaemonSets.
    pub fn default_requests(&mut self) {
        for container in self.containers.iter_mut().chain(&mut self.init_containers) {
            for (name, quantity) in container.limits.iter() {
                if container.requests.get(name).is_none() {
                    container.requests.set(name.clone(), *quantity);
                }
            }
        }
    }
}

/// A list of pods that is cheap to clone.
pub type Pods = List<Rc<Pod>>;

#[cfg(test)]
mod tests;
