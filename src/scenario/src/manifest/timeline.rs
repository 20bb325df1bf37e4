//! The steps of the workload that are about pods, played in their order on the objects as they are written.
//!
//! A patch needs the object as it is by then, with all steps before: objects are kept as they are written, changed, and
//! read anew.

use super::finding::{Finding, Severity};
use super::kinds::{KINDS, Manifested};
use super::read::{Read, Written, read, store_name, take_apart};
use super::reader::{MAX_PODS, Reader};
use super::{Arrivals, Object, Objects, PodAct, PodStep, entries, known, short};
use crate::decode::shortened;
use crate::path::{Path, Segment};
use crate::pods::{Apply, Arrive, Deploy, Patch, Scale};
use crate::tree::Node;
use crate::workload::{Delete, Step};
use crate::{Scenario, Span};
use lkesim_kube::object::meta::DEFAULT_NAMESPACE;
use lkesim_kube::object::{PodTemplate, WorkloadKind};
use lkesim_runtime::Time;
use std::collections::{BTreeMap, BTreeSet};

/// What an object is called: its kind, namespace and name.
pub type Name = (Manifested, String, String);

/// The steps of a cluster, and what is said of them.
pub struct Timeline {
    pub steps: Vec<PodStep>,
    pub findings: Vec<Finding>,
}

