//! What a run cost and how it went, counted from the stream of events.
//!
//! A run makes millions of calls and few Linodes, so the path of a call adds to arrays that enums index, and everything
//! else may look things up by id. Nothing is kept of a call once it is answered.

mod budgets;
mod calls;
mod claims;
mod gate;
mod hard_case;
mod holding;
mod lasted;
mod linodes;
mod nodes;
mod numbered;
mod operations;
mod pods;
mod quantiles;
mod window;

pub use budgets::NO_REASON;
pub use hard_case::{HARD_CASES, HardCase, HardCases};
pub use lasted::{Lasted, Reached};
pub use window::WindowPeak;

use crate::event::{Event, NodeChange, What};
use crate::outcome::{
    ApiUse, BudgetRow, ClaimCounts, Cost, InstanceCounts, NodeCounts, PassCounts, PodCounts, TaintCounts, TimeTo,
};
use calls::Calls;
use claims::Claims;
use gate::Gates;
use linodes::Linodes;
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::{InstanceId, PlanPrice, RateClass, Tier};
use lkesim_runtime::Time;
use nodes::Nodes;
use operations::Operations;
use pods::Pods;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// A rate limit, to lay beside what was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassLimit {
    /// How many requests a window allows; none where nothing is refused.
    pub count: Option<u64>,
    /// The window's length.
    pub window: Duration,
}

/// What figures depend on beside the events.
pub struct FiguresSettings {
    /// The design's budgets.
    pub budgets: &'static [Budget],
    /// The cluster's tier, which chooses among the budgets.
    pub tier: Tier,
    /// Whether each call has a window of its own, and not each class.
    pub limit_per_call: bool,
    /// The limits, in the order of [`RateClass::ALL`].
    pub limits: [ClassLimit; RateClass::ALL.len()],
    /// What a plan costs in the run's region.
    pub price: Box<dyn Fn(&str) -> PlanPrice>,
    /// How long the trouble lasts. Linodes are billed up to its end.
    pub duration: Duration,
    /// How long the calm lasts at the most.
    pub calm: Duration,
    /// The name of Karpenter's client in `api.by_client`.
    pub client: Arc<str>,
    /// Whether the run has pods.
    pub has_pods: bool,
}

/// The parts of an [`Outcome`](crate::Outcome) that are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// The calls of Linode's API.
    pub api: ApiUse,
    /// The design document's budget line by line.
    pub budgets: Vec<BudgetRow>,
    /// The NodeClaims.
    pub claims: ClaimCounts,
    /// The Linodes of managed LKE pools.
    pub instances: InstanceCounts,
    /// The pods, where the run has some.
    pub pods: Option<PodCounts>,
    /// The passes of provisioning, likewise.
    pub passes: Option<PassCounts>,
    /// The nodes of Linodes that Karpenter manages, likewise.
    pub nodes: Option<NodeCounts>,
    /// Taints on new nodes, by Karpenter NodePool.
    pub taints: BTreeMap<String, TaintCounts>,
    /// Times to the milestones of NodeClaims.
    pub time_to: TimeTo,
    /// The same times one by one.
    pub lasted: Lasted,
    /// What Linode would bill.
    pub cost: Cost,
    /// How often each hard case occurred; those that did not are 0.
    pub sometimes: BTreeMap<String, u64>,
}

/// Counts events.
pub struct Figures {
    settings: FiguresSettings,
    calls: Calls,
    operations: Operations,
    claims: Claims,
    gates: Gates,
    linodes: Linodes,
    pods: Pods,
    nodes: Nodes,
    taints: BTreeMap<String, TaintCounts>,
    cases: HardCases,
    /// Whether a process has died so far: before that, one that starts is a further replica.
    process_died: bool,
}

impl Figures {
    /// Nothing counted yet.
    pub fn new(settings: FiguresSettings) -> Figures {
        Figures {
            calls: Calls::new(&settings),
            operations: Operations::new(&settings),
            claims: Claims::default(),
            gates: Gates::default(),
            linodes: Linodes::new(Time::ZERO + settings.duration),
            pods: Pods::default(),
            nodes: Nodes::default(),
            taints: BTreeMap::new(),
            cases: HardCases::default(),
            process_died: false,
            settings,
        }
    }

    /// Counts one event. Events come in the order of their times.
    #[inline]
    pub fn apply(&mut self, event: &Event) {
        match &event.what {
            What::Called { call, sent } => {
                let sent = calls::Sent { at: event.at, number: *call, call: sent };
                self.operations.called(&sent, &mut self.cases);
                self.calls.called(&sent, &mut self.cases);
            }
            What::Answered { call, arrival, ending } => {
                let answer = calls::Answered { at: event.at, call: *call, arrival: *arrival, ending };
                self.calls.answered(&answer, &mut self.operations, &mut self.cases);
            }
            what => self.apply_rare(event.at, what),
        }
    }

