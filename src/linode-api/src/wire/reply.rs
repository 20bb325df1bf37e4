//! Reads an answer: its status, its headers and its body, by what was asked.

use super::{decode, time};
use crate::error::{ApiError, CallError, ErrorBody, Reason};
use crate::object::{
    Acl, Autoscaler, ClusterId, Instance, InstanceId, InstanceStatus, LkeCluster, LkePool, LkePoolId, LkePoolRest,
    NodeStatus, PlanPrice, PlanType, PoolDisk, PoolNode, RegionAvailability, Tags, Taint, Tier, UpdateStrategy,
};
use crate::request::{Answer, Headers, Page, Rarer, RarerReply, Reply, Request, Tagged};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An answer as it came.
#[derive(Clone, Copy)]
pub struct Arrived<'a> {
    /// The status.
    pub status: u16,
    /// Finds a header by its name in small letters.
    pub header: &'a dyn Fn(&str) -> Option<&'a str>,
    /// The body.
    pub body: &'a [u8],
}

/// What the answer to `request` says.
pub fn read_answer(request: &Request, arrived: &Arrived<'_>) -> Answer {
    let number = |name: &str| (arrived.header)(name).and_then(|text| text.parse().ok());
    let headers = Headers {
        limit: number("x-ratelimit-limit").unwrap_or_default(),
        remaining: number("x-ratelimit-remaining").unwrap_or_default(),
        retry_after_secs: number("retry-after").unwrap_or_default(),
    };
    let result = match arrived.status {
        200..300 => reply(request, arrived.body),
        _ => Err(CallError::Api(error(arrived))),
    };
    Answer { result, headers }
}

fn error(arrived: &Arrived<'_>) -> ApiError {
    let retry_after = (arrived.header)("retry-after");
    let secs = retry_after.and_then(|text| text.parse().ok());
    let mut error = ApiError {
        retry_after_secs: secs,
        retry_after_text: retry_after.filter(|_| secs.is_none()).map(|text| text.to_owned().into()),
        maintenance: (arrived.header)("x-maintenance-mode").is_some(),
        ..ApiError::empty(arrived.status)
    };
    let is_json = (arrived.header)("content-type") == Some("application/json");
    match serde_json::from_slice::<Errors>(arrived.body) {
        _ if !is_json => error.body = ErrorBody::NginxPage,
        Ok(errors) => error.reasons = errors.errors.into_iter().map(Into::into).collect(),
        Err(_) => error.body = ErrorBody::Garbled,
    }
    error
}

#[derive(Deserialize)]
struct Errors {
    #[serde(default)]
    errors: Vec<OneError>,
}

#[derive(Deserialize)]
struct OneError {
    reason: String,
    field: Option<String>,
}

impl From<OneError> for Reason {
    fn from(error: OneError) -> Reason {
        Reason { reason: error.reason.into(), field: error.field.map(Into::into) }
    }
}

fn reply(request: &Request, body: &[u8]) -> Result<Reply, CallError> {
    Ok(match request {
        Request::ListClusters { .. } => Reply::Clusters(page(body, cluster)?),
        Request::GetCluster { .. } => Reply::Cluster(Arc::new(one(body, cluster)?)),
        Request::ListPools { .. } => Reply::Pools(page(body, lke_pool)?),
        Request::CreatePool { .. } | Request::GetPool { .. } | Request::UpdatePool { .. } => {
            Reply::Pool(Arc::new(one(body, lke_pool)?))
        }
        Request::ListInstances { .. } | Request::ListMembers { .. } => Reply::Instances(page(body, instance)?),
        Request::GetInstance { .. }
        | Request::UpdateInstance { .. }
        | Request::CreateInstance { .. }
        | Request::ClaimNode { .. } => Reply::Instance(Arc::new(one(body, instance)?)),
        Request::ListTypes { .. } => Reply::Types(page(body, plan_type)?),
        Request::GetType { .. } => Reply::Type(Arc::new(one(body, plan_type)?)),
        Request::ListRegionAvailability { .. } => {
            let rows: Page<Arc<RegionAvailability>> = page(body, |row| Some(row_of(row)))?;
            let data = rows.data.iter().map(|row| RegionAvailability::clone(row)).collect();
            Reply::Availabilities(Page { data, page: rows.page, pages: rows.pages, results: rows.results })
        }
        Request::RegionAvailability { .. } => {
            let rows: Vec<WireAvailability> = parse(body)?;
            Reply::Availability(rows.into_iter().map(row_of).collect())
        }
        Request::DeletePool { .. }
        | Request::DeleteNode { .. }
        | Request::DeleteInstance { .. }
        | Request::CreateTag { .. } => Reply::Empty,
        Request::Rarer(call) => rarer(call, body)?,
    })
}