/// Plays the steps of the cluster at `place` on what is there at the start.
///
/// `pods` is how many the objects of the start make.
pub fn timeline(
    scenario: &Scenario,
    place: usize,
    written: &[Written<'_>],
    known: known::Shared,
    pods: u64,
) -> Timeline {
    let mut play = Play {
        scenario,
        known,
        reader: Reader::new(),
        there: written.iter().filter_map(|one| Some((name_of(one.kind, one.node)?, one.node.clone()))).collect(),
        referred: written.iter().filter(|one| one.kind.is_referred_to() == 0).cloned().collect(),
        arriving: BTreeSet::new(),
        steps: Vec::new(),
        of_objects: 0,
        place,
    };
    play.reader.pods = pods;
    let mut steps = steps(scenario, place);
    steps.sort_by_key(|(_, step)| at(step));
    for (index, step) in steps {
        let path = Path::default().key("workload").index(index).key(step.kind());
        play.step(&path, step);
    }
    Timeline { steps: play.steps, findings: play.reader.found }
}

/// The steps of a cluster that are about pods.
fn steps(scenario: &Scenario, place: usize) -> Vec<(usize, &Step)> {
    let mut steps: Vec<(usize, &Step)> = scenario.workload.iter().enumerate().collect();
    steps.retain(|(_, step)| step.is_about_pods() && scenario.cluster_place(step.cluster().as_deref()) == Some(place));
    steps
}

/// What all objects are called that are there at some time.
pub fn all_names(scenario: &Scenario, place: usize, written: &[Written<'_>]) -> Vec<Name> {
    let mut names: Vec<Name> = written.iter().filter_map(|one| name_of(one.kind, one.node)).collect();
    for (_, step) in steps(scenario, place) {
        match step {
            Step::Deploy(deploy) => {
                let kind = KINDS.iter().find(|(name, ..)| *name == deploy.kind.names().0).map(|(.., kind)| *kind);
                names.extend(kind.map(|kind| (kind, deploy.namespace.clone(), deploy.name.clone())));
            }
            Step::Apply(Apply { objects: Some(tree), .. }) => {
                // What is wrong with them is told where the step is played.
                let (mut unheard, mut found) = (Reader::new(), Vec::new());
                for (path, node) in entries::objects(&mut unheard, Path::default(), &tree.0) {
                    take_apart(&mut unheard, &path, node, &mut found);
                }
                names.extend(found.iter().filter_map(|one| name_of(one.kind, one.node)));
            }
            _ => {}
        }
    }
    names
}

/// When a step happens, or begins to.
fn at(step: &Step) -> Span {
    match step {
        Step::Create(create) => create.at,
        Step::Delete(delete) => delete.at,
        Step::Deploy(deploy) => deploy.at,
        Step::Scale(scale) => scale.at,
        Step::Apply(apply) => apply.at,
        Step::Patch(patch) => patch.at,
        Step::Arrive(arrive) => arrive.from,
    }
}

struct Play<'s> {
    scenario: &'s Scenario,
    /// What objects may name, where that is looked up.
    known: known::Shared,
    reader: Reader,
    there: BTreeMap<Name, Node>,
    /// Priority classes and the like, which objects that come later may name.
    referred: Vec<Written<'s>>,
    arriving: BTreeSet<(String, String)>,
    steps: Vec<PodStep>,
    /// How many pods the object makes that was read last.
    of_objects: u64,
    place: usize,
}

impl Play<'_> {
    fn step(&mut self, path: &Path, step: &Step) {
        self.reader.go_to(path);
        let at = at(step);
        let duration = self.scenario.duration;
        if at > duration {
            let field = if matches!(step, Step::Arrive(_)) { "from" } else { "at" };
            self.reader.wrong_at(field, format!("{at} is after the end of `duration` ({duration})"));
        }
        let acts = match step {
            Step::Deploy(deploy) => self.deploy(path, deploy),
            Step::Scale(scale) => self.scale(scale),
            Step::Apply(apply) => self.apply(path, apply),
            Step::Patch(patch) => self.patch(path, patch),
            Step::Delete(delete) => self.delete(delete),
            Step::Arrive(arrive) => self.arrive(path, arrive),
            Step::Create(_) => Vec::new(),
        };
        let at = Time::ZERO + at.get();
        self.steps.extend(acts.into_iter().map(|act| PodStep { at, act }));
    }

    fn deploy(&mut self, path: &Path, step: &Deploy) -> Vec<PodAct> {
        self.amounts(short::contradicts(step.pod.as_ref().map(|pod| &pod.0), step.cpu, step.memory, &step.resources));
        if step.kind == crate::pods::DeployKind::DaemonSet && step.replicas.is_some() {
            self.reader.wrong_at("replicas", "a DaemonSet has a pod on each node that takes one");
        }
        let node = short::deployed(step);
        let kind = KINDS.iter().find(|(name, ..)| *name == step.kind.names().0).map(|(.., kind)| *kind);
        let Some(name) = kind.and_then(|kind| name_of(kind, &node)) else { return Vec::new() };
        if self.there.contains_key(&name) {
            self.reader.wrong_at("name", format!("the {} `{}` is there already", step.kind.names().0, step.name));
            return Vec::new();
        }
        let within = ["spec", "template", "spec"].map(|key| Segment::Key(key.to_owned()));
        let found = self.read(&name, &node, |found| {
            Some(match found.0.strip_prefix(&within[..]) {
                Some(rest) => Path(path.key("pod").0.into_iter().chain(rest.iter().cloned()).collect()),
                None => of_short(path, found),
            })
        });
        self.there.insert(name, node);
        self.more(path.key("replicas"), self.of_objects);
        found.into_iter().map(|object| PodAct::Apply(Box::new(object))).collect()
    }

    /// So many more pods, unless that alone is told to be too many.
    fn more(&mut self, path: Path, pods: u64) {
        if pods <= MAX_PODS {
            self.reader.go_to(&path);
            self.reader.more_pods(pods);
        }
    }

    fn amounts(&mut self, contradict: bool) {
        if contradict {
            self.reader
                .wrong_at("pod", "`containers` have amounts of their own; leave `cpu`, `memory` and `resources` out");
        }
    }

    fn arrive(&mut self, path: &Path, step: &Arrive) -> Vec<PodAct> {
        self.amounts(short::contradicts(step.pod.as_ref().map(|pod| &pod.0), step.cpu, step.memory, &step.resources));
        self.times(step);
        if !self.arriving.insert((step.namespace.clone(), step.name.clone())) {
            self.reader.wrong_at("name", format!("pods called `{}` arrive by another step too", step.name));
        }
        let node = short::arriving(step);
        let name = (Manifested::Pod, step.namespace.clone(), step.name.clone());
        let within = [Segment::Key("spec".to_owned())];
        let found = self.read(&name, &node, |found| {
            Some(match found.0.strip_prefix(&within[..]) {
                Some(rest) => Path(path.key("pod").0.into_iter().chain(rest.iter().cloned()).collect()),
                None => of_short(path, found),
            })
        });
        let Some(Object::Pod(pod)) = found else { return Vec::new() };
        let template = PodTemplate {
            labels: pod.metadata.labels.clone(),
            annotations: pod.metadata.annotations.clone(),
            spec: pod.spec.clone(),
        };
        vec![PodAct::Arrive(Arrivals::of(step, template, self.scenario.duration))]
    }

    fn times(&mut self, step: &Arrive) {
        let duration = self.scenario.duration;
        let reader = &mut self.reader;
        match (step.rate, step.times.is_empty()) {
            (None, true) => reader.wrong("expected a `rate`, or `times`"),
            (Some(_), false) => reader.wrong_at("times", "`rate` and `times` both stand here; expected one of them"),
            (None, false) if step.night.is_some() => reader.wrong_at("night", "only a `rate` changes at night"),
            _ => {}
        }
        for (index, at) in step.times.iter().enumerate().filter(|(_, at)| **at > duration) {
            let message = format!("{at} is after the end of `duration` ({duration})");
            let times = Segment::Key("times".to_owned());
            reader.below(times, |reader| reader.below(Segment::Index(index), |reader| reader.wrong(message)));
        }
        let until = step.until.unwrap_or(duration);
        if until < step.from {
            reader.wrong_at("until", format!("{until} is before `from` ({})", step.from));
        }
        if let Some(night) = step.night
            && (night.day == Span::ZERO || night.from > night.day || night.until > night.day)
        {
            reader.wrong_at("night", format!("`from` and `until` are within a day ({})", night.day));
        }
        let rates = step.rate.into_iter().chain(step.night.map(|night| night.rate));
        let most =
            rates.map(|rate| u128::from(rate.calls) * u128::from(until.nanos()) / u128::from(rate.window.nanos()));
        let most = most.max().unwrap_or(0).min(step.most.map_or(u128::MAX, u128::from));
        if most > u128::from(MAX_PODS) {
            reader.wrong_at("rate", format!("about {most} pods would arrive; expected at most {MAX_PODS}"));
        } else {
            let times = step.times.len() as u64;
            let field = Segment::Key(if times > 0 { "times" } else { "rate" }.to_owned());
            reader.below(field, |reader| reader.more_pods(times.max(u64::try_from(most).unwrap_or(MAX_PODS))));
        }
    }

    fn scale(&mut self, step: &Scale) -> Vec<PodAct> {
        let Some(name) = self.named("of", &step.of) else { return Vec::new() };
        let workload = match name.0 {
            Manifested::Workload(WorkloadKind::DaemonSet | WorkloadKind::Job) | Manifested::Pod => None,
            Manifested::Workload(_) => Some(store_name(name.0, &name.1, &name.2).1),
            _ => None,
        };
        let Some(workload) = workload else {
            self.reader.wrong_at("of", "expected a Deployment, a ReplicaSet or a StatefulSet, as `Deployment/web`");
            return Vec::new();
        };
        if let Some(node) = self.there.get_mut(&name) {
            let replicas = Path::default().key("spec").key("replicas");
            let more = u64::from(step.to).saturating_sub(replicas_of(node));
            self.reader.below(Segment::Key("to".to_owned()), |reader| reader.more_pods(more));
            // It was read, so that it is a map.
            let _ = node.set(&replicas, Node::Unsigned(step.to.into()));
        }
        vec![PodAct::Scale { workload, replicas: step.to }]
    }

    fn apply(&mut self, path: &Path, step: &Apply) -> Vec<PodAct> {
        let Some(tree) = &step.objects else {
            let message = match &step.file {
                Some(file) => {
                    format!("the file `{}` was not read, as this scenario does not come from one", shortened(file))
                }
                None => "expected a `file`, or `objects`".to_owned(),
            };
            self.reader.wrong(message);
            return Vec::new();
        };
        let mut written = Vec::new();
        for (path, node) in entries::objects(&mut self.reader, path.key("objects"), &tree.0) {
            take_apart(&mut self.reader, &path, node, &mut written);
        }
        let mut acts = Vec::new();
        for one in written {
            self.reader.go_to(&one.path);
            let Some(name) = self.may_come_later(one.kind).then(|| name_of(one.kind, one.node)).flatten() else {
                continue;
            };
            let at = one.path.clone();
            let found = self.read(&name, one.node, |found| Some(Path([&at.0[..], &found.0[..]].concat())));
            acts.extend(found.map(|object| PodAct::Apply(Box::new(object))));
            if self.there.insert(name, one.node.clone()).is_none() {
                self.more(one.path.clone(), self.of_objects);
            }
        }
        acts
    }

    /// Machines come by Karpenter, and what objects refer to is looked up once.
    fn may_come_later(&mut self, kind: Manifested) -> bool {
        match kind {
            Manifested::Workload(_)
            | Manifested::Pod
            | Manifested::PodDisruptionBudget
            | Manifested::NodePool
            | Manifested::NodeClass => true,
            Manifested::Node | Manifested::NodeClaim => {
                self.reader.wrong("Nodes and NodeClaims can't be applied or patched during a run");
                false
            }
            _ => {
                self.reader.wrong("what other objects refer to is there from the start: put it into `manifests`");
                false
            }
        }
    }

    fn patch(&mut self, path: &Path, step: &Patch) -> Vec<PodAct> {
        let Some(name) = self.named("of", &step.of) else { return Vec::new() };
        if !self.may_come_later(name.0) {
            return Vec::new();
        }
        let Some(mut node) = self.there.get(&name).cloned() else { return Vec::new() };
        let before = replicas_of(&node);
        merge_patch(&mut node, &step.with.0);
        let more = replicas_of(&node).saturating_sub(before);
        if name_of(name.0, &node).as_ref() != Some(&name) {
            self.reader.wrong_at("with", "a patch does not change what an object is called");
            return Vec::new();
        }
        let with = path.key("with");
        let found = self.read(&name, &node, |found| {
            let is_of_patch = step.with.0.get(found).is_some();
            is_of_patch.then(|| Path([&with.0[..], &found.0[..]].concat()))
        });
        self.more(path.key("with"), more);
        self.there.insert(name, node);
        found.into_iter().map(|object| PodAct::Apply(Box::new(object))).collect()
    }

    fn delete(&mut self, step: &Delete) -> Vec<PodAct> {
        let Some(of) = &step.of else { return Vec::new() };
        let Some(name) = self.named("of", of) else { return Vec::new() };
        match name.0 {
            Manifested::NodeClaim => {
                self.reader.wrong_at("of", "NodeClaims are deleted by `claims`");
                return Vec::new();
            }
            Manifested::Node => {
                self.reader.wrong_at("of", "a Node is deleted by `delete_node` under `by_hand`");
                return Vec::new();
            }
            kind if !self.may_come_later(kind) => return Vec::new(),
            _ => {}
        }
        self.there.remove(&name);
        let (kind, name) = store_name(name.0, &name.1, &name.2);
        vec![PodAct::Delete { kind, name }]
    }

    /// The object that is meant by `Kind/name` or `Kind/namespace/name`, which must be there.
    fn named(&mut self, field: &'static str, text: &str) -> Option<Name> {
        let parts: Vec<&str> = text.split('/').collect();
        let (kind, namespace, name) = match parts[..] {
            [kind, name] => (kind, DEFAULT_NAMESPACE, name),
            [kind, namespace, name] => (kind, namespace, name),
            _ => {
                let found = shortened(text);
                let message =
                    format!("found `{found}`; expected `Kind/name` or `Kind/namespace/name`, as `Deployment/web`");
                self.reader.wrong_at(field, message);
                return None;
            }
        };
        let Some((_, _, manifested)) = KINDS.iter().find(|(known, ..)| *known == kind) else {
            let known: Vec<&str> = KINDS.iter().map(|(known, ..)| *known).collect();
            self.reader.below(Segment::Key(field.to_owned()), |reader| reader.unknown("kind", kind, &known, false));
            return None;
        };
        let namespace = if is_namespaced(*manifested) { namespace } else { "" };
        let found = (*manifested, namespace.to_owned(), name.to_owned());
        let is_listed = *manifested == Manifested::NodePool && self.has_node_pool(name);
        if self.there.contains_key(&found) {
            return Some(found);
        }
        let message = match is_listed {
            true => format!("the NodePool `{name}` is none of the manifests; write it as one"),
            false => format!("there is no {kind} `{}` by then", shortened(name)),
        };
        let of_kind = || self.there.keys().filter(|(known, ..)| known == manifested).take(1_000);
        let near = crate::suggest::nearest(name, of_kind().map(|(.., name)| name.as_str())).map(|near| {
            let mut namespaces = of_kind().filter(|(.., name)| name == near).map(|(_, namespace, _)| namespace);
            let namespace = namespaces.next().filter(|namespace| !matches!(namespace.as_str(), "" | "default"));
            let near = namespace.map_or_else(|| near.to_owned(), |namespace| format!("{namespace}/{near}"));
            format!("did you mean `{kind}/{near}`?")
        });
        let path = self.reader.path().key(field);
        self.reader.found.push(Finding { severity: Severity::Error, path, at_key: false, message, help: near });
        None
    }

    fn has_node_pool(&self, name: &str) -> bool {
        let part = self.scenario.part(self.place);
        part.scenario.node_pools().iter().any(|node_pool| node_pool.name == name)
    }

    /// Reads one object; `place` tells where what is wrong with it stands, and whether it is told.
    fn read(&mut self, name: &Name, node: &Node, place: impl Fn(&Path) -> Option<Path>) -> Option<Object> {
        let mut written = self.referred.clone();
        written.push(Written { path: Path::default(), kind: name.0, node });
        let mut reader = Reader::new();
        reader.known = self.known.clone();
        let Read { objects, findings, pods } = read(reader, written);
        self.of_objects = pods;
        let mut is_wrong = false;
        // What is wrong with what it refers to was told already.
        for finding in findings.into_iter().filter(|finding| !is_of_manifests(&finding.path)) {
            is_wrong |= finding.severity == Severity::Error;
            if let Some(path) = place(&finding.path) {
                self.reader.found.push(Finding { path, ..finding });
            }
        }
        first(objects).filter(|_| !is_wrong)
    }
}

