//! The pass: pods one by one, the largest first, each to a node, to a NodeClaim to be, or to a new one.
//!
//! What is found out is remembered where it stays true: two sets of requirements are compared once, pods of equal shape
//! share what is known of them, and a NodeClaim that refused a shape for its taints, ports or size refuses it for ever,
//! as it only fills up. None of it changes a result; with steps asked for, nothing is skipped.

mod amounts;
mod attempt;
mod bits;
mod claim;
mod existing;
mod explain;
mod finish;
mod memo;
mod order;
mod reservations;
pub(crate) mod sets;
mod shape;
mod shapes;
mod template;
mod type_table;

use crate::input::{DaemonSetPod, Options, Problem};
use crate::instance_type::InstanceType;
use crate::results::{Bin, Results, Step};
use crate::topology::{CountedNode, Topology};
use amounts::Names;
use claim::{Claim, Refused};
use existing::Existing;
use lkesim_kube::object::{Pod, PodSpec, Taint, TaintEffect, labels};
use reservations::Reservations;
use sets::Sets;
use shape::{Shape, ShapeId};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;
use template::Template;

/// What can't be solved.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SolveError {
    /// A NodePool has a requirement or a label on the host name, which Karpenter's API refuses.
    #[error("NodePool {0} has a requirement on {key}, which the API refuses", key = labels::HOSTNAME)]
    HostName(Rc<str>),
}

/// What a pass knows.
struct Solver<'a> {
    problem: &'a Problem,
    options: &'a Options,
    sets: Sets,
    names: Names,
    templates: Vec<Template>,
    nodes: Vec<Existing>,
    claims: Vec<Claim>,
    order: order::Order,
    topology: Topology<'a>,
    reservations: Reservations,
    shapes: Vec<Shape>,
    by_hash: BTreeMap<u64, Vec<ShapeId>>,
    /// Each pod's shape.
    pods: Vec<ShapeId>,
    /// A NodePool has a PreferNoSchedule taint.
    prefer_no_schedule: bool,
    /// How many host names were given to NodeClaims that were tried.
    hosts: u64,
    steps: Option<Vec<Step>>,
}

/// Why a pod could not be placed.
enum Failure {
    /// Its resources are allocated dynamically.
    ResourceClaims,
    /// There is no NodePool to make a NodeClaim of.
    NoTemplate,
    /// Each template's reason; `None` for its limits.
    Refused { shape: ShapeId, reasons: Vec<(usize, Rc<str>, Option<Refused>)> },
}

impl Failure {
    fn is_reserved(&self) -> bool {
        let reserved = |one: &Option<Refused>| one.as_ref().is_some_and(Refused::is_reserved);
        matches!(self, Failure::Refused { reasons, .. } if reasons.iter().any(|(_, _, one)| reserved(one)))
    }
}

/// Decides where the pods of a problem go. `with_steps`: tells how each pod was tried, which takes much longer.
pub fn solve(problem: &Problem, options: &Options, with_steps: bool) -> Result<Results, SolveError> {
    for pool in &problem.node_pools {
        let by_requirement = pool.requirements.iter().any(|one| *one.key == *labels::HOSTNAME);
        if by_requirement || pool.labels.contains_key(labels::HOSTNAME) {
            return Err(SolveError::HostName(pool.name.clone()));
        }
    }
    let mut solver = Solver::new(problem, options, with_steps);
    let failures = solver.run();
    Ok(solver.finish(failures))
}

