//! Every call of the API as one value.

use crate::error::CallError;
use crate::filter::Filter;
use crate::object::{
    ClusterId, Instance, InstanceId, LkeCluster, LkePool, LkePoolId, PlanType, PoolNodeId, RegionAvailability, Tags,
    Taint,
};
use crate::purpose::Purpose;
use std::sync::Arc;

/// Which page of a list, and how long its pages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PageRequest {
    /// The page, from 1.
    pub page: u32,
    /// Entries a page, 25 to 500; the API's own default is 100.
    pub size: u32,
}

impl PageRequest {
    /// The first page of the default size.
    pub const FIRST: PageRequest = PageRequest { page: 1, size: 100 };
}

/// A call: the method, path, query, filter and body of one HTTP request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// `GET /lke/clusters`
    ListClusters {
        /// `X-Filter`.
        filter: Option<Filter>,
        /// The page.
        page: PageRequest,
    },
    /// `GET /lke/clusters/{cluster}`
    GetCluster {
        /// The cluster.
        cluster: ClusterId,
    },
    /// `GET /lke/clusters/{cluster}/pools`
    ListPools {
        /// The cluster.
        cluster: ClusterId,
        /// `X-Filter`.
        filter: Option<Filter>,
        /// The page.
        page: PageRequest,
    },
    /// `POST /lke/clusters/{cluster}/pools`
    CreatePool {
        /// The cluster.
        cluster: ClusterId,
        /// The body.
        body: LkePoolCreate,
    },
    /// `GET /lke/clusters/{cluster}/pools/{lke_pool}`
    GetPool {
        /// The cluster.
        cluster: ClusterId,
        /// The pool.
        lke_pool: LkePoolId,
    },
    /// `PUT /lke/clusters/{cluster}/pools/{lke_pool}`
    UpdatePool {
        /// The cluster.
        cluster: ClusterId,
        /// The pool.
        lke_pool: LkePoolId,
        /// The body.
        body: LkePoolUpdate,
    },
    /// `DELETE /lke/clusters/{cluster}/pools/{lke_pool}`
    DeletePool {
        /// The cluster.
        cluster: ClusterId,
        /// The pool.
        lke_pool: LkePoolId,
    },
    /// `DELETE /lke/clusters/{cluster}/nodes/{node}`
    DeleteNode {
        /// The cluster.
        cluster: ClusterId,
        /// The slot.
        node: PoolNodeId,
    },
    /// `GET /linode/instances`
    ListInstances {
        /// `X-Filter`.
        filter: Option<Filter>,
        /// The page.
        page: PageRequest,
    },
    /// `GET /linode/instances/{instance}`
    GetInstance {
        /// The Linode.
        instance: InstanceId,
    },
    /// `PUT /linode/instances/{instance}`
    UpdateInstance {
        /// The Linode.
        instance: InstanceId,
        /// Replaces the whole list of tags.
        tags: Tags,
    },
    /// `POST /linode/instances`
    CreateInstance {
        /// The body.
        body: InstanceCreate,
    },
    /// `DELETE /linode/instances/{instance}`
    DeleteInstance {
        /// The Linode.
        instance: InstanceId,
    },
    /// `POST /tags`
    CreateTag {
        /// The tag.
        label: Arc<str>,
        /// The Linodes that get it.
        linodes: Vec<InstanceId>,
    },
    /// `GET /linode/types`
    ListTypes {
        /// The page.
        page: PageRequest,
    },
    /// `GET /linode/types/{plan}`
    GetType {
        /// The plan.
        plan: Arc<str>,
    },
    /// `GET /regions/availability`
    ListRegionAvailability {
        /// `X-Filter`.
        filter: Option<Filter>,
        /// The page.
        page: PageRequest,
    },
    /// `GET /regions/{region}/availability`: a bare array, not pages.
    RegionAvailability {
        /// The region.
        region: Arc<str>,
    },
}

/// The body of a pool's creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LkePoolCreate {
    /// The plan.
    pub plan: Arc<str>,
    /// How many nodes.
    pub count: u32,
    /// Tags of the pool.
    pub tags: Tags,
    /// Labels of its nodes.
    pub labels: Vec<(Arc<str>, Arc<str>)>,
    /// Taints of its nodes.
    pub taints: Vec<Taint>,
    /// The firewall (Enterprise).
    pub firewall: Option<u64>,
    /// The version of Kubernetes (Enterprise).
    pub k8s_version: Option<Arc<str>>,
}

