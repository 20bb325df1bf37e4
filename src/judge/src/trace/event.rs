//! The lines between: one event each.
//!
//! They mirror [`crate::event`] with owned values and fixed names. Ids are numbers, objects are called what the
//! commands and reports call them.

use super::request::Request;
use crate::event::{Condition, PodKind, Step, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One event and when it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EventLine {
    /// Whole virtual milliseconds since the run began, for people.
    pub at_ms: u64,
    /// Virtual nanoseconds since the run began, exactly.
    pub at_ns: u64,
    /// What happened.
    #[serde(flatten)]
    pub what: TraceEvent,
}

/// A NodeClaim: two with one name, one after the other, differ in uid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Claim {
    /// The name.
    pub name: String,
    /// The uid.
    pub uid: u64,
}

/// What happened. The names are stable: programs filter by them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event")]
pub enum TraceEvent {
    /// Karpenter's process started.
    #[serde(rename = "process.started")]
    ProcessStarted {
        /// The cluster that it serves.
        cluster: u64,
        /// 1, and one more for each restart.
        start: u32,
    },
    /// Karpenter's process died.
    #[serde(rename = "process.stopped")]
    ProcessStopped {
        /// The cluster that it served.
        cluster: u64,
        /// Which of its processes.
        start: u32,
    },
    /// Something befell Karpenter's process, or, of several processes, it began to lead.
    #[serde(rename = "process.turned")]
    ProcessTurned {
        /// The cluster that it serves.
        cluster: u64,
        /// Which of its processes.
        start: u32,
        /// What.
        turn: Turn,
    },
    /// What a scenario put there before the run is all there.
    #[serde(rename = "run.started_with")]
    StartedWith {
        /// The Linodes.
        linodes: Vec<OlderLinode>,
        /// The NodeClaims that were launched before the run.
        claims: Vec<Claim>,
    },
    /// The trouble is over, and the run must converge.
    #[serde(rename = "calm.began")]
    CalmBegan,

    /// A HTTP request left.
    #[serde(rename = "api.called")]
    ApiCalled {
        /// The n-th request of the run.
        call: u64,
        /// The client that asks, where it is not Karpenter.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<String>,
        /// The SDK's try, from 0.
        attempt: u32,
        /// What is asked.
        request: Request,
        /// Who asks, and what for.
        purpose: Purpose,
    },
    /// A HTTP request ended.
    #[serde(rename = "api.answered")]
    ApiAnswered {
        /// The request.
        call: u64,
        /// What of the reply matters; absent where it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seen: Option<Seen>,
        /// Why it failed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failure: Option<Failure>,
    },

    /// A LKE pool was made.
    #[serde(rename = "lke_pool.created")]
    LkePoolCreated {
        /// The pool.
        lke_pool: u64,
        /// Its cluster.
        cluster: u64,
        /// Its plan.
        plan: String,
        /// Its count.
        count: u32,
        /// The Karpenter NodePool in its tags, if it is managed.
        node_pool: Option<String>,
        /// Its tags.
        tags: Vec<String>,
        /// The request that did it.
        call: Option<u64>,
    },
    /// A LKE pool's count changed.
    #[serde(rename = "lke_pool.count_changed")]
    LkePoolCountChanged {
        /// The pool.
        lke_pool: u64,
        /// Before.
        from: u32,
        /// After.
        to: u32,
        /// The request that did it.
        call: Option<u64>,
        /// Whether a count was written, and not a node deleted.
        by_count: bool,
    },
    /// A LKE pool's tags were replaced.
    #[serde(rename = "lke_pool.tagged")]
    LkePoolTagged {
        /// The pool.
        lke_pool: u64,
        /// Before.
        before: Vec<String>,
        /// After.
        after: Vec<String>,
        /// The request that did it.
        call: Option<u64>,
    },
    /// A LKE pool was deleted.
    #[serde(rename = "lke_pool.deleted")]
    LkePoolDeleted {
        /// The pool.
        lke_pool: u64,
        /// The request that did it.
        call: Option<u64>,
    },
    /// A Linode was made.
    #[serde(rename = "linode.created")]
    LinodeCreated {
        /// The Linode.
        linode: u64,
        /// Its label.
        label: String,
        /// Its LKE pool; null if it is no LKE node.
        lke_pool: Option<u64>,
        /// Its slot in the pool; null if it is no LKE node.
        slot: Option<String>,
        /// The cluster that it is a node of; null if there is none.
        cluster: Option<u64>,
        /// Its plan.
        plan: String,
        /// Its first tags.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tags: Vec<String>,
        /// The request that did it.
        call: Option<u64>,
    },
    /// A Linode is up.
    #[serde(rename = "linode.booted")]
    LinodeBooted {
        /// The Linode.
        linode: u64,
    },
    /// A Linode's tags changed.
    #[serde(rename = "linode.tagged")]
    LinodeTagged {
        /// The Linode.
        linode: u64,
        /// Before.
        before: Vec<String>,
        /// After.
        after: Vec<String>,
        /// The request that wrote them; none where the pool's tags propagated.
        call: Option<u64>,
    },
    /// A Linode's deletion was accepted.
    #[serde(rename = "linode.deleted")]
    LinodeDeleted {
        /// The Linode.
        linode: u64,
        /// Its LKE pool; null if it is no LKE node.
        lke_pool: Option<u64>,
        /// The request that did it.
        call: Option<u64>,
    },

