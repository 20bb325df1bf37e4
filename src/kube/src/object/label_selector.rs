//! Label selectors: which pods or namespaces are meant.

use super::StringMap;
use std::rc::Rc;

/// `metav1.LabelSelectorOperator`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SelectorOperator {
    /// The label has one of the values.
    In,
    /// The label has none of the values, or is not set.
    NotIn,
    /// The label is set.
    Exists,
    /// The label is not set.
    DoesNotExist,
}

/// One expression of a selector.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SelectorExpression {
    /// The label's key.
    pub key: Rc<str>,
    /// How the label must relate to `values`.
    pub operator: SelectorOperator,
    /// The values.
    pub values: Vec<Rc<str>>,
}

/// `metav1.LabelSelector`. The empty one selects all; where upstream has a pointer, `None` selects nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LabelSelector {
    /// Labels with these values.
    pub match_labels: StringMap,
    /// Expressions that hold too.
    pub match_expressions: Vec<SelectorExpression>,
}

impl LabelSelector {
    /// Selects what has this label.
    pub fn label(key: impl Into<Rc<str>> + AsRef<str>, value: impl Into<Rc<str>> + AsRef<str>) -> LabelSelector {
        LabelSelector { match_labels: [(key, value)].into_iter().collect(), match_expressions: Vec::new() }
    }

    /// Whether it can be read: In and NotIn have values, the others none. One that can't be read selects nothing.
    pub fn is_valid(&self) -> bool {
        self.match_expressions.iter().all(|expression| match expression.operator {
            SelectorOperator::In | SelectorOperator::NotIn => !expression.values.is_empty(),
            SelectorOperator::Exists | SelectorOperator::DoesNotExist => expression.values.is_empty(),
        })
    }

    /// Whether what has these labels is selected.
    pub fn matches(&self, labels: &StringMap) -> bool {
        self.is_valid()
            && self.match_labels.iter().all(|(key, value)| labels.has(key, value))
            && self.match_expressions.iter().all(|expression| expression.matches(labels))
    }
}

impl SelectorExpression {
    fn matches(&self, labels: &StringMap) -> bool {
        let value = labels.get(&self.key);
        match self.operator {
            SelectorOperator::In => value.is_some_and(|value| self.values.contains(value)),
            SelectorOperator::NotIn => !value.is_some_and(|value| self.values.contains(value)),
            SelectorOperator::Exists => value.is_some(),
            SelectorOperator::DoesNotExist => value.is_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(operator: SelectorOperator, values: &[&str]) -> LabelSelector {
        let values = values.iter().map(|value| Rc::from(*value)).collect();
        let expression = SelectorExpression { key: "a".into(), operator, values };
        LabelSelector { match_labels: StringMap::EMPTY, match_expressions: vec![expression] }
    }

    #[test]
    fn the_empty_selector_selects_all() {
        assert!(LabelSelector::default().matches(&StringMap::EMPTY));
    }

    #[test]
    fn operators_look_at_the_label() {
        let one: StringMap = [("a", "1")].into_iter().collect();
        let none = StringMap::EMPTY;
        let table = [
            (expression(SelectorOperator::In, &["1", "2"]), true, false),
            (expression(SelectorOperator::NotIn, &["1"]), false, true),
            (expression(SelectorOperator::NotIn, &["2"]), true, true),
            (expression(SelectorOperator::Exists, &[]), true, false),
            (expression(SelectorOperator::DoesNotExist, &[]), false, true),
        ];
        for (selector, with, without) in table {
            assert_eq!((selector.matches(&one), selector.matches(&none)), (with, without), "{selector:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_selects_nothing() {
        assert!(!expression(SelectorOperator::In, &[]).matches(&StringMap::EMPTY));
        assert!(!expression(SelectorOperator::DoesNotExist, &["1"]).matches(&StringMap::EMPTY));
    }
}
