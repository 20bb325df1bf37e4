//! From a process's passes of provisioning to the judge.

use crate::cluster::Cluster;
use crate::world::World;
use lkesim_judge::event::{Pass, PodChange, RefusedBy, Step, What};
use lkesim_karpenter::provisioning::{Passed, Recorder, Verdict};
use lkesim_kube::object::Pod;
use lkesim_scheduling::Step as Tried;
use lkesim_scheduling::results::Bin;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Hears the passes of one process. Of words that are said again and again, the first are told.
pub(crate) struct PassEvents {
    world: Rc<World>,
    /// The cluster's place.
    place: usize,
    process: u32,
    said: RefCell<BTreeMap<u64, Rc<str>>>,
}

impl PassEvents {
    pub fn new(world: &Rc<World>, cluster: &Cluster, process: u32) -> PassEvents {
        PassEvents { world: world.clone(), place: cluster.place, process, said: RefCell::default() }
    }

    /// Whether this is no news.
    fn is_said(&self, pod: &Pod, words: &str) -> bool {
        let (uid, mut said) = (pod.metadata.uid.0, self.said.borrow_mut());
        if said.get(&uid).is_some_and(|before| **before == *words) {
            return true;
        }
        said.insert(uid, words.into());
        false
    }
}

impl Recorder for PassEvents {
    fn verdict(&self, pod: &Rc<Pod>, verdict: Verdict<'_>) {
        let change = match verdict {
            Verdict::Nominated(on) if !self.is_said(pod, on) => PodChange::ShouldScheduleOn { on: on.into() },
            Verdict::Failed(text) if !self.is_said(pod, text) => PodChange::FailedScheduling { text: text.into() },
            _ => return,
        };
        let pod = self.world.clusters[self.place].pod_ref(pod);
        self.world.record(What::Pod { pod, change });
    }

    /// Upstream a log line of each pass, which a report has once.
    fn left_out(&self, node_pool: &Rc<str>, why: &str) {
        let path = format!("NodePool {node_pool}");
        let text = format!("Karpenter does not use it: {why}");
        let is_said = self.world.warnings().iter().any(|one| one.path == path && one.text == text);
        if !is_said {
            self.world.warn(path, text);
        }
    }

    fn passed(&self, pass: &Passed<'_>) {
        let results = pass.results;
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let pass = Pass {
            pods: count(pass.pods),
            placed: count(results.existing_nodes.iter().map(|(_, pods)| pods.len()).sum()),
            claims: count(results.new_node_claims.len()),
            failed: count(results.pod_errors.len()),
            steps: self.wants_steps().then(|| results.steps.iter().map(|step| self.told(step)).collect()),
        };
        let cluster = self.world.clusters[self.place].id;
        self.world.record(What::Pass { cluster, process: self.process, pass: Rc::new(pass) });
    }

    fn wants_steps(&self) -> bool {
        self.world.is_traced()
    }
}

impl PassEvents {
    fn told(&self, step: &Tried) -> Step {
        let refused = |(bin, why): &(Bin, String)| RefusedBy { bin: name(bin), why: why.clone() };
        Step {
            pod: self.world.clusters[self.place].pod_ref(&step.pod).name.to_string(),
            gave_up: step.relaxed.iter().map(|what| what.text().to_owned()).collect(),
            refused: step.refused.iter().map(refused).collect(),
            placed: step.placed.as_ref().map(name),
            opened: step.opened.as_ref().map(|node_pool| node_pool.to_string()),
            requirements_added: step.requirements_added.clone(),
            types_left: step.types_left.iter().map(|name| name.to_string()).collect(),
        }
    }
}

/// A bin as stories call it. NodeClaims of a pass have no name yet and are counted from 1.
fn name(bin: &Bin) -> String {
    match bin {
        Bin::Node(name) => format!("node/{name}"),
        Bin::Claim(number) => format!("claim {}", number + 1),
        Bin::NodePool(name) => format!("nodepool/{name}"),
    }
}
