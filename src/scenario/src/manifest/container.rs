//! A container: what it asks for, and which ports of the node it takes.

use super::reader::Reader;
use crate::path::Segment;
use crate::tree::Node;
use core::net::{IpAddr, Ipv4Addr};
use lkesim_kube::object::pod::{Container, HostPort, Protocol};
use lkesim_kube::object::{Quantity, ResourceList};
use std::rc::Rc;

/// Fields that make no difference to where a pod goes and how long it stays.
const IGNORED: [&str; 22] = [
    "image",
    "command",
    "args",
    "workingDir",
    "env",
    "envFrom",
    "volumeMounts",
    "volumeDevices",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "securityContext",
    "stdin",
    "stdinOnce",
    "tty",
    "resizePolicy",
    "restartPolicyRules",
    "targetContainerName",
    "resizeStatus",
];

/// What a port is read with.
#[derive(Clone, Copy)]
pub struct Host {
    /// The pod uses the node's network, so that each of its ports is one of the node's.
    pub has_network: bool,
}

/// `corev1.Container`.
///
/// `names` are those that containers of the pod have already.
pub fn container(
    reader: &mut Reader,
    node: &Node,
    host: Host,
    is_init: bool,
    names: &mut Vec<Rc<str>>,
) -> Option<Container> {
    let mut fields = reader.fields(node)?;
    if let Some(name) = fields.must(reader, "name", Reader::name) {
        if names.contains(&name) {
            reader.wrong_at("name", format!("two containers are called `{}`", crate::decode::shortened(&name)));
        }
        names.push(name);
    }
    let pulls = ["Always", "IfNotPresent", "Never"].map(|policy| (policy, ()));
    fields.read(reader, "imagePullPolicy", |reader, node| reader.one_of(node, &pulls));
    let own = fields.read(reader, "resources", |reader, node| {
        let found = resources(reader, node)?;
        not_overcommitted(reader, &found.requests, &found.limits);
        Some(found)
    });
    let mut container = own.unwrap_or_default();
    let ports = fields.read(reader, "ports", |reader, node| reader.list(node, |reader, node| port(reader, node, host)));
    container.host_ports = ports.unwrap_or_default().into_iter().flatten().collect();
    let policies = [("Always", true), ("OnFailure", false), ("Never", false)];
    let restarts = fields.read(reader, "restartPolicy", |reader, node| reader.one_of(node, &policies));
    container.restarts_always = is_init && restarts == Some(true);
    fields.ignore(&IGNORED);
    fields.end(reader);
    Some(container)
}

fn resources(reader: &mut Reader, node: &Node) -> Option<Container> {
    let mut fields = reader.fields(node)?;
    let requests = fields.read(reader, "requests", Reader::resources).unwrap_or_default();
    let limits = fields.read(reader, "limits", Reader::resources).unwrap_or_default();
    let has_resource_claims = fields.get("claims").is_some_and(|claims| !super::reader::is_false_or_empty(claims));
    fields.end(reader);
    for (name, limit) in limits.iter() {
        if requests.get(name).is_some_and(|request| request > *limit) {
            reader.wrong_at("requests", format!("more `{name}` is requested than `limits` allow ({limit})"));
        }
    }
    Some(Container { requests, limits, has_resource_claims, ..Container::default() })
}

/// What can't be shared, a device or huge pages, is asked for as much as it is limited to, and devices as a whole
/// (Kubernetes v1.33 `pkg/apis/core/validation`, `ValidateResourceRequirements`).
fn not_overcommitted(reader: &mut Reader, requests: &ResourceList, limits: &ResourceList) {
    let is_device = |name: &str| name.contains('/') && !name.contains("kubernetes.io/");
    let is_whole = |name: &str| is_device(name) || name.starts_with("hugepages-");
    for (field, list) in [("requests", requests), ("limits", limits)] {
        for (name, amount) in list.iter().filter(|(name, amount)| is_device(name) && amount.milli() % 1_000 != 0) {
            let path = [field, name].map(|key| Segment::Key(key.to_owned()));
            reader.at(&path, |reader| reader.wrong(format!("found {amount}; expected a whole number of `{name}`")));
        }
    }
    for (name, request) in requests.iter().filter(|(name, _)| is_whole(name)) {
        let path = ["requests", name].map(|key| Segment::Key(key.to_owned()));
        match limits.get(name) {
            None => reader.at(&path, |reader| reader.wrong(format!("`limits` must have as many `{name}`"))),
            Some(limit) if limit > *request => {
                reader
                    .at(&path, |reader| reader.wrong(format!("`limits` have {limit} `{name}`; expected as many here")));
            }
            Some(_) => {}
        }
    }
}

/// The port of the node that a container's port takes, if it does.
fn port(reader: &mut Reader, node: &Node, host: Host) -> Option<Option<HostPort>> {
    let protocols = [("TCP", Protocol::Tcp), ("UDP", Protocol::Udp), ("SCTP", Protocol::Sctp)];
    let mut fields = reader.fields(node)?;
    let number = |reader: &mut Reader, node: &Node| reader.number(node, 1, 65_535);
    let own = fields.must(reader, "containerPort", number);
    let on_host = fields.read(reader, "hostPort", |reader, node| reader.number(node, 0, 65_535));
    let protocol = fields.read(reader, "protocol", |reader, node| reader.one_of(node, &protocols));
    let address = fields.read(reader, "hostIP", |reader, node| {
        let text = reader.text(node)?;
        let address = text.parse::<IpAddr>().ok();
        if address.is_none() {
            reader.wrong(format!("found `{}`; expected an address", crate::decode::shortened(text)));
        }
        address
    });
    fields.ignore(&["name"]);
    fields.end(reader);
    let taken = on_host.filter(|port| *port > 0).or(own.filter(|_| host.has_network));
    let port = taken.and_then(|port| u16::try_from(port).ok());
    let ip = address.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    Some(port.map(|port| HostPort { ip, port, protocol: protocol.unwrap_or_default() }))
}

/// `requests` of a pod as a whole.
pub fn pod_resources(reader: &mut Reader, node: &Node) -> Option<ResourceList> {
    let container = resources(reader, node)?;
    let mut requests = container.requests;
    // As for containers, a limit stands in for a request that is not given.
    let missing: Vec<(_, Quantity)> =
        container.limits.iter().filter(|(name, _)| requests.get(name).is_none()).cloned().collect();
    for (name, limit) in missing {
        requests.set(name, limit);
    }
    Some(requests)
}
