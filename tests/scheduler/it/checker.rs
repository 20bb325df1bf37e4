//! An independent, slow and obvious look at a decision: it knows nothing of how the solver works, places every pod on every
//! machine that its NodeClaim could still become, and asks of each whether Kubernetes would let it run there.

use lkesim_kube::object::affinity::{NodeSelectorTerm, PodAffinity, PodAffinityTerm, WhenUnsatisfiable};
use lkesim_kube::object::pod::HostPort;
use lkesim_kube::object::{Operator, Pod, Requirement, ResourceList, StringMap, Taint, TaintEffect, labels};
use lkesim_scheduling::{NewNodeClaim, Options, Problem, Results};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A machine that pods may find themselves on.
pub struct Machine {
    /// Its labels.
    pub labels: StringMap,
    /// Its taints.
    pub taints: Vec<Taint>,
    /// What pods can use of it.
    pub allocatable: ResourceList,
    /// What is taken by DaemonSets.
    pub taxed: ResourceList,
}

/// Pods that end up together, the machines that they may end up on, and pods that are there already.
pub struct Place {
    /// A name for messages.
    pub name: String,
    /// The pods that were placed.
    pub pods: Vec<Rc<Pod>>,
    /// Pods that run there.
    pub running: Vec<Rc<Pod>>,
    /// What it may be.
    pub machines: Vec<Machine>,
}

/// All places that a decision puts pods on.
pub fn places(problem: &Problem, options: &Options, results: &Results) -> Vec<Place> {
    let claims = results.new_node_claims.iter().enumerate();
    let claims = claims.map(|(number, claim)| of_claim(problem, options, number, claim));
    let nodes = results.existing_nodes.iter().map(|(name, pods)| {
        let state = problem.nodes.iter().find(|state| state.name() == *name).expect("a node that is there");
        let machine = Machine {
            labels: state.labels().clone(),
            taints: state.taints(),
            allocatable: state.allocatable(),
            taxed: ResourceList::EMPTY,
        };
        Place { name: format!("node {name}"), pods: pods.clone(), running: state.pods.clone(), machines: vec![machine] }
    });
    claims.chain(nodes).collect()
}

/// Every type that is left, in every way that it can be had and that the NodeClaim allows.
fn of_claim(problem: &Problem, options: &Options, number: usize, claim: &NewNodeClaim) -> Place {
    let template = problem.node_pools.iter().find(|pool| pool.name == claim.node_pool).expect("a NodePool");
    let mut taxed = claim.requests.clone();
    claim.pods.iter().for_each(|pod| taxed.subtract(&pod.requests()));
    let mut machines = Vec::new();
    for one in &claim.instance_types {
        let allows = |key: &str, value: &str| claim.requirements.get(key).is_none_or(|asked| asked.has(value));
        let offered = one.offerings.iter().filter(|offering| offering.available);
        let fitting = offered.filter(|offering| {
            allows(labels::ZONE, offering.zone()) && allows(labels::CAPACITY_TYPE, offering.capacity_type())
        });
        for offering in fitting {
            let mut all = claim.resolved_labels(&options.well_known_labels);
            for requirement in one.requirements.iter().filter(|requirement| requirement.len() == Some(1)) {
                all.insert(requirement.key.clone(), requirement.values()[0].clone());
            }
            all.insert(labels::ZONE, offering.zone());
            all.insert(labels::CAPACITY_TYPE, offering.capacity_type());
            machines.push(Machine {
                labels: all,
                taints: template.taints.clone(),
                allocatable: one.allocatable.clone(),
                taxed: taxed.clone(),
            });
        }
    }
    Place { name: format!("claim {number}"), pods: claim.pods.clone(), running: Vec::new(), machines }
}

