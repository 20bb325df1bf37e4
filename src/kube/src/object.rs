//! The objects, with the field names of their upstream kinds.

pub mod affinity;
pub mod condition;
pub mod config_map;
pub mod label_selector;
pub mod labels;
pub mod meta;
pub mod node;
pub mod node_claim;
pub mod node_class;
pub mod node_pool;
pub mod pod;
pub mod pod_disruption_budget;
pub mod quantity;
pub mod requirement;
pub mod resource_list;
pub mod resources;
pub mod shared;
pub mod taint;
pub mod toleration;
pub mod workload;

pub use condition::{Condition, ConditionStatus, ConditionType, Conditions};
pub use config_map::ConfigMap;
pub use label_selector::LabelSelector;
pub use meta::{ObjectMeta, OwnerReference, ProviderId, Uid};
pub use node::Node;
pub use node_claim::NodeClaim;
pub use node_class::NodeClass;
pub use node_pool::NodePool;
pub use pod::{Pod, PodOwner, PodPhase, PodSpec};
pub use pod_disruption_budget::PodDisruptionBudget;
pub use quantity::Quantity;
pub use requirement::{Operator, Requirement};
pub use resource_list::ResourceList;
pub use resources::Resources;
pub use shared::{List, StringMap};
pub use taint::{Taint, TaintEffect};
pub use toleration::{Toleration, TolerationOperator};
pub use workload::{PodTemplate, Workload, WorkloadKind};

use crate::store::{Change, ObjectChange, Table, Tables};
use std::fmt;
use std::time::Duration;

/// The kinds that the store knows. New ones go to the end: draws of latencies and lags are keyed by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// `karpenter.sh/v1` NodeClaim.
    NodeClaim,
    /// `karpenter.sh/v1` NodePool.
    NodePool,
    /// The provider's NodeClass, `karpenter.k8s.linode` LinodeNodeClass.
    NodeClass,
    /// `v1` Node.
    Node,
    /// `v1` ConfigMap.
    ConfigMap,
    /// `v1` Pod.
    Pod,
    /// `apps/v1` Deployment, ReplicaSet, StatefulSet and DaemonSet, and `batch/v1` Job.
    Workload,
    /// `policy/v1` PodDisruptionBudget.
    PodDisruptionBudget,
}

impl Kind {
    /// The kind's name as upstream writes it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::NodeClaim => "NodeClaim",
            Kind::NodePool => "NodePool",
            Kind::NodeClass => "NodeClass",
            Kind::Node => "Node",
            Kind::ConfigMap => "ConfigMap",
            Kind::Pod => "Pod",
            Kind::Workload => "Workload",
            Kind::PodDisruptionBudget => "PodDisruptionBudget",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A kind of object that the store keeps.
///
/// The `merge_` functions are JSON merge patches: what differs between `base` and `changed` is written over what is
/// there, maps entry by entry and lists as a whole. That is how a patch without a lock loses a list entry that another
/// controller added in between.
pub trait Object: Clone + PartialEq + fmt::Debug + 'static {
    /// Its kind.
    const KIND: Kind;

    /// Its metadata.
    fn metadata(&self) -> &ObjectMeta;

    /// Its metadata, to be changed.
    fn metadata_mut(&mut self) -> &mut ObjectMeta;

    /// Applies the difference of two specs to this object.
    fn merge_spec(&mut self, base: &Self, changed: &Self);

    /// Whether the spec is that of another version of the object. Kinds whose generation nobody reads do not compare.
    fn has_spec_of(&self, other: &Self) -> bool {
        let _ = other;
        true
    }

    /// Applies the difference of two statuses to this object.
    fn merge_status(&mut self, base: &Self, changed: &Self);

    /// The machine that the object stands for, for the caches' index.
    fn provider_id(&self) -> Option<&ProviderId> {
        None
    }

    /// What the API server's admission adds to a new object.
    fn admit(&mut self) {}

    /// How long an object without finalizers may take to go once its deletion is asked for, if it does not go at once:
    /// who runs it takes it away in the end. `asked` is the time that the request grants, if it says so.
    fn grace(&self, asked: Option<Duration>) -> Option<Duration> {
        let _ = asked;
        None
    }

    /// A change of this kind as a change of any.
    fn to_change(change: Change<Self>) -> ObjectChange;

    /// Where the store keeps this kind.
    fn table(tables: &Tables) -> &Table<Self>;
}

/// Writes `changed` over `field` if it differs from `base`.
pub(crate) fn merge<V: Clone + PartialEq>(field: &mut V, base: &V, changed: &V) {
    if base != changed {
        field.clone_from(changed);
    }
}
