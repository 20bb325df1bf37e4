//! The steps of a case, taken with a design.

use super::case::{Claim, Job, Nothing, Step, Store, span};
use super::hand;
use super::lab::{Lab, TEST};
use super::record::{Came, KubeState, Outcome, Record};
use lkesim_karpenter::cloud_provider::{CreateError, Machine, ProviderError};
use lkesim_kube::object::{Node, NodeClaim, ProviderId, labels};
use lkesim_kube::store::Part;
use lkesim_linode_api::InstanceId;
use lkesim_lke::controllers::tagging::TAGGED;
use lkesim_lke::{Design, NodeProvider};
use lkesim_runtime::Runtime;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// A controller that has asked for nothing so long has nothing left to do, or has failed five times.
const QUIET: Duration = Duration::from_millis(1_200);

/// Takes all steps of a case.
///
/// # Errors
/// What is wrong with the case.
pub fn drive(job: &Job, design: &'static Design) -> Result<Record, String> {
    let (lab, boot) = Lab::boot(job, design)?;
    let mut steps = Vec::new();
    for (index, step) in job.case.steps.iter().enumerate() {
        let came = lab.take(step).map_err(|error| format!("steps[{index}]: {error}"))?;
        steps.push(came);
    }
    let state = hand::state(&lab.cloud.borrow());
    Ok(Record { case: job.id(), boot, steps, state, kube: lab.kube_state() })
}

impl Lab {
    fn take(&self, step: &Step) -> Result<Came, String> {
        let results = match &step.parallel[..] {
            [] => vec![self.take_one(step)?],
            parts => self.take_all(parts)?,
        };
        Ok(Came { results, calls: self.take_calls() })
    }

    /// A step that takes the kernel, or one operation.
    fn take_one(&self, step: &Step) -> Result<Outcome, String> {
        if let Some(after) = &step.after {
            self.wait(span(after)?);
        }
        match step {
            Step { collect: Some(Nothing {}), .. } => Ok(self.collect()),
            Step { tag: Some(claim), .. } => Ok(self.tag(claim)),
            Step { store: Some(store), .. } => self.put(store),
            Step { wait: Some(time), .. } => {
                self.wait(span(time)?);
                Ok(done())
            }
            Step { hand: Some(hand), .. } => {
                self.act(hand)?;
                Ok(done())
            }
            operation => {
                let operation = operation.clone();
                Ok(self.run(|lab| operate(lab.watched.clone(), operation)))
            }
        }
    }

    /// Steps that begin at once. Each is one operation, or something that takes no time.
    fn take_all(&self, parts: &[Step]) -> Result<Vec<Outcome>, String> {
        let runtime = self.kernel.runtime();
        let results: Rc<RefCell<Vec<Option<Outcome>>>> = Rc::new(RefCell::new(vec![None; parts.len()]));
        let mut deeds = Vec::new();
        for (place, part) in parts.iter().enumerate() {
            let after = part.after.as_deref().map_or(Ok(Duration::ZERO), span)?;
            match &part.hand {
                Some(hand) => deeds.push((after, place, hand)),
                None => {
                    let (nodes, results) = (self.watched.clone(), results.clone());
                    runtime.spawn("test", begin(runtime.clone(), after, nodes, part.clone(), place, results));
                }
            }
        }
        deeds.sort_by_key(|(after, ..)| *after);
        let start = self.kernel.now();
        for (after, place, hand) in deeds {
            self.kernel.run_until(start + after).map_err(|error| error.to_string())?;
            self.act(hand)?;
            results.borrow_mut()[place] = Some(done());
        }
        let all_came = || results.borrow().iter().all(Option::is_some);
        if !all_came() {
            self.kernel.run(all_came).map_err(|error| error.to_string())?;
        }
        let came = results.borrow_mut().drain(..).collect::<Option<_>>();
        came.ok_or_else(|| "a step has no end".to_owned())
    }

    /// One pass of the garbage collection.
    fn collect(&self) -> Outcome {
        self.until_collection_waits();
        self.watched.take_errors();
        self.watched.collect();
        self.until_collection_waits();
        match self.watched.take_errors().pop() {
            Some(text) => error(text),
            None => ok([]),
        }
    }

    fn until_collection_waits(&self) {
        // The kernel asks after a poll, and the next one may be hours away.
        if !self.watched.collection_waits() {
            self.kernel.run(|| self.watched.collection_waits()).expect("the kernel goes on");
        }
    }

    /// The tagging of a NodeClaim's Linode, until its controller is quiet.
    fn tag(&self, claim: &Claim) -> Outcome {
        self.watched.take_errors();
        self.apply(claim);
        let mut errors;
        let mut last = Vec::new();
        loop {
            self.wait(QUIET / 4);
            errors = self.watched.take_errors();
            if !errors.is_empty() {
                last = errors;
            }
            let now = self.kernel.now();
            if self.watched.quiet_since().is_some_and(|since| now.since(since) >= QUIET) {
                break;
            }
        }
        match (last.pop(), self.is_tagged(&claim.claim)) {
            (Some(text), false) => error(text),
            _ => ok([]),
        }
    }