/// How many pods a workload has at once, as it is written.
fn replicas_of(node: &Node) -> u64 {
    match node.get(&Path::default().key("spec").key("replicas")) {
        Some(Node::Unsigned(replicas)) => *replicas,
        _ => 1,
    }
}

fn is_of_manifests(path: &Path) -> bool {
    matches!(path.0.first(), Some(Segment::Key(key)) if key == "manifests")
}

/// Where a step in short says what its object has at a path.
fn of_short(path: &Path, found: &Path) -> Path {
    match found.0.last() {
        Some(Segment::Key(key)) if key == "name" || key == "namespace" => path.key(key),
        Some(Segment::Key(key)) if key == "replicas" || key == "completions" => path.key("replicas"),
        Some(Segment::Key(key)) if key == super::RUNS_FOR => path.key("runs_for"),
        Some(Segment::Key(_)) if found.0.iter().any(|one| *one == Segment::Key("labels".to_owned())) => {
            path.key("labels")
        }
        _ => path.clone(),
    }
}

fn is_namespaced(kind: Manifested) -> bool {
    use Manifested::{PersistentVolumeClaim, Pod, PodDisruptionBudget, Workload};
    matches!(kind, Pod | PodDisruptionBudget | PersistentVolumeClaim | Workload(_))
}

