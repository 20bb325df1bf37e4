//! Nodes that are there, or that an earlier pass asked for (core v1.9.0 `scheduling/existingnode.go`).

use super::amounts::{Amounts, Names};
use super::sets::{SetId, Sets};
use crate::host_ports::HostPortUsage;
use crate::input::{DaemonSetPod, Problem, StateNode};
use crate::requirements::Requirements;
use crate::taints::tolerates;
use crate::volumes::VolumeUsage;
use lkesim_kube::object::pod::requests_of;
use lkesim_kube::object::{Pod, PodOwner, PodSpec, Quantity, ResourceList, Taint};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A node, and what is left of it.
#[derive(Debug)]
pub struct Existing {
    /// Its name.
    pub name: Rc<str>,
    /// Its host name.
    pub host: Rc<str>,
    /// Its taints.
    pub taints: Vec<Taint>,
    /// Its labels, and what its pods need.
    pub set: SetId,
    /// What is left.
    pub left: Amounts,
    /// Whether anything left is negative: nothing fits.
    pub is_overdrawn: bool,
    /// Ports that are taken.
    pub ports: HostPortUsage,
    /// Volumes that are mounted.
    pub volumes: VolumeUsage,
    /// Pods that this pass placed.
    pub pods: Vec<usize>,
}

/// The nodes to be tried, initialized ones first, then by name.
pub fn existing(problem: &Problem, daemons: &[DaemonSetPod], names: &Names, sets: &mut Sets) -> Vec<Existing> {
    let mut active: Vec<&StateNode> = problem.nodes.iter().filter(|node| !node.is_marked_for_deletion).collect();
    active.sort_by_cached_key(|node| (!node.is_initialized(), node.name()));
    let mut requests = Requests::default();
    active.into_iter().map(|node| of_node(node, problem, daemons, names, (sets, &mut requests))).collect()
}

fn of_node(
    node: &StateNode,
    problem: &Problem,
    daemons: &[DaemonSetPod],
    names: &Names,
    (sets, requests): (&mut Sets, &mut Requests),
) -> Existing {
    let taints = node.taints();
    let labels = Requirements::of_labels(node.labels());
    let runs = |pod: &&PodSpec| {
        tolerates(&taints, &pod.tolerations) && labels.compatible(&Requirements::of_pod(pod, true), None).is_ok()
    };
    let mut reserved = requests_of(daemons.iter().map(|pod| &*pod.spec).filter(runs));
    let of_daemons = |pod: &&Rc<Pod>| pod.owner == PodOwner::DaemonSet;
    reserved.subtract(&requests.sum(node.pods.iter().filter(of_daemons)));
    // DaemonSet pods that were not expected must not give room away.
    let reserved: ResourceList =
        reserved.iter().map(|(name, quantity)| (name.clone(), (*quantity).max(Quantity::ZERO))).collect();
    let left = node.allocatable().without(&requests.sum(node.pods.iter())).without(&reserved);
    let mut ports = HostPortUsage::default();
    let mut volumes = VolumeUsage { limits: node.volume_limits.clone(), ..VolumeUsage::default() };
    for pod in &node.pods {
        ports.add(pod.spec.host_ports());
        if let Some(of_pod) = problem.volumes.get(&pod.metadata.uid) {
            volumes.add(&of_pod.volumes);
        }
    }
    Existing {
        name: node.name(),
        host: node.host_name(),
        set: sets.split(labels.clone()).set,
        taints,
        is_overdrawn: left.iter().any(|(_, quantity)| *quantity < Quantity::ZERO),
        left: names.row(&left),
        ports,
        volumes,
        pods: Vec::new(),
    }
}

/// What pods ask for, found out once for those that share their spec.
#[derive(Default)]
struct Requests(BTreeMap<usize, ResourceList>);

impl Requests {
    /// The sum of these pods. Those of one template, which mostly come after each other, are counted together.
    fn sum<'a>(&mut self, pods: impl Iterator<Item = &'a Rc<Pod>>) -> ResourceList {
        let mut sum = ResourceList::EMPTY;
        let mut alike: Option<(&Rc<Pod>, i64)> = None;
        for pod in pods {
            match &mut alike {
                Some((first, count)) if Rc::ptr_eq(&first.spec, &pod.spec) => *count += 1,
                _ => {
                    if let Some((first, count)) = alike.replace((pod, 1)) {
                        sum.add_times(self.of(first), count);
                    }
                }
            }
        }
        if let Some((first, count)) = alike {
            sum.add_times(self.of(first), count);
        }
        sum
    }

    /// Specs are told apart by their addresses: all of a problem are there at once.
    fn of(&mut self, pod: &Rc<Pod>) -> &ResourceList {
        self.0.entry(Rc::as_ptr(&pod.spec).addr()).or_insert_with(|| pod.requests())
    }
}
