//! Names of labels, annotations, taints and finalizers that upstream fixes.

/// The NodePool that a NodeClaim or a Node belongs to.
pub const NODE_POOL: &str = "karpenter.sh/nodepool";
/// Set on a Node once its NodeClaim was registered.
pub const NODE_REGISTERED: &str = "karpenter.sh/registered";
/// Set on a Node once its NodeClaim was initialized.
pub const NODE_INITIALIZED: &str = "karpenter.sh/initialized";
/// How the capacity is paid for: `on-demand` on Linode.
pub const CAPACITY_TYPE: &str = "karpenter.sh/capacity-type";
/// The reservation that a machine is of: Karpenter's name for what each provider calls its own.
pub const RESERVATION_ID: &str = "karpenter.sh/reservation-id";
/// A Node with this label set to `true` keeps its taints when it is registered.
pub const NODE_DO_NOT_SYNC_TAINTS: &str = "karpenter.sh/do-not-sync-taints";
/// The finalizer of NodeClaims and their Nodes.
pub const TERMINATION_FINALIZER: &str = "karpenter.sh/termination";
/// Set to `true` on a pod or a node, Karpenter leaves it alone.
pub const DO_NOT_DISRUPT: &str = "karpenter.sh/do-not-disrupt";
/// On a NodeClaim that goes: when its node must be gone. Here in whole seconds since the run began, where upstream writes
/// a date.
pub const TERMINATION_TIMESTAMP: &str = "karpenter.sh/nodeclaim-termination-timestamp";
/// On a pod: what deleting it costs, beside others.
pub const POD_DELETION_COST: &str = "controller.kubernetes.io/pod-deletion-cost";
/// The taint of a node that disruption or termination took out of service.
pub const DISRUPTED_TAINT: &str = "karpenter.sh/disrupted";
/// The taint with which a node should join, until it is registered.
pub const UNREGISTERED_TAINT: &str = "karpenter.sh/unregistered";
/// Kubernetes' taint of a node that is not ready.
pub const NOT_READY_TAINT: &str = "node.kubernetes.io/not-ready";
/// Kubernetes' taint of a node that stopped reporting.
pub const UNREACHABLE_TAINT: &str = "node.kubernetes.io/unreachable";
/// The taint of a node that the cloud's controller has not seen yet.
pub const EXTERNAL_CLOUD_PROVIDER_TAINT: &str = "node.cloudprovider.kubernetes.io/uninitialized";
/// Keeps a node out of load balancers.
pub const EXCLUDE_BALANCERS: &str = "node.kubernetes.io/exclude-from-external-load-balancers";
/// The instance type: a Linode plan's id.
pub const INSTANCE_TYPE: &str = "node.kubernetes.io/instance-type";
/// The region.
pub const REGION: &str = "topology.kubernetes.io/region";
/// The zone; on Linode the region.
pub const ZONE: &str = "topology.kubernetes.io/zone";
/// The processor's architecture.
pub const ARCH: &str = "kubernetes.io/arch";
/// The operating system.
pub const OS: &str = "kubernetes.io/os";
/// The node's host name.
pub const HOSTNAME: &str = "kubernetes.io/hostname";
/// The build of Windows.
pub const WINDOWS_BUILD: &str = "node.kubernetes.io/windows-build";
