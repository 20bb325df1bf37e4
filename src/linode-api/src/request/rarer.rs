//! The calls that the modelled provider never makes, though linodego and other clients of the account do.

use super::{Endpoint, LkePoolCreate, Page, PageRequest};
use crate::filter::Filter;
use crate::object::{
    Acl, Alerts, ClusterId, Instance, InstanceId, LkeCluster, LkePoolId, PoolNode, PoolNodeId, Tags, Tier,
};
use std::sync::Arc;

/// A call that no design makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rarer {
    /// `POST /lke/clusters`
    CreateCluster {
        /// The body.
        body: ClusterCreate,
    },
    /// `PUT /lke/clusters/{cluster}`
    UpdateCluster {
        /// The cluster.
        cluster: ClusterId,
        /// The body.
        body: ClusterUpdate,
    },
    /// `DELETE /lke/clusters/{cluster}`
    DeleteCluster {
        /// The cluster.
        cluster: ClusterId,
    },
    /// `POST /lke/clusters/{cluster}/recycle`
    RecycleCluster {
        /// The cluster.
        cluster: ClusterId,
    },
    /// `POST /lke/clusters/{cluster}/regenerate`
    RegenerateCluster {
        /// The cluster.
        cluster: ClusterId,
    },
    /// `GET /lke/clusters/{cluster}/kubeconfig`
    GetKubeconfig {
        /// The cluster.
        cluster: ClusterId,
    },
    /// `DELETE /lke/clusters/{cluster}/kubeconfig`
    DeleteKubeconfig {
        /// The cluster.
        cluster: ClusterId,
    },
    /// `DELETE /lke/clusters/{cluster}/servicetoken`
    DeleteServiceToken {
        /// The cluster.
        cluster: ClusterId,
    },
    /// `GET /lke/clusters/{cluster}/api-endpoints`
    ListApiEndpoints {
        /// The cluster.
        cluster: ClusterId,
        /// The page.
        page: PageRequest,
    },
    /// `GET /lke/clusters/{cluster}/dashboard`
    GetDashboard {
        /// The cluster.
        cluster: ClusterId,
    },
    /// `GET /lke/clusters/{cluster}/control_plane_acl`
    GetControlPlaneAcl {
        /// The cluster.
        cluster: ClusterId,
    },
    /// `PUT /lke/clusters/{cluster}/control_plane_acl`
    UpdateControlPlaneAcl {
        /// The cluster.
        cluster: ClusterId,
        /// What the rules become; what is absent stays.
        acl: Acl,
    },
    /// `DELETE /lke/clusters/{cluster}/control_plane_acl`
    DeleteControlPlaneAcl {
        /// The cluster.
        cluster: ClusterId,
    },
    /// `POST /lke/clusters/{cluster}/pools/{lke_pool}/recycle`
    RecyclePool {
        /// The cluster.
        cluster: ClusterId,
        /// The pool.
        lke_pool: LkePoolId,
    },
    /// `GET /lke/clusters/{cluster}/nodes/{node}`
    GetNode {
        /// The cluster.
        cluster: ClusterId,
        /// The slot.
        node: PoolNodeId,
    },
    /// `POST /lke/clusters/{cluster}/nodes/{node}/recycle`
    RecycleNode {
        /// The cluster.
        cluster: ClusterId,
        /// The slot.
        node: PoolNodeId,
    },
    /// `PUT /linode/instances/{instance}` of more than tags.
    UpdateInstance {
        /// The Linode.
        instance: InstanceId,
        /// The body.
        body: InstanceUpdate,
    },
    /// `POST /linode/instances/{instance}/boot`
    BootInstance {
        /// The Linode.
        instance: InstanceId,
    },
    /// `POST /linode/instances/{instance}/reboot`
    RebootInstance {
        /// The Linode.
        instance: InstanceId,
    },
    /// `POST /linode/instances/{instance}/shutdown`
    ShutdownInstance {
        /// The Linode.
        instance: InstanceId,
    },
    /// `GET /tags`
    ListTags {
        /// `X-Filter`.
        filter: Option<Filter>,
        /// The page.
        page: PageRequest,
    },
    /// `GET /tags/{label}`
    ListTaggedObjects {
        /// The tag.
        label: Arc<str>,
        /// The page.
        page: PageRequest,
    },
    /// `DELETE /tags/{label}`
    DeleteTag {
        /// The tag.
        label: Arc<str>,
    },
}

