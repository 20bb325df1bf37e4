//! The truth as a stream, for who judges a run. No client sees it.

use crate::settings::TokenId;
use lkesim_linode_api::{CallNumber, ClusterId, Endpoint, InstanceId, LkePoolId, PoolNodeId, Tags};
use lkesim_runtime::Time;
use std::sync::Arc;

/// Something that happened in the cloud.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// When.
    pub at: Time,
    /// The call that did it; none where the cloud did by itself, and for what is there from the start.
    pub call: Option<CallNumber>,
    /// What.
    pub kind: ChangeKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// A LKE pool was made: an increase from 0 to `count`.
    LkePoolCreated {
        /// The cluster.
        cluster: ClusterId,
        /// The pool.
        lke_pool: LkePoolId,
        /// The plan of its Linodes.
        plan: Arc<str>,
        /// Its tags.
        tags: Tags,
        /// How many nodes it is to have.
        count: u32,
    },
    /// A LKE pool's count was set (also to what it was), or one of its nodes deleted.
    LkePoolCountChanged {
        /// The pool.
        lke_pool: LkePoolId,
        /// The count before.
        from: u32,
        /// The count after.
        to: u32,
        /// Whether a node was deleted, in place of a count set.
        by_node: bool,
    },
    /// A LKE pool's tags were replaced.
    LkePoolTagged {
        /// The pool.
        lke_pool: LkePoolId,
        /// Its tags before.
        before: Tags,
        /// Its tags after.
        after: Tags,
    },
    /// A LKE pool was deleted, and all its Linodes with it.
    LkePoolDeleted {
        /// The cluster.
        cluster: ClusterId,
        /// The pool.
        lke_pool: LkePoolId,
    },
    /// A Linode was created: it exists, is billed, and no view need show it yet.
    InstanceCreated {
        /// The Linode.
        instance: InstanceId,
        /// Its cluster, if it is a LKE node.
        cluster: Option<ClusterId>,
        /// Its pool and slot, if it is a LKE node.
        node: Option<PoolNodeId>,
        /// Its plan.
        plan: Arc<str>,
        /// Its label.
        label: Arc<str>,
        /// Its first tags.
        tags: Tags,
    },
    /// A Linode runs.
    InstanceBooted {
        /// The Linode.
        instance: InstanceId,
    },
    /// A client replaced a Linode's tags.
    InstanceTagged {
        /// The Linode.
        instance: InstanceId,
        /// Its tags before.
        before: Tags,
        /// Its tags after.
        after: Tags,
    },
    /// The pool's tags reached a Linode (Enterprise).
    TagsPropagated {
        /// The Linode.
        instance: InstanceId,
        /// Its tags before.
        before: Tags,
        /// Its tags after.
        after: Tags,
    },
    /// A Linode's deletion was accepted: it is gone, though views may still show it.
    InstanceDeleted {
        /// The Linode.
        instance: InstanceId,
        /// What took it.
        why: DeletedBy,
    },
    /// The last view forgot a deleted Linode.
    InstanceVanished {
        /// The Linode.
        instance: InstanceId,
    },
    /// The limiter refused a call.
    Throttled {
        /// Whose call.
        token: TokenId,
        /// Which.
        endpoint: Endpoint,
    },
    /// A fault hit a call.
    Faulted {
        /// The fault.
        fault: Arc<str>,
        /// The call's endpoint.
        endpoint: Endpoint,
    },
}

/// What took a Linode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeletedBy {
    /// The deletion of its node.
    Node,
    /// A lower count of its pool.
    Count,
    /// The deletion of its pool.
    LkePool,
    /// Its own deletion.
    Instance,
    /// LKE, which put another in its place.
    Replaced,
}
