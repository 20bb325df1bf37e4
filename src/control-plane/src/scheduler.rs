//! kube-scheduler: looks at one pod after the other, and binds each to the best of the nodes that it may go to.
//!
//! Kubernetes v1.33 `pkg/scheduler/schedule_one.go`, with the default profile. What it decided counts at once; the calls
//! that write it take their time. With 100 nodes and more it stops looking once it found enough that fit, and goes on
//! behind them with the next pod.

mod amounts;
mod cluster;
mod counters;
mod cycle;
mod events;
mod filter;
mod keys;
mod preemption;
mod queue;
mod reasons;
mod score;
mod shape;
mod standing;

use crate::calls::Calls;
use crate::view::View;
use crate::writers;
use cluster::Cluster;
use cycle::Cycle;
use filter::{Answer, Filter, Seeker};
use lkesim_kube::client::Client;
use lkesim_kube::object::{Pod, Uid};
use lkesim_kube::store::Lock;
use lkesim_runtime::{Bell, Key, TaskName, Time};
use lkesim_scheduling::volumes::{Claim, VolumeError};
use queue::Queue;
use reasons::{Reasons, Tally};
use standing::Standing;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The scheduler.
pub struct Scheduler {
    view: Rc<View>,
    client: Client,
    calls: Calls,
    state: RefCell<State>,
    bell: Bell,
    lots: Key,
    binds: Key,
}

/// What it knows.
struct State {
    cluster: Cluster,
    queue: Queue,
    reasons: Reasons,
    /// The last failure of each shape: equal pods fail alike until something changes.
    failures: BTreeMap<usize, Failure>,
    /// What the nodes last answered to each shape.
    standings: BTreeMap<usize, Standing>,
    /// The filters that refused nodes to each shape when it last failed; none where there was no node to ask.
    refused_by: BTreeMap<usize, BTreeSet<Filter>>,
    /// Pods that wait for evictions, with the node.
    nominated: BTreeMap<Uid, Rc<str>>,
    expected: BTreeMap<Rc<str>, BTreeSet<Uid>>,
    /// Where the next search among many nodes begins.
    from: usize,
}

/// Why a pod fits nowhere.
#[derive(Clone)]
struct Failure {
    generation: u64,
    text: Rc<str>,
}

/// What an attempt came to.
enum Outcome {
    Bind(usize),
    Fail { text: Rc<str>, nominated: Option<Rc<str>>, victims: Vec<Rc<Pod>> },
}

/// The same with names.
enum Decided {
    Bind(Rc<str>),
    Fail { text: Rc<str>, nominated: Option<Rc<str>>, victims: Vec<Rc<Pod>> },
}

impl Scheduler {
    /// Starts it.
    pub fn start(view: &Rc<View>) -> Rc<Scheduler> {
        let state = State {
            cluster: Cluster::new(&view.facts.cluster.namespaces),
            queue: Queue::new(&view.settings),
            reasons: Reasons::default(),
            failures: BTreeMap::new(),
            standings: BTreeMap::new(),
            refused_by: BTreeMap::new(),
            nominated: BTreeMap::new(),
            expected: BTreeMap::new(),
            from: 0,
        };
        let scheduler = Rc::new(Scheduler {
            client: view.client.named(writers::SCHEDULER),
            calls: Calls::new(&view.runtime, view.settings.scheduler_calls),
            view: view.clone(),
            state: RefCell::new(state),
            bell: Bell::new(),
            lots: view.seed.key("scheduler.lot"),
            binds: view.seed.key("scheduler.bind"),
        });
        events::listen(&scheduler);
        let this = scheduler.clone();
        view.runtime.spawn(writers::SCHEDULER, async move { this.run().await });
        scheduler
    }

    async fn run(self: Rc<Scheduler>) {
        self.view.synced().await;
        loop {
            let now = self.view.runtime.now();
            let next = self.state.borrow_mut().queue.pop(now);
            match next {
                Some(uid) => {
                    if !self.view.settings.attempt.is_zero() {
                        self.view.runtime.sleep(self.view.settings.attempt).await;
                    }
                    self.attempt(uid).await;
                }
                None => self.rest().await,
            }
        }
    }

