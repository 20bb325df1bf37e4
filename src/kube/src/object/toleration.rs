//! Tolerations: which taints a pod puts up with.

use super::{Taint, TaintEffect};
use std::rc::Rc;

/// `corev1.TolerationOperator`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TolerationOperator {
    /// The taint has this value.
    #[default]
    Equal,
    /// Whatever value the taint has.
    Exists,
    /// The taint's value is a number below this one.
    Lt,
    /// The taint's value is a number above this one.
    Gt,
}

/// `corev1.Toleration`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Toleration {
    /// The taint's key; empty is any.
    pub key: Rc<str>,
    /// How the values must relate.
    pub operator: TolerationOperator,
    /// The value.
    pub value: Rc<str>,
    /// The taint's effect; `None` is any.
    pub effect: Option<TaintEffect>,
    /// For how many seconds a NoExecute taint is put up with; `None` is for ever. Scheduling does not look at it.
    pub toleration_seconds: Option<i64>,
}

impl Toleration {
    /// Puts up with every taint of this effect.
    pub fn of_effect(effect: TaintEffect) -> Toleration {
        Toleration { operator: TolerationOperator::Exists, effect: Some(effect), ..Toleration::default() }
    }

    /// Puts up with every taint of this key.
    pub fn of_key(key: impl Into<Rc<str>>) -> Toleration {
        Toleration { key: key.into(), operator: TolerationOperator::Exists, ..Toleration::default() }
    }

    /// Whether the pod puts up with the taint (k8s.io/api v0.35 `core/v1/toleration.go`, comparisons enabled).
    pub fn tolerates(&self, taint: &Taint) -> bool {
        let value = taint.value.as_deref().unwrap_or("");
        let effect_is_meant = self.effect.is_none_or(|effect| effect == taint.effect);
        let key_is_meant = self.key.is_empty() || *self.key == *taint.key;
        effect_is_meant
            && key_is_meant
            && match self.operator {
                TolerationOperator::Equal => *self.value == *value,
                TolerationOperator::Exists => true,
                TolerationOperator::Lt => numbers(value, &self.value).is_some_and(|(taint, bound)| taint < bound),
                TolerationOperator::Gt => numbers(value, &self.value).is_some_and(|(taint, bound)| taint > bound),
            }
    }

    /// Whether both say the same, however long they hold (`corev1.Toleration.MatchToleration`).
    pub fn matches(&self, other: &Toleration) -> bool {
        self.key == other.key
            && self.effect == other.effect
            && self.operator == other.operator
            && self.value == other.value
    }
}

fn numbers(one: &str, other: &str) -> Option<(i64, i64)> {
    Some((decimal(one)?, decimal(other)?))
}

/// A whole number in its shortest form: no plus, no leading zero.
fn decimal(text: &str) -> Option<i64> {
    text.parse::<i64>().ok().filter(|number| number.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taint(key: &str, value: &str, effect: TaintEffect) -> Taint {
        Taint { key: key.into(), value: Some(value.into()), effect }
    }

    #[test]
    fn empty_keys_and_effects_stand_for_any() {
        let any = Toleration { operator: TolerationOperator::Exists, ..Toleration::default() };
        assert!(any.tolerates(&taint("a", "1", TaintEffect::NoExecute)));
        assert!(Toleration::of_effect(TaintEffect::NoSchedule).tolerates(&taint("a", "", TaintEffect::NoSchedule)));
        assert!(!Toleration::of_effect(TaintEffect::NoSchedule).tolerates(&taint("a", "", TaintEffect::NoExecute)));
        assert!(!Toleration::of_key("b").tolerates(&taint("a", "", TaintEffect::NoExecute)));
    }

    #[test]
    fn equal_compares_values_and_an_absent_value_is_empty() {
        let equal = Toleration { key: "a".into(), value: "1".into(), ..Toleration::default() };
        assert!(equal.tolerates(&taint("a", "1", TaintEffect::NoSchedule)));
        assert!(!equal.tolerates(&taint("a", "2", TaintEffect::NoSchedule)));
        let empty = Toleration { key: "a".into(), ..Toleration::default() };
        assert!(empty.tolerates(&Taint::new("a", TaintEffect::NoSchedule)));
    }

    #[test]
    fn comparisons_take_whole_numbers_alone() {
        let below = |value: &str| Toleration {
            key: "a".into(),
            operator: TolerationOperator::Lt,
            value: value.into(),
            ..Toleration::default()
        };
        assert!(below("5").tolerates(&taint("a", "4", TaintEffect::NoSchedule)));
        assert!(!below("5").tolerates(&taint("a", "5", TaintEffect::NoSchedule)));
        assert!(!below("5").tolerates(&taint("a", "04", TaintEffect::NoSchedule)));
        assert!(!below("5").tolerates(&taint("a", "x", TaintEffect::NoSchedule)));
    }
}
