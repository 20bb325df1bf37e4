//! Reads the call that a HTTP request asks for.
//!
//! A segment that can't be an id finds nothing, as an id that nobody has: 404.

use super::body::{self, Fields};
use super::{HttpRequest, Method, NoRequest, query, unescape};
use crate::error::ApiError;
use crate::object::{ClusterId, InstanceId, LkePoolId, PoolNodeId};
use crate::request::{InstanceUpdate, Rarer, Request};
use std::sync::Arc;

type Decoded = Result<Request, NoRequest>;

pub(super) fn decode(http: &HttpRequest) -> Decoded {
    let Some(path) = http.path.strip_prefix('/') else {
        return Err(NoRequest::UnknownPath);
    };
    let segments: Vec<&str> = path.split('/').collect();
    match segments[..] {
        ["lke", "clusters"] => clusters(http),
        ["lke", "clusters", cluster, ref rest @ ..] => in_cluster(http, ClusterId(id(cluster)?), rest),
        ["linode", "instances"] => instances(http),
        ["linode", "instances", instance, ref rest @ ..] => one_instance(http, InstanceId(id(instance)?), rest),
        ["linode", "types"] => match http.method {
            Method::Get => {
                let (filter, page) = query::list(http)?;
                match filter {
                    None => Ok(Request::ListTypes { page }),
                    // No design asks for some types alone: whoever serves all their fields finds them.
                    Some(_) => Err(NoRequest::UnknownPath),
                }
            }
            _ => Err(NoRequest::WrongMethod),
        },
        ["linode", "types", plan] => read(http, Request::GetType { plan: text(plan)? }),
        ["regions", "availability"] => match http.method {
            Method::Get => {
                let (filter, page) = query::list(http)?;
                Ok(Request::ListRegionAvailability { filter, page })
            }
            _ => Err(NoRequest::WrongMethod),
        },
        ["regions", region, "availability"] => read(http, Request::RegionAvailability { region: text(region)? }),
        ["tags"] => tags(http),
        ["tags", label] => one_tag(http, text(label)?),
        _ => Err(NoRequest::UnknownPath),
    }
}

/// A path that is read alone.
fn read(http: &HttpRequest, request: Request) -> Decoded {
    only(http, Method::Get, request)
}

/// A path of one method.
fn only(http: &HttpRequest, method: Method, request: Request) -> Decoded {
    if http.method == method { Ok(request) } else { Err(NoRequest::WrongMethod) }
}

/// A path that starts something, and takes no body.
fn action(http: &HttpRequest, request: Request) -> Decoded {
    if http.method != Method::Post {
        return Err(NoRequest::WrongMethod);
    }
    Fields::of(http)?.end()?;
    Ok(request)
}

fn rarer(call: Rarer) -> Request {
    Request::Rarer(Box::new(call))
}

fn clusters(http: &HttpRequest) -> Decoded {
    match http.method {
        Method::Get => {
            let (filter, page) = query::list(http)?;
            Ok(Request::ListClusters { filter, page })
        }
        Method::Post => Ok(rarer(Rarer::CreateCluster { body: body::cluster_create(Fields::of(http)?)? })),
        _ => Err(NoRequest::WrongMethod),
    }
}

fn in_cluster(http: &HttpRequest, cluster: ClusterId, rest: &[&str]) -> Decoded {
    match *rest {
        [] => match http.method {
            Method::Get => Ok(Request::GetCluster { cluster }),
            Method::Put => Ok(rarer(Rarer::UpdateCluster { cluster, body: body::cluster_update(Fields::of(http)?)? })),
            Method::Delete => Ok(rarer(Rarer::DeleteCluster { cluster })),
            Method::Post => Err(NoRequest::WrongMethod),
        },
        ["pools"] => pools(http, cluster),
        ["pools", lke_pool] => one_pool(http, cluster, LkePoolId(id(lke_pool)?)),
        ["pools", lke_pool, "recycle"] => {
            action(http, rarer(Rarer::RecyclePool { cluster, lke_pool: LkePoolId(id(lke_pool)?) }))
        }
        ["nodes", node] => one_node(http, cluster, node_id(node)?),
        ["nodes", node, "recycle"] => action(http, rarer(Rarer::RecycleNode { cluster, node: node_id(node)? })),
        ["recycle"] => action(http, rarer(Rarer::RecycleCluster { cluster })),
        ["regenerate"] => match http.method {
            Method::Post => {
                body::regenerate(Fields::of(http)?)?;
                Ok(rarer(Rarer::RegenerateCluster { cluster }))
            }
            _ => Err(NoRequest::WrongMethod),
        },
        ["servicetoken"] => only(http, Method::Delete, rarer(Rarer::DeleteServiceToken { cluster })),
        ["dashboard"] => read(http, rarer(Rarer::GetDashboard { cluster })),
        ["api-endpoints"] => read(http, rarer(Rarer::ListApiEndpoints { cluster, page: query::unfiltered(http)? })),
        ["kubeconfig"] => match http.method {
            Method::Get => Ok(rarer(Rarer::GetKubeconfig { cluster })),
            Method::Delete => Ok(rarer(Rarer::DeleteKubeconfig { cluster })),
            _ => Err(NoRequest::WrongMethod),
        },
        ["control_plane_acl"] => match http.method {
            Method::Get => Ok(rarer(Rarer::GetControlPlaneAcl { cluster })),
            Method::Put => {
                Ok(rarer(Rarer::UpdateControlPlaneAcl { cluster, acl: body::acl_update(Fields::of(http)?)? }))
            }
            Method::Delete => Ok(rarer(Rarer::DeleteControlPlaneAcl { cluster })),
            Method::Post => Err(NoRequest::WrongMethod),
        },
        _ => Err(NoRequest::UnknownPath),
    }
}

