//! Requirements on labels: what a node must be like.

use super::List;
use std::rc::Rc;

/// `corev1.NodeSelectorOperator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// The label is a number not below the one value.
    Gte,
    /// The label is a number not above the one value.
    Lte,
}

/// One requirement of a NodeClaim or a NodePool.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// The label's key.
    pub key: Rc<str>,
    /// How the label must relate to `values`.
    pub operator: Operator,
    /// The values, as the operator reads them.
    pub values: List<Rc<str>>,
    /// How many values the instance types of a NodeClaim must have between them, of a NodePool's requirement.
    pub min_values: Option<u32>,
}

impl Requirement {
    /// The label has one of `values`.
    pub fn any_of(key: impl Into<Rc<str>>, values: impl IntoIterator<Item = impl Into<Rc<str>>>) -> Requirement {
        Requirement::new(key, Operator::In, values)
    }

    /// A requirement without `minValues`.
    pub fn new(
        key: impl Into<Rc<str>>,
        operator: Operator,
        values: impl IntoIterator<Item = impl Into<Rc<str>>>,
    ) -> Requirement {
        let values = values.into_iter().map(Into::into).collect();
        Requirement { key: key.into(), operator, values, min_values: None }
    }

    /// Whether a label with this value, or no such label, meets the requirement. A label that is no number meets
    /// none of Gt, Lt, Gte and Lte.
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
            Operator::Gte => value.and_then(number).zip(bound()).is_some_and(|(have, bound)| have >= bound),
            Operator::Lte => value.and_then(number).zip(bound()).is_some_and(|(have, bound)| have <= bound),
        }
    }
}
