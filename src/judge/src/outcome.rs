//! What came of a run: the document that `run --format json` prints and every report is made of.
//!
//! Counts, amounts and times are integers, so that equal runs print equal bytes. Times are virtual milliseconds; money
//! is printed in US dollars with at most four decimals and held in millionths.

mod number;

pub use number::{Dollars, Quantity};

use schemars::{JsonSchema, Schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name of this document's format.
pub const SCHEMA: &str = "lkesim.run/1";

/// The JSON Schema of the document.
pub fn schema() -> Schema {
    schemars::schema_for!(Outcome)
}

/// One run of one scenario by one design under one seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// `lkesim.run/1`.
    pub schema: String,
    /// The scenario's name, or its path.
    pub scenario: String,
    /// What the scenario is about.
    pub about: String,
    /// The design that ran.
    pub design: String,
    /// The clusters with the design of each, where there are several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clusters: Vec<ClusterRun>,
    /// The seed that all luck came from.
    pub seed: u64,
    /// A hash of everything that happened, as 16 hexadecimal digits. Equal runs have equal digests.
    pub digest: String,
    /// How long the run took in virtual time, both acts.
    pub virtual_ms: u64,
    /// How many steps the simulation took.
    pub events: u64,
    /// Whether everything came as expected.
    pub verdict: Verdict,
    /// How the run ended.
    pub ending: Ending,
    /// What of the scenario came to nothing: a hand edit or a crash that met nothing. It does not decide the verdict.
    #[serde(default)]
    pub warnings: Vec<Warning>,
    /// Each invariant, in the order of `lkesim list invariants`.
    pub invariants: Vec<InvariantOutcome>,
    /// What the scenario expects of figures, and what they were.
    pub expectations: Vec<ExpectationOutcome>,
    /// The calls of Linode's API.
    pub api: ApiUse,
    /// The design document's budget line by line, beside what was measured.
    #[serde(default)]
    pub budgets: Vec<BudgetRow>,
    /// The NodeClaims of the workload.
    pub claims: ClaimCounts,
    /// The Linodes of managed LKE pools.
    pub instances: InstanceCounts,
    /// The pods, where the run has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pods: Option<PodCounts>,
    /// Why pods have no node at the end, the reason of most pods first; at most five reasons.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pending: Vec<PendingPods>,
    /// The passes of provisioning, where the run has pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passes: Option<PassCounts>,
    /// The nodes of Linodes that Karpenter manages, where the run has pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<NodeCounts>,
    /// Taints on new nodes, by Karpenter NodePool.
    pub taints: BTreeMap<String, TaintCounts>,
    /// From a NodeClaim's creation to the milestones of its life.
    pub time_to: TimeTo,
    /// What Linode would bill for managed LKE pools up to the end of `duration`.
    pub cost: Cost,
    /// How often each hard case occurred. A test that needs one must see that it did.
    pub sometimes: BTreeMap<String, u64>,
}

/// Whether a run came as expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// What broke is what was listed, and all figures hold.
    Pass,
    /// Something else.
    Fail,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ending {
    /// When the calm began: the end of `duration`.
    pub calm_from_ms: u64,
    /// Whether all eventual invariants came to hold and stayed so.
    pub settled: bool,
    /// What had not converged, and what it waits for.
    pub unsettled: Vec<String>,
}

/// One of several clusters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClusterRun {
    /// Its label at LKE.
    pub name: String,
    /// The design that its Karpenter had.
    pub design: String,
}

/// Something of the scenario that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// When.
    pub at_ms: u64,
    /// What of the scenario, as its path: `by_hand[0].delete_node`.
    pub path: String,
    /// Why.
    pub text: String,
}

/// When an invariant has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// At every moment.
    Always,
    /// At the end of the calm.
    Eventually,
}

/// What became of one invariant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InvariantOutcome {
    /// The invariant's fixed name.
    pub name: String,
    /// When it has to hold.
    pub kind: Kind,
    /// Whether it held.
    pub held: bool,
    /// The scenario lists it as one that must break under this design.
    pub expected_to_break: bool,
    /// The design's file says that it does not promise this; it then never fails a run.
    pub not_promised: bool,
    /// How often it broke. `violations` holds the first few.
    pub count: u64,
    /// The first violations, in order.
    pub violations: Vec<Violation>,
}

/// One breach of an invariant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Violation {
    /// When.
    pub at_ms: u64,
    /// What happened, in words.
    pub text: String,
    /// The objects involved, such as `nodeclaim/burst-07` and `linode/1001`.
    pub objects: Vec<String>,
}

