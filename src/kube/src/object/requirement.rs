//! Requirements on labels: what a node must be like.

use super::List;
use std::rc::Rc;

/// `corev1.NodeSelectorOperator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// The label has one of the values.
    In,
    /// The label has none of the values, or is not set.
    NotIn,
    /// The label is set.
    Exists,
    /// The label is not set.
    DoesNotExist,
    /// The label is a number above the one value.
    Gt,
    /// The label is a number below the one value.
    Lt,
}

/// One requirement of a NodeClaim or a NodePool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label's key.
    pub key: Rc<str>,
    /// How the label must relate to `values`.
    pub operator: Operator,
    /// The values, as the operator reads them.
    pub values: List<Rc<str>>,
}

impl Requirement {
    /// The label has one of `values`.
    pub fn any_of(key: impl Into<Rc<str>>, values: impl IntoIterator<Item = impl Into<Rc<str>>>) -> Requirement {
        Requirement { key: key.into(), operator: Operator::In, values: values.into_iter().map(Into::into).collect() }
    }

    /// Whether a label with this value, or no such label, meets the requirement. A label that is no number meets
    /// neither Gt nor Lt.
    pub fn allows(&self, value: Option<&str>) -> bool {
        let listed = |value: &str| self.values.iter().any(|one| **one == *value);
        let number = |text: &str| text.parse::<i64>().ok();
        let bound = || self.values.first().and_then(|text| number(text));
        match self.operator {
            Operator::In => value.is_some_and(listed),
            Operator::NotIn => !value.is_some_and(listed),
            Operator::Exists => value.is_some(),
            Operator::DoesNotExist => value.is_none(),
            Operator::Gt => value.and_then(number).zip(bound()).is_some_and(|(have, bound)| have > bound),
            Operator::Lt => value.and_then(number).zip(bound()).is_some_and(|(have, bound)| have < bound),
        }
    }
}
