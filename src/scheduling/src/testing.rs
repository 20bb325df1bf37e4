//! Small problems for tests.

use crate::instance_type::{InstanceType, Offering, Price, capacity_type};
use crate::requirement::Requirement;
use crate::{NodePool, Options, Problem, Requirements, Results};
use lkesim_kube::object::affinity::{
    NodeAffinity, NodeSelectorTerm, PodAffinity, PodAffinityTerm, TopologySpreadConstraint, WhenUnsatisfiable,
};
use lkesim_kube::object::pod::Container;
use lkesim_kube::object::{LabelSelector, Pod, PodSpec, Requirement as Selector, ResourceList, Uid, labels};
use std::rc::Rc;

/// A list of resources, written as `cpu=1 memory=2Gi`.
pub fn resources(text: &str) -> ResourceList {
    let entries = text.split_whitespace().map(|entry| entry.split_once('=').expect("name=amount"));
    entries.map(|(name, amount)| (name, amount.parse().expect("an amount"))).collect()
}

/// A type of these resources, on demand in zones `a`, `b` and `c`, at a price in thousandths of a dollar.
pub fn instance_type(name: &str, has: &str, price: u64) -> InstanceType {
    let zones = ["a", "b", "c"];
    let offering =
        |zone: &&str| Offering::new(zone, capacity_type::ON_DEMAND, Price::from_micro_dollars(price * 1000), true);
    let one = |key: &str, value: &str| Requirement::any_of(key, [Rc::from(value)]);
    let requirements = Requirements::from_iter([
        one(labels::INSTANCE_TYPE, name),
        one(labels::ARCH, "amd64"),
        one(labels::OS, "linux"),
        one(labels::CAPACITY_TYPE, capacity_type::ON_DEMAND),
        Requirement::any_of(labels::ZONE, zones.map(Rc::from)),
    ]);
    let mut capacity = resources(has);
    if capacity.get("pods").is_none() {
        capacity.set("pods", "110".parse().expect("an amount"));
    }
    InstanceType {
        name: name.into(),
        requirements,
        offerings: zones.iter().map(offering).collect(),
        allocatable: capacity.clone(),
        capacity,
    }
}

/// Three sizes, dearer by the unit as they grow.
pub fn three_sizes() -> Vec<InstanceType> {
    vec![
        instance_type("small", "cpu=2 memory=4Gi", 20),
        instance_type("medium", "cpu=4 memory=8Gi", 45),
        instance_type("large", "cpu=8 memory=16Gi", 100),
    ]
}

/// A problem with one NodePool, `default`.
pub fn problem(types: Vec<InstanceType>, pods: impl IntoIterator<Item = Pod>) -> Problem {
    let mut problem = Problem {
        node_pools: vec![node_pool("default")],
        pods: pods.into_iter().map(Rc::new).collect(),
        ..Problem::default()
    };
    problem.instance_types.insert("default".into(), types.into_iter().map(Rc::new).collect());
    problem
}

/// A NodePool that asks for nothing.
pub fn node_pool(name: &str) -> NodePool {
    NodePool { name: name.into(), ..NodePool::default() }
}

/// A pod that asks for this, with the label `app` of this name without its number: `web-1` is of `web`.
pub fn pod(name: &str, asks: &str) -> Pod {
    let container = Container { requests: resources(asks), ..Container::default() };
    let mut pod = Pod::new(name, PodSpec { containers: vec![container], ..PodSpec::default() });
    let app = name.rsplit_once('-').map_or(name, |(app, _)| app);
    pod.metadata.labels.insert("app", app);
    let hash = |hash: u64, byte: u8| hash.wrapping_mul(31).wrapping_add(u64::from(byte));
    pod.metadata.uid = Uid(name.bytes().fold(7, hash));
    pod
}

/// Equal pods, numbered from 1.
pub fn pods(app: &str, count: usize, asks: &str, change: impl Fn(&mut PodSpec)) -> Vec<Pod> {
    (1..=count).map(|number| with(pod(&format!("{app}-{number}"), asks), &change)).collect()
}

/// A pod with its spec changed.
pub fn with(mut pod: Pod, change: impl FnOnce(&mut PodSpec)) -> Pod {
    change(Rc::make_mut(&mut pod.spec));
    pod
}

/// A hard spread of an app over a label's values, by at most one pod.
pub fn spread(key: &str, app: &str) -> TopologySpreadConstraint {
    TopologySpreadConstraint {
        max_skew: 1,
        topology_key: key.into(),
        when_unsatisfiable: WhenUnsatisfiable::DoNotSchedule,
        label_selector: Some(LabelSelector::label("app", app)),
        min_domains: None,
        node_affinity_policy: None,
        node_taints_policy: None,
        match_label_keys: Vec::new(),
    }
}

/// A required term on pods of an app.
pub fn term(key: &str, app: &str) -> PodAffinityTerm {
    PodAffinityTerm {
        label_selector: Some(LabelSelector::label("app", app)),
        namespaces: Vec::new(),
        namespace_selector: None,
        topology_key: key.into(),
        match_label_keys: Vec::new(),
        mismatch_label_keys: Vec::new(),
    }
}

/// Nothing but required terms.
pub fn required(terms: impl IntoIterator<Item = PodAffinityTerm>) -> Option<PodAffinity> {
    Some(PodAffinity { required: terms.into_iter().collect(), preferred: Vec::new() })
}

/// Required node affinity of one term.
pub fn node_affinity(selectors: impl IntoIterator<Item = Selector>) -> Option<NodeAffinity> {
    let term = NodeSelectorTerm { match_expressions: selectors.into_iter().collect(), has_match_fields: false };
    Some(NodeAffinity { required: vec![term], has_required: true, preferred: Vec::new() })
}

/// What the solver makes of a problem with the default settings.
pub fn solved(problem: &Problem) -> Results {
    crate::solve(problem, &Options::default(), false).expect("the problem is sound")
}

/// The NodeClaims of results, one a line: the pods, then the types, the cheapest first.
pub fn claims(results: &Results) -> Vec<String> {
    let text = |claim: &crate::NewNodeClaim| {
        let pods: Vec<&str> = claim.pods.iter().map(|pod| &**pod.name()).collect();
        let types: Vec<&str> = claim.instance_types.iter().map(|one| &*one.name).collect();
        format!("{}: {}", pods.join(" "), types.join(" "))
    };
    results.new_node_claims.iter().map(text).collect()
}

/// The names of pods that fit nowhere.
pub fn unplaced(results: &Results) -> Vec<&str> {
    results.pod_errors.iter().map(|one| &**one.pod.name()).collect()
}
