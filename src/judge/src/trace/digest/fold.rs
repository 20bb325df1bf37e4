//! How each value goes into the digest.
//!
//! A kind is a number and its fields follow in the order of writing. Numbers of kinds are never given anew, or
//! digests of old runs would silently mean something else.

use super::Digest;
use crate::event::{CallEnding, ClaimRef, Condition, NodeChange, PodChange, PodKind, Returned, Seen, Turn, What};
use lkesim_linode_api::filter::{Atom, Clause, Operator, Order, Scalar};
use lkesim_linode_api::{
    ApiError, CallError, Cause, ClusterId, Endpoint, ErrorBody, Filter, InstanceCreate, InstanceId, LkePoolCreate,
    LkePoolId, LkePoolUpdate, Operation, PageRequest, PoolNodeId, Purpose, Reason, Request, Tags, Taint,
};
use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// A value that a digest takes in.
pub(super) trait Fold {
    fn fold(&self, into: &mut Digest);
}

macro_rules! numbers {
    ($($type:ty),*) => { $(
        impl Fold for $type {
            #[inline]
            fn fold(&self, into: &mut Digest) {
                into.word(u64::from(*self));
            }
        }
    )* };
}

numbers!(bool, u16, u32, u64);

macro_rules! ids {
    ($($type:ty),*) => { $(
        impl Fold for $type {
            #[inline]
            fn fold(&self, into: &mut Digest) {
                into.word(self.0);
            }
        }
    )* };
}

ids!(InstanceId, ClusterId, LkePoolId);

macro_rules! texts {
    ($($type:ty),*) => { $(
        impl Fold for $type {
            #[inline]
            fn fold(&self, into: &mut Digest) {
                into.bytes(self.as_bytes());
            }
        }
    )* };
}

texts!(str, String, Rc<str>, Arc<str>, &'static str, Cow<'static, str>);

impl<T: Fold> Fold for Option<T> {
    #[inline]
    fn fold(&self, into: &mut Digest) {
        match self {
            None => into.word(0),
            Some(value) => {
                into.word(1);
                value.fold(into);
            }
        }
    }
}

impl<T: Fold> Fold for [T] {
    fn fold(&self, into: &mut Digest) {
        into.word(self.len() as u64);
        self.iter().for_each(|value| value.fold(into));
    }
}

impl<T: Fold> Fold for Vec<T> {
    fn fold(&self, into: &mut Digest) {
        self.as_slice().fold(into);
    }
}

impl<T: Fold> Fold for Rc<[T]> {
    fn fold(&self, into: &mut Digest) {
        self.as_ref().fold(into);
    }
}

impl<T: Fold, U: Fold> Fold for (T, U) {
    fn fold(&self, into: &mut Digest) {
        self.0.fold(into);
        self.1.fold(into);
    }
}

/// Takes in a kind's number, then its fields.
macro_rules! kind {
    ($into:ident, $number:literal $(, $field:expr)* $(,)?) => {{
        $into.word($number);
        $( $field.fold($into); )*
    }};
}

