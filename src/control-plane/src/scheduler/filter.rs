//! Whether a pod may go to a node, and in kube-scheduler's words why not.
//!
//! The filters and their order are those of the default profile of Kubernetes v1.33 (`pkg/scheduler/apis/config/v1/default_plugins.go`):
//! cordon, taints, node affinity, ports, resources, volumes, spread, affinity. The first that refuses a node has the word.

use super::cluster::{Cluster, NodeInfo};
use super::cycle::Cycle;
use super::reasons::{Reason, Reasons};
use super::shape::Shape;
use lkesim_kube::object::pod::HostPort;
use lkesim_kube::object::{Pod, Taint};
use lkesim_scheduling::host_ports::HostPortUsage;
use lkesim_scheduling::volumes::{Claim, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The taint of a node that is cordoned.
const CORDON: &str = "node.kubernetes.io/unschedulable";

const CORDONED: &str = "node(s) were unschedulable";
const NOT_SELECTED: &str = "node(s) didn't match Pod's node affinity/selector";
const NO_PORTS: &str = "node(s) didn't have free ports for the requested pod ports";
const VOLUME_ELSEWHERE: &str = "node(s) had volume node affinity conflict";
const NO_VOLUME_HERE: &str = "node(s) did not find available persistent volumes to bind";
const TOO_MANY_VOLUMES: &str = "node(s) exceed max volume count";

/// What a node said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The pod may come.
    Fits,
    /// Not as it is: evicting pods may help.
    Refused(Filter),
    /// Not whatever is evicted.
    Unresolvable(Filter),
}

/// The filter that refused a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Filter {
    /// Taints and cordons.
    Taints,
    /// Node selector and node affinity.
    NodeAffinity,
    /// What is asked for.
    Resources,
    /// Ports, volumes and other pods.
    Others,
}

/// A pod that looks for a node.
pub struct Seeker<'a> {
    /// Its shape.
    pub shape: &'a Shape,
    /// What other pods allow.
    pub cycle: &'a Cycle,
    /// The claims behind its volumes.
    pub claims: &'a [Claim],
    /// How many volumes of each driver a node may hold.
    pub limits: &'a BTreeMap<Rc<str>, usize>,
    /// The claims of pods on nodes.
    pub claims_of: &'a dyn Fn(&Pod) -> Vec<Claim>,
    /// Pods of no lower priority that are about to come to the node, with what they ask for.
    pub expected: &'a dyn Fn(usize) -> Vec<usize>,
}

impl Seeker<'_> {
    /// Asks a node. The reasons that it gives are put into `told`.
    pub fn ask(&self, cluster: &Cluster, node: usize, reasons: &mut Reasons, told: &mut Vec<Reason>) -> Answer {
        told.clear();
        let info = &cluster.nodes[node];
        let Some(object) = &info.node else { return Answer::Unresolvable(Filter::NodeAffinity) };
        let stand = self.shape.stand(node, info.version, object);
        if let Some(place) = stand.taint {
            told.push(reasons.number(&taint_text(&object.spec.taints[usize::from(place)])));
            return Answer::Unresolvable(Filter::Taints);
        }
        if !stand.is_selected {
            told.push(reasons.number(NOT_SELECTED));
            return Answer::Unresolvable(Filter::NodeAffinity);
        }
        if !self.shape.ports.is_empty() && self.port_is_taken(cluster, info, node) {
            told.push(reasons.number(NO_PORTS));
            return Answer::Refused(Filter::Others);
        }
        match self.resources(cluster, info, node, reasons, told) {
            Answer::Fits => {}
            refused => return refused,
        }
        if let Some(text) = self.volumes(cluster, info, node) {
            told.push(reasons.number(text));
            return answer(text == TOO_MANY_VOLUMES, Filter::Others);
        }
        match self.cycle.objection(cluster, node) {
            None => Answer::Fits,
            Some(objection) => {
                told.push(reasons.number(objection.text()));
                answer(objection.is_resolvable(), Filter::Others)
            }
        }
    }

    fn resources(
        &self,
        cluster: &Cluster,
        info: &NodeInfo,
        node: usize,
        reasons: &mut Reasons,
        told: &mut Vec<Reason>,
    ) -> Answer {
        let mut taken = info.taken;
        for shape in (self.expected)(node) {
            taken.add(&cluster.shape(shape).wanted);
        }
        if self.shape.wanted.fits(&info.allocatable, &taken) {
            return Answer::Fits;
        }
        let mut is_resolvable = true;
        self.shape.wanted.shortages(&info.allocatable, &taken, |place, name, is_hopeless| {
            told.push(reasons.of_shortage(place, name));
            is_resolvable &= !is_hopeless;
        });
        answer(is_resolvable, Filter::Resources)
    }

    fn port_is_taken(&self, cluster: &Cluster, info: &NodeInfo, node: usize) -> bool {
        let mut usage = HostPortUsage::default();
        let there = info.pods.iter().filter_map(|uid| cluster.pods.get(uid)).map(|placed| placed.shape);
        for shape in there.chain((self.expected)(node)) {
            usage.add(&cluster.shape(shape).ports);
        }
        usage.conflict(&self.shape.ports as &[HostPort]).is_some()
    }

    /// Why the pod's volumes can't be had on the node.
    fn volumes(&self, cluster: &Cluster, info: &NodeInfo, node: usize) -> Option<&'static str> {
        if self.claims.is_empty() {
            return None;
        }
        let labels = &info.node.as_ref()?.metadata.labels;
        let has = |key: &Rc<str>| labels.get(key).map(|value| &**value);
        for claim in self.claims {
            match &claim.source {
                Source::Bound { volume: Some(volume), .. }
                    if !volume.node_affinity.iter().all(|one| one.allows(has(&one.key))) =>
                {
                    return Some(VOLUME_ELSEWHERE);
                }
                Source::Unbound { class: Some(class), .. } => {
                    let allowed = |(key, values): &(Rc<str>, Vec<Rc<str>>)| {
                        labels.get(key).is_some_and(|value| values.contains(value))
                    };
                    if !class.allowed_topology.iter().all(allowed) {
                        return Some(NO_VOLUME_HERE);
                    }
                }
                _ => {}
            }
        }
        self.has_too_many_volumes(cluster, node).then_some(TOO_MANY_VOLUMES)
    }

    fn has_too_many_volumes(&self, cluster: &Cluster, node: usize) -> bool {
        self.limits.iter().any(|(driver, limit)| {
            let mut mounted: BTreeSet<Rc<str>> = BTreeSet::new();
            let mut mount = |claims: &[Claim]| {
                let of_driver = claims.iter().filter(|claim| claim.driver() == Some(driver));
                of_driver.filter(|claim| mounted.insert(claim.name.clone())).count()
            };
            let there: usize = cluster.pods_on(node).map(|placed| mount(&(self.claims_of)(&placed.pod))).sum();
            let more = mount(self.claims);
            more > 0 && there + more > *limit
        })
    }
}

fn answer(is_resolvable: bool, by: Filter) -> Answer {
    if is_resolvable { Answer::Refused(by) } else { Answer::Unresolvable(by) }
}

/// kube-scheduler's words on a taint, or on a cordon, which has a filter of its own.
fn taint_text(taint: &Taint) -> String {
    if *taint.key == *CORDON {
        return CORDONED.into();
    }
    format!("node(s) had untolerated taint {{{}: {}}}", taint.key, taint.value.as_deref().unwrap_or(""))
}