fn pools(http: &HttpRequest, cluster: ClusterId) -> Decoded {
    match http.method {
        Method::Get => {
            let (filter, page) = query::list(http)?;
            Ok(Request::ListPools { cluster, filter, page })
        }
        Method::Post => Ok(Request::CreatePool { cluster, body: body::lke_pool_create(Fields::of(http)?)? }),
        _ => Err(NoRequest::WrongMethod),
    }
}

fn one_pool(http: &HttpRequest, cluster: ClusterId, lke_pool: LkePoolId) -> Decoded {
    match http.method {
        Method::Get => Ok(Request::GetPool { cluster, lke_pool }),
        Method::Put => Ok(Request::UpdatePool { cluster, lke_pool, body: body::lke_pool_update(Fields::of(http)?)? }),
        Method::Delete => Ok(Request::DeletePool { cluster, lke_pool }),
        Method::Post => Err(NoRequest::WrongMethod),
    }
}

fn one_node(http: &HttpRequest, cluster: ClusterId, node: PoolNodeId) -> Decoded {
    match http.method {
        Method::Get => Ok(rarer(Rarer::GetNode { cluster, node })),
        Method::Delete => Ok(Request::DeleteNode { cluster, node }),
        Method::Put | Method::Post => Err(NoRequest::WrongMethod),
    }
}

fn instances(http: &HttpRequest) -> Decoded {
    match http.method {
        Method::Get => {
            let (filter, page) = query::list(http)?;
            Ok(Request::ListInstances { filter, page })
        }
        Method::Post => Ok(Request::CreateInstance { body: body::instance::create(Fields::of(http)?)? }),
        _ => Err(NoRequest::WrongMethod),
    }
}

fn one_instance(http: &HttpRequest, instance: InstanceId, rest: &[&str]) -> Decoded {
    match *rest {
        [] => match http.method {
            Method::Get => Ok(Request::GetInstance { instance }),
            Method::Put => body::instance::update(Fields::of(http)?).map(|body| update(instance, body)),
            Method::Delete => Ok(Request::DeleteInstance { instance }),
            Method::Post => Err(NoRequest::WrongMethod),
        },
        ["boot"] => action(http, rarer(Rarer::BootInstance { instance })),
        ["reboot"] => action(http, rarer(Rarer::RebootInstance { instance })),
        ["shutdown"] => action(http, rarer(Rarer::ShutdownInstance { instance })),
        _ => Err(NoRequest::UnknownPath),
    }
}

/// A change of tags alone is the call that the modelled provider makes.
fn update(instance: InstanceId, body: InstanceUpdate) -> Request {
    let without_tags = InstanceUpdate { tags: None, ..body.clone() };
    match body.tags {
        Some(tags) if without_tags == InstanceUpdate::default() => Request::UpdateInstance { instance, tags },
        tags => rarer(Rarer::UpdateInstance { instance, body: InstanceUpdate { tags, ..without_tags } }),
    }
}

fn tags(http: &HttpRequest) -> Decoded {
    match http.method {
        Method::Get => {
            let (filter, page) = query::list(http)?;
            Ok(rarer(Rarer::ListTags { filter, page }))
        }
        Method::Post => {
            let (label, linodes) = body::tag_create(Fields::of(http)?)?;
            Ok(Request::CreateTag { label, linodes })
        }
        _ => Err(NoRequest::WrongMethod),
    }
}

fn one_tag(http: &HttpRequest, label: Arc<str>) -> Decoded {
    match http.method {
        Method::Get => {
            let page = query::unfiltered(http)?;
            Ok(rarer(Rarer::ListTaggedObjects { label, page }))
        }
        Method::Delete => Ok(rarer(Rarer::DeleteTag { label })),
        _ => Err(NoRequest::WrongMethod),
    }
}

fn not_found() -> NoRequest {
    NoRequest::Refused(ApiError::not_found())
}

fn id(segment: &str) -> Result<u64, NoRequest> {
    let digits = segment.bytes().all(|byte| byte.is_ascii_digit());
    segment.parse().ok().filter(|_| digits).ok_or_else(not_found)
}

fn text(segment: &str) -> Result<Arc<str>, NoRequest> {
    unescape(segment).map(Into::into).ok_or_else(not_found)
}

/// `<pool id>-<8 hex>0000`
pub(super) fn node_id(segment: &str) -> Result<PoolNodeId, NoRequest> {
    let parts = segment.split_once('-').and_then(|(lke_pool, rest)| Some((lke_pool, rest.strip_suffix("0000")?)));
    let (lke_pool, suffix) = parts.ok_or_else(not_found)?;
    let hex = suffix.len() == 8 && suffix.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let suffix = u32::from_str_radix(suffix, 16).ok().filter(|_| hex).ok_or_else(not_found)?;
    Ok(PoolNodeId { lke_pool: LkePoolId(id(lke_pool)?), suffix })
}