fn rarer(call: &Rarer, body: &[u8]) -> Result<Reply, CallError> {
    let rare = |reply| Ok(Reply::Rarer(Box::new(reply)));
    match call {
        Rarer::CreateCluster { .. } | Rarer::UpdateCluster { .. } => Ok(Reply::Cluster(Arc::new(one(body, cluster)?))),
        Rarer::UpdateInstance { .. } => Ok(Reply::Instance(Arc::new(one(body, instance)?))),
        Rarer::GetKubeconfig { .. } => rare(RarerReply::Kubeconfig(member(body, "kubeconfig")?)),
        Rarer::GetDashboard { .. } => rare(RarerReply::Dashboard(member(body, "url")?)),
        Rarer::ListApiEndpoints { .. } => {
            rare(RarerReply::ApiEndpoints(texts(body, |row: WireEndpoint| row.endpoint)?))
        }
        Rarer::ListTags { .. } => rare(RarerReply::Tags(texts(body, |row: WireTag| row.label)?)),
        Rarer::GetControlPlaneAcl { .. } | Rarer::UpdateControlPlaneAcl { .. } => {
            let rules: WireRules = parse(body)?;
            rare(RarerReply::ControlPlaneAcl(Arc::new(acl(rules.acl))))
        }
        Rarer::GetNode { .. } => rare(RarerReply::Node(one(body, node)?)),
        Rarer::ListTaggedObjects { .. } => {
            let page: Page<Arc<Tagged>> = page(body, tagged)?;
            let data = page.data.iter().map(|own| Tagged::clone(own)).collect();
            rare(RarerReply::TaggedObjects(Page { data, page: page.page, pages: page.pages, results: page.results }))
        }
        _ => Ok(Reply::Empty),
    }
}

/// A text under a name.
fn member(body: &[u8], name: &str) -> Result<Arc<str>, CallError> {
    let value: serde_json::Value = parse(body)?;
    value.get(name).and_then(serde_json::Value::as_str).map(Arc::from).ok_or(NO_OBJECT)
}

/// A page of objects that are one text each.
fn texts<W: DeserializeOwned>(body: &[u8], open: fn(W) -> Box<str>) -> Result<Page<Arc<str>>, CallError> {
    let Envelope { data, page, pages, results } = parse::<Envelope<W>>(body)?;
    Ok(Page { data: data.into_iter().map(|row| open(row).into()).collect(), page, pages, results })
}

#[derive(Deserialize)]
struct WireEndpoint {
    endpoint: Box<str>,
}

#[derive(Deserialize)]
struct WireTag {
    label: Box<str>,
}

#[derive(Deserialize)]
struct WireRules {
    acl: WireAcl,
}

#[derive(Deserialize)]
struct WireAcl {
    enabled: Option<bool>,
    #[serde(rename = "revision-id")]
    revision_id: Option<Box<str>>,
    addresses: Option<WireAddresses>,
}

#[derive(Deserialize)]
struct WireAddresses {
    ipv4: Option<Vec<Box<str>>>,
    ipv6: Option<Vec<Box<str>>>,
}

fn acl(wire: WireAcl) -> Acl {
    let list = |list: Option<Vec<Box<str>>>| list.map(|list| list.into_iter().map(Arc::from).collect());
    let (ipv4, ipv6) = wire.addresses.map_or((None, None), |addresses| (addresses.ipv4, addresses.ipv6));
    let revision_id = wire.revision_id.filter(|id| !id.is_empty()).map(Arc::from);
    Acl { enabled: wire.enabled, revision_id, ipv4: list(ipv4), ipv6: list(ipv6) }
}

#[derive(Deserialize)]
struct WireTagged {
    #[serde(rename = "type")]
    kind: Box<str>,
    data: serde_json::Value,
}

