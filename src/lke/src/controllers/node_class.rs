//! Says whether a NodeClass can be used, by its condition Ready.
//!
//! A version of Kubernetes must be that of an Enterprise control plane, which each look asks the API for; tags must not
//! have keys that Karpenter writes itself. Every event of the NodeClass asks for a look, those of its own condition,
//! finalizer and hash included, and every NodeClaim of it that goes. Ready is said of one generation of the settings: a
//! change of them is not ready before the next look is over. Source: provider e1c5200
//! pkg/controllers/nodeclass/controller.go and validation.go.
//!
//! The finalizer keeps a NodeClass until its last NodeClaim is gone; till then it counts as absent.

pub mod hash;

use crate::context::{Context, Kube};
use crate::tags::map::split;
use crate::{NodeProvider, tags};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::Caller;
use lkesim_kube::ApiError;
use lkesim_kube::controller::{Controller, Next, RateLimit, ReconcileError, Reconciler};
use lkesim_kube::object::node_class::NodeClassSpec;
use lkesim_kube::object::{ConditionStatus, NodeClass};
use lkesim_kube::store::Lock;
use lkesim_linode_api::Tier;
use lkesim_runtime::Time;
use std::rc::Rc;
use std::time::Duration;

const NAME: &str = "nodeclass";
const WORKERS: usize = 10;
/// Between two looks at a NodeClass that is good, and at one that waits for its NodeClaims to go (validation.go:40,
/// controller.go:149).
pub const EVERY: Duration = Duration::from_secs(600);
/// Between two looks at one whose version is not the control plane's, so that an upgrade is seen soon (validation.go:43).
pub const EVERY_MISMATCHED: Duration = Duration::from_secs(60);

/// What keeps a NodeClass until its NodeClaims are gone (pkg/apis/v1alpha1/labels.go:59).
const FINALIZER: &str = "karpenter.k8s.linode/termination";

/// The keys of tags that no NodeClass may have (pkg/utils/utils.go:50).
const RESTRICTED: [&str; 6] =
    [tags::NODE_POOL, tags::NODE_CLASS, tags::MANAGED, tags::NODE_CLAIM, tags::CLUSTER_NAME, tags::NODE_NAME];

/// What a release looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checks {
    /// Nothing: each NodeClass is good once it was looked at. v0.1.3.
    None,
    /// Its tags. e1c5200 in instance mode.
    Tags,
    /// Its version, then its tags. e1c5200 in LKE mode.
    VersionAndTags,
}

impl Checks {
    /// Whether these might find a NodeClass bad.
    pub fn doubt(self, spec: &NodeClassSpec) -> bool {
        match self {
            Checks::None => false,
            Checks::Tags => !restricted(spec).is_empty(),
            Checks::VersionAndTags => spec.lke_k8s_version.is_some() || !restricted(spec).is_empty(),
        }
    }
}

/// The NodeClass as the controllers leave one that they found good.
pub fn settled(class: NodeClass, at: Time) -> NodeClass {
    known(class).found_good(at)
}

/// The NodeClass with what the controllers keep in one that they know, whatever they found.
pub fn known(class: NodeClass) -> NodeClass {
    let mut class = hash::annotated(class);
    class.metadata.add_finalizer(FINALIZER);
    class
}

/// Tags with a key that is not theirs, each once (pkg/utils/utils.go:164).
fn restricted(spec: &NodeClassSpec) -> Vec<&str> {
    let is_restricted = |tag: &&str| split(tag).is_some_and(|(key, _)| RESTRICTED.contains(&key));
    let mut found: Vec<&str> = Vec::new();
    for tag in spec.tags.iter().map(|tag| &**tag).filter(is_restricted) {
        if !found.contains(&tag) {
            found.push(tag);
        }
    }
    found
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
            && is_looked_at(class, checks)
        {
            queue.add(class.name().clone());
        }
    });
    let classes = informers.node_classes.clone();
    informers.node_claims.on_change(move |change| {
        if let (None, Some(claim)) = (&change.after, &change.before)
            && let Some(of) = &claim.spec.node_class_ref
            && classes.get(&of.name).is_some_and(|class| is_looked_at(&class, checks))
        {
            of_claims.add(of.name.clone());
        }
    });
}