impl Fold for What {
    fn fold(&self, into: &mut Digest) {
        match self {
            What::ProcessStarted { cluster, start } => kind!(into, 1, cluster, start),
            What::ProcessStopped { cluster, start } => kind!(into, 2, cluster, start),
            What::ProcessTurned { cluster, start, turn } => kind!(into, 25, cluster, start, turn),
            What::CalmBegan => kind!(into, 3),
            What::Called { call, sent } => kind!(into, 4, call, sent.purpose, sent.attempt, sent.request),
            // The arrival follows from the request and the latency, which the answer's time tells of.
            What::Answered { call, ending, .. } => kind!(into, 5, call, ending),
            What::PoolCreated { lke_pool, cluster, plan, count, node_pool, tags, call } => {
                kind!(into, 6, lke_pool, cluster, plan, count, node_pool, tags, call)
            }
            What::PoolCountChanged { lke_pool, from, to, call, by_count } => {
                kind!(into, 7, lke_pool, from, to, call, by_count)
            }
            What::PoolDeleted { lke_pool, call } => kind!(into, 8, lke_pool, call),
            What::InstanceCreated { instance, label, lke_pool, node, cluster, plan, tags, call } => {
                match (lke_pool, node, cluster) {
                    (Some(lke_pool), Some(node), Some(cluster)) if tags.is_empty() => {
                        kind!(into, 9, instance, label, lke_pool, node, cluster, plan, call)
                    }
                    _ => kind!(into, 22, instance, label, lke_pool, node, cluster, plan, tags, call),
                }
            }
            What::InstanceBooted { instance } => kind!(into, 10, instance),
            What::InstanceTagged { instance, before, after, call } => {
                kind!(into, 11, instance, before, after, call)
            }
            What::InstanceDeleted { instance, lke_pool, call } => match lke_pool {
                Some(lke_pool) => kind!(into, 12, instance, lke_pool, call),
                None => kind!(into, 23, instance, call),
            },
            What::ClaimCreated { claim, cluster, node_pool, plans } => {
                kind!(into, 13, claim, cluster, node_pool, plans)
            }
            What::ClaimDeleting { claim, by } => kind!(into, 14, claim, by),
            What::ClaimGone { claim } => kind!(into, 15, claim),
            What::ClaimProviderId { claim, before, after } => {
                kind!(into, 16, claim, before, after)
            }
            What::ClaimCondition { claim, condition, status, reason } => {
                kind!(into, 17, claim, condition, status, reason)
            }
            What::Node { node, instance, change } => kind!(into, 18, node, instance, change),
            What::OperationStarted { run, cluster: _, process, operation, caller, claim, instance } => {
                kind!(into, 19, run, operation, caller, claim, instance);
                // The first process is understood, so that it costs nothing to tell; the cluster shows in what follows.
                if *process > 1 {
                    process.fold(into);
                }
            }
            What::OperationReturned { run, result } => kind!(into, 20, run, result),
            What::PoolTagged { lke_pool, before, after, call } => {
                kind!(into, 21, lke_pool, before, after, call)
            }
            What::StartedWith { linodes, claims } => kind!(into, 24, linodes, claims),
            What::Pod { pod, change } => kind!(into, 26, pod.uid, pod.name, change),
            What::Pass { cluster, process, pass } => {
                kind!(into, 27, cluster, process, pass.pods, pass.placed, pass.claims, pass.failed)
            }
            What::NodeDeletionAsked { node, by } => kind!(into, 28, node, by),
            What::NodePoolLimits { cluster, node_pool, limits } => kind!(into, 29, cluster, node_pool, limits),
            What::ClaimCapacity { claim, capacity } => kind!(into, 30, claim, capacity),
        }
    }
}

impl Fold for Duration {
    fn fold(&self, into: &mut Digest) {
        into.word(self.as_secs());
        into.word(u64::from(self.subsec_nanos()));
    }
}

impl Fold for ClaimRef {
    fn fold(&self, into: &mut Digest) {
        self.uid.fold(into);
        self.name.fold(into);
    }
}

impl Fold for PodChange {
    fn fold(&self, into: &mut Digest) {
        match self {
            PodChange::Created { kind } => kind!(into, 1, kind),
            PodChange::Unschedulable { text } => kind!(into, 2, text),
            PodChange::Preempts { node } => kind!(into, 3, node),
            PodChange::Bound { node, by } => kind!(into, 4, node, by),
            PodChange::Running => kind!(into, 5),
            PodChange::Ready => kind!(into, 6),
            PodChange::NotReady => kind!(into, 7),
            PodChange::Ended { well } => kind!(into, 8, well),
            PodChange::Deleting { by } => kind!(into, 9, by),
            PodChange::Gone => kind!(into, 10),
            PodChange::ShouldScheduleOn { on } => kind!(into, 11, on),
            PodChange::FailedScheduling { text } => kind!(into, 12, text),
        }
    }
}

impl Fold for PodKind {
    fn fold(&self, into: &mut Digest) {
        into.word(match self {
            PodKind::Usual => 1,
            PodKind::DaemonSet => 2,
            PodKind::Static => 3,
            PodKind::NotOnKarpenter => 4,
            PodKind::Gated => 5,
        });
    }
}

impl Fold for CallEnding {
    fn fold(&self, into: &mut Digest) {
        match self {
            CallEnding::Ok { seen } => kind!(into, 1, seen),
            CallEnding::Failed { error, throttled, fault } => {
                kind!(into, 2, error, throttled, fault)
            }
        }
    }
}

impl Fold for Seen {
    fn fold(&self, into: &mut Digest) {
        self.pages.fold(into);
        self.entries.fold(into);
        self.counts.fold(into);
        self.truncated.fold(into);
        if let Some(fault) = &self.fault {
            fault.fold(into);
        }
    }
}

