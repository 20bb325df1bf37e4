//! What Go decodes an answer without fields into: zero values.
//!
//! linodego takes an error whose body lists no reason for a success (v2.3.0 `errors.go`), so a 500 with `{}` is an
//! empty list, or a Linode with id 0.

use crate::object::{
    ClusterId, Instance, InstanceId, InstanceStatus, LkeCluster, LkePool, LkePoolId, PlanPrice, PlanType, Tags,
    UnixSeconds,
};
use crate::request::{Page, Reply, Request};
use std::sync::Arc;

/// The zero value of what this request is answered with.
pub(super) fn reply(request: &Request) -> Reply {
    match request {
        Request::ListClusters { .. } => Reply::Clusters(page()),
        Request::ListPools { .. } => Reply::Pools(page()),
        Request::ListInstances { .. } | Request::ListMembers { .. } => Reply::Instances(page()),
        Request::ListTypes { .. } => Reply::Types(page()),
        Request::ListRegionAvailability { .. } => Reply::Availabilities(page()),
        Request::GetCluster { .. } => Reply::Cluster(cluster().into()),
        Request::CreatePool { .. } | Request::GetPool { .. } | Request::UpdatePool { .. } => {
            Reply::Pool(lke_pool().into())
        }
        Request::GetInstance { .. }
        | Request::UpdateInstance { .. }
        | Request::CreateInstance { .. }
        | Request::ClaimNode { .. } => Reply::Instance(instance().into()),
        Request::GetType { .. } => Reply::Type(plan_type().into()),
        Request::RegionAvailability { .. } => Reply::Availability(Arc::new([])),
        Request::DeletePool { .. }
        | Request::DeleteNode { .. }
        | Request::DeleteInstance { .. }
        | Request::CreateTag { .. }
        | Request::Rarer(_) => Reply::Empty,
    }
}

/// No entries, and no further page.
fn page<T>() -> Page<T> {
    Page { data: Arc::new([]), page: 0, pages: 0, results: 0 }
}

fn none() -> Arc<str> {
    "".into()
}

/// Its tier is the empty text.
fn cluster() -> LkeCluster {
    LkeCluster {
        id: ClusterId(0),
        label: none(),
        region: none(),
        tier: None,
        k8s_version: none(),
        tags: Tags::default(),
        created: UnixSeconds(0),
        updated: UnixSeconds(0),
        high_availability: false,
        audit_logs_enabled: false,
    }
}

fn lke_pool() -> LkePool {
    LkePool {
        id: LkePoolId(0),
        plan: none(),
        count: 0,
        nodes: Arc::new([]),
        tags: Tags::default(),
        labels: Arc::new([]),
        taints: Arc::new([]),
        k8s_version: None,
        firewall: None,
        rest: Arc::default(),
    }
}

fn instance() -> Instance {
    Instance {
        id: InstanceId(0),
        label: none(),
        status: InstanceStatus::Provisioning,
        created: UnixSeconds(0),
        plan: none(),
        region: none(),
        tags: Tags::default(),
        lke_cluster: None,
        rest: None,
    }
}

fn plan_type() -> PlanType {
    PlanType {
        id: none(),
        class: none(),
        vcpus: 0,
        memory_mib: 0,
        disk_mib: 0,
        gpus: 0,
        price: PlanPrice { hourly_micro_usd: 0, monthly_micro_usd: 0 },
        region_prices: Vec::new(),
    }
}
