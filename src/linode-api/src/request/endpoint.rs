//! Path and method of calls, and the rate limit that each counts against.

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
    ListMembers,
    ClaimNode,
    CreateCluster,
    UpdateCluster,
    DeleteCluster,
    RecycleCluster,
    RegenerateCluster,
    GetKubeconfig,
    DeleteKubeconfig,
    DeleteServiceToken,
    ListApiEndpoints,
    GetDashboard,
    GetControlPlaneAcl,
    UpdateControlPlaneAcl,
    DeleteControlPlaneAcl,
    RecyclePool,
    GetNode,
    RecycleNode,
    BootInstance,
    RebootInstance,
    ShutdownInstance,
    ListTags,
    ListTaggedObjects,
    DeleteTag,
    ListRegions,
    GetRegion,
    ListLkeTypes,
    ListVersions,
    GetVersion,
    ListTierVersions,
    GetTierVersion,
    GetProfile,
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
    /// The calls that the modelled provider makes, in some design: the first of [`Endpoint::ALL`].
    pub const PROVIDER: [Endpoint; 20] = *Endpoint::ALL.first_chunk().expect("they are more");

    /// Every endpoint, in the order of reports.
    pub const ALL: [Endpoint; 50] = [
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
        Endpoint::ListMembers,
        Endpoint::ClaimNode,
        Endpoint::CreateCluster,
        Endpoint::UpdateCluster,
        Endpoint::DeleteCluster,
        Endpoint::RecycleCluster,
        Endpoint::RegenerateCluster,
        Endpoint::GetKubeconfig,
        Endpoint::DeleteKubeconfig,
        Endpoint::DeleteServiceToken,
        Endpoint::ListApiEndpoints,
        Endpoint::GetDashboard,
        Endpoint::GetControlPlaneAcl,
        Endpoint::UpdateControlPlaneAcl,
        Endpoint::DeleteControlPlaneAcl,
        Endpoint::RecyclePool,
        Endpoint::GetNode,
        Endpoint::RecycleNode,
        Endpoint::BootInstance,
        Endpoint::RebootInstance,
        Endpoint::ShutdownInstance,
        Endpoint::ListTags,
        Endpoint::ListTaggedObjects,
        Endpoint::DeleteTag,
        Endpoint::ListRegions,
        Endpoint::GetRegion,
        Endpoint::ListLkeTypes,
        Endpoint::ListVersions,
        Endpoint::GetVersion,
        Endpoint::ListTierVersions,
        Endpoint::GetTierVersion,
        Endpoint::GetProfile,
    ];

    /// Whether the modelled provider makes it, in some design.
    pub const fn is_provider(self) -> bool {
        (self as usize) < Endpoint::PROVIDER.len()
    }

    /// Whether the real API does not have it: the design document wishes for such a call ("Why this may not scale"). The
    /// fake offers it to designs that say so, and to nobody else.
    pub const fn is_wished(self) -> bool {
        matches!(self, Endpoint::ListMembers | Endpoint::ClaimNode)
    }

    /// Whether its answer is the same all the time, so that no [`Request`](super::Request) asks for it: whoever serves
    /// the API answers it.
    pub const fn is_static(self) -> bool {
        self as usize >= Endpoint::ListRegions as usize
    }

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
            Endpoint::ListMembers => "GET /lke/clusters/{id}/pools/{id}/members",
            Endpoint::ClaimNode => "POST /lke/clusters/{id}/pools/{id}/claim",
            Endpoint::CreateCluster => "POST /lke/clusters",
            Endpoint::UpdateCluster => "PUT /lke/clusters/{id}",
            Endpoint::DeleteCluster => "DELETE /lke/clusters/{id}",
            Endpoint::RecycleCluster => "POST /lke/clusters/{id}/recycle",
            Endpoint::RegenerateCluster => "POST /lke/clusters/{id}/regenerate",
            Endpoint::GetKubeconfig => "GET /lke/clusters/{id}/kubeconfig",
            Endpoint::DeleteKubeconfig => "DELETE /lke/clusters/{id}/kubeconfig",
            Endpoint::DeleteServiceToken => "DELETE /lke/clusters/{id}/servicetoken",
            Endpoint::ListApiEndpoints => "GET /lke/clusters/{id}/api-endpoints",
            Endpoint::GetDashboard => "GET /lke/clusters/{id}/dashboard",
            Endpoint::GetControlPlaneAcl => "GET /lke/clusters/{id}/control_plane_acl",
            Endpoint::UpdateControlPlaneAcl => "PUT /lke/clusters/{id}/control_plane_acl",
            Endpoint::DeleteControlPlaneAcl => "DELETE /lke/clusters/{id}/control_plane_acl",
            Endpoint::RecyclePool => "POST /lke/clusters/{id}/pools/{id}/recycle",
            Endpoint::GetNode => "GET /lke/clusters/{id}/nodes/{id}",
            Endpoint::RecycleNode => "POST /lke/clusters/{id}/nodes/{id}/recycle",
            Endpoint::BootInstance => "POST /linode/instances/{id}/boot",
            Endpoint::RebootInstance => "POST /linode/instances/{id}/reboot",
            Endpoint::ShutdownInstance => "POST /linode/instances/{id}/shutdown",
            Endpoint::ListTags => "GET /tags",
            Endpoint::ListTaggedObjects => "GET /tags/{id}",
            Endpoint::DeleteTag => "DELETE /tags/{id}",
            Endpoint::ListRegions => "GET /regions",
            Endpoint::GetRegion => "GET /regions/{id}",
            Endpoint::ListLkeTypes => "GET /lke/types",
            Endpoint::ListVersions => "GET /lke/versions",
            Endpoint::GetVersion => "GET /lke/versions/{id}",
            Endpoint::ListTierVersions => "GET /lke/tiers/{id}/versions",
            Endpoint::GetTierVersion => "GET /lke/tiers/{id}/versions/{id}",
            Endpoint::GetProfile => "GET /profile",
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
            Endpoint::ListMembers => "ListLKENodePoolMembers",
            Endpoint::ClaimNode => "ClaimLKENodePoolNode",
            Endpoint::CreateCluster => "CreateLKECluster",
            Endpoint::UpdateCluster => "UpdateLKECluster",
            Endpoint::DeleteCluster => "DeleteLKECluster",
            Endpoint::RecycleCluster => "RecycleLKEClusterNodes",
            Endpoint::RegenerateCluster => "RegenerateLKECluster",
            Endpoint::GetKubeconfig => "GetLKEClusterKubeconfig",
            Endpoint::DeleteKubeconfig => "DeleteLKEClusterKubeconfig",
            Endpoint::DeleteServiceToken => "DeleteLKEClusterServiceToken",
            Endpoint::ListApiEndpoints => "ListLKEClusterAPIEndpoints",
            Endpoint::GetDashboard => "GetLKEClusterDashboard",
            Endpoint::GetControlPlaneAcl => "GetLKEClusterControlPlaneACL",
            Endpoint::UpdateControlPlaneAcl => "UpdateLKEClusterControlPlaneACL",
            Endpoint::DeleteControlPlaneAcl => "DeleteLKEClusterControlPlaneACL",
            Endpoint::RecyclePool => "RecycleLKENodePool",
            Endpoint::GetNode => "GetLKENodePoolNode",
            Endpoint::RecycleNode => "RecycleLKENodePoolNode",
            Endpoint::BootInstance => "BootInstance",
            Endpoint::RebootInstance => "RebootInstance",
            Endpoint::ShutdownInstance => "ShutdownInstance",
            Endpoint::ListTags => "ListTags",
            Endpoint::ListTaggedObjects => "ListTaggedObjects",
            Endpoint::DeleteTag => "DeleteTag",
            Endpoint::ListRegions => "ListRegions",
            Endpoint::GetRegion => "GetRegion",
            Endpoint::ListLkeTypes => "ListLKETypes",
            Endpoint::ListVersions => "ListLKEVersions",
            Endpoint::GetVersion => "GetLKEVersion",
            Endpoint::ListTierVersions => "ListLKETierVersions",
            Endpoint::GetTierVersion => "GetLKETierVersion",
            Endpoint::GetProfile => "GetProfile",
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
                | Endpoint::ListApiEndpoints
                | Endpoint::ListTags
                | Endpoint::ListTaggedObjects
                | Endpoint::ListRegions
                | Endpoint::ListLkeTypes
                | Endpoint::ListVersions
                | Endpoint::ListTierVersions
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
                    | Endpoint::ListMembers
                    | Endpoint::GetKubeconfig
                    | Endpoint::GetDashboard
                    | Endpoint::GetControlPlaneAcl
                    | Endpoint::GetNode
                    | Endpoint::GetRegion
                    | Endpoint::GetVersion
                    | Endpoint::GetTierVersion
                    | Endpoint::GetProfile
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