    fn is_tagged(&self, name: &str) -> bool {
        let claim = self.store.get::<NodeClaim>(name);
        claim.is_some_and(|claim| claim.metadata.annotations.has(TAGGED, "true"))
    }

    fn put(&self, store: &Store) -> Result<Outcome, String> {
        if store.claims.iter().any(|claim| claim.node.is_some()) {
            return Err("a NodeClaim of `store` has no Node: it would be tagged".to_owned());
        }
        for claim in &store.claims {
            self.apply(claim);
        }
        for node in &store.nodes {
            let made = Node::new(&*node.node, Some(ProviderId::linode(node.id)));
            self.store.create(self.write(), made).map_err(|error| error.to_string())?;
        }
        // The caches hear of it.
        self.wait(Duration::from_millis(1));
        Ok(done())
    }

    /// Puts a NodeClaim into the store, in place of one of its name.
    fn apply(&self, claim: &Claim) {
        let mut made = claim.node_claim();
        if claim.deleting {
            made.metadata.add_finalizer(labels::TERMINATION_FINALIZER);
        }
        match self.store.get::<NodeClaim>(&claim.claim) {
            None => {
                self.store.create(self.write(), made).expect("nothing has this name");
                if claim.deleting {
                    self.store.delete::<NodeClaim>(self.write(), &claim.claim).expect("it is there");
                }
            }
            Some(present) => {
                let mut changed = (*present).clone();
                changed.status = made.status;
                self.store.update(self.write(), &changed, Part::Status).expect("it is there");
            }
        }
    }

    fn kube_state(&self) -> KubeState {
        let claims = self.store.list::<NodeClaim>();
        let tagged = claims.iter().filter(|claim| claim.metadata.annotations.has(TAGGED, "true"));
        let nodes = self.store.list::<Node>();
        KubeState {
            tagged: tagged.map(|claim| claim.name().to_string()).collect(),
            nodes: nodes.iter().map(|node| node.name().to_string()).collect(),
        }
    }
}

async fn begin(
    runtime: Runtime,
    after: Duration,
    nodes: Rc<dyn NodeProvider>,
    part: Step,
    place: usize,
    results: Rc<RefCell<Vec<Option<Outcome>>>>,
) {
    runtime.sleep(after).await;
    let outcome = operate(nodes, part).await;
    results.borrow_mut()[place] = Some(outcome);
}

/// One operation of a provider.
async fn operate(nodes: Rc<dyn NodeProvider>, step: Step) -> Outcome {
    match step {
        Step { create: Some(claim), .. } => match nodes.create(TEST, &claim.node_claim()).await {
            Ok(machine) => ok([&machine]),
            Err(failed) => create_error(failed),
        },
        Step { get: Some(target), .. } => {
            let id = target.provider_id().unwrap_or_else(|| ProviderId::new(""));
            told(nodes.get(TEST, &id).await, |machine| ok([machine]))
        }
        Step { list: Some(Nothing {}), .. } => told(nodes.list(TEST).await, |machines| ok(machines)),
        Step { delete: Some(target), .. } => {
            let claim = Claim { claim: "deleted".to_owned(), ..Claim::default() };
            let mut claim = claim.node_claim();
            claim.status.provider_id = target.provider_id();
            told(nodes.delete(TEST, &claim).await, |()| ok([]))
        }
        Step { create_tags: Some(more), .. } => {
            let tags = more.tags.iter().map(|(key, value)| lkesim_lke::tags::tag(key, value)).collect();
            told(nodes.create_tags(TEST, InstanceId(more.id), tags).await, |()| ok([]))
        }
        _ => error("an empty step".to_owned()),
    }
}

fn done() -> Outcome {
    Outcome { class: "done".to_owned(), ..Outcome::default() }
}

fn ok<'a>(machines: impl IntoIterator<Item = &'a Machine>) -> Outcome {
    let provider_ids = machines.into_iter().map(|machine| machine.provider_id.to_string()).collect();
    Outcome { class: "ok".to_owned(), provider_ids, ..Outcome::default() }
}

fn error(text: String) -> Outcome {
    Outcome { class: "error".to_owned(), text, ..Outcome::default() }
}

fn told<T>(result: Result<T, ProviderError>, good: impl FnOnce(&T) -> Outcome) -> Outcome {
    match result {
        Ok(value) => good(&value),
        Err(failed) if failed.is_not_found() => {
            Outcome { class: "NodeClaimNotFound".to_owned(), ..error(failed.to_string()) }
        }
        Err(failed) => error(failed.to_string()),
    }
}

fn create_error(failed: CreateError) -> Outcome {
    let text = failed.to_string();
    let (class, reason) = match failed {
        CreateError::InsufficientCapacity(_) => ("InsufficientCapacity", ""),
        CreateError::NodeClassNotReady(_) => ("NodeClassNotReady", ""),
        CreateError::Create { reason, .. } => ("CreateError", reason),
        CreateError::Other(_) => ("error", ""),
    };
    Outcome { class: class.to_owned(), reason: reason.to_owned(), text, ..Outcome::default() }
}