    /// Until a pod comes, or comes back.
    async fn rest(&self) {
        let next = self.state.borrow().queue.next_wake();
        match next {
            // Either of both is a reason to look.
            Some(at) => drop(self.view.runtime.timeout(at.since(self.view.runtime.now()), self.bell.heard()).await),
            None => self.bell.heard().await,
        }
    }

    async fn attempt(self: &Rc<Scheduler>, uid: Uid) {
        let Some((pod, outcome)) = self.decide(uid) else { return };
        match outcome {
            Decided::Bind(node) => self.spawn_bind(pod, node),
            Decided::Fail { text, nominated, victims } => {
                self.spawn_evictions(victims);
                self.say(&pod, text, nominated).await;
            }
        }
    }

    fn decide(&self, uid: Uid) -> Option<(Rc<Pod>, Decided)> {
        let mut state = self.state.borrow_mut();
        let queued = state.queue.get(uid)?;
        let (pod, attempts) = (queued.pod.clone(), queued.attempts);
        let lot = self.lots.draw(pod.metadata.entity(), attempts.into());
        let decided = match state.decide(&self.view, &pod, lot) {
            Outcome::Bind(node) => {
                let name = state.cluster.nodes[node].name.clone();
                state.cluster.place(&pod, &name, true);
                state.forget_nomination(uid);
                Decided::Bind(name)
            }
            Outcome::Fail { text, nominated, victims } => {
                state.queue.give_up(self.view.runtime.now(), uid);
                state.nominate(uid, nominated.clone());
                Decided::Fail { text, nominated, victims }
            }
        };
        Some((pod, decided))
    }

    fn spawn_bind(self: &Rc<Scheduler>, pod: Rc<Pod>, node: Rc<str>) {
        let this = self.clone();
        let name = TaskName::on("bind", pod.name().clone()).of_run();
        self.view.runtime.spawn(name, async move {
            let delay = this.view.settings.bind.draw(this.binds.draw(pod.metadata.entity(), 0));
            if !delay.is_zero() {
                this.view.runtime.sleep(delay).await;
            }
            this.calls.wait().await;
            if this.client.bind(&pod, &node).await.is_err() {
                this.forget(&pod);
            }
        });
    }

    /// A binding failed: the pod's place is free again, and the pod comes back if it is still there.
    fn forget(&self, pod: &Pod) {
        let now = self.view.runtime.now();
        let uid = pod.metadata.uid;
        let mut state = self.state.borrow_mut();
        if state.cluster.pods.get(&uid).is_some_and(|placed| placed.is_assumed) {
            state.displace(now, uid);
            state.forget_shapes();
            state.queue.fail(now, uid);
        }
        drop(state);
        self.bell.ring();
    }

    /// Writes why the pod fits nowhere, if it does not say so already. The next pod waits for that, as upstream's does: with
    /// many pods that fit nowhere the scheduler is as slow as its calls.
    async fn say(&self, pod: &Pod, text: Rc<str>, nominated: Option<Rc<str>>) {
        let mut changed = pod.clone();
        changed.status.unschedulable = Some(text);
        changed.status.nominated_node_name = nominated;
        if changed.status != pod.status {
            self.calls.wait().await;
            // One that fails is made good by the next attempt, as upstream logs and goes on.
            drop(self.client.patch_status(pod, &changed, Lock::None).await);
        }
    }
}

