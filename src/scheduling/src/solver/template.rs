//! NodePools as templates of NodeClaims, and what their DaemonSets take.

use super::amounts::Names;
use super::bits::Bits;
use super::sets::{SetId, Sets};
use super::type_table::TypeTable;
use crate::host_ports::HostPortUsage;
use crate::input::{DaemonSetPod, NodePool, Options, Problem};
use crate::instance_type::{below_min_values, capacity_type};
use crate::preferences::{remove_required_node_affinity_term, tolerate_prefer_no_schedule};
use crate::requirements::Requirements;
use crate::taints::tolerates;
use lkesim_kube::object::pod::requests_of;
use lkesim_kube::object::{PodSpec, ResourceList, StringMap, labels};
use std::rc::Rc;

/// A template.
#[derive(Debug)]
pub struct Template {
    /// The NodePool.
    pub pool: NodePool,
    /// Labels of its NodeClaims.
    pub labels: StringMap,
    /// Its requirements.
    pub set: SetId,
    /// Its types.
    pub types: TypeTable,
    /// The types that its own requirements leave.
    pub options: Bits,
    /// What the DaemonSets take that would run on its nodes.
    pub daemons: ResourceList,
    /// Ports that are taken. Upstream hands one record to all NodeClaims of a NodePool, so that a port that a pod took on
    /// one of them is taken on all (core v1.9.0 `NewNodeClaim`).
    pub ports: HostPortUsage,
    /// What is left of each limit, by the resource's place.
    pub left: Vec<(usize, i64)>,
}

/// The templates, the one to try first at the front. NodePools whose requirements leave no type have none.
pub fn templates(problem: &Problem, options: &Options, names: &Names, sets: &mut Sets) -> Vec<Template> {
    let mut pools: Vec<&NodePool> = problem.node_pools.iter().collect();
    pools.sort_by(|one, other| (other.weight, &other.name).cmp(&(one.weight, &one.name)));
    pools.into_iter().filter_map(|pool| template(pool, problem, options, names, sets)).collect()
}

fn template(pool: &NodePool, problem: &Problem, options: &Options, names: &Names, sets: &mut Sets) -> Option<Template> {
    let mut labels = pool.labels.clone();
    labels.insert(labels::NODE_POOL, pool.name.clone());
    if let Some(class) = &pool.node_class_ref {
        labels.insert(format!("{}/{}", class.group, class.kind.to_lowercase()), class.name.clone());
    }
    let mut requirements = Requirements::of_selectors(&pool.requirements);
    requirements.add_all(&Requirements::of_labels(&labels));
    let set = sets.number(requirements);
    let types = problem.instance_types.get(&pool.name)?.clone();
    let mut types = TypeTable::new(types, names, sets, capacity_type::RESERVED);
    let mut left = types.suiting(set, sets).both.clone();
    types.keep_fitting(&mut left, &[]);
    let relaxes = options.min_values_policy == crate::MinValuesPolicy::BestEffort;
    if !relaxes && !below_min_values(left.iter().map(|place| &*types.types[place]), sets.get(set)).is_empty() {
        return None;
    }
    let limits = pool.limits.iter();
    let limits = limits.map(|(name, limit)| (names.place(name).expect("all resources are learnt"), limit.milli()));
    (!left.is_empty()).then(|| Template {
        pool: pool.clone(),
        labels,
        set,
        types,
        options: left,
        daemons: ResourceList::EMPTY,
        ports: HostPortUsage::default(),
        left: limits.collect(),
    })
}

/// Counts the DaemonSets on each template. What a DaemonSet's pod gave up for one template, upstream does not give back
/// for the next one, nor for nodes: the pods are changed in place.
pub fn count_daemons(templates: &mut [Template], daemons: &mut [DaemonSetPod], sets: &mut Sets) {
    for template in templates.iter_mut() {
        let compatible: Vec<&PodSpec> =
            daemons.iter_mut().filter_map(|pod| runs_on(template, pod, sets).then_some(&*pod.spec)).collect();
        template.daemons = requests_of(compatible);
    }
    for template in templates.iter_mut() {
        let running: Vec<&DaemonSetPod> =
            daemons.iter_mut().filter_map(|pod| runs_on(template, pod, sets).then_some(&*pod)).collect();
        let last_template = running.iter().rposition(|pod| pod.is_template);
        for (place, pod) in running.iter().enumerate() {
            if !pod.is_template || Some(place) == last_template {
                template.ports.add(pod.spec.host_ports());
            }
        }
    }
}

fn runs_on(template: &Template, pod: &mut DaemonSetPod, sets: &mut Sets) -> bool {
    let pod = Rc::make_mut(&mut pod.spec);
    tolerate_prefer_no_schedule(pod);
    if !tolerates(&template.pool.taints, &pod.tolerations) {
        return false;
    }
    loop {
        let split = sets.split(Requirements::of_pod(pod, true));
        // A template has no host name that could be asked for.
        let by_host = split.host.as_ref().is_none_or(|host| host.is_met_without());
        if by_host && sets.is_compatible(template.set, split.set, true) {
            return true;
        }
        if !remove_required_node_affinity_term(pod) {
            return false;
        }
    }
}

/// The types of a template, for a text.
pub fn type_names(template: &Template, types: &Bits) -> Vec<Rc<str>> {
    types.iter().map(|place| template.types.types[place].name.clone()).collect()
}
