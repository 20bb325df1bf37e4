//! Linode's objects with all fields that the live API shows, in its order.
//!
//! Sources: linodego 676b9dbe's recordings `TestLKENodePool_GetFound` (2026-03),
//! `TestLKECluster_Enterprise_BYOVPC_smoke`, `TestLKENodeEnterprisePoolNode_Get` and `TestTag_Create`. What the cloud
//! does not model has the recorded value, or one that follows from the object's id: an address, a host.

use super::recorded::Recorded;
use lkesim_linode_api::wire::time;
use lkesim_linode_api::{
    Acl, Alerts, Autoscaler, Instance, LkeCluster, LkePool, NodeStatus, PoolDisk, PoolNode, RegionAvailability, Tags,
    Taint, Tier,
};
use lkesim_runtime::random::mix;
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::sync::Arc;

/// The version of the API that a path names. Fields of features in beta are shown by the beta alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Version {
    V4,
    V4Beta,
}

fn tags<S: Serializer>(tags: &Tags, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(tags.iter().map(|tag| &**tag))
}

#[derive(Serialize)]
pub(super) struct WireCluster<'a> {
    id: u64,
    status: &'static str,
    created: String,
    updated: String,
    label: &'a str,
    region: &'a str,
    k8s_version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<Tier>,
    control_plane: ControlPlane,
    apl_enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    vpc_id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subnet_id: Option<Option<u64>>,
    #[serde(serialize_with = "tags")]
    tags: &'a Tags,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    locks: Option<[&'a str; 0]>,
}

#[derive(Serialize)]
struct ControlPlane {
    high_availability: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    audit_logs_enabled: Option<bool>,
}

/// The cluster as that version shows it.
pub(super) fn cluster(cluster: &LkeCluster, version: Version) -> WireCluster<'_> {
    let beta = version == Version::V4Beta;
    let enterprise = cluster.tier == Some(Tier::Enterprise);
    WireCluster {
        id: cluster.id.0,
        status: "ready",
        created: time::write(cluster.created),
        updated: time::write(cluster.updated),
        label: &cluster.label,
        region: &cluster.region,
        k8s_version: &cluster.k8s_version,
        tier: cluster.tier.filter(|_| beta),
        control_plane: ControlPlane {
            high_availability: cluster.high_availability,
            audit_logs_enabled: (beta && enterprise).then_some(cluster.audit_logs_enabled),
        },
        apl_enabled: false,
        vpc_id: (beta && enterprise).then_some(500_000 + cluster.id.0),
        subnet_id: (beta && enterprise).then_some(None),
        tags: &cluster.tags,
        stack_type: (beta && enterprise).then_some("ipv4"),
        locks: beta.then_some([]),
    }
}

#[derive(Serialize)]
pub(super) struct WirePool<'a> {
    id: u64,
    #[serde(rename = "type")]
    plan: &'a str,
    label: &'a str,
    count: u32,
    #[serde(serialize_with = "nodes")]
    nodes: &'a [PoolNode],
    #[serde(serialize_with = "disks")]
    disks: &'a [PoolDisk],
    autoscaler: WireAutoscaler,
    #[serde(serialize_with = "labels")]
    labels: &'a [(Arc<str>, Arc<str>)],
    #[serde(serialize_with = "taints")]
    taints: &'a [Taint],
    #[serde(serialize_with = "tags")]
    tags: &'a Tags,
    disk_encryption: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    k8s_version: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    update_strategy: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    firewall_id: Option<Option<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    locks: Option<[&'a str; 0]>,
}

#[derive(Serialize)]
struct WireAutoscaler {
    enabled: bool,
    min: u32,
    max: u32,
}

pub(super) fn lke_pool(pool: &LkePool, version: Version) -> WirePool<'_> {
    let enterprise = pool.k8s_version.is_some();
    let Autoscaler { enabled, min, max } = pool.rest.autoscaler;
    // Recorded: on where nobody said, on Standard, and off on Enterprise.
    let encrypted = pool.rest.disk_encryption.unwrap_or(!enterprise);
    WirePool {
        id: pool.id.0,
        plan: &pool.plan,
        label: &pool.rest.label,
        count: pool.count,
        nodes: &pool.nodes,
        disks: &pool.rest.disks,
        autoscaler: WireAutoscaler { enabled, min, max },
        labels: &pool.labels,
        taints: &pool.taints,
        tags: &pool.tags,
        disk_encryption: if encrypted { "enabled" } else { "disabled" },
        k8s_version: pool.k8s_version.as_deref(),
        update_strategy: enterprise.then(|| pool.rest.update_strategy.name()),
        firewall_id: enterprise.then_some(pool.firewall),
        locks: (version == Version::V4Beta).then_some([]),
    }
}

