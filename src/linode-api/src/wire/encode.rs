//! Writes a request as linodego v2.3.0 sends it: its query, its filter, and its body with the same fields and nulls.

mod body;

use super::{HttpRequest, Method, escape, query};
use crate::filter::Filter;
use crate::object::{ClusterId, InstanceId};
use crate::request::{PageRequest, Rarer, Request};
use serde::Serialize;

pub(super) fn encode(request: &Request) -> HttpRequest {
    match request {
        Request::ListClusters { filter, page } => list("/lke/clusters", filter.as_ref(), *page),
        Request::GetCluster { cluster } => bare(Method::Get, format!("/lke/clusters/{cluster}")),
        Request::ListPools { cluster, filter, page } => {
            list(&format!("/lke/clusters/{cluster}/pools"), filter.as_ref(), *page)
        }
        Request::CreatePool { cluster, body } => {
            with_body(Method::Post, format!("/lke/clusters/{cluster}/pools"), &body::lke_pool_create(body))
        }
        Request::GetPool { cluster, lke_pool } => {
            bare(Method::Get, format!("/lke/clusters/{cluster}/pools/{lke_pool}"))
        }
        Request::UpdatePool { cluster, lke_pool, body } => {
            with_body(Method::Put, format!("/lke/clusters/{cluster}/pools/{lke_pool}"), &body::lke_pool_update(body))
        }
        Request::DeletePool { cluster, lke_pool } => {
            bare(Method::Delete, format!("/lke/clusters/{cluster}/pools/{lke_pool}"))
        }
        Request::DeleteNode { cluster, node } => bare(Method::Delete, format!("/lke/clusters/{cluster}/nodes/{node}")),
        Request::ListInstances { filter, page } => list("/linode/instances", filter.as_ref(), *page),
        Request::GetInstance { instance } => bare(Method::Get, format!("/linode/instances/{instance}")),
        Request::UpdateInstance { instance, tags } => {
            with_body(Method::Put, format!("/linode/instances/{instance}"), &body::just_tags(tags))
        }
        Request::CreateInstance { body } => {
            with_body(Method::Post, "/linode/instances".into(), &body::instance_create(body))
        }
        Request::DeleteInstance { instance } => bare(Method::Delete, format!("/linode/instances/{instance}")),
        Request::CreateTag { label, linodes } => {
            with_body(Method::Post, "/tags".into(), &body::tag_create(label, linodes))
        }
        Request::ListTypes { page } => list("/linode/types", None, *page),
        Request::GetType { plan } => bare(Method::Get, format!("/linode/types/{}", escape(plan))),
        Request::ListRegionAvailability { filter, page } => list("/regions/availability", filter.as_ref(), *page),
        Request::RegionAvailability { region } => {
            bare(Method::Get, format!("/regions/{}/availability", escape(region)))
        }
        Request::ListMembers { cluster, lke_pool } => {
            bare(Method::Get, format!("/lke/clusters/{cluster}/pools/{lke_pool}/members"))
        }
        Request::ClaimNode { cluster, lke_pool, tag } => {
            let body = std::collections::BTreeMap::from([("tag", &**tag)]);
            with_body(Method::Post, format!("/lke/clusters/{cluster}/pools/{lke_pool}/claim"), &body)
        }
        Request::Rarer(call) => rarer(call),
    }
}

fn rarer(call: &Rarer) -> HttpRequest {
    let part = |cluster: &ClusterId, part: &str| format!("/lke/clusters/{cluster}/{part}");
    let action = |instance: &InstanceId, action: &str| format!("/linode/instances/{instance}/{action}");
    match call {
        Rarer::CreateCluster { body } => with_body(Method::Post, "/lke/clusters".into(), &body::cluster_create(body)),
        Rarer::UpdateCluster { cluster, body } => {
            with_body(Method::Put, format!("/lke/clusters/{cluster}"), &body::cluster_update(body))
        }
        Rarer::DeleteCluster { cluster } => bare(Method::Delete, format!("/lke/clusters/{cluster}")),
        Rarer::RecycleCluster { cluster } => bare(Method::Post, part(cluster, "recycle")),
        Rarer::RegenerateCluster { cluster } => bare(Method::Post, part(cluster, "regenerate")),
        Rarer::GetKubeconfig { cluster } => bare(Method::Get, part(cluster, "kubeconfig")),
        Rarer::DeleteKubeconfig { cluster } => bare(Method::Delete, part(cluster, "kubeconfig")),
        Rarer::DeleteServiceToken { cluster } => bare(Method::Delete, part(cluster, "servicetoken")),
        Rarer::ListApiEndpoints { cluster, page } => list(&part(cluster, "api-endpoints"), None, *page),
        Rarer::GetDashboard { cluster } => bare(Method::Get, part(cluster, "dashboard")),
        Rarer::GetControlPlaneAcl { cluster } => bare(Method::Get, part(cluster, "control_plane_acl")),
        Rarer::UpdateControlPlaneAcl { cluster, acl } => {
            with_body(Method::Put, part(cluster, "control_plane_acl"), &body::acl_update(acl))
        }
        Rarer::DeleteControlPlaneAcl { cluster } => bare(Method::Delete, part(cluster, "control_plane_acl")),
        Rarer::RecyclePool { cluster, lke_pool } => {
            bare(Method::Post, part(cluster, &format!("pools/{lke_pool}/recycle")))
        }
        Rarer::GetNode { cluster, node } => bare(Method::Get, part(cluster, &format!("nodes/{node}"))),
        Rarer::RecycleNode { cluster, node } => bare(Method::Post, part(cluster, &format!("nodes/{node}/recycle"))),
        Rarer::UpdateInstance { instance, body } => {
            with_body(Method::Put, format!("/linode/instances/{instance}"), &body::instance_update(body))
        }
        Rarer::BootInstance { instance } => bare(Method::Post, action(instance, "boot")),
        Rarer::RebootInstance { instance } => bare(Method::Post, action(instance, "reboot")),
        Rarer::ShutdownInstance { instance } => bare(Method::Post, action(instance, "shutdown")),
        Rarer::ListTags { filter, page } => list("/tags", filter.as_ref(), *page),
        Rarer::ListTaggedObjects { label, page } => list(&format!("/tags/{}", escape(label)), None, *page),
        Rarer::DeleteTag { label } => bare(Method::Delete, format!("/tags/{}", escape(label))),
    }
}

fn bare(method: Method, path: String) -> HttpRequest {
    HttpRequest { method, path, query: String::new(), x_filter: None, body: None }
}

fn list(path: &str, filter: Option<&Filter>, page: PageRequest) -> HttpRequest {
    let (query, x_filter) = (query::write(page), filter.map(Filter::to_header));
    HttpRequest { query, x_filter, ..bare(Method::Get, path.to_owned()) }
}

fn with_body(method: Method, path: String, body: &impl Serialize) -> HttpRequest {
    let text = serde_json::to_string(body);
    let text = text.unwrap_or_else(|error| unreachable!("every map of a body has strings as keys: {error}"));
    HttpRequest { body: Some(text), ..bare(method, path) }
}
