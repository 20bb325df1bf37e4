//! Replies as bodies.
//!
//! Lists of Linodes are asked over and over, and a Linode's text is long: each is written once and kept as long as the
//! cloud shows the same picture, and so is the body of a whole page.

use super::object::{self, Version};
use super::recorded::Recorded;
use hyper::body::Bytes;
use lkesim_linode_api::wire::dumps;
use lkesim_linode_api::{
    ApiError, ErrorBody, Instance, InstanceId, Page, PlanType, RarerReply, Reply, Request, Tagged,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// So many bodies of lists are kept.
const LISTS: usize = 16;

/// Writes bodies.
#[derive(Default)]
pub(super) struct Renderer {
    instances: BTreeMap<InstanceId, (Arc<Instance>, Bytes)>,
    lists: VecDeque<(Page<Arc<Instance>>, Bytes)>,
}

impl Renderer {
    /// The body of a reply to `request`.
    pub fn reply(&mut self, request: &Request, reply: &Reply, version: Version) -> Bytes {
        match reply {
            Reply::Empty => match request {
                Request::CreateTag { label, .. } => dumps(&OneTag { label }).into(),
                _ => Bytes::from_static(b"{}"),
            },
            Reply::Clusters(page) => envelope(page, |own, body| dumps::write(body, &object::cluster(own, version))),
            Reply::Cluster(own) => dumps(&object::cluster(own, version)).into(),
            Reply::Pools(page) => envelope(page, |pool, body| dumps::write(body, &object::lke_pool(pool, version))),
            Reply::Pool(pool) => dumps(&object::lke_pool(pool, version)).into(),
            Reply::Instances(page) => self.instances(page),
            Reply::Instance(instance) => self.instance(instance),
            Reply::Types(page) => envelope(page, |plan, body| dumps::write(body, plan_type(plan))),
            Reply::Type(plan) => dumps(plan_type(plan)).into(),
            Reply::Availabilities(page) => envelope(page, |row, body| dumps::write(body, &object::availability(row))),
            Reply::Availability(rows) => {
                let rows: Vec<_> = rows.iter().map(object::availability).collect();
                dumps(&rows).into()
            }
            Reply::Rarer(rarer) => self.rarer(rarer, version),
        }
    }

    fn rarer(&mut self, reply: &RarerReply, version: Version) -> Bytes {
        match reply {
            RarerReply::Kubeconfig(text) => dumps(&json!({"kubeconfig": &**text})).into(),
            RarerReply::ApiEndpoints(page) => {
                envelope(page, |url, body| dumps::write(body, &json!({"endpoint": &**url})))
            }
            RarerReply::Dashboard(url) => dumps(&json!({"url": &**url})).into(),
            RarerReply::ControlPlaneAcl(rules) => dumps(&object::acl(rules)).into(),
            RarerReply::Node(node) => dumps(&object::node(node)).into(),
            RarerReply::Tags(page) => envelope(page, |label, body| dumps::write(body, &OneTag { label })),
            RarerReply::TaggedObjects(page) => self.tagged(page, version),
        }
    }

    /// The one list whose entries come last (recorded).
    fn tagged(&mut self, page: &Page<Tagged>, version: Version) -> Bytes {
        let (number, pages, results) = (page.page, page.pages, page.results);
        let head = format!("{{\"page\": {number}, \"pages\": {pages}, \"results\": {results}, \"data\": [");
        let mut body = head.into_bytes();
        for (place, own) in page.data.iter().enumerate() {
            if place > 0 {
                body.extend_from_slice(b", ");
            }
            let kind = match own {
                Tagged::Instance(_) => "linode",
                Tagged::Cluster(_) => "lke_cluster",
            };
            body.extend_from_slice(format!("{{\"type\": \"{kind}\", \"data\": ").as_bytes());
            match own {
                Tagged::Instance(instance) => body.extend_from_slice(&self.instance(instance)),
                Tagged::Cluster(cluster) => dumps::write(&mut body, &object::cluster(cluster, version)),
            }
            body.push(b'}');
        }
        body.extend_from_slice(b"]}");
        body.into()
    }

    fn instance(&mut self, instance: &Arc<Instance>) -> Bytes {
        if let Some((known, text)) = self.instances.get(&instance.id)
            && Arc::ptr_eq(known, instance)
        {
            return text.clone();
        }
        let text: Bytes = dumps(&object::instance(instance)).into();
        self.instances.insert(instance.id, (instance.clone(), text.clone()));
        text
    }

    fn instances(&mut self, page: &Page<Arc<Instance>>) -> Bytes {
        let is_known = |(known, _): &&(Page<Arc<Instance>>, Bytes)| {
            Arc::ptr_eq(&known.data, &page.data)
                && (known.page, known.pages, known.results) == (page.page, page.pages, page.results)
        };
        if let Some((_, body)) = self.lists.iter().find(is_known) {
            return body.clone();
        }
        let body = envelope(page, |instance, body| body.extend_from_slice(&self.instance(instance)));
        if self.lists.len() == LISTS {
            self.lists.pop_front();
        }
        self.lists.push_back((page.clone(), body.clone()));
        body
    }
}

/// A type with all its fields.
fn plan_type(plan: &PlanType) -> &'static Value {
    match Recorded::get().plan(&plan.id) {
        Some(recorded) => recorded,
        None => unreachable!("the recorded types are those of the catalogue, which has no `{}`", plan.id),
    }
}

