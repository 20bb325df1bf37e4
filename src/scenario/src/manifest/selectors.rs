//! Requirements on labels, label selectors, taints and tolerations.

use super::known;
use super::reader::Reader;
use crate::path::Segment;
use crate::tree::Node;
use lkesim_kube::object::label_selector::{SelectorExpression, SelectorOperator};
use lkesim_kube::object::{LabelSelector, Operator, Requirement, Taint, TaintEffect, Toleration, TolerationOperator};
use std::rc::Rc;

/// The operators of `corev1.NodeSelectorRequirement`.
const OF_NODES: [(&str, Operator); 6] = [
    ("In", Operator::In),
    ("NotIn", Operator::NotIn),
    ("Exists", Operator::Exists),
    ("DoesNotExist", Operator::DoesNotExist),
    ("Gt", Operator::Gt),
    ("Lt", Operator::Lt),
];

/// Those of Karpenter's requirements, which have two more.
const OF_KARPENTER: [(&str, Operator); 8] = [
    OF_NODES[0],
    OF_NODES[1],
    OF_NODES[2],
    OF_NODES[3],
    OF_NODES[4],
    OF_NODES[5],
    ("Gte", Operator::Gte),
    ("Lte", Operator::Lte),
];

const EFFECTS: [(&str, TaintEffect); 3] = [
    ("NoSchedule", TaintEffect::NoSchedule),
    ("PreferNoSchedule", TaintEffect::PreferNoSchedule),
    ("NoExecute", TaintEffect::NoExecute),
];

/// A requirement of a node affinity or of a volume.
pub fn node_requirement(reader: &mut Reader, node: &Node) -> Option<Requirement> {
    requirement(reader, node, &OF_NODES, false)
}

/// A requirement of a NodePool or a NodeClaim.
pub fn karpenter_requirement(reader: &mut Reader, node: &Node) -> Option<Requirement> {
    requirement(reader, node, &OF_KARPENTER, true)
}

fn requirement(
    reader: &mut Reader,
    node: &Node,
    operators: &[(&str, Operator)],
    has_min_values: bool,
) -> Option<Requirement> {
    let mut fields = reader.fields(node)?;
    let key = fields.must(reader, "key", Reader::name);
    let operator = fields.must(reader, "operator", |reader, node| reader.one_of(node, operators));
    let values = fields.read(reader, "values", Reader::texts).unwrap_or_default();
    let min_values = match has_min_values {
        true => fields.read(reader, "minValues", |reader, node| reader.number(node, 1, 50)),
        false => None,
    };
    fields.end(reader);
    let (key, operator) = (key?, operator?);
    let is_number = |text: &Rc<str>| text.parse::<i64>().is_ok();
    let expected = match operator {
        Operator::In | Operator::NotIn if values.is_empty() => "at least one value",
        Operator::Exists | Operator::DoesNotExist if !values.is_empty() => "no value",
        Operator::Gt | Operator::Lt | Operator::Gte | Operator::Lte
            if values.len() != 1 || !values.iter().all(is_number) =>
        {
            "one value, which is a whole number in quotes"
        }
        _ => "",
    };
    if !expected.is_empty() {
        reader.wrong_at("values", format!("the operator of `{key}` takes {expected}"));
        return None;
    }
    let min_values = min_values.and_then(|number| u32::try_from(number).ok());
    if operator == Operator::In && min_values.is_some_and(|least| (values.len() as u64) < u64::from(least)) {
        reader.wrong_at("minValues", "expected at least as many `values`");
    }
    let found = Requirement { min_values, ..Requirement::new(key, operator, values) };
    known::requirement(reader, &found);
    Some(found)
}

/// A label selector.
pub fn label_selector(reader: &mut Reader, node: &Node) -> Option<LabelSelector> {
    let mut fields = reader.fields(node)?;
    let match_labels = fields.read(reader, "matchLabels", super::metadata::labels).unwrap_or_default();
    let read = |reader: &mut Reader, node: &_| reader.list(node, expression);
    let match_expressions = fields.read(reader, "matchExpressions", read).unwrap_or_default();
    fields.end(reader);
    Some(LabelSelector { match_labels, match_expressions })
}