/// What an object is called, if it has a name.
pub fn name_of(kind: Manifested, node: &Node) -> Option<Name> {
    let field = |name: &str| match node.get(&Path::default().key("metadata").key(name)) {
        Some(Node::Text(text)) if !text.is_empty() => Some(text.clone()),
        _ => None,
    };
    let namespace = match is_namespaced(kind) {
        true => field("namespace").unwrap_or_else(|| DEFAULT_NAMESPACE.to_owned()),
        false => String::new(),
    };
    Some((kind, namespace, field("name")?))
}

fn first(objects: Objects) -> Option<Object> {
    let Objects { node_pools, node_classes, node_claims, nodes, workloads, pods, disruption_budgets, facts: _ } =
        objects;
    let mut all = node_pools
        .into_iter()
        .map(Object::NodePool)
        .chain(node_classes.into_iter().map(Object::NodeClass))
        .chain(node_claims.into_iter().map(Object::NodeClaim))
        .chain(nodes.into_iter().map(Object::Node))
        .chain(workloads.into_iter().map(Object::Workload))
        .chain(pods.into_iter().map(Object::Pod))
        .chain(disruption_budgets.into_iter().map(Object::PodDisruptionBudget));
    all.next()
}

/// JSON merge patch (RFC 7396).
fn merge_patch(node: &mut Node, patch: &Node) {
    let Node::Map(changes) = patch else {
        node.clone_from(patch);
        return;
    };
    if !matches!(node, Node::Map(_)) {
        *node = Node::Map(Vec::new());
    }
    let Node::Map(entries) = node else { return };
    for (key, change) in changes {
        let place = entries.iter().position(|(known, _)| known == key);
        match (change, place) {
            (Node::Null, Some(place)) => drop(entries.remove(place)),
            (Node::Null, None) => {}
            (_, Some(place)) => merge_patch(&mut entries[place].1, change),
            (_, None) => {
                let mut value = Node::Null;
                merge_patch(&mut value, change);
                entries.push((key.clone(), value));
            }
        }
    }
}