/// What became of one expectation on a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectationOutcome {
    /// The path of the figure in this document, such as `api.calls`, `sometimes.throttled` or
    /// `invariants.one-claim-per-instance.count`.
    pub figure: String,
    /// What was expected, as the scenario writes it.
    pub expected: String,
    /// What it was; none where there is no such figure.
    pub actual: Option<Quantity>,
    /// Whether it held.
    pub held: bool,
    /// Whether it counts for the verdict: under another seed or `--set`, figures do not.
    pub decides: bool,
}

/// The calls of Linode's API. Every HTTP request counts, retries of the SDK too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApiUse {
    /// All requests.
    pub calls: u64,
    /// Requests refused by a rate limit.
    pub throttled: u64,
    /// By rate limit.
    pub by_class: BTreeMap<String, ClassUse>,
    /// By call.
    pub by_endpoint: BTreeMap<String, EndpointUse>,
    /// By the provider's operation.
    pub by_operation: BTreeMap<String, OperationUse>,
    /// By what the call was for.
    pub by_cause: BTreeMap<String, u64>,
    /// By the client that asked.
    pub by_client: BTreeMap<String, ClientUse>,
}

/// What one client asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientUse {
    /// Requests.
    pub calls: u64,
    /// Those that a rate limit refused.
    pub throttled: u64,
}

/// The use of one rate limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClassUse {
    /// Requests.
    pub calls: u64,
    /// Those that the limit refused.
    pub throttled: u64,
    /// The most requests that arrived within one of the limiter's windows, refused ones included, of the token with the
    /// most.
    pub peak_in_window: u64,
    /// How many a window allows; none where there is no limit.
    pub limit: Option<u64>,
    /// The window's length.
    pub window_ms: Option<u64>,
}

/// The use of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EndpointUse {
    /// Requests.
    pub calls: u64,
    /// Those that a rate limit refused.
    pub throttled: u64,
    /// Those that failed otherwise.
    pub errors: u64,
    /// Those that were the SDK's retries.
    pub retries: u64,
}

/// What the runs of one operation asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperationUse {
    /// Runs of the operation.
    pub runs: u64,
    /// Attempts within its loop, as far as they made a call.
    pub attempts: u64,
    /// Slots with a Linode in the LKE pools that they read.
    #[serde(default)]
    pub nodes_scanned: u64,
    /// Linodes whose tags they wrote.
    #[serde(default)]
    pub tag_writes: u64,
    /// Pages of lists beyond each list's first.
    #[serde(default)]
    pub extra_pages: u64,
    /// By call: those that were made, and those of the design document's budget.
    pub calls: BTreeMap<String, BudgetLine>,
}

/// What an operation asked of one call, beside what the design document allows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetLine {
    /// First tries.
    pub calls: u64,
    /// The SDK's retries after 429 or 5xx, which the document's budget excludes. Where the provider tries again by itself
    /// after such an answer, that is another attempt or run: it counts in calls, and its budget counts too.
    pub retries: u64,
    /// The most first tries that the document allows for the same work; none where it does not name the call, or allows
    /// another in its place (see `budgets`).
    pub budget: Option<u64>,
}

/// One line of the design document's budget beside what was measured, or calls that it does not name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BudgetRow {
    /// Operation and calls: `Create.GetInstance`, `Delete.DeleteLKENodePoolNode or DeleteLKENodePool`.
    pub name: String,
    /// The provider's operation.
    pub operation: String,
    /// The call, or the two of which the line allows one.
    pub call: String,
    /// What the document allows, in words; none where it does not name the call.
    pub stated: Option<String>,
    /// Runs of the operation.
    pub runs: u64,
    /// First tries.
    pub calls: u64,
    /// The SDK's retries after 429 or 5xx, which the document's budget excludes. Where the provider tries again by itself
    /// after such an answer, that is another attempt or run: it counts in calls, and its budget counts too.
    pub retries: u64,
    /// The most first tries that the line allows for the work of all runs: their attempts, nodes scanned and pages.
    pub budget: Option<u64>,
    /// First tries of one run.
    pub a_run: Spread,
    /// What the line allows one run for its own attempts, nodes scanned and pages.
    pub allowed_a_run: Option<Spread>,
    /// Runs that made more calls than the line allows them.
    pub runs_over: u64,
    /// Why calls and budget differ, where they do.
    pub difference: Option<String>,
}

/// The least, the median and the most of one run. The median is by the nearest rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "the words say it")]
pub struct Spread {
    pub min: u64,
    pub median: u64,
    pub max: u64,
}

