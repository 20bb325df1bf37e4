//! Controllers: a work queue, its rate limiter, and what is done for a key.
//!
//! A reconcile is a task of its own, named for the controller and the key; workers that wait for work do not exist. The
//! concurrency is the number of reconciles that run at once.

mod queue;
mod rate_limit;

pub use queue::{Pending, Queue};
pub use rate_limit::{Bucket, Exponential, Limiter, RateLimit};

use crate::ApiError;
use async_trait::async_trait;
use lkesim_runtime::Runtime;
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

/// What a reconcile asks for when it succeeded; controller-runtime's `Result`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Nothing until the key is added again. Its failures are forgotten.
    Done,
    /// Again after this time, `RequeueAfter`. Its failures are forgotten. Zero is [`Next::Done`].
    After(Duration),
    /// Again with the delay of a failure, `Requeue`.
    Again,
}

impl Next {
    /// The one that comes back sooner, as Karpenter's `result.Min` joins the results of one pass.
    pub fn sooner(self, other: Next) -> Next {
        match (self, other) {
            (Next::Done, next) | (next, Next::Done) => next,
            (Next::Again, _) | (_, Next::Again) => Next::Again,
            (Next::After(one), Next::After(two)) => Next::After(one.min(two)),
        }
    }
}

/// Why a reconcile failed. Each failure adds the key again, after the rate limiter's delay.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReconcileError {
    /// The API server refused.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// Something else failed: the cloud, say.
    #[error("{0}")]
    Failed(String),
}

/// What a controller does for a key.
#[async_trait(?Send)]
pub trait Reconciler {
    /// Brings the world closer to what the object `key` asks for. Never runs twice at once for one key.
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError>;
}

/// A controller, before it is started.
#[derive(Clone)]
pub struct Controller {
    /// Its name, which its tasks bear.
    pub name: &'static str,
    /// How many keys are reconciled at once.
    pub concurrency: usize,
    /// When a key comes back after a failure.
    pub limiter: RateLimit,
    /// What is done for a key.
    pub reconcile: Rc<dyn Reconciler>,
}

impl Controller {
    /// Starts the controller in the process of `runtime`; it dies with it. It reconciles nothing until `ready`, which
    /// is when its caches have synced; what is added before waits.
    pub fn start(self, runtime: &Runtime, ready: impl Future<Output = ()> + 'static) -> Queue {
        queue::start(self, runtime, ready, None)
    }

    /// Starts a controller without objects: its one key, its own name, is reconciled as soon as it is `ready`, and
    /// then as it asks for itself. Return [`Next::After`] for a period.
    pub fn start_singleton(self, runtime: &Runtime, ready: impl Future<Output = ()> + 'static) -> Queue {
        let key = self.name.into();
        queue::start(self, runtime, ready, Some(key))
    }
}

#[cfg(test)]
mod tests;