    /// A NodeClaim was made.
    #[serde(rename = "nodeclaim.created")]
    NodeClaimCreated {
        /// The NodeClaim.
        claim: Claim,
        /// The cluster that it is an object of.
        cluster: u64,
        /// Its Karpenter NodePool.
        node_pool: String,
        /// The instance types that its requirements allow; empty where they allow any.
        plans: Vec<String>,
    },
    /// A NodeClaim got its deletionTimestamp.
    #[serde(rename = "nodeclaim.deleting")]
    NodeClaimDeleting {
        /// The NodeClaim.
        claim: Claim,
        /// Who asked: the controller's pass, or `workload`.
        by: String,
    },
    /// A NodeClaim is gone.
    #[serde(rename = "nodeclaim.gone")]
    NodeClaimGone {
        /// The NodeClaim.
        claim: Claim,
    },
    /// A NodeClaim's stored providerID changed.
    #[serde(rename = "nodeclaim.provider_id")]
    NodeClaimProviderId {
        /// The NodeClaim.
        claim: Claim,
        /// The Linode before.
        before: Option<u64>,
        /// The Linode after.
        after: Option<u64>,
    },
    /// A condition of a NodeClaim changed.
    #[serde(rename = "nodeclaim.condition")]
    NodeClaimCondition {
        /// The NodeClaim.
        claim: Claim,
        /// Which.
        condition: ConditionName,
        /// Whether it holds; null for Unknown.
        status: Option<bool>,
        /// Why, in the condition's own word.
        reason: String,
    },
    /// A node joined, lost or got readiness, or went.
    #[serde(rename = "node.changed")]
    NodeChanged {
        /// The node's name.
        node: String,
        /// The Linode in its providerID.
        linode: Option<u64>,
        /// What happened to it.
        change: NodeState,
    },

    /// Something happened to a pod.
    #[serde(rename = "pod.changed")]
    PodChanged {
        /// The pod.
        pod: Pod,
        /// What.
        change: PodState,
    },
    /// A pass of provisioning has decided.
    #[serde(rename = "provisioning.pass")]
    ProvisioningPass {
        /// The cluster that it provisions for.
        cluster: u64,
        /// Which of its cluster's processes it runs in.
        process: u32,
        /// Pods that it looked at.
        pods: u32,
        /// Pods that it placed on what there is.
        placed: u32,
        /// NodeClaims that it wants made.
        claims: u32,
        /// Pods that fit nowhere.
        failed: u32,
        /// How each pod was tried.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        steps: Vec<Step>,
    },
    /// A Node's deletion was asked for, in a run with pods.
    #[serde(rename = "node.deletion_asked")]
    NodeDeletionAsked {
        /// The node's name.
        node: String,
        /// Who asked.
        by: String,
    },
    /// A NodePool's limits, in a run with pods.
    #[serde(rename = "nodepool.limits")]
    NodePoolLimits {
        /// The cluster that it is an object of.
        cluster: u64,
        /// The NodePool.
        node_pool: String,
        /// What its nodes may have in sum.
        limits: Vec<AmountOf>,
    },
    /// What a NodeClaim's machine has, in a run with pods.
    #[serde(rename = "nodeclaim.capacity")]
    NodeClaimCapacity {
        /// The NodeClaim.
        claim: Claim,
        /// All that the machine has.
        capacity: Vec<AmountOf>,
    },

    /// An operation of the provider began.
    #[serde(rename = "operation.started")]
    OperationStarted {
        /// The n-th operation of the run.
        run: u64,
        /// Which of its cluster's processes runs it.
        process: u32,
        /// Which, such as `Create`.
        operation: String,
        /// The controller's pass that asks.
        caller: String,
        /// The NodeClaim, where the caller has one that exists.
        claim: Option<Claim>,
        /// The Linode that it is about, where the caller names one.
        linode: Option<u64>,
    },
    /// An operation of the provider returned.
    #[serde(rename = "operation.returned")]
    OperationReturned {
        /// The operation.
        run: u64,
        /// What it returned.
        result: Returned,
    },
}