impl Rarer {
    /// Its method and path.
    pub const fn endpoint(&self) -> Endpoint {
        match self {
            Rarer::CreateCluster { .. } => Endpoint::CreateCluster,
            Rarer::UpdateCluster { .. } => Endpoint::UpdateCluster,
            Rarer::DeleteCluster { .. } => Endpoint::DeleteCluster,
            Rarer::RecycleCluster { .. } => Endpoint::RecycleCluster,
            Rarer::RegenerateCluster { .. } => Endpoint::RegenerateCluster,
            Rarer::GetKubeconfig { .. } => Endpoint::GetKubeconfig,
            Rarer::DeleteKubeconfig { .. } => Endpoint::DeleteKubeconfig,
            Rarer::DeleteServiceToken { .. } => Endpoint::DeleteServiceToken,
            Rarer::ListApiEndpoints { .. } => Endpoint::ListApiEndpoints,
            Rarer::GetDashboard { .. } => Endpoint::GetDashboard,
            Rarer::GetControlPlaneAcl { .. } => Endpoint::GetControlPlaneAcl,
            Rarer::UpdateControlPlaneAcl { .. } => Endpoint::UpdateControlPlaneAcl,
            Rarer::DeleteControlPlaneAcl { .. } => Endpoint::DeleteControlPlaneAcl,
            Rarer::RecyclePool { .. } => Endpoint::RecyclePool,
            Rarer::GetNode { .. } => Endpoint::GetNode,
            Rarer::RecycleNode { .. } => Endpoint::RecycleNode,
            Rarer::UpdateInstance { .. } => Endpoint::UpdateInstance,
            Rarer::BootInstance { .. } => Endpoint::BootInstance,
            Rarer::RebootInstance { .. } => Endpoint::RebootInstance,
            Rarer::ShutdownInstance { .. } => Endpoint::ShutdownInstance,
            Rarer::ListTags { .. } => Endpoint::ListTags,
            Rarer::ListTaggedObjects { .. } => Endpoint::ListTaggedObjects,
            Rarer::DeleteTag { .. } => Endpoint::DeleteTag,
        }
    }

    /// The page that is asked for, of a list.
    pub const fn page_mut(&mut self) -> Option<&mut PageRequest> {
        match self {
            Rarer::ListApiEndpoints { page, .. }
            | Rarer::ListTags { page, .. }
            | Rarer::ListTaggedObjects { page, .. } => Some(page),
            _ => None,
        }
    }

    /// The page that is asked for, of a list.
    pub const fn page(&self) -> Option<PageRequest> {
        match self {
            Rarer::ListApiEndpoints { page, .. }
            | Rarer::ListTags { page, .. }
            | Rarer::ListTaggedObjects { page, .. } => Some(*page),
            _ => None,
        }
    }

    /// The filter that is sent along.
    pub const fn filter(&self) -> Option<&Filter> {
        match self {
            Rarer::ListTags { filter, .. } => filter.as_ref(),
            _ => None,
        }
    }
}

/// The body of a cluster's creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterCreate {
    /// The label, 1 to 32 characters.
    pub label: Arc<str>,
    /// The region.
    pub region: Arc<str>,
    /// The version of Kubernetes.
    pub k8s_version: Arc<str>,
    /// The tier; Standard where none is given.
    pub tier: Tier,
    /// The tags.
    pub tags: Tags,
    /// The pools that it is made with. Enterprise needs none.
    pub lke_pools: Vec<LkePoolCreate>,
    /// Whether the control plane is to be highly available. On Enterprise it always is.
    pub high_availability: Option<bool>,
    /// Whether the control plane is to write an audit log (Enterprise).
    pub audit_logs_enabled: Option<bool>,
    /// Who may reach the control plane.
    pub acl: Option<Acl>,
}

/// The body of a cluster's change. What is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterUpdate {
    /// The label.
    pub label: Option<Arc<str>>,
    /// The version of Kubernetes.
    pub k8s_version: Option<Arc<str>>,
    /// Replaces the tags.
    pub tags: Option<Tags>,
    /// Whether the control plane is highly available.
    pub high_availability: Option<bool>,
    /// Whether the control plane writes an audit log (Enterprise).
    pub audit_logs_enabled: Option<bool>,
    /// Who may reach the control plane.
    pub acl: Option<Acl>,
}

/// The body of a Linode's change. What is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceUpdate {
    /// The label, unique in the account.
    pub label: Option<Arc<str>>,
    /// Replaces the tags.
    pub tags: Option<Tags>,
    /// The display group of old, which tags replace.
    pub group: Option<Arc<str>>,
    /// Whether Linode boots it again when it powers off by itself.
    pub watchdog_enabled: Option<bool>,
    /// From which use on the account's owner is told.
    pub alerts: Alerts,
    /// How it is backed up. Clients send back what they read; another value is not modelled.
    pub backups: Backups,
    /// What Linode does with it when its host is maintained.
    pub maintenance_policy: Option<Arc<str>>,
}

/// How a Linode is backed up. What is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Backups {
    /// Whether backups are bought.
    pub enabled: Option<bool>,
    /// Whether there is one to go back to.
    pub available: Option<bool>,
    /// The day of the week.
    pub day: Option<Arc<str>>,
    /// The hours of the day.
    pub window: Option<Arc<str>>,
}

/// What the API answers to a call that no design makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RarerReply {
    /// A cluster's kubeconfig, in base64.
    Kubeconfig(Arc<str>),
    /// A page of URLs of a control plane.
    ApiEndpoints(Page<Arc<str>>),
    /// The URL of a cluster's dashboard.
    Dashboard(Arc<str>),
    /// Who may reach the control plane.
    ControlPlaneAcl(Arc<Acl>),
    /// A slot of a pool.
    Node(PoolNode),
    /// A page of tags.
    Tags(Page<Arc<str>>),
    /// A page of what bears a tag.
    TaggedObjects(Page<Tagged>),
}

/// Something that bears a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tagged {
    /// A Linode.
    Instance(Arc<Instance>),
    /// A LKE cluster.
    Cluster(Arc<LkeCluster>),
}