impl Fold for CallError {
    fn fold(&self, into: &mut Digest) {
        match self {
            CallError::Api(error) => kind!(into, 1, error),
            CallError::Timeout => kind!(into, 2),
            CallError::ConnectionLost => kind!(into, 3),
            CallError::RetryAfter(text) => kind!(into, 4, text),
            CallError::Unreadable(what) => kind!(into, 5, what),
        }
    }
}

impl Fold for ApiError {
    fn fold(&self, into: &mut Digest) {
        self.status.fold(into);
        self.reasons.fold(into);
        self.retry_after_secs.fold(into);
        self.maintenance.fold(into);
        if self.body != ErrorBody::Reasons {
            into.word(self.body as u64);
        }
        if let Some(text) = &self.retry_after_text {
            text.fold(into);
        }
    }
}

impl Fold for Reason {
    fn fold(&self, into: &mut Digest) {
        self.reason.fold(into);
        self.field.fold(into);
    }
}

impl Fold for Condition {
    fn fold(&self, into: &mut Digest) {
        into.word(match self {
            Condition::Launched => 1,
            Condition::Registered => 2,
            Condition::Initialized => 3,
            Condition::InstanceTerminating => 4,
            Condition::DisruptionReason => 5,
        });
    }
}

impl Fold for Turn {
    fn fold(&self, into: &mut Digest) {
        into.word(match self {
            Turn::Leads => 1,
            Turn::ToldToStop => 2,
            Turn::LostLease => 3,
            Turn::Paused => 4,
            Turn::WokeUp => 5,
            Turn::ClockSet { .. } => 6,
        });
        if let Turn::ClockSet { ahead_ms } = self {
            into.word(ahead_ms.cast_unsigned());
        }
    }
}

impl Fold for NodeChange {
    fn fold(&self, into: &mut Digest) {
        into.word(match self {
            NodeChange::Joined => 1,
            NodeChange::Ready => 2,
            NodeChange::NotReady => 3,
            NodeChange::Deleting => 4,
            NodeChange::Gone => 5,
            NodeChange::TaintRemoved => 6,
            NodeChange::LabelsMissing => 7,
            NodeChange::LabelsForeign => 8,
            NodeChange::Identified => 9,
            NodeChange::Disrupted => 10,
            NodeChange::Spared => 11,
        });
    }
}

impl Fold for Returned {
    fn fold(&self, into: &mut Digest) {
        match self {
            Returned::Instance(instance) => kind!(into, 1, instance),
            Returned::Instances(instances) => kind!(into, 2, instances),
            Returned::Done => kind!(into, 3),
            Returned::NotFound(text) => kind!(into, 4, text),
            Returned::InsufficientCapacity(text) => kind!(into, 5, text),
            Returned::Failed(text) => kind!(into, 6, text),
            Returned::Dropped => kind!(into, 7),
        }
    }
}

impl Fold for Purpose {
    fn fold(&self, into: &mut Digest) {
        self.caller.fold(into);
        self.operation.fold(into);
        self.invocation.fold(into);
        self.attempt.fold(into);
        self.subject.fold(into);
        self.cause.fold(into);
        for run in self.joined.runs() {
            run.fold(into);
        }
    }
}

/// By name, so that an operation more in the list changes no digest.
impl Fold for Operation {
    fn fold(&self, into: &mut Digest) {
        self.name().fold(into);
    }
}

impl Fold for Cause {
    fn fold(&self, into: &mut Digest) {
        self.name().fold(into);
    }
}

impl Fold for Endpoint {
    fn fold(&self, into: &mut Digest) {
        self.name().fold(into);
    }
}

impl Fold for Request {
    fn fold(&self, into: &mut Digest) {
        self.endpoint().fold(into);
        match self {
            Request::ListClusters { filter, page } | Request::ListInstances { filter, page } => {
                kind!(into, 1, filter, page)
            }
            Request::GetCluster { cluster } => kind!(into, 2, cluster),
            Request::ListPools { cluster, filter, page } => kind!(into, 3, cluster, filter, page),
            Request::CreatePool { cluster, body } => kind!(into, 4, cluster, body),
            Request::GetPool { cluster, lke_pool } | Request::DeletePool { cluster, lke_pool } => {
                kind!(into, 5, cluster, lke_pool)
            }
            Request::UpdatePool { cluster, lke_pool, body } => {
                kind!(into, 6, cluster, lke_pool, body)
            }
            Request::DeleteNode { cluster, node } => kind!(into, 7, cluster, node),
            Request::GetInstance { instance } | Request::DeleteInstance { instance } => {
                kind!(into, 8, instance)
            }
            Request::UpdateInstance { instance, tags } => kind!(into, 9, instance, tags),
            Request::CreateInstance { body } => kind!(into, 10, body),
            Request::CreateTag { label, linodes } => kind!(into, 11, label, linodes),
            Request::ListTypes { page } => kind!(into, 12, page),
            Request::GetType { plan } => kind!(into, 13, plan),
            Request::RegionAvailability { region } => kind!(into, 14, region),
            Request::ListRegionAvailability { filter, page } => kind!(into, 15, filter, page),
            // No simulated client makes one; it is folded as its reader sees it.
            Request::Rarer(_) => {
                let shown = super::super::Request::from(self);
                into.word(16);
                format!("{}\n{:?}\n{:?}", shown.line, shown.filter, shown.body).fold(into);
            }
            Request::ListMembers { cluster, lke_pool } => kind!(into, 17, cluster, lke_pool),
            Request::ClaimNode { cluster, lke_pool, tag } => kind!(into, 18, cluster, lke_pool, tag),
        }
    }
}