impl State {
    /// Looks for a node.
    fn decide(&mut self, view: &View, pod: &Rc<Pod>, lot: lkesim_runtime::Word) -> Outcome {
        let uid = pod.metadata.uid;
        let Some(number) = self.queue.get(uid).map(|queued| queued.shape) else { return fail("") };
        if self.cluster.order.is_empty() {
            self.refused_by.remove(&number);
            return fail(reasons::NO_NODES);
        }
        let is_plain = pod.made_for.is_none() && pod.spec.volumes.is_empty() && self.nominated.is_empty();
        let known = self.failures.get(&number).filter(|known| known.generation == self.cluster.generation);
        if let Some(known) = known.filter(|_| is_plain) {
            return Outcome::Fail { text: known.text.clone(), nominated: None, victims: Vec::new() };
        }
        let claims = match view.facts.cluster.claims_of(pod) {
            Ok(claims) => claims,
            Err(error) => return fail(&self.without_claims(&error)),
        };
        let is_about_nodes = is_plain && !self.cluster.shape(number).looks_at_pods();
        let (fitting, tally, refused) = match is_about_nodes {
            true => self.filter_known(view, pod, number),
            false => self.filter(view, pod, number, &claims),
        };
        if !fitting.is_empty() {
            let shape = self.cluster.shape(number);
            let cycle = Cycle::new(&self.cluster, shape);
            let best = score::best(&self.cluster, shape, &cycle, &fitting, lot);
            return best.map_or_else(|| fail(""), Outcome::Bind);
        }
        self.refused_by.insert(number, tally.by.clone());
        let preemption = self.preempt(view, pod, number, &claims, &tally, &refused);
        let text = reasons::sentence(self.cluster.order.len(), &tally.listed(&self.reasons), &preemption.said);
        if is_plain && preemption.node.is_none() {
            let failure = Failure { generation: self.cluster.generation, text: text.as_str().into() };
            self.failures.insert(number, failure);
        }
        Outcome::Fail { text: text.into(), nominated: preemption.node, victims: preemption.victims }
    }

    /// The same as [`State::filter`] for pods to which other pods are nothing but room: only nodes that changed are asked.
    fn filter_known(&mut self, view: &View, pod: &Rc<Pod>, number: usize) -> (Vec<usize>, Tally, Vec<usize>) {
        let State { cluster, reasons, standings, from, .. } = self;
        let (shape, cycle) = (cluster.shape(number), Cycle::default());
        let claims_of = |_: &Pod| Vec::new();
        let expected = |_: usize| Vec::new();
        let limits = &view.facts.volume_limits;
        debug_assert!(pod.spec.volumes.is_empty(), "volumes are of the pod and not of its shape");
        let seeker = Seeker { shape, cycle: &cycle, claims: &[], limits, claims_of: &claims_of, expected: &expected };
        let standing = standings.entry(number).or_default();
        standing.refresh(&seeker, cluster, reasons);
        let count = cluster.order.len();
        let begin = *from % count;
        let in_order = cluster.order[begin..].iter().chain(&cluster.order[..begin]).copied();
        if !standing.fits_anywhere() {
            *from = begin;
            let may_be_helped = |node: &usize| matches!(standing.answer(*node), Some(Answer::Refused(_)));
            return (Vec::new(), standing.tally(), in_order.filter(may_be_helped).collect());
        }
        let (enough, mut asked, mut fitting) = (enough(count), 0, Vec::new());
        for node in in_order {
            if fitting.len() == enough {
                break;
            }
            asked += 1;
            if standing.answer(node) == Some(Answer::Fits) {
                fitting.push(node);
            }
        }
        *from = (begin + asked) % count;
        (fitting, Tally::default(), Vec::new())
    }