fn expression(reader: &mut Reader, node: &Node) -> Option<SelectorExpression> {
    let operators = [
        ("In", SelectorOperator::In),
        ("NotIn", SelectorOperator::NotIn),
        ("Exists", SelectorOperator::Exists),
        ("DoesNotExist", SelectorOperator::DoesNotExist),
    ];
    let mut fields = reader.fields(node)?;
    let key = fields.must(reader, "key", Reader::name);
    let operator = fields.must(reader, "operator", |reader, node| reader.one_of(node, &operators));
    let values = fields.read(reader, "values", Reader::texts).unwrap_or_default();
    fields.end(reader);
    let (key, operator) = (key?, operator?);
    let wants_values = matches!(operator, SelectorOperator::In | SelectorOperator::NotIn);
    if wants_values == values.is_empty() {
        let expected = if wants_values { "at least one value" } else { "no value" };
        reader.wrong_at("values", format!("the operator of `{key}` takes {expected}"));
        return None;
    }
    Some(SelectorExpression { key, operator, values })
}

/// A taint.
pub fn taint(reader: &mut Reader, node: &Node) -> Option<Taint> {
    let mut fields = reader.fields(node)?;
    let key = fields.must(reader, "key", Reader::name);
    let value = fields.read(reader, "value", Reader::shared).filter(|value| !value.is_empty());
    let effect = fields.must(reader, "effect", |reader, node| reader.one_of(node, &EFFECTS));
    fields.ignore(&["timeAdded"]);
    fields.end(reader);
    Some(Taint { key: key?, value, effect: effect? })
}

/// Several taints, no two of one key and effect.
pub fn taints(reader: &mut Reader, node: &Node) -> Option<Vec<Taint>> {
    let taints = reader.list(node, taint)?;
    for (place, taint) in taints.iter().enumerate() {
        if taints[..place].iter().any(|one| one.matches(&taint.key, taint.effect)) {
            reader.below(Segment::Index(place), |reader| reader.wrong("a taint of this key and effect stands twice"));
        }
    }
    Some(taints)
}

/// A toleration.
pub fn toleration(reader: &mut Reader, node: &Node) -> Option<Toleration> {
    let operators = [
        ("Equal", TolerationOperator::Equal),
        ("Exists", TolerationOperator::Exists),
        ("Lt", TolerationOperator::Lt),
        ("Gt", TolerationOperator::Gt),
    ];
    let mut fields = reader.fields(node)?;
    let toleration = Toleration {
        key: fields.read(reader, "key", Reader::shared).unwrap_or_default(),
        operator: fields.read(reader, "operator", |reader, node| reader.one_of(node, &operators)).unwrap_or_default(),
        value: fields.read(reader, "value", Reader::shared).unwrap_or_default(),
        effect: fields.read(reader, "effect", |reader, node| match node {
            Node::Text(text) if text.is_empty() => None,
            _ => reader.one_of(node, &EFFECTS),
        }),
        toleration_seconds: fields
            .read(reader, "tolerationSeconds", |reader, node| reader.number(node, i64::MIN, i64::MAX)),
    };
    fields.end(reader);
    if toleration.key.is_empty() && toleration.operator != TolerationOperator::Exists {
        reader.wrong("a toleration without `key` takes the operator `Exists`");
        return None;
    }
    if toleration.operator == TolerationOperator::Exists && !toleration.value.is_empty() {
        reader.wrong_at("value", "the operator `Exists` takes no value");
        return None;
    }
    if toleration.toleration_seconds.is_some() && toleration.effect.is_some_and(|one| one != TaintEffect::NoExecute) {
        reader.wrong_at("tolerationSeconds", "only a toleration of `NoExecute` has an end");
        return None;
    }
    Some(toleration)
}