fn tagged(wire: WireTagged) -> Option<Tagged> {
    match &*wire.kind {
        "linode" => Some(Tagged::Instance(Arc::new(instance(serde_json::from_value(wire.data).ok()?)?))),
        "lke_cluster" => Some(Tagged::Cluster(Arc::new(cluster(serde_json::from_value(wire.data).ok()?)?))),
        _ => None,
    }
}

const NOT_JSON: CallError = CallError::Unreadable("the body breaks off");
const NO_OBJECT: CallError = CallError::Unreadable("a field is not what it should be");

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, CallError> {
    serde_json::from_slice(body).map_err(|error| if error.is_data() { NO_OBJECT } else { NOT_JSON })
}

fn one<W: DeserializeOwned, T>(body: &[u8], read: fn(W) -> Option<T>) -> Result<T, CallError> {
    read(parse(body)?).ok_or(NO_OBJECT)
}

#[derive(Deserialize)]
struct Envelope<W> {
    data: Vec<W>,
    page: u32,
    pages: u32,
    results: u32,
}

fn page<W: DeserializeOwned, T>(body: &[u8], read: fn(W) -> Option<T>) -> Result<Page<Arc<T>>, CallError> {
    let Envelope { data, page, pages, results } = parse(body)?;
    let data = data.into_iter().map(|entry| read(entry).map(Arc::new)).collect::<Option<_>>().ok_or(NO_OBJECT)?;
    Ok(Page { data, page, pages, results })
}

#[derive(Deserialize)]
struct WireCluster {
    id: ClusterId,
    label: Box<str>,
    region: Box<str>,
    /// Absent on `v4`.
    tier: Option<Tier>,
    k8s_version: Box<str>,
    tags: Vec<Box<str>>,
    created: String,
    updated: String,
    control_plane: WireControlPlane,
}

#[derive(Deserialize)]
struct WireControlPlane {
    high_availability: bool,
    #[serde(default)]
    audit_logs_enabled: bool,
}

fn cluster(wire: WireCluster) -> Option<LkeCluster> {
    Some(LkeCluster {
        id: wire.id,
        label: wire.label.into(),
        region: wire.region.into(),
        tier: wire.tier,
        k8s_version: wire.k8s_version.into(),
        tags: tags(wire.tags),
        created: time::read(&wire.created)?,
        updated: time::read(&wire.updated)?,
        high_availability: wire.control_plane.high_availability,
        audit_logs_enabled: wire.control_plane.audit_logs_enabled,
    })
}

#[derive(Deserialize)]
struct WirePool {
    id: LkePoolId,
    #[serde(rename = "type")]
    plan: Box<str>,
    count: u32,
    nodes: Vec<WireNode>,
    tags: Vec<Box<str>>,
    labels: serde_json::Map<String, serde_json::Value>,
    taints: Vec<WireTaint>,
    k8s_version: Option<Box<str>>,
    firewall_id: Option<u64>,
    label: Option<Box<str>>,
    autoscaler: WireAutoscaler,
    disks: Vec<WireDisk>,
    disk_encryption: Option<Box<str>>,
    update_strategy: Option<Box<str>>,
}

#[derive(Deserialize)]
struct WireAutoscaler {
    enabled: bool,
    min: u32,
    max: u32,
}

#[derive(Deserialize)]
struct WireDisk {
    size: u32,
    #[serde(rename = "type")]
    kind: Box<str>,
}

#[derive(Deserialize)]
struct WireNode {
    id: String,
    instance_id: Option<InstanceId>,
    status: String,
}

#[derive(Deserialize)]
struct WireTaint {
    key: Box<str>,
    #[serde(default)]
    value: Box<str>,
    effect: Box<str>,
}

fn taint(wire: WireTaint) -> Taint {
    Taint { key: wire.key.into(), value: wire.value.into(), effect: wire.effect.into() }
}

fn tags(tags: Vec<Box<str>>) -> Tags {
    tags.into_iter().map(Arc::<str>::from).collect()
}

