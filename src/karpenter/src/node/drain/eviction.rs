//! The eviction queue: pods to be evicted, each until it is, with a rate limit of its own.
//!
//! Core v1.9.0 `node/termination/terminator/eviction.go`. A pod that its budget protects comes back after 100 ms, doubling to
//! 10 s.

use crate::Context;
use crate::operator::{bucket, concurrency};
use crate::provisioning::{InformerPods, Pods};
use async_trait::async_trait;
use lkesim_kube::ApiError;
use lkesim_kube::controller::{Controller, Next, Queue, RateLimit, ReconcileError, Reconciler};
use lkesim_kube::object::{Pod, Uid};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

/// The controller's name.
pub const NAME: &str = "eviction-queue";

/// The queue.
pub struct EvictionQueue {
    context: Context,
    pods: Rc<InformerPods>,
    waiting: RefCell<BTreeSet<Uid>>,
    queue: OnceCell<Queue>,
}

impl EvictionQueue {
    /// Starts it empty.
    pub fn start(context: &Context, pods: Rc<InformerPods>) -> Rc<EvictionQueue> {
        const MIN: u32 = 100;
        let evictions = Rc::new(EvictionQueue {
            context: context.of(NAME),
            pods,
            waiting: RefCell::default(),
            queue: OnceCell::new(),
        });
        let concurrency = concurrency(context.settings.controller_cpus, MIN, 5_000);
        let (base, max) = (Duration::from_millis(100), Duration::from_secs(10));
        let controller = Controller {
            name: NAME,
            concurrency: concurrency as usize,
            limiter: RateLimit::new(base, max, bucket(100, MIN, concurrency)),
            reconcile: Rc::new(Evictions(evictions.clone())),
        };
        let informers = context.informers.clone();
        let queue = controller.start(&context.runtime, async move { informers.synced().await });
        evictions.queue.set(queue).unwrap_or_else(|_| unreachable!("it is started once"));
        evictions
    }

    /// Lets a pod be evicted.
    pub fn add(&self, pod: &Pod) {
        if self.waiting.borrow_mut().insert(pod.metadata.uid)
            && let Some(queue) = self.queue.get()
        {
            queue.add(pod.name().clone());
        }
    }
}

struct Evictions(Rc<EvictionQueue>);

#[async_trait(?Send)]
impl Reconciler for Evictions {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let evictions = &self.0;
        // Another pod of that name is none of the queue's.
        let is_meant = |pod: &Rc<Pod>| evictions.waiting.borrow().contains(&pod.metadata.uid);
        let Some(pod) = evictions.pods.get(&key).filter(is_meant) else { return Ok(Next::Done) };
        match evictions.context.client.evict(&pod).await {
            Ok(()) => {
                evictions.waiting.borrow_mut().remove(&pod.metadata.uid);
                Ok(Next::Done)
            }
            Err(error) if error.is_not_found() || error.is_conflict() => Ok(Next::Done),
            Err(ApiError::TooManyRequests { .. } | ApiError::SeveralBudgets { .. }) => Ok(Next::Again),
            Err(error) => Err(error.into()),
        }
    }
}
