//! When pods last came to a node or left it, in its NodeClaim's status.
//!
//! Core v1.9.0 `nodeclaim/podevents/controller.go`: a pod that is bound, that ends or begins to end, and, as a process that
//! starts sees it so, every pod that is on a node then. Within ten seconds one such event is enough. Pods of DaemonSets do not
//! count.

use crate::Context;
use crate::context::ignore_not_found;
use async_trait::async_trait;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::{NodeClaim, ObjectMeta, Pod, PodOwner};
use lkesim_kube::store::{Change, Lock};
use std::rc::Rc;
use std::time::Duration;

/// The controller's name.
pub const NAME: &str = "nodeclaim.podevents";

/// How long an event stands for those that follow.
const DEDUPE: Duration = Duration::from_secs(10);

/// Whether a change of a pod is such an event.
pub fn counts(change: &Change<Pod>) -> bool {
    match (&change.before, &change.after) {
        (None, Some(_)) => true,
        (Some(before), Some(after)) => {
            let is_news = |of: fn(&Pod) -> bool| of(after) && !of(before);
            let is_bound = |pod: &Pod| pod.node_name.is_some();
            is_news(is_bound) || (is_bound(after) && (is_news(Pod::is_terminal) || is_news(Pod::is_terminating)))
        }
        (_, None) => false,
    }
}

/// The reconciler of `nodeclaim.podevents`.
pub struct PodEvents {
    context: Context,
}

impl PodEvents {
    /// A controller with nothing to remember.
    pub fn new(context: &Context) -> PodEvents {
        PodEvents { context: context.of(NAME) }
    }

    /// The one NodeClaim of the node that a pod is on.
    fn claim_of(&self, pod: &str) -> Option<Rc<NodeClaim>> {
        let informers = &self.context.informers;
        let pod = informers.pods.as_ref()?.pods.get(pod).filter(|pod| pod.owner != PodOwner::DaemonSet)?;
        let node = informers.nodes.get(pod.node_name.as_ref()?)?;
        match &informers.node_claims.by_provider_id(node.spec.provider_id.as_ref()?)[..] {
            [claim] => Some(claim.clone()),
            _ => None,
        }
    }
}

#[async_trait(?Send)]
impl Reconciler for PodEvents {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let Some(claim) = self.claim_of(&key) else { return Ok(Next::Done) };
        let now = self.context.runtime.wall_clock();
        if claim.status.last_pod_event.is_some_and(|last| now.since(last) < DEDUPE) {
            return Ok(Next::Done);
        }
        let mut changed = NodeClaim::clone(&claim);
        changed.status.last_pod_event = Some(ObjectMeta::whole_second(now));
        if changed != *claim {
            ignore_not_found(self.context.client.patch_status(&*claim, &changed, Lock::None).await.map(drop))?;
        }
        Ok(Next::Done)
    }
}
