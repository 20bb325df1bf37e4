//! Everything that happens in a run, as one stream of values.
//!
//! Truth, invariants, figures, the trace and the digest all read this stream and nothing else. It comes from the cloud,
//! the Kubernetes store and the border of the code under test, never from the API under test.

mod pods;

pub use pods::{Amount, Pass, PodChange, PodKind, PodRef, RefusedBy, Step};

use lkesim_linode_api::{Call, CallError, CallNumber, ClusterId, InstanceId, LkePoolId, Operation, PoolNodeId, Tags};
use lkesim_runtime::Time;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// When.
    pub at: Time,
    /// What.
    pub what: What,
}

/// A NodeClaim: two with one name, one after the other or in two clusters, differ in uid.
#[derive(Clone, Debug)]
pub struct ClaimRef {
    /// The uid.
    pub uid: u64,
    /// The name; `cluster/name` where there are several clusters.
    pub name: Rc<str>,
}

impl ClaimRef {
    /// The object's own name. Where there are several clusters, `name` begins with the cluster's and a slash, which no
    /// object's name has.
    pub fn of_object(&self) -> &str {
        self.name.rsplit('/').next().unwrap_or(&self.name)
    }
}

impl PartialEq for ClaimRef {
    fn eq(&self, other: &ClaimRef) -> bool {
        self.uid == other.uid
    }
}

impl Eq for ClaimRef {}

impl fmt::Display for ClaimRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nodeclaim/{}", self.name)
    }
}

/// What befalls a process of Karpenter that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// It took the lease and leads. Told where there are several replicas.
    Leads,
    /// It is told to stop.
    ToldToStop,
    /// It lost the lease and works on.
    LostLease,
    /// It stands still.
    Paused,
    /// It works on after it stood still.
    WokeUp,
    /// The clock of its machine was set: so many milliseconds ahead of the true time, or behind it.
    ClockSet {
        /// Below 0 it is behind.
        ahead_ms: i64,
    },
}

/// What happened.
#[derive(Clone, Debug)]
pub enum What {
    /// Karpenter's process started, for the n-th time.
    ProcessStarted {
        /// The cluster that it serves.
        cluster: ClusterId,
        /// 1, and one more for each restart.
        start: u32,
    },
    /// Karpenter's process died; what its Create calls returned and did not store is forgotten.
    ProcessStopped {
        /// The cluster that it served.
        cluster: ClusterId,
        /// Which of its processes, by [`What::ProcessStarted`].
        start: u32,
    },
    /// Something befell Karpenter's process, or, of several processes, it began to lead.
    ProcessTurned {
        /// The cluster that it serves.
        cluster: ClusterId,
        /// Which of its processes, by [`What::ProcessStarted`].
        start: u32,
        /// What.
        turn: Turn,
    },
    /// What a scenario put there before the run, told once all of it is there, at time 0.
    StartedWith {
        /// The Linodes, and how long before the run each was created.
        linodes: Rc<[(InstanceId, Duration)]>,
        /// The NodeClaims that were launched before the run.
        claims: Rc<[ClaimRef]>,
    },
    /// `duration` is over: faults and the workload stop, and the run must converge.
    CalmBegan,

    /// A HTTP request left.
    Called {
        /// The n-th request of the run.
        call: CallNumber,
        /// Who asks, what for, and what is asked. Shared with who carries it.
        sent: Rc<Call>,
    },
    /// A HTTP request ended.
    Answered {
        /// The request.
        call: CallNumber,
        /// When it reached the limiter of which token; none where its sender let go before it did, and for a hand's
        /// call.
        arrival: Option<Arrival>,
        /// How.
        ending: CallEnding,
    },

