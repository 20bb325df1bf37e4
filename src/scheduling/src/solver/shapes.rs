//! From pods to shapes, and from shapes to topology groups.

use super::Solver;
use super::shape::{Looks, Shape, ShapeId};
use crate::input::PreferencePolicy;
use crate::preferences::{Relaxation, relax};
use crate::topology::has_required_anti_affinity;
use crate::topology::terms::{self, Owner};
use lkesim_kube::object::{Pod, PodSpec};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// FNV-1a: the same on every machine.
struct Fnv(u64);

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

impl Solver<'_> {
    /// The shape of a pod.
    pub(super) fn shape_of(&mut self, pod: &Rc<Pod>) -> ShapeId {
        let volumes = self.problem.volumes.get(&pod.metadata.uid).map(|volumes| Rc::new(volumes.clone()));
        let looks = Looks {
            spec: pod.spec.clone(),
            labels: pod.metadata.labels.clone(),
            namespace: pod.namespace.clone(),
            volumes,
        };
        self.shape(looks)
    }

    fn shape(&mut self, looks: Looks) -> ShapeId {
        let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
        looks.spec.hash(&mut hash);
        looks.labels.hash(&mut hash);
        let alike = self.by_hash.entry(hash.finish()).or_default();
        if let Some(known) = alike.iter().find(|known| self.shapes[**known].looks.same(&looks)) {
            return *known;
        }
        alike.push(self.shapes.len());
        let ignores = self.options.preference_policy == PreferencePolicy::Ignore;
        let mut shape = Shape::new(looks, ignores, &mut self.sets);
        shape.amounts = self.names.row(&shape.requests);
        let tolerations = &shape.looks.spec.tolerations;
        let tolerates = |taints| crate::taints::tolerates(taints, tolerations);
        shape.tolerates = self.templates.iter().map(|one| tolerates(&one.pool.taints)).collect();
        self.shapes.push(shape);
        self.shapes.len() - 1
    }

    /// What a shape becomes when it gives something up.
    pub(super) fn relaxed(&mut self, shape: ShapeId) -> Option<(ShapeId, Relaxation)> {
        if let Some(known) = &self.shapes[shape].relaxed {
            return *known;
        }
        let mut spec = PodSpec::clone(&self.shapes[shape].looks.spec);
        let found = relax(&mut spec, self.prefer_no_schedule).map(|what| {
            let looks = Looks { spec: Rc::new(spec), ..self.shapes[shape].looks.clone() };
            (self.shape(looks), what)
        });
        self.shapes[shape].relaxed = Some(found);
        found
    }

    /// Makes the groups of a shape, unless it has them.
    pub(super) fn own_groups(&mut self, id: ShapeId) {
        if self.shapes[id].groups.is_some() {
            return;
        }
        let looks = self.shapes[id].looks.clone();
        let owner = Owner {
            spec: &looks.spec,
            labels: &looks.labels,
            namespace: &looks.namespace,
            namespaces: &self.problem.namespaces,
        };
        let tolerations = &looks.spec.tolerations;
        let inverse: Vec<usize> = terms::inverse(&owner)
            .map(|term| self.topology.inverse_group(term, tolerations, None, &mut self.sets))
            .collect();
        let terms = terms::of_pod(&owner, self.options.preference_policy, &mut self.sets);
        let mut groups: Vec<usize> = terms
            .into_iter()
            .map(|(term, filter)| self.topology.group(term, filter, tolerations, &mut self.sets))
            .collect();
        groups.sort_unstable();
        groups.dedup();
        let shape = &mut self.shapes[id];
        shape.groups = Some(groups);
        shape.inverse_owned = inverse;
        shape.inverse_owned.sort_unstable();
        shape.inverse_owned.dedup();
    }

    /// Finds the groups that select a shape, among those that came since the last look.
    pub(super) fn look_at_groups(&mut self, id: ShapeId) {
        let shape = &mut self.shapes[id];
        let (namespace, labels) = (shape.looks.namespace.clone(), shape.looks.labels.clone());
        let selects = |group: &crate::topology::group::Group| group.selects(&namespace, &labels);
        let groups = self.topology.groups.iter().enumerate().skip(shape.looked_at);
        shape.selecting.extend(groups.filter(|(_, group)| selects(group)).map(|(number, _)| number));
        shape.looked_at = self.topology.groups.len();
        let inverse = self.topology.inverse.iter().enumerate().skip(shape.inverse_looked_at);
        shape.inverse_selecting.extend(inverse.filter(|(_, group)| selects(group)).map(|(number, _)| number));
        shape.inverse_looked_at = self.topology.inverse.len();
    }

    /// Makes the inverse groups of pods that run.
    pub(super) fn track_running_anti_affinity(&mut self) {
        let problem = self.problem;
        let moved: std::collections::BTreeSet<_> = problem.pods.iter().map(|pod| pod.metadata.uid).collect();
        for state in &problem.nodes {
            let Some(node) = &state.node else { continue };
            let keeps_away = |pod: &&Rc<Pod>| !pod.is_terminal() && has_required_anti_affinity(&pod.spec);
            for pod in state.pods.iter().filter(keeps_away).filter(|pod| !moved.contains(&pod.metadata.uid)) {
                let owner = Owner {
                    spec: &pod.spec,
                    labels: &pod.metadata.labels,
                    namespace: &pod.namespace,
                    namespaces: &problem.namespaces,
                };
                for term in terms::inverse(&owner) {
                    let tolerations = &pod.spec.tolerations;
                    self.topology.inverse_group(term, tolerations, Some(&node.labels), &mut self.sets);
                }
            }
        }
    }
}
