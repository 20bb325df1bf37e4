//! Which kinds there are, and which can't matter.

use lkesim_kube::object::WorkloadKind;

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Manifested {
    NodePool,
    NodeClaim,
    NodeClass,
    Node,
    Workload(WorkloadKind),
    Pod,
    PodDisruptionBudget,
    PriorityClass,
    PersistentVolumeClaim,
    PersistentVolume,
    StorageClass,
    Namespace,
}

impl Manifested {
    /// Whether others refer to it, so that it is read before them.
    pub fn is_referred_to(self) -> u8 {
        match self {
            Manifested::PriorityClass | Manifested::StorageClass | Manifested::Namespace => 0,
            Manifested::PersistentVolume => 0,
            Manifested::Pod => 2,
            _ => 1,
        }
    }
}

/// The kinds that are read: name, API version, what they are.
pub const KINDS: [(&str, &str, Manifested); 16] = [
    ("NodePool", "karpenter.sh/v1", Manifested::NodePool),
    ("NodeClaim", "karpenter.sh/v1", Manifested::NodeClaim),
    ("LinodeNodeClass", "karpenter.k8s.linode/v1alpha1", Manifested::NodeClass),
    ("Deployment", "apps/v1", Manifested::Workload(WorkloadKind::Deployment)),
    ("ReplicaSet", "apps/v1", Manifested::Workload(WorkloadKind::ReplicaSet)),
    ("StatefulSet", "apps/v1", Manifested::Workload(WorkloadKind::StatefulSet)),
    ("DaemonSet", "apps/v1", Manifested::Workload(WorkloadKind::DaemonSet)),
    ("Job", "batch/v1", Manifested::Workload(WorkloadKind::Job)),
    ("Pod", "v1", Manifested::Pod),
    ("PodDisruptionBudget", "policy/v1", Manifested::PodDisruptionBudget),
    ("PriorityClass", "scheduling.k8s.io/v1", Manifested::PriorityClass),
    ("PersistentVolumeClaim", "v1", Manifested::PersistentVolumeClaim),
    ("PersistentVolume", "v1", Manifested::PersistentVolume),
    ("StorageClass", "storage.k8s.io/v1", Manifested::StorageClass),
    ("Namespace", "v1", Manifested::Namespace),
    ("Node", "v1", Manifested::Node),
];

/// Kinds that can't matter to where pods go.
pub const IGNORED: [&str; 33] = [
    "Service",
    "ConfigMap",
    "Secret",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "ClusterRole",
    "ClusterRoleBinding",
    "Ingress",
    "IngressClass",
    "NetworkPolicy",
    "Endpoints",
    "EndpointSlice",
    "Event",
    "Lease",
    "ControllerRevision",
    "CustomResourceDefinition",
    "APIService",
    "ServiceMonitor",
    "PodMonitor",
    "PrometheusRule",
    "Gateway",
    "HTTPRoute",
    "PodTemplate",
    "Binding",
    "ComponentStatus",
    "CSIDriver",
    "CSINode",
    "CSIStorageCapacity",
    "VolumeAttachment",
    "VolumeAttributesClass",
    "CertificateSigningRequest",
    "PriorityLevelConfiguration",
];

/// Kinds that would matter to pods, and what becomes of them here.
pub const UNMODELLED: [(&str, &str); 13] = [
    ("CronJob", "no Job is made of it"),
    ("HorizontalPodAutoscaler", "replicas stay as they are written"),
    ("VerticalPodAutoscaler", "requests stay as they are written"),
    ("ScaledObject", "replicas stay as they are written"),
    ("ScaledJob", "no Job is made of it"),
    ("ReplicationController", "its pods are not made; write it as a ReplicaSet"),
    ("LimitRange", "requests and limits that it would fill in stay as they are written"),
    ("ResourceQuota", "nothing is refused because of it"),
    ("RuntimeClass", "what it costs is given by a pod's `overhead` alone"),
    ("NodeOverlay", "prices and capacities stay those of the types"),
    ("Rollout", "its pods are not made; write it as a Deployment"),
    ("MutatingWebhookConfiguration", "objects stay as they are written"),
    ("MutatingAdmissionPolicy", "objects stay as they are written"),
];

/// The API groups of kinds that are read: another kind of theirs is a mistake. The first is the core's, which has no
/// name, and `extensions` is what some had once.
pub const GROUPS: [&str; 9] = [
    "",
    "apps",
    "batch",
    "policy",
    "scheduling.k8s.io",
    "storage.k8s.io",
    "karpenter.sh",
    "karpenter.k8s.linode",
    "extensions",
];