impl Fold for PageRequest {
    fn fold(&self, into: &mut Digest) {
        self.page.fold(into);
        self.size.fold(into);
    }
}

impl Fold for PoolNodeId {
    fn fold(&self, into: &mut Digest) {
        self.lke_pool.fold(into);
        self.suffix.fold(into);
    }
}

impl Fold for Tags {
    fn fold(&self, into: &mut Digest) {
        into.word(self.len() as u64);
        self.iter().for_each(|tag| tag.fold(into));
    }
}

impl Fold for Taint {
    fn fold(&self, into: &mut Digest) {
        self.key.fold(into);
        self.value.fold(into);
        self.effect.fold(into);
    }
}

impl Fold for LkePoolCreate {
    fn fold(&self, into: &mut Digest) {
        self.plan.fold(into);
        self.count.fold(into);
        self.tags.fold(into);
        self.labels.fold(into);
        self.taints.fold(into);
        self.firewall.fold(into);
        self.k8s_version.fold(into);
        fold_more(&self.more, into);
    }
}

impl Fold for LkePoolUpdate {
    fn fold(&self, into: &mut Digest) {
        self.count.fold(into);
        self.tags.fold(into);
        self.k8s_version.fold(into);
        fold_more(&self.more, into);
    }
}

impl Fold for InstanceCreate {
    fn fold(&self, into: &mut Digest) {
        self.label.fold(into);
        self.plan.fold(into);
        self.region.fold(into);
        self.tags.fold(into);
        fold_more(&self.more, into);
    }
}

/// What few calls have: its text, and nothing where there is none.
fn fold_more<T: std::fmt::Debug>(more: &Option<Box<T>>, into: &mut Digest) {
    if let Some(more) = more {
        format!("{more:?}").fold(into);
    }
}

/// By its parts: the hash that a filter keeps is for look-ups, and not the same on every platform.
impl Fold for Filter {
    fn fold(&self, into: &mut Digest) {
        self.clauses().fold(into);
        self.order_by().cloned().fold(into);
        self.order().fold(into);
    }
}

impl Fold for Clause {
    fn fold(&self, into: &mut Digest) {
        match self {
            Clause::Field(atom) => kind!(into, 1, atom),
            Clause::And(objects) => kind!(into, 2, objects),
            Clause::Or(objects) => kind!(into, 3, objects),
        }
    }
}

impl Fold for Atom {
    fn fold(&self, into: &mut Digest) {
        self.field.fold(into);
        self.operator.fold(into);
        self.value.fold(into);
    }
}

impl Fold for Operator {
    fn fold(&self, into: &mut Digest) {
        into.word(match self {
            Operator::Equals => 1,
            Operator::Contains => 2,
            Operator::NotEquals => 3,
            Operator::Greater => 4,
            Operator::AtLeast => 5,
            Operator::Less => 6,
            Operator::AtMost => 7,
        });
    }
}

impl Fold for Order {
    fn fold(&self, into: &mut Digest) {
        into.word(match self {
            Order::Ascending => 1,
            Order::Descending => 2,
        });
    }
}

impl Fold for Scalar {
    fn fold(&self, into: &mut Digest) {
        match self {
            Scalar::Null => kind!(into, 1),
            Scalar::Bool(truth) => kind!(into, 2, truth),
            Scalar::Number(number) => {
                into.word(3);
                into.word(*number as u64);
                into.word((*number >> 64) as u64);
            }
            Scalar::Text(text) => kind!(into, 4, text),
            Scalar::Texts(texts) => {
                into.word(5);
                texts[..].fold(into);
            }
        }
    }
}