impl<'a> Solver<'a> {
    fn new(problem: &'a Problem, options: &'a Options, with_steps: bool) -> Solver<'a> {
        let mut sets = Sets::new(options.well_known_labels.clone());
        let types = || problem.instance_types.values().flat_map(|types| types.iter().map(|one| &**one));
        let names = learn(problem, types());
        let templates = template::templates(problem, options, &names, &mut sets);
        let reservations = Reservations::of(types(), &options.reservation_id_label);
        let topology = Topology::new(problem, counted(problem));
        let prefers = |taint: &Taint| taint.effect == TaintEffect::PreferNoSchedule;
        let mut solver = Solver {
            problem,
            options,
            sets,
            names,
            templates,
            nodes: Vec::new(),
            claims: Vec::new(),
            order: order::Order::default(),
            topology,
            reservations,
            shapes: Vec::new(),
            by_hash: BTreeMap::new(),
            pods: Vec::new(),
            prefer_no_schedule: problem.node_pools.iter().any(|pool| pool.taints.iter().any(prefers)),
            hosts: 0,
            steps: with_steps.then(Vec::new),
        };
        solver.start();
        solver
    }

    /// Groups first, then templates and nodes: a host name is told to the groups that there are.
    fn start(&mut self) {
        self.track_running_anti_affinity();
        for pod in &self.problem.pods {
            let shape = self.shape_of(pod);
            self.own_groups(shape);
            self.pods.push(shape);
        }
        let counts = |pod: &&DaemonSetPod| !(self.options.ignore_dra_requests && pod.spec.has_resource_claims());
        let mut daemons: Vec<DaemonSetPod> = self.problem.daemon_set_pods.iter().filter(counts).cloned().collect();
        template::count_daemons(&mut self.templates, &mut daemons, &mut self.sets);
        self.nodes = existing::existing(self.problem, &daemons, &self.names, &mut self.sets);
        for node in &self.nodes {
            self.topology.register_host(&node.host);
        }
        for node in self.problem.nodes.iter().filter(|node| !node.is_marked_for_deletion) {
            let Some(pool) = node.labels().get(labels::NODE_POOL) else { continue };
            let Some(template) = self.templates.iter_mut().find(|one| one.pool.name == *pool) else { continue };
            let capacity = self.names.row(&node.capacity());
            template.left.iter_mut().for_each(|(place, left)| *left -= capacity[*place]);
        }
    }

    /// Takes pods from the queue until it is empty, or has gone round without progress.
    fn run(&mut self) -> BTreeMap<usize, Failure> {
        let mut queue: VecDeque<usize> = self.queue().into();
        let mut last_length: BTreeMap<usize, usize> = BTreeMap::new();
        let mut failures = BTreeMap::new();
        while let Some(pod) = queue.front().copied() {
            if last_length.get(&pod) == Some(&queue.len()) {
                break;
            }
            queue.pop_front();
            match self.try_schedule(pod) {
                Ok(()) => {
                    failures.remove(&pod);
                }
                Err(failure) => {
                    failures.insert(pod, failure);
                    queue.push_back(pod);
                    last_length.insert(pod, queue.len());
                }
            }
        }
        failures
    }

    /// The pods by CPU and memory, the largest first; then the oldest, to the second; then by uid.
    fn queue(&self) -> Vec<usize> {
        let amount = |pod: usize, name: &str| {
            let amounts = &self.shapes[self.pods[pod]].amounts;
            self.names.place(name).map_or(0, |place| amounts[place])
        };
        let mut order: Vec<usize> = (0..self.pods.len()).collect();
        order.sort_by_cached_key(|pod| {
            let metadata = &self.problem.pods[*pod].metadata;
            let size = (-amount(*pod, "cpu"), -amount(*pod, "memory"));
            (size, metadata.creation_timestamp.as_secs(), metadata.uid)
        });
        order
    }

    /// Tries a pod, with less and less of what it would like.
    fn try_schedule(&mut self, pod: usize) -> Result<(), Failure> {
        let mut shape = self.pods[pod];
        if let Some(steps) = &mut self.steps {
            steps.push(step(&self.problem.pods[pod]));
        }
        loop {
            let failure = match self.add(pod, shape) {
                Ok(()) => return Ok(()),
                Err(failure) => failure,
            };
            if failure.is_reserved() || matches!(failure, Failure::ResourceClaims) {
                return Err(failure);
            }
            let Some((relaxed, what)) = self.relaxed(shape) else { return Err(failure) };
            if let Some(step) = self.steps.as_mut().and_then(|steps| steps.last_mut()) {
                step.relaxed.push(what);
                step.refused.clear();
            }
            shape = relaxed;
            self.own_groups(shape);
        }
    }

    fn add(&mut self, pod: usize, shape: ShapeId) -> Result<(), Failure> {
        if self.options.ignore_dra_requests && self.shapes[shape].looks.spec.has_resource_claims() {
            return Err(Failure::ResourceClaims);
        }
        self.look_at_groups(shape);
        if self.add_to_node(pod, shape) || self.add_to_claim(pod, shape) {
            return Ok(());
        }
        if self.templates.is_empty() {
            return Err(Failure::NoTemplate);
        }
        self.add_to_new_claim(pod, shape)
    }

    fn refused(&mut self, bin: Bin, text: impl FnOnce(&mut Solver<'a>) -> String) {
        if self.steps.is_some() {
            let text = text(self);
            let step = self.steps.as_mut().and_then(|steps| steps.last_mut());
            step.expect("a pod is being tried").refused.push((bin, text));
        }
    }
}

fn step(pod: &Rc<Pod>) -> Step {
    Step {
        pod: pod.clone(),
        relaxed: Vec::new(),
        refused: Vec::new(),
        placed: None,
        opened: None,
        requirements_added: Vec::new(),
        types_left: Vec::new(),
    }
}

/// All resources that anything has or asks for.
fn learn<'t>(problem: &Problem, types: impl Iterator<Item = &'t InstanceType>) -> Names {
    let mut names = Names::default();
    for one in types {
        names.learn(&one.capacity);
        names.learn(&one.allocatable);
    }
    let of_nodes = problem.nodes.iter().flat_map(|node| [node.allocatable(), node.capacity()]);
    of_nodes.for_each(|list| names.learn(&list));
    problem.node_pools.iter().for_each(|pool| names.learn(&pool.limits));
    problem.daemon_set_pods.iter().for_each(|pod| names.learn(&pod.spec.effective_requests()));
    let mut last: Option<&Rc<PodSpec>> = None;
    for pod in &problem.pods {
        if !last.is_some_and(|last| Rc::ptr_eq(last, &pod.spec)) {
            names.learn(&pod.requests());
            last = Some(&pod.spec);
        }
    }
    names
}

/// The Nodes with the pods that count on them.
fn counted(problem: &Problem) -> Vec<CountedNode> {
    let moved: BTreeSet<_> = problem.pods.iter().map(|pod| pod.metadata.uid).collect();
    let nodes = problem.nodes.iter().filter_map(|state| {
        let node = state.node.as_ref()?;
        let counts = |pod: &&Rc<Pod>| pod.is_active() && !moved.contains(&pod.metadata.uid);
        Some(CountedNode {
            name: node.name.clone(),
            labels: node.labels.clone(),
            domain_labels: state.labels().clone(),
            taints: node.taints.clone(),
            pods: state.pods.iter().filter(counts).cloned().collect(),
            is_active: !state.is_marked_for_deletion,
        })
    });
    nodes.collect()
}

#[cfg(test)]
mod tests;