#[derive(Serialize)]
struct OneTag<'a> {
    label: &'a str,
}

/// `{"data": […], "page": n, "pages": n, "results": n}`
pub(super) fn envelope<T>(page: &Page<T>, mut write: impl FnMut(&T, &mut Vec<u8>)) -> Bytes {
    let mut body = b"{\"data\": [".to_vec();
    for (place, entry) in page.data.iter().enumerate() {
        if place > 0 {
            body.extend_from_slice(b", ");
        }
        write(entry, &mut body);
    }
    body.extend_from_slice(b"]");
    for (name, number) in [("page", page.page), ("pages", page.pages), ("results", page.results)] {
        body.extend_from_slice(format!(", \"{name}\": {number}").as_bytes());
    }
    body.push(b'}');
    body.into()
}

/// The body of an error, and whether it is said to be JSON.
pub(super) fn error(error: &ApiError) -> (Bytes, bool) {
    match error.body {
        // A list without reasons is never sent: linodego would take it for a success, as it does this.
        ErrorBody::Reasons if error.reasons.is_empty() => (Bytes::from_static(b"{}"), true),
        ErrorBody::Reasons => {
            let reason = |reason: &'_ lkesim_linode_api::Reason| OneReason {
                reason: reason.reason.to_string(),
                field: reason.field.as_ref().map(ToString::to_string),
            };
            (dumps(&Errors { errors: error.reasons.iter().map(reason).collect() }).into(), true)
        }
        ErrorBody::Garbled => (Bytes::from_static(b"{\"errors\": [{\"reason\": \""), true),
        ErrorBody::NginxPage => (nginx_page(error.status), false),
    }
}

#[derive(Serialize)]
struct Errors {
    errors: Vec<OneReason>,
}

/// The reason comes first (recorded).
#[derive(Serialize)]
struct OneReason {
    reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
}

fn nginx_page(status: u16) -> Bytes {
    let name = match status {
        400 => "Bad Request",
        502 => "Bad Gateway",
        503 => "Service Temporarily Unavailable",
        504 => "Gateway Time-out",
        _ => "Error",
    };
    format!(
        "<html>\r\n<head><title>{status} {name}</title></head>\r\n<body>\r\n<center><h1>{status} {name}</h1></center>\r\n\
         <hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"
    )
    .into()
}
