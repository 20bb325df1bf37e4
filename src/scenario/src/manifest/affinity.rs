//! Affinity to nodes and pods, and spread.

use super::reader::{Fields, Reader};
use super::selectors::{label_selector, node_requirement};
use crate::tree::Node;
use lkesim_kube::object::PodSpec;
use lkesim_kube::object::affinity::{
    NodeAffinity, NodeInclusionPolicy, NodeSelectorTerm, PodAffinity, PodAffinityTerm, TopologySpreadConstraint,
    Weighted, WhenUnsatisfiable,
};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// `corev1.Affinity`, into a spec.
pub fn affinity(reader: &mut Reader, node: &Node, spec: &mut PodSpec) -> Option<()> {
    let mut fields = reader.fields(node)?;
    spec.node_affinity = fields.read(reader, "nodeAffinity", node_affinity);
    spec.pod_affinity = fields.read(reader, "podAffinity", pod_affinity);
    spec.pod_anti_affinity = fields.read(reader, "podAntiAffinity", pod_affinity);
    fields.end(reader);
    Some(())
}

fn node_affinity(reader: &mut Reader, node: &Node) -> Option<NodeAffinity> {
    let mut fields = reader.fields(node)?;
    let required = fields.read(reader, REQUIRED, node_selector);
    let preferred = fields.read(reader, PREFERRED, |reader, node| {
        reader.list(node, |reader, node| weighted(reader, node, "preference", node_selector_term))
    });
    fields.end(reader);
    let has_required = required.is_some();
    Some(NodeAffinity {
        required: required.unwrap_or_default(),
        has_required,
        preferred: preferred.unwrap_or_default(),
    })
}

/// `corev1.NodeSelector`: its terms.
pub fn node_selector(reader: &mut Reader, node: &Node) -> Option<Vec<NodeSelectorTerm>> {
    let mut fields = reader.fields(node)?;
    let terms = fields.must(reader, "nodeSelectorTerms", |reader, node| reader.list(node, node_selector_term));
    fields.end(reader);
    terms
}

fn node_selector_term(reader: &mut Reader, node: &Node) -> Option<NodeSelectorTerm> {
    let mut fields = reader.fields(node)?;
    let read = |reader: &mut Reader, node: &Node| reader.list(node, node_requirement);
    let match_expressions = fields.read(reader, "matchExpressions", read).unwrap_or_default();
    let has_match_fields = fields.read(reader, "matchFields", read).is_some_and(|fields| !fields.is_empty());
    fields.end(reader);
    Some(NodeSelectorTerm { match_expressions, has_match_fields })
}

fn weighted<T>(
    reader: &mut Reader,
    node: &Node,
    name: &'static str,
    term: fn(&mut Reader, &Node) -> Option<T>,
) -> Option<Weighted<T>> {
    let mut fields = reader.fields(node)?;
    let weight = fields.must(reader, "weight", |reader, node| reader.number(node, 1, 100));
    let term = fields.must(reader, name, term);
    fields.end(reader);
    Some(Weighted { weight: i32::try_from(weight?).ok()?, term: term? })
}

fn pod_affinity(reader: &mut Reader, node: &Node) -> Option<PodAffinity> {
    let mut fields = reader.fields(node)?;
    let required = fields.read(reader, REQUIRED, |reader, node| reader.list(node, pod_affinity_term));
    let preferred = fields.read(reader, PREFERRED, |reader, node| {
        reader.list(node, |reader, node| weighted(reader, node, "podAffinityTerm", pod_affinity_term))
    });
    fields.end(reader);
    Some(PodAffinity { required: required.unwrap_or_default(), preferred: preferred.unwrap_or_default() })
}

fn pod_affinity_term(reader: &mut Reader, node: &Node) -> Option<PodAffinityTerm> {
    let mut fields = reader.fields(node)?;
    let label_selector_ = fields.read(reader, "labelSelector", label_selector);
    let namespaces = fields.read(reader, "namespaces", Reader::texts).unwrap_or_default();
    let namespace_selector = fields.read(reader, "namespaceSelector", label_selector);
    let topology_key = fields.must(reader, "topologyKey", Reader::name);
    let match_label_keys = fields.read(reader, "matchLabelKeys", Reader::texts).unwrap_or_default();
    let mismatch_label_keys = fields.read(reader, "mismatchLabelKeys", Reader::texts).unwrap_or_default();
    fields.end(reader);
    Some(PodAffinityTerm {
        label_selector: label_selector_,
        namespaces,
        namespace_selector,
        topology_key: topology_key?,
        match_label_keys,
        mismatch_label_keys,
    })
}

/// `corev1.TopologySpreadConstraint`.
pub fn spread(reader: &mut Reader, node: &Node) -> Option<TopologySpreadConstraint> {
    let actions =
        [("DoNotSchedule", WhenUnsatisfiable::DoNotSchedule), ("ScheduleAnyway", WhenUnsatisfiable::ScheduleAnyway)];
    let mut fields = reader.fields(node)?;
    let most = i64::from(i32::MAX);
    let max_skew = fields.must(reader, "maxSkew", |reader, node| reader.number(node, 1, most));
    let topology_key = fields.must(reader, "topologyKey", Reader::name);
    let when = fields.must(reader, "whenUnsatisfiable", |reader, node| reader.one_of(node, &actions));
    let label_selector = fields.read(reader, "labelSelector", label_selector);
    let min_domains = fields.read(reader, "minDomains", |reader, node| reader.number(node, 1, most));
    let node_affinity_policy = policy(reader, &mut fields, "nodeAffinityPolicy");
    let node_taints_policy = policy(reader, &mut fields, "nodeTaintsPolicy");
    let match_label_keys = fields.read(reader, "matchLabelKeys", Reader::texts).unwrap_or_default();
    fields.end(reader);
    if min_domains.is_some() && when == Some(WhenUnsatisfiable::ScheduleAnyway) {
        reader.wrong_at("minDomains", "only `whenUnsatisfiable: DoNotSchedule` has it");
    }
    Some(TopologySpreadConstraint {
        max_skew: i32::try_from(max_skew?).ok()?,
        topology_key: topology_key?,
        when_unsatisfiable: when?,
        label_selector,
        min_domains: min_domains.and_then(|number| i32::try_from(number).ok()),
        node_affinity_policy,
        node_taints_policy,
        match_label_keys,
    })
}

fn policy(reader: &mut Reader, fields: &mut Fields<'_>, name: &'static str) -> Option<NodeInclusionPolicy> {
    let policies = [("Honor", NodeInclusionPolicy::Honor), ("Ignore", NodeInclusionPolicy::Ignore)];
    fields.read(reader, name, |reader, node| reader.one_of(node, &policies))
}
