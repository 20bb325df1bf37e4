//! A LKE pool: what is true of it, and what each view shows.
//!
//! Each change is a revision. A view that lags sees an earlier revision: its count, its tags, and the slots that were
//! open then. A slot's entry has lags of its own on top, which all views share.

use crate::agenda::{MachineIx, View};
use crate::lagged::Lagged;
use crate::saved::saved;
use lkesim_linode_api::{
    ClusterId, InstanceId, LkePool, LkePoolId, LkePoolRest, NodeStatus, PoolNode, PoolNodeId, Tags, Taint,
};
use lkesim_runtime::{Entity, Time};
use std::sync::Arc;

/// What is true of a LKE pool, whatever a view shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LkePoolTruth {
    /// Its id.
    pub id: LkePoolId,
    /// Its cluster.
    pub cluster: ClusterId,
    /// The plan of its Linodes.
    pub plan: Arc<str>,
    /// How many nodes it is to have, and has.
    pub count: u32,
    /// Its tags.
    pub tags: Tags,
    /// The version of Kubernetes (Enterprise).
    pub k8s_version: Option<Arc<str>>,
    /// What its nodes join with, and all that nothing here acts on.
    pub config: Arc<LkePoolConfig>,
    /// When its creation was accepted.
    pub created: Time,
    /// When its deletion was accepted.
    pub deleted: Option<Time>,
}

impl LkePoolTruth {
    /// Whether its deletion was not accepted.
    pub const fn is_live(&self) -> bool {
        self.deleted.is_none()
    }
}

/// What a LKE pool was told to be like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LkePoolConfig {
    /// Labels of its nodes.
    pub labels: Arc<[(Arc<str>, Arc<str>)]>,
    /// Taints of its nodes.
    pub taints: Arc<[Taint]>,
    /// The firewall (Enterprise).
    pub firewall: Option<u64>,
    /// The rest.
    pub rest: Arc<LkePoolRest>,
}

/// A slot, until no view shows it.
pub(crate) struct Slot {
    pub id: PoolNodeId,
    pub machine: MachineIx,
    pub instance: InstanceId,
    /// The revisions that opened and closed it.
    opened: u32,
    closed: u32,
    /// Whether the pool's `nodes` list it.
    listed: bool,
    /// Whether its entry has the Linode's id.
    has_id: bool,
    ready: bool,
}

impl Slot {
    const OPEN: u32 = u32::MAX;

    pub const fn is_open(&self) -> bool {
        self.closed == Slot::OPEN
    }
}

/// What never changes after the creation.
pub(crate) struct Fixed {
    /// Its place in lists, before its id.
    pub rank: u64,
    /// Whose luck it has.
    pub entity: Entity,
    /// What a Linode gets of it: its tags and the automatic ones (Enterprise).
    pub inherited: Option<Tags>,
    /// What the labels of its Linodes begin with (Enterprise).
    pub label: Box<str>,
}

/// A LKE pool and its views.
pub(crate) struct Pool {
    pub truth: LkePoolTruth,
    pub fixed: Fixed,
    /// Sorted by id.
    slots: Vec<Slot>,
    /// The truth at each revision; the first, 0, is before the creation.
    revisions: Vec<LkePoolTruth>,
    get: LkePoolView,
    list: LkePoolView,
    /// Whether the pictures are behind. They are made when somebody looks, as many changes come between two looks.
    stale: bool,
}

struct LkePoolView {
    revision: Lagged<u32>,
    shown: Option<Arc<LkePool>>,
}

impl LkePoolView {
    const fn new() -> LkePoolView {
        LkePoolView { revision: Lagged::new(0), shown: None }
    }
}

impl Pool {
    pub fn new(truth: LkePoolTruth, fixed: Fixed) -> Pool {
        Pool {
            revisions: vec![truth.clone(), truth.clone()],
            truth,
            fixed,
            slots: Vec::new(),
            get: LkePoolView::new(),
            list: LkePoolView::new(),
            stale: false,
        }
    }

    /// The revision of the last change.
    pub fn revision(&self) -> u32 {
        self.revisions.len() as u32 - 1
    }

    /// Begins a revision; what is opened, closed or set before [`Pool::commit`] belongs to it.
    pub fn begin(&mut self) {
        self.revisions.push(self.truth.clone());
    }

    /// Ends the revision with the truth as it stands.
    pub fn commit(&mut self) {
        let last = self.revisions.len() - 1;
        self.revisions[last] = self.truth.clone();
    }

    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The slots that are not closed.
    pub fn open_slots(&self) -> impl Iterator<Item = &Slot> {
        self.slots.iter().filter(|slot| slot.is_open())
    }

    pub fn has_slot(&self, id: PoolNodeId) -> bool {
        self.slots.iter().any(|slot| slot.id == id)
    }

    pub fn open(&mut self, id: PoolNodeId, machine: MachineIx, instance: InstanceId) {
        let slot = Slot {
            id,
            machine,
            instance,
            opened: self.revision(),
            closed: Slot::OPEN,
            listed: false,
            has_id: false,
            ready: false,
        };
        let place = self.slots.partition_point(|other| other.id < id);
        self.slots.insert(place, slot);
    }