/// A look at any other asks nothing and changes nothing.
fn is_looked_at(class: &NodeClass, checks: Checks) -> bool {
    let is_settled = class.is_ready() && class.metadata.has_finalizer(FINALIZER) && !class.metadata.is_deleting();
    checks.doubt(&class.spec) || !is_settled
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
        let Some(class) = self.kube.informers.node_classes.get(&key) else {
            return Ok(Next::Done);
        };
        if class.metadata.is_deleting() {
            return self.finalize(&class).await;
        }
        let class = match self.with_finalizer(class).await {
            Ok(class) => class,
            Err(error) => return missed(Next::Done, error),
        };
        let found = self.look(&class.spec).await?;
        let (status, reason, message) = match &found.wrong {
            None => (ConditionStatus::True, "", None),
            Some((reason, message)) => (ConditionStatus::False, *reason, Some(&**message)),
        };
        let mut changed = (*class).clone();
        if !changed.set_ready(self.cx.runtime.wall_clock(), status, reason, message) {
            return Ok(found.next);
        }
        match self.kube.client.patch_status(&*class, &changed, Lock::Optimistic).await {
            Ok(_) => Ok(found.next),
            Err(error) => missed(found.next, error),
        }
    }
}

/// A write that met another one is tried again; one to what is gone counts as done.
fn missed(next: Next, error: ApiError) -> Result<Next, ReconcileError> {
    match error {
        error if error.is_conflict() => Ok(Next::Again),
        error if error.is_not_found() => Ok(next),
        error => Err(error.into()),
    }
}

impl Validation {
    /// The NodeClass with its finalizer, as the API server has it then.
    async fn with_finalizer(&self, class: Rc<NodeClass>) -> Result<Rc<NodeClass>, ApiError> {
        if class.metadata.has_finalizer(FINALIZER) {
            return Ok(class);
        }
        let mut changed = (*class).clone();
        changed.metadata.add_finalizer(FINALIZER);
        self.kube.client.patch(&*class, &changed, Lock::Optimistic).await
    }

    /// Lets a NodeClass go that no NodeClaim names (controller.go:140).
    async fn finalize(&self, class: &Rc<NodeClass>) -> Result<Next, ReconcileError> {
        let claims = self.kube.informers.node_claims.list();
        let names = |name: &str| name == &**class.name();
        if claims.iter().any(|claim| claim.spec.node_class_ref.as_ref().is_some_and(|of| names(&of.name))) {
            return Ok(Next::After(EVERY));
        }
        let mut changed = (**class).clone();
        changed.metadata.remove_finalizer(FINALIZER);
        match self.kube.client.patch(&**class, &changed, Lock::Optimistic).await {
            Ok(_) => Ok(Next::Done),
            Err(error) => missed(Next::Done, error),
        }
    }

    async fn look(&self, spec: &NodeClassSpec) -> Result<Found, ReconcileError> {
        if self.checks == Checks::VersionAndTags
            && let Some(version) = &spec.lke_k8s_version
            && let Some(wrong) = self.look_at_version(version).await?
        {
            return Ok(wrong);
        }
        let restricted: Vec<String> = restricted(spec).into_iter().map(|tag| format!("{tag:?}")).collect();
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
        match cluster.tier {
            Some(Tier::Enterprise) if &*cluster.k8s_version == wanted => Ok(None),
            Some(Tier::Enterprise) => {
                let message = format!(
                    "lkeK8sVersion {wanted:?} requires the LKE cluster control plane to already be on {wanted:?}, \
                     current cluster version is {:?}",
                    cluster.k8s_version
                );
                Ok(Some(Found::wrong("LKEK8sVersionControlPlaneMismatch", message, again)))
            }
            Some(Tier::Standard) => {
                let message = "lkeK8sVersion is only supported for LKE Enterprise clusters".to_owned();
                Ok(Some(Found::wrong("LKEK8sVersionUnsupported", message, again)))
            }
            // An answer without fields: the condition stays as it is.
            None => Err(ReconcileError::Failed("validating lkeK8sVersion, unsupported LKE version tier \"\"".into())),
        }
    }
}

#[cfg(test)]
mod tests;