/// The body of a pool's change. What is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LkePoolUpdate {
    /// The number of nodes: LKE makes or deletes Linodes to match.
    pub count: Option<u32>,
    /// Replaces the tags.
    pub tags: Option<Tags>,
    /// The version of Kubernetes (Enterprise).
    pub k8s_version: Option<Arc<str>>,
}

/// The body of a Linode's creation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceCreate {
    /// The label, unique in the account.
    pub label: Arc<str>,
    /// The plan.
    pub plan: Arc<str>,
    /// The region.
    pub region: Arc<str>,
    /// The tags.
    pub tags: Tags,
}

/// Path and method of a call, without its ids: what budgets are counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each name is the path's own")]
pub enum Endpoint {
    ListClusters,
    GetCluster,
    ListPools,
    CreatePool,
    GetPool,
    UpdatePool,
    DeletePool,
    DeleteNode,
    ListInstances,
    GetInstance,
    UpdateInstance,
    CreateInstance,
    DeleteInstance,
    CreateTag,
    ListTypes,
    GetType,
    RegionAvailability,
    ListRegionAvailability,
}

/// Which rate limit a call counts against.
///
/// Source: Linode's rate limits as the design document quotes them ("Relevant rate limits and client behavior").
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RateClass {
    /// `GET` of a paginated collection: 200 a minute.
    List,
    /// Everything else: 1600 a minute.
    Other,
    /// Creating a Linode: 20 in 15 s.
    CreateInstance,
}

impl RateClass {
    /// Every class, in the order of reports.
    pub const ALL: [RateClass; 3] = [RateClass::List, RateClass::Other, RateClass::CreateInstance];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            RateClass::List => "list",
            RateClass::Other => "other",
            RateClass::CreateInstance => "create_instance",
        }
    }
}

impl Endpoint {
    /// Every endpoint, in the order of reports.
    pub const ALL: [Endpoint; 18] = [
        Endpoint::ListClusters,
        Endpoint::GetCluster,
        Endpoint::ListPools,
        Endpoint::CreatePool,
        Endpoint::GetPool,
        Endpoint::UpdatePool,
        Endpoint::DeletePool,
        Endpoint::DeleteNode,
        Endpoint::ListInstances,
        Endpoint::GetInstance,
        Endpoint::UpdateInstance,
        Endpoint::CreateInstance,
        Endpoint::DeleteInstance,
        Endpoint::CreateTag,
        Endpoint::ListTypes,
        Endpoint::GetType,
        Endpoint::RegionAvailability,
        Endpoint::ListRegionAvailability,
    ];

    /// Method and path, as Linode's documentation writes them.
    pub const fn path(self) -> &'static str {
        match self {
            Endpoint::ListClusters => "GET /lke/clusters",
            Endpoint::GetCluster => "GET /lke/clusters/{id}",
            Endpoint::ListPools => "GET /lke/clusters/{id}/pools",
            Endpoint::CreatePool => "POST /lke/clusters/{id}/pools",
            Endpoint::GetPool => "GET /lke/clusters/{id}/pools/{id}",
            Endpoint::UpdatePool => "PUT /lke/clusters/{id}/pools/{id}",
            Endpoint::DeletePool => "DELETE /lke/clusters/{id}/pools/{id}",
            Endpoint::DeleteNode => "DELETE /lke/clusters/{id}/nodes/{id}",
            Endpoint::ListInstances => "GET /linode/instances",
            Endpoint::GetInstance => "GET /linode/instances/{id}",
            Endpoint::UpdateInstance => "PUT /linode/instances/{id}",
            Endpoint::CreateInstance => "POST /linode/instances",
            Endpoint::DeleteInstance => "DELETE /linode/instances/{id}",
            Endpoint::CreateTag => "POST /tags",
            Endpoint::ListTypes => "GET /linode/types",
            Endpoint::GetType => "GET /linode/types/{id}",
            Endpoint::ListRegionAvailability => "GET /regions/availability",
            Endpoint::RegionAvailability => "GET /regions/{id}/availability",
        }
    }

    /// The SDK's name of the call, as the design document uses it.
    pub const fn name(self) -> &'static str {
        match self {
            Endpoint::ListClusters => "ListLKEClusters",
            Endpoint::GetCluster => "GetLKECluster",
            Endpoint::ListPools => "ListLKENodePools",
            Endpoint::CreatePool => "CreateLKENodePool",
            Endpoint::GetPool => "GetLKENodePool",
            Endpoint::UpdatePool => "UpdateLKENodePool",
            Endpoint::DeletePool => "DeleteLKENodePool",
            Endpoint::DeleteNode => "DeleteLKENodePoolNode",
            Endpoint::ListInstances => "ListInstances",
            Endpoint::GetInstance => "GetInstance",
            Endpoint::UpdateInstance => "UpdateInstance",
            Endpoint::CreateInstance => "CreateInstance",
            Endpoint::DeleteInstance => "DeleteInstance",
            Endpoint::CreateTag => "CreateTag",
            Endpoint::ListTypes => "ListTypes",
            Endpoint::GetType => "GetType",
            Endpoint::ListRegionAvailability => "ListRegionsAvailability",
            Endpoint::RegionAvailability => "GetRegionAvailability",
        }
    }

    /// Whether it is the GET of a list in pages.
    pub const fn is_list(self) -> bool {
        matches!(
            self,
            Endpoint::ListClusters
                | Endpoint::ListPools
                | Endpoint::ListInstances
                | Endpoint::ListTypes
                | Endpoint::ListRegionAvailability
        )
    }

    /// Whether it changes nothing.
    pub const fn is_read(self) -> bool {
        self.is_list()
            || matches!(
                self,
                Endpoint::GetCluster
                    | Endpoint::GetPool
                    | Endpoint::GetInstance
                    | Endpoint::GetType
                    | Endpoint::RegionAvailability
            )
    }

    /// The rate limit that it counts against.
    pub const fn class(self) -> RateClass {
        match self {
            list if list.is_list() => RateClass::List,
            Endpoint::CreateInstance => RateClass::CreateInstance,
            _ => RateClass::Other,
        }
    }
}

