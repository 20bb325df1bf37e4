//! Commands that are under way: nodes that are marked, and then taken away.
//!
//! Core v1.9.0 `disruption/queue.go`. A command to delete has nothing to wait for. A deletion that fails is tried again each
//! second; after ten minutes and more the command is given up, and its nodes are as they were.

use super::candidates::Candidate;
use super::marks;
use super::retry::persist;
use crate::Context;
use crate::operator::{concurrency, synced};
use async_trait::async_trait;
use lkesim_kube::ApiError;
use lkesim_kube::controller::{Bucket, Controller, Next, Queue, RateLimit, ReconcileError, Reconciler};
use lkesim_kube::object::ProviderId;
use lkesim_kube::object::node_pool::DisruptionReason;
use lkesim_kube::parallel;
use lkesim_runtime::Time;
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// The controller's name.
pub const NAME: &str = "disruption.queue";

const RETRY: Duration = Duration::from_secs(1);

/// Nodes that go together.
struct Command {
    created: Time,
    candidates: Vec<Candidate>,
}

/// All commands of one process, by the machines that they are about.
pub struct Commands {
    context: Context,
    by_id: RefCell<BTreeMap<ProviderId, Rc<Command>>>,
    queue: OnceCell<Queue>,
}

impl Commands {
    /// Starts without a command.
    pub fn start(context: &Context) -> Rc<Commands> {
        let commands =
            Rc::new(Commands { context: context.of(NAME), by_id: RefCell::default(), queue: OnceCell::new() });
        let controller = Controller {
            name: NAME,
            concurrency: concurrency(context.settings.controller_cpus, 100, 1_000) as usize,
            limiter: RateLimit::new(RETRY, Duration::from_secs(10), Bucket { qps: 100, burst: 1_000 }),
            reconcile: Rc::new(Running(commands.clone())),
        };
        let queue = controller.start(&context.runtime, synced(context));
        commands.queue.set(queue).unwrap_or_else(|_| unreachable!("it is started once"));
        commands
    }

    /// Whether a command is about this machine.
    pub fn has(&self, id: &ProviderId) -> bool {
        self.by_id.borrow().contains_key(id)
    }

    /// Marks nodes as disrupted and lets them be deleted: those that could be marked, where some could not. `context` is that
    /// of who decided it.
    pub async fn begin(&self, context: &Context, candidates: Vec<Candidate>) -> Result<(), ApiError> {
        let created = context.runtime.now();
        let of = context.clone();
        let mark = move |candidate: Candidate| {
            let context = of.clone();
            async move {
                marks::require_taint(&context, candidate.node.name(), true).await?;
                marks::set_reason(&context, candidate.claim.name(), DisruptionReason::Empty).await?;
                Ok(candidate)
            }
        };
        let marking: Vec<Result<Candidate, ApiError>> = in_parallel(context, candidates, mark).await;
        let mut candidates = Vec::new();
        let mut failure = None;
        for result in marking {
            match result {
                Ok(candidate) => candidates.push(candidate),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        let Some(first) = candidates.first().map(|first| first.claim.name().clone()) else {
            return failure.map_or(Ok(()), Err);
        };
        let command = Rc::new(Command { created, candidates });
        for candidate in &command.candidates {
            self.context.marked.add(&candidate.id);
            self.by_id.borrow_mut().insert(candidate.id.clone(), command.clone());
        }
        if let Some(queue) = self.queue.get() {
            queue.add(first);
        }
        Ok(())
    }

    /// How long commands are tried, which grows with their number.
    fn patience(&self) -> Duration {
        let commands = u32::try_from(self.by_id.borrow().len()).unwrap_or(u32::MAX);
        let grown = Duration::from_millis(80).saturating_mul(commands);
        grown.clamp(Duration::from_secs(10 * 60), Duration::from_secs(60 * 60))
    }

    async fn delete_all(&self, command: &Command) -> Result<(), ApiError> {
        let of = self.context.clone();
        let delete = move |candidate: Candidate| {
            let context = of.clone();
            async move { persist(&context.runtime, async || context.delete(&*candidate.claim).await).await }
        };
        let results = in_parallel(&self.context, command.candidates.clone(), delete).await;
        results.into_iter().collect()
    }

    async fn run(&self, command: &Command) -> Next {
        let result = self.delete_all(command).await;
        let is_late = self.context.runtime.now().since(command.created) > self.patience();
        if result.is_err() && !is_late {
            return Next::After(RETRY);
        }
        if is_late {
            self.give_up(command).await;
        }
        for candidate in &command.candidates {
            self.by_id.borrow_mut().remove(&candidate.id);
        }
        Next::Done
    }

    /// Makes the nodes what they were. What can't be written is left to the next round, which does the same.
    async fn give_up(&self, command: &Command) {
        for candidate in &command.candidates {
            drop(marks::require_taint(&self.context, candidate.node.name(), false).await);
            drop(marks::clear_reason(&self.context, candidate.claim.name()).await);
            self.context.marked.remove(&candidate.id);
        }
    }
}

/// Does it for all candidates at once.
async fn in_parallel<R: 'static, W>(
    context: &Context,
    candidates: Vec<Candidate>,
    work: impl Fn(Candidate) -> W + 'static,
) -> Vec<R>
where
    W: Future<Output = R> + 'static,
{
    parallel::map(&context.runtime, NAME, candidates.len(), candidates, work).await
}

struct Running(Rc<Commands>);

#[async_trait(?Send)]
impl Reconciler for Running {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let commands = &self.0;
        let claim = commands.context.informers.node_claims.get(&key);
        let id = claim.and_then(|claim| claim.status.provider_id.clone());
        let command = id.and_then(|id| commands.by_id.borrow().get(&id).cloned());
        Ok(match command {
            Some(command) => commands.run(&command).await,
            None => Next::Done,
        })
    }
}
