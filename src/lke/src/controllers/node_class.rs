//! Says whether a NodeClass can be used, by its condition Ready.
//!
//! A version of Kubernetes must be that of an Enterprise control plane, which each look asks the API for; tags must not
//! have keys that Karpenter writes itself. A NodeClass with neither can't be found bad: it is Ready from the start, and
//! is not looked at. Every event of the NodeClass asks for a look, that of its own condition included, and every
//! NodeClaim of it that goes. Source: provider e1c5200 pkg/controllers/nodeclass/controller.go and validation.go.
//!
//! Its finalizer is left out: a NodeClass that is being deleted counts as absent either way.

use crate::context::{Context, Kube};
use crate::tags::map::split;
use crate::{NodeProvider, tags};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::Caller;
use lkesim_kube::controller::{Controller, Next, RateLimit, ReconcileError, Reconciler};
use lkesim_kube::object::node_class::NodeClassSpec;
use lkesim_kube::object::{ConditionStatus, ConditionType, NodeClass};
use lkesim_kube::store::Lock;
use lkesim_linode_api::Tier;
use std::rc::Rc;
use std::time::Duration;

const NAME: &str = "nodeclass";
const WORKERS: usize = 10;
/// Between two looks at a NodeClass that is good (validation.go:40).
pub const EVERY: Duration = Duration::from_secs(600);
/// Between two looks at one whose version is not the control plane's, so that an upgrade is seen soon (validation.go:43).
pub const EVERY_MISMATCHED: Duration = Duration::from_secs(60);

/// The keys of tags that no NodeClass may have (pkg/utils/utils.go:50).
const RESTRICTED: [&str; 6] =
    [tags::NODE_POOL, tags::NODE_CLASS, tags::MANAGED, tags::NODE_CLAIM, tags::CLUSTER_NAME, tags::NODE_NAME];

/// What a release looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Nothing: each NodeClass is good. v0.1.3.
    None,
    /// Its tags. e1c5200 in instance mode.
    Tags,
    /// Its version, then its tags. e1c5200 in LKE mode.
    VersionAndTags,
}

/// Whether some release might find this NodeClass bad. Any other is Ready from the start.
pub fn is_doubtful(spec: &NodeClassSpec) -> bool {
    spec.lke_k8s_version.is_some() || restricted(spec).next().is_some()
}

fn restricted(spec: &NodeClassSpec) -> impl Iterator<Item = &str> {
    let is_restricted = |tag: &&str| split(tag).is_some_and(|(key, _)| RESTRICTED.contains(&key));
    spec.tags.iter().map(|tag| &**tag).filter(is_restricted)
}

/// Starts the controller.
pub fn start(cx: &Rc<Context>, kube: &Kube, nodes: Rc<dyn NodeProvider>, checks: Checks) {
    let kube = Kube { client: kube.client.named(NAME), ..kube.clone() };
    let (informers, synced) = (kube.informers.clone(), kube.caches_synced());
    let reconcile = Rc::new(Validation { cx: cx.clone(), kube, nodes, checks });
    let controller = Controller { name: NAME, concurrency: WORKERS, limiter: RateLimit::REASONABLE, reconcile };
    let queue = controller.start(&cx.runtime, synced);
    let of_claims = queue.clone();
    informers.node_classes.on_change(move |change| {
        if let Some(class) = &change.after
            && is_looked_at(class)
        {
            queue.add(class.name().clone());
        }
    });
    let classes = informers.node_classes.clone();
    informers.node_claims.on_change(move |change| {
        if let (None, Some(claim)) = (&change.after, &change.before)
            && let Some(of) = &claim.spec.node_class_ref
            && classes.get(&of.name).is_some_and(|class| is_looked_at(&class))
        {
            of_claims.add(of.name.clone());
        }
    });
}

/// One that was mended is looked at once more.
fn is_looked_at(class: &NodeClass) -> bool {
    is_doubtful(&class.spec) || !class.is_ready()
}

struct Validation {
    cx: Rc<Context>,
    kube: Kube,
    nodes: Rc<dyn NodeProvider>,
    checks: Checks,
}

/// What was found.
struct Found {
    wrong: Option<(&'static str, String)>,
    next: Next,
}

impl Found {
    const GOOD: Found = Found { wrong: None, next: Next::After(EVERY) };

    const fn wrong(reason: &'static str, message: String, next: Next) -> Found {
        Found { wrong: Some((reason, message)), next }
    }
}

#[async_trait(?Send)]
impl Reconciler for Validation {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let class = self.kube.informers.node_classes.get(&key).filter(|class| !class.metadata.is_deleting());
        let Some(class) = class else {
            return Ok(Next::Done);
        };
        let found = self.look(&class.spec).await?;
        let mut changed = (*class).clone();
        let (status, reason, message) = match &found.wrong {
            None => (ConditionStatus::True, "", None),
            Some((reason, message)) => (ConditionStatus::False, *reason, Some(&**message)),
        };
        if !changed.status.conditions.set(self.cx.runtime.now(), ConditionType::Ready, status, reason, message) {
            return Ok(found.next);
        }
        match self.kube.client.patch_status(&*class, &changed, Lock::Optimistic).await {
            Err(error) if error.is_conflict() => Ok(Next::Again),
            Err(error) if !error.is_not_found() => Err(error.into()),
            _ => Ok(found.next),
        }
    }
}

impl Validation {
    async fn look(&self, spec: &NodeClassSpec) -> Result<Found, ReconcileError> {
        if self.checks == Checks::VersionAndTags
            && let Some(version) = &spec.lke_k8s_version
            && let Some(wrong) = self.look_at_version(version).await?
        {
            return Ok(wrong);
        }
        let restricted: Vec<String> = restricted(spec).map(|tag| format!("{tag:?}")).collect();
        if self.checks == Checks::None || restricted.is_empty() {
            return Ok(Found::GOOD);
        }
        let message = format!("tags failed validation requirements (tags={})", restricted.join(", "));
        // A terminal error: nothing but a change of the NodeClass asks again.
        Ok(Found::wrong("TagValidationFailed", message, Next::Done))
    }

    async fn look_at_version(&self, wanted: &str) -> Result<Option<Found>, ReconcileError> {
        let cluster = self.nodes.read_cluster(Caller::named(NAME)).await;
        let cluster = cluster.map_err(|error| ReconcileError::Failed(error.to_string()))?;
        let again = Next::After(EVERY_MISMATCHED);
        Ok(match cluster.tier {
            Tier::Enterprise if &*cluster.k8s_version == wanted => None,
            Tier::Enterprise => {
                let message = format!(
                    "lkeK8sVersion {wanted:?} requires the LKE cluster control plane to already be on {wanted:?}, \
                     current cluster version is {:?}",
                    cluster.k8s_version
                );
                Some(Found::wrong("LKEK8sVersionControlPlaneMismatch", message, again))
            }
            Tier::Standard => {
                let message = "lkeK8sVersion is only supported for LKE Enterprise clusters".to_owned();
                Some(Found::wrong("LKEK8sVersionUnsupported", message, again))
            }
        })
    }
}

#[cfg(test)]
mod tests;
