//! Which fields a list can be filtered by, and the values that an object has there.

use super::Value;
use crate::object::{Instance, LkeCluster, LkePool, RegionAvailability, Tags};
use crate::request::Endpoint;

/// The fields that the list of `endpoint` can be filtered by; none where it is no filtered list.
///
/// Source: the specification 4.229.1 that `linode-cli` ships; `lke_cluster_id` of instances by what Terraform's
/// provider sends.
pub const fn filterable_fields(endpoint: Endpoint) -> &'static [&'static str] {
    match endpoint {
        Endpoint::ListInstances => &[
            "id",
            "label",
            "group",
            "image",
            "region",
            "tags",
            "ipv4",
            "interface_generation",
            "placement_group.label",
            "placement_group.type",
            "lke_cluster_id",
        ],
        Endpoint::ListClusters => &["label", "region", "k8s_version", "tags", "tier"],
        Endpoint::ListPools => &["id", "tags"],
        Endpoint::ListTypes => {
            &["class", "disk", "gpus", "label", "memory", "network_out", "transfer", "vcpus", "accelerated_devices"]
        }
        Endpoint::ListRegionAvailability => &["region", "plan", "available"],
        // No source names the fields of tags; a tag has no other.
        Endpoint::ListTags => &["label"],
        _ => &[],
    }
}

/// An object whose fields a filter can ask.
pub trait Filterable {
    /// The fields that this model of the object has. Others may exist at the server.
    const MODELLED: &'static [&'static str];

    /// Calls `test` on each value of `field` until one holds, and says whether one did.
    fn any_value(&self, field: &str, test: &mut dyn FnMut(Value<'_>) -> bool) -> bool;
}

fn any_tag(tags: &Tags, test: &mut dyn FnMut(Value<'_>) -> bool) -> bool {
    tags.iter().any(|tag| test(Value::Text(tag)))
}

impl Filterable for Instance {
    const MODELLED: &'static [&'static str] = &["id", "label", "group", "image", "region", "tags", "lke_cluster_id"];

    fn any_value(&self, field: &str, test: &mut dyn FnMut(Value<'_>) -> bool) -> bool {
        match field {
            "id" => test(Value::Number(self.id.0.into())),
            "label" => test(Value::Text(&self.label)),
            // A Linode that LKE or the provider made is in no group, and shows no image (recorded).
            "group" => test(Value::Text("")),
            "image" => test(Value::Null),
            "region" => test(Value::Text(&self.region)),
            "tags" => any_tag(&self.tags, test),
            "lke_cluster_id" => test(self.lke_cluster.map_or(Value::Null, |id| Value::Number(id.0.into()))),
            _ => false,
        }
    }
}

impl Filterable for LkePool {
    const MODELLED: &'static [&'static str] = &["id", "tags"];

    fn any_value(&self, field: &str, test: &mut dyn FnMut(Value<'_>) -> bool) -> bool {
        match field {
            "id" => test(Value::Number(self.id.0.into())),
            "tags" => any_tag(&self.tags, test),
            _ => false,
        }
    }
}

impl Filterable for LkeCluster {
    const MODELLED: &'static [&'static str] = &["label", "region", "k8s_version", "tags", "tier"];

    fn any_value(&self, field: &str, test: &mut dyn FnMut(Value<'_>) -> bool) -> bool {
        match field {
            "label" => test(Value::Text(&self.label)),
            "region" => test(Value::Text(&self.region)),
            "k8s_version" => test(Value::Text(&self.k8s_version)),
            "tags" => any_tag(&self.tags, test),
            "tier" => self.tier.is_some_and(|tier| test(Value::Text(tier.name()))),
            _ => false,
        }
    }
}

impl Filterable for RegionAvailability {
    const MODELLED: &'static [&'static str] = &["region", "plan", "available"];

    fn any_value(&self, field: &str, test: &mut dyn FnMut(Value<'_>) -> bool) -> bool {
        match field {
            "region" => test(Value::Text(&self.region)),
            "plan" => test(Value::Text(&self.plan)),
            "available" => test(Value::Bool(self.available)),
            _ => false,
        }
    }
}

/// A tag by itself.
impl Filterable for str {
    const MODELLED: &'static [&'static str] = &["label"];

    fn any_value(&self, field: &str, test: &mut dyn FnMut(Value<'_>) -> bool) -> bool {
        field == "label" && test(Value::Text(self))
    }
}
