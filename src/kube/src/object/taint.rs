//! Taints: what keeps pods off a node.

use std::rc::Rc;

/// What a taint does to pods that do not tolerate it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TaintEffect {
    /// They are not scheduled here.
    NoSchedule,
    /// They are scheduled elsewhere if possible.
    PreferNoSchedule,
    /// They are not scheduled here, and those that run here are evicted.
    NoExecute,
}

/// `corev1.Taint`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Taint {
    /// Its key.
    pub key: Rc<str>,
    /// Its value, often empty.
    pub value: Option<Rc<str>>,
    /// What it does.
    pub effect: TaintEffect,
}

impl TaintEffect {
    /// As upstream writes it.
    pub fn name(self) -> &'static str {
        match self {
            TaintEffect::NoSchedule => "NoSchedule",
            TaintEffect::PreferNoSchedule => "PreferNoSchedule",
            TaintEffect::NoExecute => "NoExecute",
        }
    }
}

impl Taint {
    /// A taint without a value.
    pub fn new(key: impl Into<Rc<str>>, effect: TaintEffect) -> Taint {
        Taint { key: key.into(), value: None, effect }
    }

    /// Whether it is the same taint by key and effect, as `corev1.Taint.MatchTaint` compares.
    pub fn matches(&self, key: &str, effect: TaintEffect) -> bool {
        self.effect == effect && *self.key == *key
    }
}