    /// A LKE pool was made.
    PoolCreated {
        /// The pool.
        lke_pool: LkePoolId,
        /// Its cluster.
        cluster: ClusterId,
        /// Its plan.
        plan: Arc<str>,
        /// Its count.
        count: u32,
        /// The Karpenter NodePool in its tags, if it is managed.
        node_pool: Option<Arc<str>>,
        /// Its tags.
        tags: Tags,
        /// The request that did it; none for what was there at the start.
        call: Option<CallNumber>,
    },
    /// A LKE pool's count changed.
    PoolCountChanged {
        /// The pool.
        lke_pool: LkePoolId,
        /// Before.
        from: u32,
        /// After.
        to: u32,
        /// The request that did it: a PUT of the count, or a node's deletion.
        call: Option<CallNumber>,
        /// Whether a count was written, and not a node deleted.
        by_count: bool,
    },
    /// A LKE pool's tags were replaced.
    PoolTagged {
        /// The pool.
        lke_pool: LkePoolId,
        /// Before.
        before: Tags,
        /// After.
        after: Tags,
        /// The request that did it.
        call: Option<CallNumber>,
    },
    /// A LKE pool was deleted. An [`What::InstanceDeleted`] for each of its Linodes comes first.
    PoolDeleted {
        /// The pool.
        lke_pool: LkePoolId,
        /// The request that did it.
        call: Option<CallNumber>,
    },
    /// A Linode was made, and is billed.
    InstanceCreated {
        /// The Linode.
        instance: InstanceId,
        /// Its label.
        label: Arc<str>,
        /// Its LKE pool, if it is a LKE node.
        lke_pool: Option<LkePoolId>,
        /// Its slot in the pool, if it is a LKE node.
        node: Option<PoolNodeId>,
        /// The cluster that it is a node of: the LKE pool's, or of a Linode without one the cluster that its tags name.
        cluster: Option<ClusterId>,
        /// Its plan.
        plan: Arc<str>,
        /// Its first tags.
        tags: Tags,
        /// The request that did it.
        call: Option<CallNumber>,
    },
    /// A Linode is up.
    InstanceBooted {
        /// The Linode.
        instance: InstanceId,
    },
    /// A Linode's tags changed.
    InstanceTagged {
        /// The Linode.
        instance: InstanceId,
        /// Before.
        before: Tags,
        /// After.
        after: Tags,
        /// The request that wrote them; none where the pool's tags propagated.
        call: Option<CallNumber>,
    },
    /// A Linode's deletion was accepted: it is gone, though views may still show it.
    InstanceDeleted {
        /// The Linode.
        instance: InstanceId,
        /// Its LKE pool, if it is a LKE node.
        lke_pool: Option<LkePoolId>,
        /// The request that did it.
        call: Option<CallNumber>,
    },

    /// A NodeClaim was made.
    ClaimCreated {
        /// The NodeClaim.
        claim: ClaimRef,
        /// The cluster that it is an object of.
        cluster: ClusterId,
        /// Its Karpenter NodePool.
        node_pool: Rc<str>,
        /// The instance types that its requirements allow; empty where they allow any.
        plans: Rc<[Rc<str>]>,
    },
    /// A NodeClaim got its deletionTimestamp.
    ClaimDeleting {
        /// The NodeClaim.
        claim: ClaimRef,
        /// Who asked: the controller's pass, such as `nodeclaim.garbagecollection`, or `workload`.
        by: &'static str,
    },
    /// A NodeClaim is gone: its last finalizer went.
    ClaimGone {
        /// The NodeClaim.
        claim: ClaimRef,
    },
    /// A NodeClaim's stored providerID changed.
    ClaimProviderId {
        /// The NodeClaim.
        claim: ClaimRef,
        /// Before.
        before: Option<InstanceId>,
        /// After.
        after: Option<InstanceId>,
    },
    /// A condition of a NodeClaim changed. It comes after the providerID that the same write stored.
    ClaimCondition {
        /// The NodeClaim.
        claim: ClaimRef,
        /// Which.
        condition: Condition,
        /// Whether it holds; none for Unknown.
        status: Option<bool>,
        /// Why, in the condition's own word.
        reason: Rc<str>,
    },
    /// A node joined, lost or got readiness, or went.
    Node {
        /// The node's name.
        node: Rc<str>,
        /// The Linode in its providerID.
        instance: Option<InstanceId>,
        /// What happened to it.
        change: NodeChange,
    },