    /// Says whether a Linode has a live holder. [`follow`](Figures::follow) says it for what a truth knows.
    ///
    /// It comes with the event that did it, before or after [`apply`](Figures::apply). A Linode has none until told so.
    pub fn holding_changed(&mut self, at: Time, instance: InstanceId, held: bool) {
        self.linodes.holding_changed(at, instance, held, &mut self.cases);
    }

    /// How often a hard case has occurred so far.
    pub fn occurred(&self, case: HardCase) -> u64 {
        self.cases.of(case)
    }

    /// The figures of a run that ended at `at`.
    pub fn finish(mut self, at: Time) -> Measured {
        let (mut instances, cost) = self.linodes.finish(at, &mut self.cases);
        let mut claims = self.claims.counts(&mut self.cases);
        let shut = self.gates.finish(at, &mut self.cases);
        claims.gate_shut_ms = u64::try_from(shut.as_millis()).unwrap_or(u64::MAX);
        if let Some(quotient) = (instances.created * 100).checked_div(claims.launched) {
            instances.created_per_100_launched = quotient;
        }
        let horizon = self.settings.duration + self.settings.calm;
        let mut lasted = self.claims.lasted(horizon);
        let (mut pods, mut passes, mut nodes) = (None, None, None);
        if self.settings.has_pods {
            lasted.of_pods = Some(self.pods.lasted(horizon));
            let counted = self.pods.finish(&mut self.cases);
            (pods, passes, nodes) = (Some(counted.0), Some(counted.1), Some(self.nodes.finish()));
        }
        Measured {
            pods,
            passes,
            nodes,
            api: self.calls.finish(&self.settings, &self.operations),
            budgets: self.calls.budgets(&self.operations),
            time_to: lasted.time_to(),
            lasted,
            claims,
            instances,
            taints: self.taints,
            cost,
            sometimes: self.cases.into_map(),
        }
    }

    /// Everything but calls.
    fn apply_rare(&mut self, at: Time, what: &What) {
        match what {
            What::ProcessStarted { start, .. } if *start > 1 && self.process_died => {
                self.cases.hit(HardCase::ProcessRestarted);
            }
            What::ProcessStopped { .. } => {
                self.process_died = true;
                self.calls.process_stopped();
            }
            What::OperationStarted { run, operation, claim, .. } => {
                let claim = claim.as_ref().map(|claim| claim.uid);
                self.operations.started(*run, *operation, claim, &mut self.claims, &mut self.cases);
            }
            What::OperationReturned { run, result } => {
                self.operations.returned(*run, result, &mut self.claims, &mut self.cases);
            }
            What::Node { instance: Some(instance), change, .. } => self.node_changed(*instance, *change),
            What::Pod { pod, change } => self.pods.changed(at, pod, change),
            What::Pass { pass, .. } => self.pods.passed(pass),
            what => {
                match what {
                    What::ClaimCreated { node_pool, .. } => {
                        self.taints.entry(node_pool.to_string()).or_default();
                    }
                    // The nodes so far were there before the run.
                    What::StartedWith { .. } => {
                        self.taints.values_mut().for_each(|taints| *taints = TaintCounts::default());
                    }
                    _ => {}
                }
                self.linodes.apply(at, what, &self.settings.price, &self.calls, &mut self.cases);
                self.claims.apply(at, what, &mut self.cases);
                self.gates.apply(at, what, &mut self.cases);
            }
        }
    }

    /// Counts nodes that join managed LKE pools, those whose taint goes, and those that bear other labels than they
    /// should.
    fn node_changed(&mut self, instance: InstanceId, change: NodeChange) {
        if self.settings.has_pods {
            self.nodes.changed(instance, self.linodes.plan_of(instance), change);
        }
        let Some(node_pool) = self.linodes.node_pool_of(instance) else {
            return;
        };
        let taints = self.taints.entry(node_pool.to_string()).or_default();
        match change {
            NodeChange::Joined | NodeChange::Identified => taints.nodes_launched += 1,
            NodeChange::TaintRemoved => taints.taint_removed += 1,
            NodeChange::Disrupted => taints.nodes_disrupted += 1,
            NodeChange::LabelsMissing => self.cases.hit(HardCase::NodeLabelsMissing),
            NodeChange::LabelsForeign => self.cases.hit(HardCase::NodeLabelsForeign),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