    pub fn close(&mut self, machine: MachineIx) {
        let revision = self.revision();
        if let Some(slot) = self.slot(machine) {
            slot.closed = revision;
        }
    }

    fn slot(&mut self, machine: MachineIx) -> Option<&mut Slot> {
        self.slots.iter_mut().find(|slot| slot.machine == machine)
    }

    pub fn list_member(&mut self, machine: MachineIx) {
        if let Some(slot) = self.slot(machine) {
            slot.listed = true;
        }
        self.stale = true;
    }

    pub fn give_id(&mut self, machine: MachineIx) {
        if let Some(slot) = self.slot(machine) {
            slot.has_id = true;
        }
        self.stale = true;
    }

    /// Its Linode runs. What makes the API call a slot ready is *unknown*; it was seen not ready before this
    /// (recorded).
    pub fn ready(&mut self, machine: MachineIx) {
        if let Some(slot) = self.slot(machine) {
            slot.ready = true;
        }
        self.stale = true;
    }

    fn view(&mut self, view: View) -> &mut LkePoolView {
        match view {
            View::Get => &mut self.get,
            View::List => &mut self.list,
        }
    }

    /// Lets `view` see the last revision at `at`, or later if it sees earlier ones then. Says when.
    pub fn show(&mut self, view: View, at: Time) -> Time {
        let revision = self.revision();
        self.view(view).revision.write(at, revision)
    }

    pub fn catch_up(&mut self, view: View, now: Time) {
        if self.view(view).revision.catch_up(now) {
            self.drop_unseen_slots();
            self.stale = true;
        }
    }

    /// Forgets slots whose closing every view has seen.
    fn drop_unseen_slots(&mut self) {
        let seen = *self.get.revision.seen().min(self.list.revision.seen());
        self.slots.retain(|slot| slot.closed > seen);
    }

    /// What `view` shows.
    #[inline]
    pub fn shown(&mut self, view: View) -> Option<&Arc<LkePool>> {
        if self.stale {
            self.refresh();
        }
        self.view(view).shown.as_ref()
    }

    /// What lists show, if nothing changed since [`Pool::shown`] was asked.
    pub const fn shown_by_list(&self) -> Option<&Arc<LkePool>> {
        self.list.shown.as_ref()
    }

    /// Makes both pictures anew; they are one where both views see the same revision.
    fn refresh(&mut self) {
        let (get, list) = (*self.get.revision.seen(), *self.list.revision.seen());
        self.get.shown = self.picture(get);
        self.list.shown = if get == list { self.get.shown.clone() } else { self.picture(list) };
        self.stale = false;
    }

    /// The pool as the reply to its last change shows it. The reply to an Enterprise pool's creation has no nodes
    /// (recorded), whatever the lag.
    pub fn as_written(&self, with_nodes: bool) -> Option<Arc<LkePool>> {
        let mut picture = self.picture(self.revision())?;
        if !with_nodes {
            Arc::make_mut(&mut picture).nodes = Arc::new([]);
        }
        Some(picture)
    }

    fn picture(&self, revision: u32) -> Option<Arc<LkePool>> {
        let truth = &self.revisions[revision as usize];
        if revision == 0 || !truth.is_live() {
            return None;
        }
        let open = |slot: &&Slot| slot.listed && slot.opened <= revision && revision < slot.closed;
        let node = |slot: &Slot| PoolNode {
            id: slot.id,
            instance: slot.has_id.then_some(slot.instance),
            status: if slot.ready { NodeStatus::Ready } else { NodeStatus::NotReady },
        };
        let all = self.slots.iter().all(|slot| open(&slot));
        let nodes = match all {
            // Of a known length, so it is written once.
            true => self.slots.iter().map(node).collect(),
            false => self.slots.iter().filter(open).map(node).collect(),
        };
        Some(Arc::new(LkePool {
            id: truth.id,
            plan: truth.plan.clone(),
            count: truth.count,
            nodes,
            tags: truth.tags.clone(),
            labels: truth.config.labels.clone(),
            taints: truth.config.taints.clone(),
            k8s_version: truth.k8s_version.clone(),
            firewall: truth.config.firewall,
            rest: truth.config.rest.clone(),
        }))
    }
}

impl Pool {
    /// Whether each view sees a revision that there is, and so will it when its lags have passed.
    pub fn is_whole(&self) -> bool {
        let is_there = |revision: &u32| (*revision as usize) < self.revisions.len();
        [&self.get, &self.list].into_iter().flat_map(|view| view.revision.all()).all(is_there)
    }
}

saved!(Pool { truth, fixed, slots, revisions, get, list } with { stale: true });
saved!(LkePoolView { revision } with { shown: None });
saved!(Fixed { rank, entity, inherited, label });
saved!(Slot { id, machine, instance, opened, closed, listed, has_id, ready });
