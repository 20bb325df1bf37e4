//! Deletes the pods of workloads that are gone (Kubernetes v1.33 `pkg/controller/garbagecollector`, background deletion).

use crate::calls::Calls;
use crate::view::View;
use crate::writers;
use async_trait::async_trait;
use lkesim_kube::client::Client;
use lkesim_kube::controller::{Controller, Next, RateLimit, ReconcileError, Reconciler};
use lkesim_kube::object::Workload;
use lkesim_kube::store::DeleteOptions;
use std::rc::Rc;

/// Workers (`--concurrent-gc-syncs`).
const WORKERS: usize = 20;

struct Orphans {
    view: Rc<View>,
    client: Client,
    calls: Calls,
}

/// Starts it. Its keys are pods.
pub fn start(view: &Rc<View>) {
    let reconcile = Rc::new(Orphans {
        client: view.client.named(writers::GARBAGE_COLLECTOR),
        calls: Calls::new(&view.runtime, view.settings.controller_calls),
        view: view.clone(),
    });
    let name = writers::GARBAGE_COLLECTOR;
    let controller = Controller { name, concurrency: WORKERS, limiter: RateLimit::DEFAULT, reconcile };
    let caches = view.clone();
    let queue = controller.start(&view.runtime, async move { caches.synced().await });
    let (of_workloads, weak) = (queue.clone(), Rc::downgrade(view));
    view.workloads.on_change(move |change| {
        if let (None, Some(before), Some(view)) = (&change.after, &change.before, weak.upgrade()) {
            for pod in view.owned_by(before.metadata.uid) {
                of_workloads.add(pod.name().clone());
            }
        }
    });
    // A pod may be made by a controller that has not heard of the end yet.
    let (of_pods, weak) = (queue, Rc::downgrade(view));
    view.pods.on_change(move |change| {
        if let (None, Some(after), Some(view)) = (&change.before, &change.after, weak.upgrade())
            && let Some(owner) = after.metadata.owner_references.first()
            && view.is_synced()
            && view.workloads.get(&owner.name).is_none()
        {
            of_pods.add(after.name().clone());
        }
    });
}

#[async_trait(?Send)]
impl Reconciler for Orphans {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let Some(pod) = self.view.pods.get(&key).filter(|pod| !pod.is_terminating()) else { return Ok(Next::Done) };
        let Some(owner) = pod.metadata.owner_references.first() else { return Ok(Next::Done) };
        // The server is asked, as the cache may not know the owner yet.
        self.calls.wait().await;
        let is_there = match self.client.get::<Workload>(&owner.name).await {
            Ok(workload) => workload.metadata.uid == owner.uid,
            Err(error) if error.is_not_found() => false,
            Err(error) => return Err(error.into()),
        };
        if is_there || owner.kind != lkesim_kube::object::Kind::Workload {
            return Ok(Next::Done);
        }
        self.calls.wait().await;
        let options = DeleteOptions { uid: Some(pod.metadata.uid), ..DeleteOptions::default() };
        match self.client.delete_with(&*pod, options).await {
            Err(error) if !error.is_not_found() && !error.is_conflict() => Err(error.into()),
            _ => Ok(Next::Done),
        }
    }
}