impl Request {
    /// Its method and path.
    pub const fn endpoint(&self) -> Endpoint {
        match self {
            Request::ListClusters { .. } => Endpoint::ListClusters,
            Request::GetCluster { .. } => Endpoint::GetCluster,
            Request::ListPools { .. } => Endpoint::ListPools,
            Request::CreatePool { .. } => Endpoint::CreatePool,
            Request::GetPool { .. } => Endpoint::GetPool,
            Request::UpdatePool { .. } => Endpoint::UpdatePool,
            Request::DeletePool { .. } => Endpoint::DeletePool,
            Request::DeleteNode { .. } => Endpoint::DeleteNode,
            Request::ListInstances { .. } => Endpoint::ListInstances,
            Request::GetInstance { .. } => Endpoint::GetInstance,
            Request::UpdateInstance { .. } => Endpoint::UpdateInstance,
            Request::CreateInstance { .. } => Endpoint::CreateInstance,
            Request::DeleteInstance { .. } => Endpoint::DeleteInstance,
            Request::CreateTag { .. } => Endpoint::CreateTag,
            Request::ListTypes { .. } => Endpoint::ListTypes,
            Request::GetType { .. } => Endpoint::GetType,
            Request::ListRegionAvailability { .. } => Endpoint::ListRegionAvailability,
            Request::RegionAvailability { .. } => Endpoint::RegionAvailability,
        }
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The entries, shared with the cloud.
    pub data: Arc<[T]>,
    /// The page, from 1.
    pub page: u32,
    /// How many pages there are; 1 where there are no entries.
    pub pages: u32,
    /// How many entries all pages have.
    pub results: u32,
}

/// What the API answers to a call that it accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// `{}`.
    Empty,
    /// A page of clusters.
    Clusters(Page<Arc<LkeCluster>>),
    /// A cluster.
    Cluster(Arc<LkeCluster>),
    /// A page of pools.
    Pools(Page<Arc<LkePool>>),
    /// A pool.
    Pool(Arc<LkePool>),
    /// A page of Linodes.
    Instances(Page<Arc<Instance>>),
    /// A Linode.
    Instance(Arc<Instance>),
    /// A page of plans.
    Types(Page<Arc<PlanType>>),
    /// A plan.
    Type(Arc<PlanType>),
    /// A page of the availability of all regions.
    Availabilities(Page<RegionAvailability>),
    /// A region's availability.
    Availability(Arc<[RegionAvailability]>),
}

/// The limit headers that ride on every reply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Headers {
    /// `X-RateLimit-Limit`.
    pub limit: u32,
    /// `X-RateLimit-Remaining`.
    pub remaining: u32,
    /// `Retry-After`: seconds to the end of the window, on successes too.
    pub retry_after_secs: u32,
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The reply, or why there is none.
    pub result: Result<Reply, CallError>,
    /// The headers; all zero where no reply came.
    pub headers: Headers,
}

/// The n-th HTTP request of a run, from 1.
pub type CallNumber = u64;

/// One HTTP request on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Who asks, and what for.
    pub purpose: Purpose,
    /// The SDK's try: 0, and more for its own retries.
    pub attempt: u32,
    /// What is asked.
    pub request: Request,
}