fn lke_pool(wire: WirePool) -> Option<LkePool> {
    let rest = LkePoolRest {
        label: wire.label.unwrap_or_default().into(),
        autoscaler: Autoscaler { enabled: wire.autoscaler.enabled, min: wire.autoscaler.min, max: wire.autoscaler.max },
        disks: wire.disks.into_iter().map(|disk| PoolDisk { size_mb: disk.size, kind: disk.kind.into() }).collect(),
        disk_encryption: wire.disk_encryption.map(|word| &*word == "enabled"),
        update_strategy: wire.update_strategy.and_then(|word| UpdateStrategy::named(&word)).unwrap_or_default(),
    };
    let label = |(key, value): (&String, &serde_json::Value)| Some((key.as_str().into(), value.as_str()?.into()));
    Some(LkePool {
        id: wire.id,
        plan: wire.plan.into(),
        count: wire.count,
        nodes: wire.nodes.into_iter().map(node).collect::<Option<_>>()?,
        tags: tags(wire.tags),
        labels: wire.labels.iter().map(label).collect::<Option<_>>()?,
        taints: wire.taints.into_iter().map(taint).collect(),
        k8s_version: wire.k8s_version.map(Into::into),
        firewall: wire.firewall_id,
        rest: Arc::new(rest),
    })
}

fn node(wire: WireNode) -> Option<PoolNode> {
    let status = match &*wire.status {
        "ready" => NodeStatus::Ready,
        "not_ready" => NodeStatus::NotReady,
        _ => return None,
    };
    Some(PoolNode { id: decode::node_id(&wire.id).ok()?, instance: wire.instance_id, status })
}

#[derive(Deserialize)]
struct WireInstance {
    id: InstanceId,
    label: Box<str>,
    status: String,
    created: String,
    #[serde(rename = "type")]
    plan: Box<str>,
    region: Box<str>,
    tags: Vec<Box<str>>,
    lke_cluster_id: Option<ClusterId>,
}

fn instance(wire: WireInstance) -> Option<Instance> {
    Some(Instance {
        id: wire.id,
        label: wire.label.into(),
        status: InstanceStatus::named(&wire.status)?,
        created: time::read(&wire.created)?,
        plan: wire.plan.into(),
        region: wire.region.into(),
        tags: tags(wire.tags),
        lke_cluster: wire.lke_cluster_id,
        // No client of the model reads what stands there.
        rest: None,
    })
}

#[derive(Deserialize)]
struct WireType {
    id: Box<str>,
    class: Box<str>,
    vcpus: u32,
    memory: u64,
    disk: u64,
    gpus: u32,
    price: BTreeMap<String, serde_json::Number>,
    region_prices: Vec<WireRegionPrice>,
}

#[derive(Deserialize)]
struct WireRegionPrice {
    id: Box<str>,
    hourly: serde_json::Number,
    monthly: serde_json::Number,
}

fn plan_type(wire: WireType) -> Option<PlanType> {
    let price = |hourly: &serde_json::Number, monthly: &serde_json::Number| {
        Some(PlanPrice { hourly_micro_usd: micro_usd(hourly)?, monthly_micro_usd: micro_usd(monthly)? })
    };
    let own = |row: WireRegionPrice| Some((row.id.into(), price(&row.hourly, &row.monthly)?));
    Some(PlanType {
        id: wire.id.into(),
        class: wire.class.into(),
        vcpus: wire.vcpus,
        memory_mib: wire.memory,
        disk_mib: wire.disk,
        gpus: wire.gpus,
        price: price(wire.price.get("hourly")?, wire.price.get("monthly")?)?,
        region_prices: wire.region_prices.into_iter().map(own).collect::<Option<_>>()?,
    })
}

/// Dollars as JSON writes them, in millionths: read from the digits, as no float decides anything here.
fn micro_usd(number: &serde_json::Number) -> Option<u64> {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let digits = fraction.get(..fraction.len().min(6))?;
    let scale = 10u64.pow(6 - digits.len() as u32);
    let part = if digits.is_empty() { 0 } else { digits.parse::<u64>().ok()? * scale };
    Some(whole.parse::<u64>().ok()? * 1_000_000 + part)
}

#[derive(Deserialize)]
struct WireAvailability {
    region: Box<str>,
    plan: Box<str>,
    available: bool,
}

fn row_of(wire: WireAvailability) -> RegionAvailability {
    RegionAvailability { region: wire.region.into(), plan: wire.plan.into(), available: wire.available }
}
