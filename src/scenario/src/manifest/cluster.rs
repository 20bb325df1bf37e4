//! Nodes, and what belongs to the cluster as a whole: PodDisruptionBudgets, PriorityClasses, Namespaces.

use super::context::{Context, PriorityClass};
use super::karpenter::{conditions, sizes};
use super::known;
use super::metadata::{self, Scope};
use super::reader::{Fields, Reader};
use super::selectors::{label_selector, taints};
use crate::path::Segment;
use crate::tree::Node as Tree;
use lkesim_kube::object::label_selector::{SelectorExpression, SelectorOperator};
use lkesim_kube::object::node::{NodeSpec, NodeStatus};
use lkesim_kube::object::pod_disruption_budget::{Bound, Share};
use lkesim_kube::object::{LabelSelector, Node, PodDisruptionBudget, ProviderId, Taint, TaintEffect, labels};

/// The taint of a node that somebody cordoned.
const UNSCHEDULABLE: &str = "node.kubernetes.io/unschedulable";

/// `v1` Node, with how it is.
pub fn node(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<Node> {
    let metadata = metadata::metadata(reader, &mut object, Scope::Cluster);
    let spec = object.read(reader, "spec", node_spec).unwrap_or_default();
    let status = object.read(reader, "status", node_status).unwrap_or_default();
    object.end(reader);
    let metadata = metadata?;
    context.seen(reader, "Node", &metadata)?;
    its_region(reader, &metadata);
    let mut node = Node::new(metadata.name.clone(), spec.provider_id.clone());
    metadata.dress(&mut node.metadata);
    node.spec = spec;
    node.status = status;
    Some(node)
}

/// Whether it is where the run is, which is told once.
fn its_region(reader: &mut Reader, metadata: &metadata::Metadata) {
    let Some(region) = metadata.labels.get(labels::REGION) else { return };
    let path = ["metadata", "labels", labels::REGION].map(|key| Segment::Key(key.to_owned()));
    reader.at(&path, |reader| known::region(reader, region));
}

fn node_spec(reader: &mut Reader, node: &Tree) -> Option<NodeSpec> {
    let mut fields = reader.fields(node)?;
    let provider_id = fields.read(reader, "providerID", Reader::shared).filter(|id| !id.is_empty());
    let mut found = fields.read(reader, "taints", taints).unwrap_or_default();
    let is_cordoned = fields.read(reader, "unschedulable", Reader::bool).unwrap_or(false);
    if is_cordoned && !found.iter().any(|taint| taint.matches(UNSCHEDULABLE, TaintEffect::NoSchedule)) {
        found.push(Taint::new(UNSCHEDULABLE, TaintEffect::NoSchedule));
    }
    fields.ignore(&["podCIDR", "podCIDRs", "externalID", "configSource"]);
    fields.end(reader);
    Some(NodeSpec { provider_id: provider_id.map(ProviderId::new), taints: found.into() })
}

fn node_status(reader: &mut Reader, node: &Tree) -> Option<NodeStatus> {
    let mut fields = reader.fields(node)?;
    let (capacity, allocatable) = sizes(reader, &mut fields);
    let conditions = fields.read(reader, "conditions", conditions).unwrap_or_default();
    Some(NodeStatus { capacity, allocatable, conditions })
}

/// `policy/v1` PodDisruptionBudget.
pub fn budget(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<PodDisruptionBudget> {
    let metadata = metadata::metadata(reader, &mut object, Scope::Namespace);
    let spec = object.must(reader, "spec", |reader, node| {
        let mut fields = reader.fields(node)?;
        let selector = fields.read(reader, "selector", label_selector);
        let least = fields.read(reader, "minAvailable", share);
        let most = fields.read(reader, "maxUnavailable", share);
        let policies = [("AlwaysAllow", true), ("IfHealthyBudget", false)];
        let policy = fields.read(reader, "unhealthyPodEvictionPolicy", |reader, node| reader.one_of(node, &policies));
        fields.end(reader);
        let bound = match (least, most) {
            (Some(least), None) => Bound::MinAvailable(least),
            (None, Some(most)) => Bound::MaxUnavailable(most),
            (Some(_), Some(_)) => {
                reader.wrong_at("maxUnavailable", "`minAvailable` and `maxUnavailable` both stand here");
                return None;
            }
            (None, None) => {
                reader.wrong("expected `minAvailable` or `maxUnavailable`");
                return None;
            }
        };
        Some((selector, bound, policy.unwrap_or(false)))
    });
    object.ignore(&["status"]);
    object.end(reader);
    let (metadata, (selector, bound, always)) = (metadata?, spec?);
    context.seen(reader, "PodDisruptionBudget", &metadata)?;
    let selector = selector.unwrap_or_else(nothing);
    let mut budget = PodDisruptionBudget::new(&metadata.namespace, &metadata.name, selector, bound);
    metadata.dress(&mut budget.metadata);
    budget.always_allows_unhealthy = always;
    Some(budget)
}

/// A selector that selects nothing, as `policy/v1` has it where none is given.
fn nothing() -> LabelSelector {
    let expression = |operator| SelectorExpression { key: "lkesim/none".into(), operator, values: Vec::new() };
    let match_expressions = [SelectorOperator::Exists, SelectorOperator::DoesNotExist].map(expression).into();
    LabelSelector { match_expressions, ..LabelSelector::default() }
}

fn share(reader: &mut Reader, node: &Tree) -> Option<Share> {
    if let Tree::Text(text) = node
        && let Some(percent) = text.strip_suffix('%').and_then(|number| number.parse().ok())
    {
        if percent > 100 {
            reader.wrong(format!("found `{}`; expected at most `100%`", crate::decode::shortened(text)));
        }
        return Some(Share::Percent(percent));
    }
    match node {
        Tree::Text(text) => {
            reader.wrong(format!(
                "found `{}`; expected a number of pods, or a share such as `50%`",
                crate::decode::shortened(text)
            ));
            None
        }
        _ => reader.count(node).map(Share::Pods),
    }
}

/// `scheduling.k8s.io/v1` PriorityClass.
pub fn priority_class(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<()> {
    let metadata = metadata::metadata(reader, &mut object, Scope::Cluster);
    let (low, high) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let value = object.must(reader, "value", |reader, node| reader.number(node, low, high));
    let policies = [("Never", true), ("PreemptLowerPriority", false)];
    let never = object.read(reader, "preemptionPolicy", |reader, node| reader.one_of(node, &policies));
    let is_default = object.read(reader, "globalDefault", Reader::bool).unwrap_or(false);
    object.ignore(&["description"]);
    object.end(reader);
    let metadata = metadata?;
    context.seen(reader, "PriorityClass", &metadata)?;
    let class = PriorityClass { value: i32::try_from(value?).ok()?, never_preempts: never.unwrap_or(false) };
    if is_default {
        if let Some(other) = &context.default_priority_class {
            let message = format!("`{other}` has `globalDefault` already, which one alone may have");
            reader.wrong_at("globalDefault", message);
        }
        context.default_priority_class = Some(metadata.name.clone());
    }
    context.priority_classes.insert(metadata.name, class);
    Some(())
}

/// `v1` Namespace.
pub fn namespace(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<()> {
    let metadata = metadata::metadata(reader, &mut object, Scope::Cluster);
    object.ignore(&["spec", "status"]);
    object.end(reader);
    let metadata = metadata?;
    context.seen(reader, "Namespace", &metadata)?;
    context.namespaces.insert(metadata.name, metadata.labels);
    Some(())
}