/// Whether each pod may run where it was put, whatever the other places are.
pub fn look_at_each(problem: &Problem, place: &Place) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut say = |text: String| wrong.push(format!("{}: {text}", place.name));
    if place.machines.is_empty() {
        say("there is no such machine".to_owned());
    }
    for machine in &place.machines {
        let mut sum = machine.taxed.clone();
        let mut placed = ResourceList::EMPTY;
        place.pods.iter().for_each(|pod| placed.add(&pod.requests()));
        place.pods.iter().chain(&place.running).for_each(|pod| sum.add(&pod.requests()));
        // What runs there may be too much already; then nothing of it may be asked for.
        for (name, _) in placed.iter().filter(|(_, amount)| !amount.is_zero()) {
            if sum.amount(name) > machine.allocatable.amount(name) {
                say(format!("too much {name} is asked for"));
            }
        }
        for pod in &place.pods {
            let is_known = contradicts_itself(pod) || takes_it_for_defined(pod, &place.pods, &machine.labels);
            if !selected(pod, &machine.labels) && !is_known {
                say(format!("{} does not select it: {:?}", pod.name(), machine.labels));
            }
            let hard = machine.taints.iter().filter(|taint| taint.effect != TaintEffect::PreferNoSchedule);
            for taint in hard.filter(|taint| !pod.spec.tolerations.iter().any(|one| one.tolerates(taint))) {
                say(format!("{} does not tolerate {}", pod.name(), taint.key));
            }
            let volumes = problem.volumes.get(&pod.metadata.uid);
            for asked in volumes.into_iter().flat_map(|volumes| volumes.requirements.iter()) {
                if *asked.key != *labels::HOSTNAME
                    && !machine.labels.get(&asked.key).is_some_and(|value| asked.has(value))
                {
                    say(format!("{} has a volume elsewhere", pod.name()));
                }
            }
        }
    }
    let all: Vec<&Rc<Pod>> = place.pods.iter().chain(&place.running).collect();
    for (number, pod) in all.iter().enumerate() {
        let others = all[..number].iter().flat_map(|other| other.spec.host_ports());
        let taken: Vec<&HostPort> = others.collect();
        if pod.spec.host_ports().any(|port| taken.iter().any(|other| collide(port, other))) {
            say(format!("{} needs a port that is taken", pod.name()));
        }
    }
    wrong
}

fn collide(one: &HostPort, other: &HostPort) -> bool {
    let any = one.ip.is_unspecified() || other.ip.is_unspecified();
    one.port == other.port && one.protocol == other.protocol && (any || one.ip == other.ip)
}

/// Node selector, and one of the required terms.
fn selected(pod: &Pod, labels: &StringMap) -> bool {
    let by_labels = pod.spec.node_selector.iter().all(|(key, value)| labels.has(key, value));
    let by_term = pod.spec.node_affinity.as_ref().filter(|affinity| affinity.has_required).is_none_or(|affinity| {
        let holds = |one: &Requirement| one.allows(labels.get(&one.key).map(|value| &**value));
        affinity.required.iter().any(|term| term.match_expressions.iter().all(holds))
    });
    by_labels && by_term
}

/// Whether node selector, a required and a preferred term leave a label no value, nor the lack of one. Upstream takes that for
/// "not set", and makes machines on which the pod never runs.
fn contradicts_itself(pod: &Pod) -> bool {
    let of_labels = pod.spec.node_selector.iter().map(|(key, value)| Requirement::any_of(key.clone(), [value.clone()]));
    let of_labels: Vec<Requirement> = of_labels.collect();
    let affinity = pod.spec.node_affinity.clone().unwrap_or_default();
    let none = NodeSelectorTerm::default();
    let required: Vec<&NodeSelectorTerm> = affinity.required.iter().chain([&none]).collect();
    let preferred: Vec<&NodeSelectorTerm> = affinity.preferred.iter().map(|one| &one.term).chain([&none]).collect();
    let mut pairs = required.iter().flat_map(|one| preferred.iter().map(move |other| (one, other)));
    pairs.any(|(required, preferred)| {
        let terms = required.match_expressions.iter().chain(&preferred.match_expressions);
        let all: Vec<&Requirement> = of_labels.iter().chain(terms).collect();
        all.iter().any(|one| {
            let of_key: Vec<&&Requirement> = all.iter().filter(|other| other.key == one.key).collect();
            !values_to_try(&of_key).iter().any(|value| of_key.iter().all(|asked| asked.allows(value.as_deref())))
        })
    })
}

/// Whether the pod wants a label that is not there, and another pod, or itself, keeps off some of its values. Upstream takes
/// the label for defined from then on, and makes "all but these" of NotIn and Exists, which what lacks the label meets.
fn takes_it_for_defined(pod: &Pod, all: &[Rc<Pod>], labels: &StringMap) -> bool {
    let of = |pod: &Pod| -> Vec<Requirement> {
        let affinity = pod.spec.node_affinity.iter();
        let terms = affinity.flat_map(|one| one.required.iter().chain(one.preferred.iter().map(|one| &one.term)));
        terms.flat_map(|term| &term.match_expressions).cloned().collect()
    };
    let mut kept_off = all.iter().flat_map(|pod| of(pod)).filter(|one| one.operator == Operator::NotIn);
    let wanted = of(pod).into_iter().map(|one| one.key);
    let wanted: Vec<Rc<str>> = wanted.chain(pod.spec.node_selector.iter().map(|(key, _)| key.clone())).collect();
    kept_off.any(|one| !labels.contains_key(&one.key) && wanted.contains(&one.key))
}