/// The NodeClaims of the workload.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClaimCounts {
    /// Made by the workload. Those that were launched before the run are counted among `failed` and `deleted` alone.
    pub requested: u64,
    /// Got a providerID.
    pub launched: u64,
    /// Found their node.
    pub registered: u64,
    /// Had their node ready.
    pub initialized: u64,
    /// Given up by Karpenter: deleted, and not by the workload, before they were initialized.
    pub failed: u64,
    /// Deleted by the workload.
    pub deleted: u64,
    /// The time in which some NodeClaim had no providerID, one cluster's added to another's: Karpenter then provisions
    /// and disrupts nothing.
    #[serde(default)]
    pub gate_shut_ms: u64,
}

/// The Linodes of managed LKE pools.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InstanceCounts {
    /// Made by the cloud; those that the scenario puts there at the start are not.
    pub created: u64,
    /// The most at one time.
    pub peak: u64,
    /// Live at the end without a live holder.
    pub unclaimed_at_end: u64,
    /// The time that Linodes lived without a live holder, summed, in whole minutes.
    pub unclaimed_minutes: u64,
    /// Linodes made for each 100 NodeClaims that launched.
    pub created_per_100_launched: u64,
}

/// The pods. Those of DaemonSets, and static ones, count in `of_daemon_sets` alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PodCounts {
    /// Made.
    pub created: u64,
    /// Given to a node, or there on one from the start.
    pub bound: u64,
    /// Began to run.
    pub running: u64,
    /// Ended.
    pub ended: u64,
    /// Run at the end.
    pub running_at_end: u64,
    /// Without a node at the end.
    pub pending_at_end: u64,
    /// Given up by the scheduler at some time.
    pub unschedulable: u64,
    /// Of which Karpenter said at some time that no node can be had for it.
    pub failed_scheduling: u64,
    /// Evicted: by a node's drain, or for a taint.
    pub evicted: u64,
    /// Evicted by the scheduler for one of higher priority.
    pub preempted: u64,
    /// The most at one time.
    pub peak: u64,
    /// Made by DaemonSets, and static ones.
    pub of_daemon_sets: u64,
}

/// Pods that have no node at the end, all for one reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PendingPods {
    /// What Karpenter last said of them; where it said nothing, what the scheduler did.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// The first of them, by name; at most five.
    pub pods: Vec<String>,
}

/// The passes of provisioning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PassCounts {
    /// Passes that had pods to decide on.
    pub count: u64,
    /// Pods that they looked at, each as often as it was looked at.
    pub pods: u64,
    /// NodeClaims that they wanted made.
    pub claims: u64,
    /// Passes that wanted some.
    pub buying: u64,
    /// Pods of one pass.
    pub pods_a_pass: Spread,
}

/// Nodes of Linodes that Karpenter manages, by instance type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NodeCounts {
    /// All that are there at the end.
    pub total_at_end: u64,
    /// The most at one time.
    pub total_peak: u64,
    /// Those that are there at the end.
    pub at_end: BTreeMap<String, u64>,
    /// The most at one time.
    pub peak: BTreeMap<String, u64>,
}

/// Taints on the new nodes of a Karpenter NodePool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaintCounts {
    /// Nodes that joined.
    pub nodes_launched: u64,
    /// Nodes whose unregistered taint was removed, as their registration does.
    pub taint_removed: u64,
    /// Nodes that disruption tainted to take them away.
    #[serde(default)]
    pub nodes_disrupted: u64,
}

/// From a NodeClaim's creation to the milestones of its life.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TimeTo {
    /// To its providerID.
    pub launch: Times,
    /// To its node's registration.
    pub register: Times,
    /// To its node's readiness.
    pub ready: Times,
    /// From a pod's creation to the scheduler's choice of a node; DaemonSets' pods are left out, and those that are
    /// deleted before. Where the run has pods.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bind: Option<Times>,
    /// From a pod's creation to its readiness, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pod_ready: Option<Times>,
}

/// Quantiles of times, by the nearest rank. What never finished counts as the horizon, so giving up does not look fast.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Times {
    /// How many finished.
    pub n: u64,
    /// Of how many.
    pub of: u64,
    /// The median.
    pub p50_ms: u64,
    /// Nine of ten are at most this.
    pub p90_ms: u64,
    /// 99 of 100 are at most this.
    pub p99_ms: u64,
    /// The longest.
    pub max_ms: u64,
}

/// What Linode would bill: started hours, up to the monthly cap.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// The whole bill, in US dollars.
    pub total_usd: Dollars,
    /// The part of it for time without a live holder.
    pub unclaimed_usd: Dollars,
}

#[cfg(test)]
pub(crate) mod tests;
