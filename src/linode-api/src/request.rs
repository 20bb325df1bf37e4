//! Every call of the API as one value.
//!
//! What the modelled provider asks for is a variant of [`Request`] itself; what only other clients ask for stands apart
//! in [`Rarer`], so that the former stay small.

mod endpoint;
mod rarer;

pub use endpoint::{Endpoint, RateClass};
pub use rarer::{Backups, ClusterCreate, ClusterUpdate, InstanceUpdate, Rarer, RarerReply, Tagged};

use crate::error::CallError;
use crate::filter::Filter;
use crate::object::{
    Autoscaler, ClusterId, Instance, InstanceId, LkeCluster, LkePool, LkePoolId, PlanType, PoolDisk, PoolNodeId,
    RegionAvailability, Tags, Taint, UpdateStrategy,
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

/// What a claim of a node is answered with, under status 409, where every node of the pool is taken.
pub const NO_UNCLAIMED_NODE: &str = "No unclaimed node in this pool";

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
    /// `GET /lke/clusters/{cluster}/pools/{lke_pool}/members`, which the real API does not have: the pool's Linodes with
    /// their tags, as they are at that moment. It is no list in pages, as a pool's GET is none.
    ListMembers {
        /// The cluster.
        cluster: ClusterId,
        /// The pool.
        lke_pool: LkePoolId,
    },
    /// `POST /lke/clusters/{cluster}/pools/{lke_pool}/claim`, which the real API does not have: gives the tag to the
    /// pool's Linode that bears it, or else to the first that bears none with its key.
    ClaimNode {
        /// The cluster.
        cluster: ClusterId,
        /// The pool.
        lke_pool: LkePoolId,
        /// The tag, `key=value`.
        tag: Arc<str>,
    },
    /// A call that the modelled provider never makes.
    Rarer(Box<Rarer>),
}

/// The body of a pool's creation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
    /// What few clients set.
    pub more: Option<Box<LkePoolOptions>>,
}

/// What else a pool can be made with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LkePoolOptions {
    /// The label, 1 to 32 characters of `a-z`, `0-9` and `-`.
    pub label: Option<Arc<str>>,
    /// The autoscaler's bounds.
    pub autoscaler: Option<Autoscaler>,
    /// Disks beside the one of the system, at most seven.
    pub disks: Vec<PoolDisk>,
    /// Whether disks are encrypted.
    pub disk_encryption: Option<bool>,
    /// When nodes take a change of their pool (Enterprise).
    pub update_strategy: Option<UpdateStrategy>,
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
    /// What few clients change.
    pub more: Option<Box<LkePoolChange>>,
}

/// What else of a pool can be changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LkePoolChange {
    /// Replaces the labels of its nodes.
    pub labels: Option<Vec<(Arc<str>, Arc<str>)>>,
    /// Replaces the taints of its nodes.
    pub taints: Option<Vec<Taint>>,
    /// The label.
    pub label: Option<Arc<str>>,
    /// The autoscaler's bounds.
    pub autoscaler: Option<Autoscaler>,
    /// The firewall (Enterprise).
    pub firewall: Option<u64>,
    /// When nodes take a change of their pool (Enterprise).
    pub update_strategy: Option<UpdateStrategy>,
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
    /// What else is given. Absent, nothing is: the Linode has no image and stays off.
    pub more: Option<Box<InstanceOptions>>,
}

/// What else a Linode can be made with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InstanceOptions {
    /// The image. A Linode without one stays off.
    pub image: Option<Arc<str>>,
    /// Whether it boots, if it has an image; so it does where nothing is said.
    pub booted: Option<bool>,
    /// Whether there is a password or a key to log in with, which an image needs.
    pub has_login: bool,
    /// The display group of old, which tags replace.
    pub group: Option<Arc<str>>,
    /// Whether no label was given. The API makes one up then.
    pub unnamed: bool,
    /// Whether there are user data for the metadata service.
    pub has_user_data: bool,
    /// Whether its disks are encrypted.
    pub disk_encryption: Option<bool>,
    /// What Linode does with it when its host is maintained.
    pub maintenance_policy: Option<Arc<str>>,
    /// The keys that may log in.
    pub authorized_keys: Vec<Arc<str>>,
    /// The users whose keys may log in.
    pub authorized_users: Vec<Arc<str>>,
    /// The firewall.
    pub firewall: Option<u64>,
    /// The size of the swap disk in MiB.
    pub swap_size: Option<u64>,
    /// Whether it gets backups.
    pub backups: bool,
}

/// What stands for the password in every body: nobody logs in to these machines.
pub const ROOT_PASS: &str = "not-a-password";

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
            Request::ListMembers { .. } => Endpoint::ListMembers,
            Request::ClaimNode { .. } => Endpoint::ClaimNode,
            Request::Rarer(rarer) => rarer.endpoint(),
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
    /// The answer to [`Request::Rarer`], where it is of no kind above.
    Rarer(Box<RarerReply>),
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