/// What is named, its neighbours if it is a number, something else, and nothing.
fn values_to_try(asked: &[&&Requirement]) -> Vec<Option<String>> {
    let named = asked.iter().flat_map(|one| one.values.iter());
    let near = |value: &Rc<str>| match value.parse::<i64>() {
        Ok(number) => vec![(number - 1).to_string(), value.to_string(), (number + 1).to_string()],
        Err(_) => vec![value.to_string()],
    };
    named.flat_map(near).map(Some).chain([Some("something-else".to_owned()), None]).collect()
}

/// The values that a label may have at a place. A host name is the place itself.
fn domains(place: &Place, key: &str) -> BTreeSet<Rc<str>> {
    match key {
        labels::HOSTNAME => BTreeSet::from([Rc::from(place.name.as_str())]),
        _ => place.machines.iter().filter_map(|machine| machine.labels.get(key).cloned()).collect(),
    }
}

fn means(term: &PodAffinityTerm, of: &Pod, pod: &Pod) -> bool {
    let namespace = if term.namespaces.is_empty() {
        of.namespace == pod.namespace
    } else {
        term.namespaces.contains(&pod.namespace)
    };
    namespace && term.label_selector.as_ref().is_some_and(|selector| selector.matches(&pod.metadata.labels))
}

fn required(affinity: &Option<PodAffinity>) -> &[PodAffinityTerm] {
    affinity.as_ref().map_or(&[], |affinity| &affinity.required)
}

/// Whether spread, affinity and anti-affinity hold between places. `every`: all values of a label that a node could have.
pub fn look_at_all(places: &[Place], every: &BTreeMap<&str, BTreeSet<Rc<str>>>) -> Vec<String> {
    let mut wrong = Vec::new();
    let pods = || places.iter().flat_map(|place| place.pods.iter().chain(&place.running).map(move |pod| (place, pod)));
    for (place, pod) in places.iter().flat_map(|place| place.pods.iter().map(move |pod| (place, pod))) {
        for term in required(&pod.spec.pod_anti_affinity) {
            let here = domains(place, &term.topology_key);
            for (there, other) in pods().filter(|(_, other)| !Rc::ptr_eq(other, pod) && means(term, pod, other)) {
                if !domains(there, &term.topology_key).is_disjoint(&here) {
                    wrong.push(format!("{} must not be with {}", pod.name(), other.name()));
                }
            }
        }
        for term in required(&pod.spec.pod_affinity).iter().filter(|term| !means(term, pod, pod)) {
            let meant = pods().filter(|(_, other)| means(term, pod, other));
            let there: BTreeSet<Rc<str>> = meant.flat_map(|(there, _)| domains(there, &term.topology_key)).collect();
            if !domains(place, &term.topology_key).is_subset(&there) {
                wrong.push(format!("{} has nobody to be with", pod.name()));
            }
        }
        for term in required(&pod.spec.pod_affinity).iter().filter(|term| means(term, pod, pod)) {
            // It may be the first of its kind, so all of the kind are in one domain.
            let meant = pods().filter(|(_, other)| means(term, pod, other));
            let there: BTreeSet<Rc<str>> = meant.flat_map(|(there, _)| domains(there, &term.topology_key)).collect();
            if there.len() > 1 {
                wrong.push(format!("{} and its like are in {there:?}", pod.name()));
            }
        }
        let hard = pod.spec.topology_spread_constraints.iter();
        for spread in hard.filter(|spread| spread.when_unsatisfiable == WhenUnsatisfiable::DoNotSchedule) {
            let Some(selector) = &spread.label_selector else { continue };
            let counted = |pod: &Pod| selector.matches(&pod.metadata.labels);
            let mut counts: BTreeMap<Rc<str>, i32> = BTreeMap::new();
            if let Some(every) = every.get(&*spread.topology_key) {
                let wanted = pod.spec.node_selector.get(&spread.topology_key);
                counts.extend(
                    every.iter().filter(|one| wanted.is_none_or(|wanted| wanted == *one)).map(|one| (one.clone(), 0)),
                );
            }
            for (there, _) in pods().filter(|(_, other)| other.namespace == pod.namespace && counted(other)) {
                for domain in domains(there, &spread.topology_key) {
                    *counts.entry(domain).or_default() += 1;
                }
            }
            let least =
                if *spread.topology_key == *labels::HOSTNAME { 0 } else { counts.values().copied().min().unwrap_or(0) };
            let most = domains(place, &spread.topology_key).iter().map(|domain| counts[domain]).max().unwrap_or(0);
            if most - least > spread.max_skew {
                wrong.push(format!("{}: {} is uneven, {counts:?}", pod.name(), spread.topology_key));
            }
        }
    }
    wrong
}
