//! The rounds of disruption: every ten seconds one looks for empty nodes, looks again 15 seconds later, and takes those away
//! that are empty still.
//!
//! Core v1.9.0 `disruption/controller.go`, `emptiness.go` and `validation.go`. The second look is what a pod has that came
//! in between: to be bound, or to be nominated by a pass of provisioning.

use super::budget::Left;
use super::candidates::{Candidate, Candidates};
use super::marks;
use crate::Context;
use crate::provisioning::snapshot;
use async_trait::async_trait;
use lkesim_kube::ApiError;
use lkesim_kube::controller::{Next, ReconcileError, Reconciler};
use lkesim_kube::object::node_pool::DisruptionReason;
use lkesim_kube::object::{Node, NodeClaim, labels};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

/// The controller's name.
pub const NAME: &str = "disruption";

/// The pause after a round that did nothing (`pollingPeriod`).
const PERIOD: Duration = Duration::from_secs(10);
/// The pause while a NodeClaim has no machine.
const UNSYNCED: Duration = Duration::from_secs(1);
/// How long empty nodes must stay so (`consolidationTTL`).
const VALIDATION: Duration = Duration::from_secs(15);
/// After a round that did something the next one follows at once (`singleton.RequeueImmediately`).
const AT_ONCE: Duration = Duration::from_nanos(1);

/// The reconciler of `disruption`.
pub struct Rounds(pub Candidates);

impl Rounds {
    /// Whether it did something.
    async fn round(&self) -> Result<bool, ApiError> {
        self.tidy().await?;
        let found = self.within_budgets(self.0.look().await);
        if found.is_empty() {
            return Ok(false);
        }
        self.context().runtime.sleep(VALIDATION).await;
        let names: BTreeSet<Rc<str>> = found.iter().map(|candidate| candidate.node.name().clone()).collect();
        let mut still = self.0.look().await;
        still.retain(|candidate| names.contains(candidate.node.name()));
        still.retain(|candidate| !self.0.is_nominated(&candidate.claim, Some(&candidate.node)));
        let still = self.within_budgets(still);
        if still.is_empty() {
            return Ok(false);
        }
        self.0.commands.begin(self.context(), still).await?;
        Ok(true)
    }

    fn context(&self) -> &Context {
        &self.0.context
    }

    /// As many as the budgets of their NodePools allow, in this order.
    fn within_budgets(&self, mut candidates: Vec<Candidate>) -> Vec<Candidate> {
        if candidates.is_empty() {
            return candidates;
        }
        let mut left = Left::of(self.context(), DisruptionReason::Empty);
        candidates.retain(|candidate| left.take(&candidate.node_pool));
        candidates
    }

    /// Takes the marks off nodes that no command is about, as a process that died leaves them: all taints, and where that
    /// went well all reasons. One that fails keeps no other.
    async fn tidy(&self) -> Result<(), ApiError> {
        let context = self.context();
        let is_left = |claim: &Rc<NodeClaim>| !snapshot::is_leaving(context, claim) && !self.is_under_way(claim);
        let with_node = |claim: Rc<NodeClaim>| Some((context.nodes_of(&claim).pop()?, claim));
        let left: Vec<_> =
            context.informers.node_claims.list().into_iter().filter(is_left).filter_map(with_node).collect();
        let mut result = Ok(());
        for (node, _) in left.iter().filter(|(node, _)| marks::is_tainted(node)) {
            result = result.and(marks::require_taint(context, node.name(), false).await);
        }
        result?;
        let mut result = Ok(());
        let is_marked = |claim: &NodeClaim, node: &Node| {
            marks::has_reason(claim) && node.metadata.labels.has(labels::NODE_INITIALIZED, "true")
        };
        for (_, claim) in left.iter().filter(|(node, claim)| is_marked(claim, node)) {
            result = result.and(marks::clear_reason(context, claim.name()).await);
        }
        result
    }

    fn is_under_way(&self, claim: &NodeClaim) -> bool {
        claim.status.provider_id.as_ref().is_some_and(|id| self.0.commands.has(id))
    }
}

#[async_trait(?Send)]
impl Reconciler for Rounds {
    async fn reconcile(&self, _key: Rc<str>) -> Result<Next, ReconcileError> {
        if !self.0.provisioner.is_synced() {
            return Ok(Next::After(UNSYNCED));
        }
        match self.round().await {
            Ok(true) => Ok(Next::After(AT_ONCE)),
            Ok(false) => Ok(Next::After(PERIOD)),
            Err(error) if error.is_conflict() => Ok(Next::Again),
            Err(error) => Err(error.into()),
        }
    }
}