    /// The nodes that fit, why others do not, and which of these an eviction may help.
    fn filter(
        &mut self,
        view: &View,
        pod: &Rc<Pod>,
        number: usize,
        claims: &[Claim],
    ) -> (Vec<usize>, Tally, Vec<usize>) {
        let State { cluster, reasons, queue, expected, nominated, from, .. } = self;
        let uid = pod.metadata.uid;
        let shape = cluster.shape(number);
        let cycle = Cycle::new(cluster, shape);
        let expects = |node: usize| expected_on(cluster, queue, expected, pod, node);
        let claims_of = |pod: &Pod| view.facts.cluster.claims_of(pod).unwrap_or_default();
        let limits = &view.facts.volume_limits;
        let seeker = Seeker { shape, cycle: &cycle, claims, limits, claims_of: &claims_of, expected: &expects };
        let (mut told, mut tally, mut refused) = (Vec::new(), Tally::default(), Vec::new());
        let own = nominated.get(&uid).and_then(|node| cluster.number(node));
        if let Some(node) = own.filter(|node| seeker.ask(cluster, *node, reasons, &mut told) == Answer::Fits) {
            return (vec![node], tally, refused);
        }
        let candidates = match &pod.made_for {
            Some(name) => {
                let there = cluster.number(name).into_iter();
                Cow::Owned(there.filter(|node| cluster.nodes[*node].node.is_some()).collect::<Vec<_>>())
            }
            None => Cow::Borrowed(&cluster.order[..]),
        };
        let absent = cluster.order.len() - candidates.len();
        if absent > 0 {
            tally.add(reasons.number("node(s) didn't satisfy plugin(s) [NodeAffinity]"), absent);
            tally.unresolvable += absent;
        }
        let (enough, count) = (enough(candidates.len()), candidates.len());
        let mut fitting = Vec::new();
        let mut asked = 0;
        while asked < count && fitting.len() < enough {
            let node = candidates[(*from + asked) % count];
            asked += 1;
            match seeker.ask(cluster, node, reasons, &mut told) {
                Answer::Fits => {
                    fitting.push(node);
                    continue;
                }
                Answer::Refused(by) => {
                    tally.by.insert(by);
                    refused.push(node);
                }
                Answer::Unresolvable(by) => {
                    tally.by.insert(by);
                    tally.unresolvable += 1;
                }
            }
            told.iter().for_each(|reason| tally.add(*reason, 1));
        }
        if count > 0 {
            *from = (*from + asked) % count;
        }
        (fitting, tally, refused)
    }

    fn without_claims(&mut self, error: &VolumeError) -> String {
        let said = match error {
            VolumeError::NotFound(claim) => format!("persistentvolumeclaim \"{claim}\" not found"),
            VolumeError::Immediate { .. } => "pod has unbound immediate PersistentVolumeClaims".to_owned(),
            other => other.to_string(),
        };
        let nodes = self.cluster.order.len();
        let preemption = reasons::sentence(nodes, &format!("{nodes} {}", reasons::NOT_HELPFUL), "");
        reasons::sentence(nodes, &said, &preemption)
    }

    /// Takes a pod off its node, and stirs those that this may help.
    fn displace(&mut self, now: Time, uid: Uid) {
        let Some(placed) = self.cluster.pods.get(&uid) else { return };
        let node = placed.node;
        let presence = self.cluster.shape(placed.shape).presence();
        self.cluster.displace(uid);
        if self.cluster.nodes[node].node.is_some() {
            self.stir_by_node(now, node);
        }
        self.stir_by_pod(now, &presence);
    }

    fn nominate(&mut self, uid: Uid, node: Option<Rc<str>>) {
        self.forget_nomination(uid);
        if let Some(node) = node {
            self.expected.entry(node.clone()).or_default().insert(uid);
            self.nominated.insert(uid, node);
        }
    }

    fn forget_nomination(&mut self, uid: Uid) {
        let Some(node) = self.nominated.remove(&uid) else { return };
        if let Some(uids) = self.expected.get_mut(&node) {
            uids.remove(&uid);
            if uids.is_empty() {
                self.expected.remove(&node);
            }
        }
    }
}

/// The shapes of other pods of no lower priority that are to come to a node.
fn expected_on(
    cluster: &Cluster,
    queue: &Queue,
    expected: &BTreeMap<Rc<str>, BTreeSet<Uid>>,
    pod: &Pod,
    node: usize,
) -> Vec<usize> {
    if expected.is_empty() {
        return Vec::new();
    }
    let there = expected.get(&cluster.nodes[node].name).into_iter().flatten();
    let others = there.filter(|uid| **uid != pod.metadata.uid).filter_map(|uid| queue.get(*uid));
    others.filter(|other| other.pod.spec.priority >= pod.spec.priority).map(|other| other.shape).collect()
}

/// How many nodes that fit are enough: all of less than 100, then a share that falls from 50 % (`numFeasibleNodesToFind`).
fn enough(nodes: usize) -> usize {
    const LEAST: usize = 100;
    if nodes < LEAST {
        return nodes;
    }
    let percent = 50_usize.saturating_sub(nodes / 125).max(5);
    (nodes * percent / 100).max(LEAST)
}

fn fail(text: &str) -> Outcome {
    Outcome::Fail { text: text.into(), nominated: None, victims: Vec::new() }
}
