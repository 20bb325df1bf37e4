//! What somebody does past the provider, and the truth as the fake's administration tells it.

use super::case::Hand;
use super::lab::Lab;
use fake_linode::Cloud;
use lkesim_linode_api::{
    Call, Cause, ClusterId, InstanceId, LkePoolId, LkePoolUpdate, Operation, Purpose, Request, Tags,
};
use serde_json::{Map, Value, json};

impl Lab {
    /// Does what a case's `hand` names.
    pub(super) fn act(&self, hand: &Hand) -> Result<(), String> {
        let cluster = self.cloud.borrow().settings().clusters[0].id;
        let request = request_of(cluster, hand)?;
        let purpose = purpose();
        let call = Call { purpose, attempt: 0, request };
        let handled = self.cloud.borrow_mut().handle_by_hand(self.kernel.now(), 0, &call);
        let handled = handled.map_err(|error| error.to_string())?;
        handled.answer.result.map(|_| ()).map_err(|error| error.to_string())
    }
}

fn request_of(cluster: ClusterId, hand: &Hand) -> Result<Request, String> {
    Ok(match hand {
        Hand { delete_linode: Some(id), .. } => Request::DeleteInstance { instance: InstanceId(*id) },
        Hand { delete_pool: Some(id), .. } => Request::DeletePool { cluster, lke_pool: LkePoolId(*id) },
        Hand { pool: Some(id), count, .. } => {
            let body = LkePoolUpdate { count: Some(*count), ..LkePoolUpdate::default() };
            Request::UpdatePool { cluster, lke_pool: LkePoolId(*id), body }
        }
        Hand { linode: Some(id), tags, .. } => {
            let tags: Tags = tags.iter().map(String::as_str).collect();
            Request::UpdateInstance { instance: InstanceId(*id), tags }
        }
        _ => return Err("`hand` names no deed".to_owned()),
    })
}

/// The live LKE pools and Linodes.
pub(super) fn state(cloud: &Cloud) -> Value {
    let lke_pools = cloud.lke_pools().filter(|truth| truth.is_live()).map(|truth| {
        let (labels, taints) = cloud.node_labels_and_taints(truth.id).unwrap_or_default();
        let labels: Map<String, Value> =
            labels.iter().map(|(key, value)| (key.to_string(), Value::from(&**value))).collect();
        let taints = taints
            .iter()
            .map(|taint| json!({"key": &*taint.key, "value": &*taint.value, "effect": &*taint.effect}))
            .collect::<Vec<_>>();
        let nodes = cloud.members(truth.id).filter_map(|id| {
            let node = cloud.instance(id)?.node?;
            Some(json!({"id": node.to_string(), "instance_id": id.0}))
        });
        json!({
            "id": truth.id.0,
            "cluster": truth.cluster.0,
            "plan": &*truth.plan,
            "count": truth.count,
            "tags": list(&truth.tags),
            "labels": labels,
            "taints": taints,
            "k8s_version": truth.k8s_version.as_deref(),
            "nodes": nodes.collect::<Vec<_>>(),
        })
    });
    let instances = cloud.live_instances().map(|truth| {
        json!({
            "id": truth.id.0,
            "label": &*truth.label,
            "plan": &*truth.plan,
            "region": &*truth.region,
            "tags": list(&truth.tags),
            "lke_cluster": truth.cluster.map(|cluster| cluster.0),
            "lke_pool": truth.node.map(|node| node.lke_pool.0),
        })
    });
    json!({"lke_pools": lke_pools.collect::<Vec<_>>(), "instances": instances.collect::<Vec<_>>()})
}

fn list(tags: &Tags) -> Vec<&str> {
    tags.iter().map(|tag| &**tag).collect()
}

fn purpose() -> Purpose {
    let (operation, cause) = (Operation::Foreign, Cause::Foreign);
    Purpose {
        caller: "hand",
        operation,
        invocation: 0,
        attempt: 0,
        subject: "hand".into(),
        cause,
        joined: Default::default(),
    }
}