#[derive(Serialize)]
struct WireDisk<'a> {
    size: u32,
    #[serde(rename = "type")]
    kind: &'a str,
}

fn disks<S: Serializer>(disks: &&[PoolDisk], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(disks.iter().map(|disk| WireDisk { size: disk.size_mb, kind: &disk.kind }))
}

#[derive(Serialize)]
pub(super) struct WireNode {
    id: String,
    instance_id: Option<u64>,
    status: &'static str,
}

fn nodes<S: Serializer>(nodes: &&[PoolNode], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(nodes.iter().map(node))
}

pub(super) fn node(node: &PoolNode) -> WireNode {
    WireNode {
        id: node.id.to_string(),
        instance_id: node.instance.map(|id| id.0),
        status: match node.status {
            NodeStatus::Ready => "ready",
            NodeStatus::NotReady => "not_ready",
        },
    }
}

fn labels<S: Serializer>(labels: &&[(Arc<str>, Arc<str>)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(labels.len()))?;
    for (key, value) in *labels {
        map.serialize_entry(&**key, &**value)?;
    }
    map.end()
}

#[derive(Serialize)]
struct WireTaint<'a> {
    key: &'a str,
    value: &'a str,
    effect: &'a str,
}

fn taints<S: Serializer>(taints: &&[Taint], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(taints.iter().map(|taint| WireTaint {
        key: &taint.key,
        value: &taint.value,
        effect: &taint.effect,
    }))
}

