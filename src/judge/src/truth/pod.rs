//! Pods that are there and have not ended: few of all that a long run makes.

use super::Truth;
use crate::event::{PodChange, PodKind, PodRef};
use crate::outcome::PendingPods;
use lkesim_runtime::Time;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A pod that is there and has not ended.
#[derive(Clone, Debug)]
pub struct Pod {
    /// Uid and name.
    pub pod: PodRef,
    /// When it was made.
    pub created: Time,
    /// Whom it waits for.
    pub kind: PodKind,
    /// The Node that it was given to.
    pub node: Option<Rc<str>>,
    /// Whether its deletion was asked for.
    pub is_deleting: bool,
    /// What the scheduler said last, if it found no Node.
    pub unschedulable: Option<Rc<str>>,
    /// Where Karpenter last said that it should go.
    pub should_go_to: Option<Rc<str>>,
    /// Why Karpenter last said that it makes no room for it.
    pub no_room: Option<Rc<str>>,
}

impl Pod {
    /// Whether it is bound, or on its way out, or why it can't be bound is on record.
    pub fn is_settled(&self) -> bool {
        let on_record = match self.kind {
            PodKind::Gated => true,
            PodKind::Static => false,
            PodKind::DaemonSet | PodKind::NotOnKarpenter => self.unschedulable.is_some(),
            PodKind::Usual => self.unschedulable.is_some() && self.no_room.is_some(),
        };
        self.node.is_some() || self.is_deleting || on_record
    }

    /// Why it has no node, as far as anybody said so.
    fn reason(&self) -> String {
        match (&self.no_room, &self.should_go_to, &self.unschedulable) {
            _ if self.kind == PodKind::Gated => "it has scheduling gates".to_owned(),
            (Some(text), _, _) => text.to_string(),
            (None, Some(on), _) => format!("it should go to {on}, and was not bound"),
            (None, None, Some(text)) => format!("Karpenter said nothing of it; the scheduler: {text}"),
            (None, None, None) => "nobody said why".to_owned(),
        }
    }
}

/// So many reasons are told, and so many pods of each.
const TOLD: usize = 5;

/// The pods.
#[derive(Debug, Default)]
pub(super) struct Pods {
    all: BTreeMap<u64, Pod>,
    unsettled: BTreeSet<u64>,
}

impl Pods {
    pub fn apply(&mut self, at: Time, pod: &PodRef, change: &PodChange) {
        match change {
            PodChange::Created { kind } => self.created(at, pod, *kind),
            PodChange::Ended { .. } | PodChange::Gone => {
                self.all.remove(&pod.uid);
                self.unsettled.remove(&pod.uid);
            }
            other => {
                let Some(pod) = self.all.get_mut(&pod.uid) else {
                    return;
                };
                changed(pod, other);
                if pod.is_settled() {
                    self.unsettled.remove(&pod.pod.uid);
                } else {
                    self.unsettled.insert(pod.pod.uid);
                }
            }
        }
    }

    fn created(&mut self, at: Time, pod: &PodRef, kind: PodKind) {
        let made = Pod {
            pod: pod.clone(),
            created: at,
            kind,
            node: None,
            is_deleting: false,
            unschedulable: None,
            should_go_to: None,
            no_room: None,
        };
        if !made.is_settled() {
            self.unsettled.insert(pod.uid);
        }
        self.all.insert(pod.uid, made);
    }
}

fn changed(pod: &mut Pod, change: &PodChange) {
    match change {
        PodChange::Bound { node, .. } => pod.node = Some(node.clone()),
        PodChange::Deleting { .. } => pod.is_deleting = true,
        PodChange::Unschedulable { text } => pod.unschedulable = Some(text.clone()),
        PodChange::ShouldScheduleOn { on } => {
            pod.should_go_to = Some(on.clone());
            pod.no_room = None;
        }
        PodChange::FailedScheduling { text } => {
            pod.no_room = Some(text.clone());
            pod.should_go_to = None;
        }
        PodChange::Created { .. }
        | PodChange::Preempts { .. }
        | PodChange::Running
        | PodChange::Ready
        | PodChange::NotReady
        | PodChange::Ended { .. }
        | PodChange::Gone => {}
    }
}

impl Truth {
    /// A pod that is there and has not ended.
    pub fn pod(&self, uid: u64) -> Option<&Pod> {
        self.pods.all.get(&uid)
    }

    /// Why the pods that are there have no node, without those of DaemonSets, static ones and those on their way out.
    pub fn pending_pods(&self) -> Vec<PendingPods> {
        let mut reasons: BTreeMap<String, BTreeSet<Rc<str>>> = BTreeMap::new();
        for pod in self.pods.all.values() {
            let counts = !matches!(pod.kind, PodKind::DaemonSet | PodKind::Static);
            if counts && pod.node.is_none() && !pod.is_deleting {
                reasons.entry(pod.reason()).or_default().insert(pod.pod.name.clone());
            }
        }
        let of = |(reason, pods): (String, BTreeSet<Rc<str>>)| PendingPods {
            reason,
            count: pods.len() as u64,
            pods: pods.iter().take(TOLD).map(ToString::to_string).collect(),
        };
        let mut found: Vec<PendingPods> = reasons.into_iter().map(of).collect();
        found.sort_by_key(|one| std::cmp::Reverse(one.count));
        found.truncate(TOLD);
        found
    }

    /// The uids of pods that are neither bound nor on their way out, and of which no reason is on record.
    pub fn unsettled_pods(&self) -> &BTreeSet<u64> {
        &self.pods.unsettled
    }
}
