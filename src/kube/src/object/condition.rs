//! Status conditions, with the rules of operatorpkg's condition sets.

use super::List;
use lkesim_runtime::Time;
use std::rc::Rc;

/// The conditions that this program knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConditionType {
    /// NodeClaim: the provider made the machine.
    Launched,
    /// NodeClaim: the machine's Node joined and was synced.
    Registered,
    /// NodeClaim: the Node is ready for pods.
    Initialized,
    /// NodeClaim: pods can be moved away.
    Consolidatable,
    /// NodeClaim: Karpenter disrupts it, for the condition's reason.
    DisruptionReason,
    /// NodeClaim: it no longer is as its NodePool and NodeClass want it.
    Drifted,
    /// NodeClaim: its Node has no pod left to evict.
    Drained,
    /// NodeClaim: its Node has no volume left.
    VolumesDetached,
    /// NodeClaim: the machine's deletion was asked for.
    InstanceTerminating,
    /// Node, NodePool, NodeClass: it can be used.
    Ready,
}

/// `metav1.ConditionStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// Whether it holds is open.
    Unknown,
}

/// One condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Which.
    pub kind: ConditionType,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// Why, as one word; upstream repeats the type's name where a True condition gives none, here it is empty.
    pub reason: &'static str,
    /// Why, as a sentence.
    pub message: Option<Rc<str>>,
    /// Of which generation of the object this is said; 0 where nobody reads it.
    pub observed_generation: u64,
    /// When `status` last changed.
    pub last_transition_time: Time,
}

/// The conditions of one object. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conditions(List<Condition>);

impl Conditions {
    /// No condition.
    pub const EMPTY: Conditions = Conditions(List::EMPTY);

    /// Each of `kinds` as Unknown since `created`: conditions that an object depends on start with its creation,
    /// which is what Karpenter's time limits count from.
    pub fn awaiting(kinds: &[ConditionType], created: Time) -> Conditions {
        Conditions(kinds.iter().map(|&kind| Conditions::initial(kind, created)).collect())
    }

    /// The condition of this type, if set.
    pub fn get(&self, kind: ConditionType) -> Option<&Condition> {
        self.0.iter().find(|condition| condition.kind == kind)
    }

    /// Whether it is set and True.
    pub fn is_true(&self, kind: ConditionType) -> bool {
        self.get(kind).is_some_and(|condition| condition.status == ConditionStatus::True)
    }

    /// Whether it is not set, or Unknown.
    pub fn is_unknown(&self, kind: ConditionType) -> bool {
        self.get(kind).is_none_or(|condition| condition.status == ConditionStatus::Unknown)
    }

    /// Sets a condition to True. Reports whether anything changed.
    pub fn set_true(&mut self, now: Time, kind: ConditionType) -> bool {
        self.set(now, kind, ConditionStatus::True, "", None)
    }

    /// Sets a condition. Its transition time moves only if its status changes; one that was not set has changed `now`.
    /// Reports whether anything changed.
    pub fn set(
        &mut self,
        now: Time,
        kind: ConditionType,
        status: ConditionStatus,
        reason: &'static str,
        message: Option<&str>,
    ) -> bool {
        let message = message.map(Rc::from);
        self.put(Condition { kind, status, reason, message, observed_generation: 0, last_transition_time: now })
    }

    /// Sets this condition, as said of the generation in it. Its transition time is when it changes, if it does.
    pub fn put(&mut self, mut condition: Condition) -> bool {
        let place = self.0.iter().position(|present| present.kind == condition.kind);
        let status = condition.status;
        if let Some(present) = place.map(|place| &self.0[place])
            && (Condition { last_transition_time: present.last_transition_time, ..condition.clone() }) == *present
        {
            return false;
        }
        match place {
            Some(place) => {
                let present = &mut self.0.make_mut()[place];
                if present.status == status {
                    condition.last_transition_time = present.last_transition_time;
                }
                *present = condition;
            }
            None => self.0.push(condition),
        }
        true
    }

    /// Sets what is missing of `kinds` to Unknown since `created`. Reports whether anything was.
    pub fn fill(&mut self, kinds: &[ConditionType], created: Time) -> bool {
        let mut filled = false;
        for &kind in kinds {
            if self.get(kind).is_none() {
                self.0.push(Conditions::initial(kind, created));
                filled = true;
            }
        }
        filled
    }

    /// Takes a condition away. Reports whether it was set.
    pub fn clear(&mut self, kind: ConditionType) -> bool {
        let is_set = self.get(kind).is_some();
        self.0.retain(|condition| condition.kind != kind);
        is_set
    }

    /// All of them, in the order in which they were first set.
    pub fn iter(&self) -> impl Iterator<Item = &Condition> {
        self.0.iter()
    }

    fn initial(kind: ConditionType, created: Time) -> Condition {
        Condition {
            kind,
            status: ConditionStatus::Unknown,
            reason: "AwaitingReconciliation",
            message: None,
            observed_generation: 0,
            last_transition_time: created,
        }
    }
}