    /// Something happened to a pod.
    Pod {
        /// The pod.
        pod: PodRef,
        /// What.
        change: PodChange,
    },
    /// A pass of provisioning has decided. What it decided is done after this.
    Pass {
        /// The cluster that it provisions for.
        cluster: ClusterId,
        /// Which of its cluster's processes it runs in.
        process: u32,
        /// What it looked at and decided.
        pass: Rc<Pass>,
    },
    /// A Node's deletion was asked for. Told where a run has pods.
    NodeDeletionAsked {
        /// The node's name.
        node: Rc<str>,
        /// Who asked.
        by: &'static str,
    },
    /// A NodePool's limits, when it was made and when they changed. Told where a run has pods.
    NodePoolLimits {
        /// The cluster that it is an object of.
        cluster: ClusterId,
        /// The NodePool.
        node_pool: Rc<str>,
        /// What its nodes may have in sum. `nodes` counts them, in thousandths too.
        limits: Rc<[Amount]>,
    },
    /// What a NodeClaim's machine has, once it is stored. Told where a run has pods.
    ClaimCapacity {
        /// The NodeClaim.
        claim: ClaimRef,
        /// All that the machine has.
        capacity: Rc<[Amount]>,
    },

    /// An operation of the provider began.
    OperationStarted {
        /// The n-th operation of the run.
        run: u64,
        /// The cluster that it serves.
        cluster: ClusterId,
        /// Which of its cluster's processes runs it.
        process: u32,
        /// Which.
        operation: Operation,
        /// The controller's pass that asks.
        caller: &'static str,
        /// The NodeClaim, where the caller has one that exists.
        claim: Option<ClaimRef>,
        /// The Linode that it is about, where the caller names one.
        instance: Option<InstanceId>,
    },
    /// An operation of the provider returned.
    OperationReturned {
        /// The operation.
        run: u64,
        /// What it returned.
        result: Returned,
    },
}

/// When a request reached the cloud, whose limits count by that moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub at: Time,
    /// The account's n-th token, from 0.
    pub token: u32,
}

/// How a request ended.
#[derive(Clone, Debug)]
pub enum CallEnding {
    /// With success.
    Ok {
        /// What of the reply matters to figures.
        seen: Seen,
    },
    /// With an error, or no answer.
    Failed {
        /// The error.
        error: CallError,
        /// Whether a rate limit refused it.
        throttled: bool,
        /// The fault that did it.
        fault: Option<Arc<str>>,
    },
}

/// What of a reply matters to figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Pages that the list has; 0 where it is no list.
    pub pages: u32,
    /// Entries of this page, or slots with a Linode in the pool.
    pub entries: u32,
    /// The count of each LKE pool in the reply; none where it shows no LKE pool.
    pub counts: Option<Rc<[(LkePoolId, u32)]>>,
    /// Whether a fault left out entries that the list would have shown.
    pub truncated: bool,
    /// The fault that hit the call, which was answered with success all the same. Its kind is what follows the last
    /// dot.
    pub fault: Option<Arc<str>>,
}

/// The conditions of a NodeClaim that runs are judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "Karpenter's own words")]
pub enum Condition {
    Launched,
    Registered,
    Initialized,
    InstanceTerminating,
    DisruptionReason,
}

/// What happened to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the words say it")]
pub enum NodeChange {
    Joined,
    Ready,
    NotReady,
    /// Its `karpenter.sh/unregistered` taint was removed.
    TaintRemoved,
    /// It was registered, and until then lacked a label or taint of its NodeClaim.
    LabelsMissing,
    /// It was registered, and keeps a label or taint that its NodeClaim does not have.
    LabelsForeign,
    Deleting,
    Gone,
    /// It joined without a providerID and got it.
    Identified,
    /// Disruption is to take it away: it put the taint `karpenter.sh/disrupted` on it.
    Disrupted,
    /// Disruption took that back.
    Spared,
}

/// What an operation returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Returned {
    /// Create or Get: this Linode.
    Instance(InstanceId),
    /// List: these Linodes.
    Instances(Rc<[InstanceId]>),
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