/// A pod: two with one name, one after the other, differ in uid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pod {
    /// The name.
    pub name: String,
    /// The uid.
    pub uid: u64,
}

/// What happened to a pod.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PodState {
    /// It was made, and waits for whom this says.
    Created(PodKind),
    /// The scheduler found no Node for it, and said so.
    Unschedulable(String),
    /// The scheduler evicts pods of this Node for it.
    Preempts(String),
    /// It was given to a Node.
    Bound {
        /// The Node.
        node: String,
        /// Who did it.
        by: String,
    },
    /// Its containers run.
    Running,
    /// Its containers are ready.
    Ready,
    /// Its containers are ready no more.
    NotReady,
    /// It ended with success.
    Succeeded,
    /// It ended without.
    Failed,
    /// Its deletion was asked for, by whom this says.
    Deleting(String),
    /// The object is gone.
    Gone,
    /// Karpenter's event `Nominated`: where it should go.
    ShouldScheduleOn(String),
    /// Karpenter's event `FailedScheduling`.
    FailedScheduling(String),
}

/// So much of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AmountOf {
    /// Its name.
    pub resource: String,
    /// In thousandths of its unit.
    pub milli: u64,
}

/// A Linode that was there before the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OlderLinode {
    /// The Linode.
    pub linode: u64,
    /// How long before the run it was created, in whole milliseconds.
    pub age_ms: u64,
}

/// Who makes a call, and what for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Purpose {
    /// The controller's pass that called the operation.
    pub caller: String,
    /// The operation.
    pub operation: String,
    /// The n-th operation of the run, from 1; 0 outside any.
    pub run: u64,
    /// The n-th attempt of the operation's own loop, from 1; 0 where it has none.
    pub attempt: u32,
    /// The NodeClaim, instance or key that the operation is about.
    pub subject: String,
    /// What within the operation the call is for, such as `verify`.
    pub cause: String,
    /// Further operations that share the call, by their numbers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub joined: Vec<u64>,
}

/// What of a reply matters to figures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Seen {
    /// Pages that the list has; 0 where it is no list.
    pub pages: u32,
    /// Entries of this page, or slots with a Linode in the pool.
    pub entries: u32,
    /// The count of each LKE pool in the reply; absent where it shows no LKE pool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<LkePoolCount>>,
    /// Whether a fault left out entries that the list would have shown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
    /// The fault that hit the call, though it was answered with success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// A LKE pool's count, as a reply shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LkePoolCount {
    /// The pool.
    pub lke_pool: u64,
    /// Its count.
    pub count: u32,
}

/// Why a request brought no reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Whether the API answered.
    pub kind: FailureKind,
    /// The HTTP status, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The error in words.
    pub text: String,
    /// `Retry-After`, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_s: Option<u32>,
    /// Whether the reply said that the API is under maintenance.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub maintenance: bool,
    /// Whether a rate limit refused it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub throttled: bool,
    /// The fault that did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// How a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the words say it")]
pub enum FailureKind {
    Api,
    Timeout,
    ConnectionLost,
    Unreadable,
}

/// The conditions of a NodeClaim that runs are judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(missing_docs, reason = "Karpenter's own words")]
pub enum ConditionName {
    Launched,
    Registered,
    Initialized,
    InstanceTerminating,
    DisruptionReason,
}

impl From<Condition> for ConditionName {
    fn from(condition: Condition) -> ConditionName {
        match condition {
            Condition::Launched => ConditionName::Launched,
            Condition::Registered => ConditionName::Registered,
            Condition::Initialized => ConditionName::Initialized,
            Condition::InstanceTerminating => ConditionName::InstanceTerminating,
            Condition::DisruptionReason => ConditionName::DisruptionReason,
        }
    }
}

/// What happened to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the words say it")]
pub enum NodeState {
    Joined,
    Ready,
    NotReady,
    TaintRemoved,
    LabelsMissing,
    LabelsForeign,
    Deleting,
    Gone,
    Identified,
    Disrupted,
    Spared,
}

/// What an operation returned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Returned {
    /// Create or Get: this Linode.
    Linode(u64),
    /// List: these Linodes.
    Linodes(Vec<u64>),
    /// Success without a value.
    Done,
    /// That the Linode does not exist.
    NotFound(String),
    /// That no offering is left.
    InsufficientCapacity(String),
    /// Another failure.
    Failed(String),
    /// Nothing: the process died first.
    Dropped,
}