#[derive(Serialize)]
pub(super) struct WireInstance<'a> {
    id: u64,
    label: &'a str,
    group: &'a str,
    status: &'static str,
    created: String,
    updated: String,
    #[serde(rename = "type")]
    plan: &'a str,
    ipv4: Vec<String>,
    ipv6: String,
    image: Option<&'a str>,
    region: &'a str,
    site_type: &'static str,
    specs: Specs,
    alerts: WireAlerts,
    backups: Backups,
    hypervisor: &'static str,
    watchdog_enabled: bool,
    #[serde(serialize_with = "tags")]
    tags: &'a Tags,
    host_uuid: String,
    has_user_data: bool,
    placement_group: Option<()>,
    disk_encryption: &'static str,
    lke_cluster_id: Option<u64>,
    capabilities: [&'static str; 3],
    interface_generation: &'static str,
    maintenance_policy: &'a str,
    locks: [&'static str; 0],
}

#[derive(Default, Serialize)]
struct Specs {
    disk: u64,
    memory: u64,
    vcpus: u64,
    gpus: u64,
    transfer: u64,
    accelerated_devices: u64,
}

/// Later recordings of plain Linodes have two lists more, which those of LKE nodes lack.
#[derive(Serialize)]
struct WireAlerts {
    cpu: u32,
    network_in: u32,
    network_out: u32,
    transfer_quota: u32,
    io: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_alerts: Option<[&'static str; 0]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_alerts: Option<[&'static str; 0]>,
}

#[derive(Serialize)]
struct Backups {
    enabled: bool,
    available: bool,
    schedule: Schedule,
    last_successful: Option<()>,
}

#[derive(Serialize)]
struct Schedule {
    day: Option<&'static str>,
    window: Option<&'static str>,
}

/// What a plan gives a Linode.
fn specs(plan: &str) -> Specs {
    let Some(plan) = Recorded::get().plan(plan) else {
        return Specs::default();
    };
    let number = |name: &str| plan.get(name).and_then(serde_json::Value::as_u64).unwrap_or_default();
    Specs {
        disk: number("disk"),
        memory: number("memory"),
        vcpus: number("vcpus"),
        gpus: number("gpus"),
        transfer: number("transfer"),
        accelerated_devices: number("accelerated_devices"),
    }
}

pub(super) fn instance(instance: &Instance) -> WireInstance<'_> {
    let id = instance.id.0;
    let is_node = instance.lke_cluster.is_some();
    let specs = specs(&instance.plan);
    let rest = instance.rest.as_deref();
    let alerts = rest.map_or(Alerts::default(), |rest| rest.alerts);
    let created = time::write(instance.created);
    let scheduling = is_node.then_some("Scheduling");
    WireInstance {
        id,
        label: &instance.label,
        group: rest.map_or("", |rest| &rest.group),
        status: instance.status.name(),
        updated: created.clone(),
        created,
        plan: &instance.plan,
        ipv4: addresses(id, is_node),
        ipv6: format!("2001:db8::{:x}:{:x}/128", id >> 16 & 0xffff, id & 0xffff),
        image: rest.and_then(|rest| rest.image.as_deref()),
        region: &instance.region,
        site_type: "core",
        alerts: WireAlerts {
            cpu: alerts.cpu.unwrap_or(90 * specs.vcpus as u32),
            network_in: alerts.network_in.unwrap_or(10),
            network_out: alerts.network_out.unwrap_or(10),
            transfer_quota: alerts.transfer_quota.unwrap_or(80),
            io: alerts.io.unwrap_or(10_000),
            system_alerts: (!is_node).then_some([]),
            user_alerts: (!is_node).then_some([]),
        },
        specs,
        backups: Backups {
            enabled: is_node,
            available: is_node,
            schedule: Schedule { day: scheduling, window: scheduling },
            last_successful: None,
        },
        hypervisor: "kvm",
        watchdog_enabled: rest.is_none_or(|rest| rest.watchdog_enabled),
        tags: &instance.tags,
        host_uuid: format!("{:016x}{:016x}{:08x}", mix(id), mix(mix(id)), mix(!id) as u32),
        has_user_data: rest.is_some_and(|rest| rest.has_user_data),
        placement_group: None,
        disk_encryption: match rest.and_then(|rest| rest.disk_encryption) {
            Some(false) => "disabled",
            _ => "enabled",
        },
        lke_cluster_id: instance.lke_cluster.map(|id| id.0),
        capabilities: ["Block Storage Encryption", "SMTP Enabled", "Maintenance Policy"],
        interface_generation: "legacy_config",
        maintenance_policy: match rest.and_then(|rest| rest.maintenance_policy.as_deref()) {
            Some(policy) => policy,
            None if is_node => "linode/power_off_on",
            None => "linode/migrate",
        },
        locks: [],
    }
}

/// A public address from a range for benchmarks, and, of a LKE node, a private one as Linode gives them. Ids that lie
/// 131,072 apart share them.
fn addresses(id: u64, is_node: bool) -> Vec<String> {
    let part = |shift: u32| id >> shift & 0xff;
    let mut addresses = vec![format!("198.{}.{}.{}", 18 + (id >> 16 & 1), part(8), part(0))];
    if is_node {
        addresses.push(format!("192.168.{}.{}", 128 + (part(8) & 127), part(0)));
    }
    addresses
}

#[derive(Serialize)]
pub(super) struct WireAvailability<'a> {
    region: &'a str,
    plan: &'a str,
    available: bool,
}

pub(super) fn availability(row: &RegionAvailability) -> WireAvailability<'_> {
    WireAvailability { region: &row.region, plan: &row.plan, available: row.available }
}

#[derive(Serialize)]
struct WireAcl<'a> {
    enabled: bool,
    #[serde(rename = "revision-id")]
    revision_id: &'a str,
    addresses: Addresses<'a>,
}

#[derive(Serialize)]
struct Addresses<'a> {
    ipv4: Vec<&'a str>,
    ipv6: Vec<&'a str>,
}

/// `{"acl": …}`
#[derive(Serialize)]
pub(super) struct WireRules<'a> {
    acl: WireAcl<'a>,
}

pub(super) fn acl(rules: &Acl) -> WireRules<'_> {
    WireRules {
        acl: WireAcl {
            enabled: rules.enabled.unwrap_or(false),
            revision_id: rules.revision_id.as_deref().unwrap_or_default(),
            addresses: Addresses {
                ipv4: rules.ipv4.iter().flatten().map(|range| &**range).collect(),
                ipv6: rules.ipv6.iter().flatten().map(|range| &**range).collect(),
            },
        },
    }
}
