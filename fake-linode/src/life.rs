//! The life of a Linode: created, seen, tagged, booted, deleted, forgotten.
//!
//! It exists and is billed from the accepted change. What views come to see of it is planned then and there, each by a
//! draw of its own.

use crate::account::Home;
use crate::agenda::{Event, MachineIx, View};
use crate::change::{ChangeKind, DeletedBy};
use crate::luck;
use crate::machine::{InstanceTruth, Machine};
use crate::world::World;
use lkesim_linode_api::{ClusterId, InstanceId, LkePoolId, PoolNodeId, Tags, Tier, UnixSeconds};
use lkesim_runtime::{Entity, Time};
use std::sync::Arc;
use std::time::Duration;

/// What a Linode is to be.
pub(crate) struct NewMachine {
    /// Its label; a LKE node's is made.
    pub label: Option<Arc<str>>,
    /// Whose it is, and where.
    pub home: Home,
    pub cluster: Option<ClusterId>,
    pub lke_pool: Option<LkePoolId>,
    pub plan: Arc<str>,
    pub tags: Tags,
    /// How long before the present it was created.
    pub age: Duration,
    /// Whether every view shows it at once, and it runs.
    pub settled: bool,
    /// Whether it ends up off.
    pub stays_off: bool,
}

impl World {
    /// A Linode begins to exist.
    pub fn create_machine(&mut self, new: NewMachine) -> MachineIx {
        let machine = self.machines.len() as MachineIx;
        let id = InstanceId(self.settings.first_instance + u64::from(machine));
        let lke_pool = new.lke_pool.and_then(|id| self.lke_pool_ix(id));
        let keyed_by = lke_pool.map_or(&new.tags, |ix| &self.lke_pools[ix].truth.tags);
        let entity = self.luck.next_machine(new.cluster, &new.plan, keyed_by);
        let node = lke_pool.map(|ix| self.node_id(ix, entity));
        let label = new.label.unwrap_or_else(|| self.label(lke_pool, node, new.cluster, entity));
        let truth = InstanceTruth {
            id,
            label: label.clone(),
            account: new.home.account,
            cluster: new.cluster,
            node,
            plan: new.plan.clone(),
            region: new.home.region,
            tags: new.tags.clone(),
            created: self.now,
            created_at: self.wall_clock(new.age),
            rest: None,
            booted: None,
            turning: None,
            deleted: None,
            vanished: None,
        };
        let inherits = lke_pool.and_then(|ix| self.lke_pools[ix].fixed.inherited.clone());
        let rank = self.rank(id.0);
        self.machines.push(Machine::new(truth, entity, rank, inherits));
        if let (Some(ix), Some(node)) = (lke_pool, node) {
            self.lke_pools[ix].open(node, machine, id);
        }
        self.record(ChangeKind::InstanceCreated {
            instance: id,
            cluster: new.cluster,
            node,
            plan: new.plan,
            label,
            tags: new.tags,
        });
        self.plan_life(machine, entity, new.settled, new.stays_off);
        machine
    }

    /// Plans what views and the cloud itself will do with a Linode.
    fn plan_life(&mut self, machine: MachineIx, entity: Entity, settled: bool, stays_off: bool) {
        let (luck, now) = (&self.luck, self.now);
        let lags = self.settings.lags_of(self.machines[machine as usize].truth.cluster);
        let at = |key, lag| match settled {
            true => now,
            false => now + luck::delay(key, lag, entity, 0),
        };
        let get: Time = at(luck.instance_seen, &lags.instance_get);
        let list = at(luck.instance_seen, &lags.instance_list);
        let member = at(luck.members, &lags.members);
        let slot_id = at(luck.slot_id, &lags.slot_id);
        let propagation = at(luck.propagation, &lags.propagation);
        let boot = at(luck.boot, &lags.boot);
        self.plan(get, Event::Appear(machine, View::Get));
        self.plan(list, Event::Appear(machine, View::List));
        if let Some(node) = self.machines[machine as usize].truth.node {
            self.plan(member, Event::Member(node.lke_pool, machine));
            self.plan(slot_id, Event::SlotId(node.lke_pool, machine));
        }
        if self.machines[machine as usize].inherits.is_some() {
            self.plan(propagation, Event::Propagate(machine));
        }
        self.plan(boot, if stays_off { Event::Turned(machine) } else { Event::Boot(machine) });
    }

    fn wall_clock(&self, age: Duration) -> UnixSeconds {
        UnixSeconds((self.settings.epoch.0 + self.now.as_secs()).saturating_sub(age.as_secs()))
    }

    /// A slot's id, unlike any other of its pool.
    fn node_id(&self, lke_pool: usize, machine: Entity) -> PoolNodeId {
        let pool = &self.lke_pools[lke_pool];
        let drawn =
            |n| PoolNodeId { lke_pool: pool.truth.id, suffix: (self.luck.node_id.draw(machine, n).0 >> 32) as u32 };
        (0..).map(drawn).find(|&id| !pool.has_slot(id)).unwrap_or_else(|| drawn(0))
    }

    /// The label of a LKE node. Standard: as recorded, with the node id's digits. Enterprise: in the form that
    /// linodego's PR 786 describes; its namespace and its letters are *unknown*.
    fn label(
        &self,
        lke_pool: Option<usize>,
        node: Option<PoolNodeId>,
        cluster: Option<ClusterId>,
        entity: Entity,
    ) -> Arc<str> {
        const LETTERS: usize = 5;
        let cluster = cluster.unwrap_or_default();
        let begin = match (lke_pool, node, self.settings.tier_of(cluster)) {
            (_, Some(node), Tier::Standard) => return format!("lke{cluster}-{node}").into(),
            (Some(ix), Some(_), Tier::Enterprise) => &*self.lke_pools[ix].fixed.label,
            _ => "linode",
        };
        let mut label = String::with_capacity(begin.len() + 2 * (1 + LETTERS));
        label.push_str(begin);
        for n in 0..2 {
            label.push('-');
            luck::letters(&mut label, self.luck.label.draw(entity, n), LETTERS);
        }
        label.into()
    }

    /// Makes both pictures of a Linode anew after a change that has no lag.
    pub fn refresh(&mut self, machine: MachineIx) {
        self.machines[machine as usize].refresh_both();
        self.touch(machine, View::Get);
        self.touch(machine, View::List);
    }

    pub fn boot(&mut self, machine: MachineIx) {
        let now = self.now;
        let truth = &mut self.machines[machine as usize].truth;
        if !truth.is_live() {
            return;
        }
        truth.booted = Some(now);
        let (instance, node) = (truth.id, truth.node);
        self.refresh(machine);
        if let Some(node) = node {
            self.with_lke_pool(node.lke_pool, |pool| pool.ready(machine));
        }
        self.record(ChangeKind::InstanceBooted { instance });
    }

    /// The pool's tags join those that the Linode has by then.
    pub fn propagate(&mut self, machine: MachineIx) {
        let subject = &self.machines[machine as usize];
        let Some(inherits) = subject.inherits.clone().filter(|_| subject.truth.is_live()) else {
            return;
        };
        let (instance, before) = (subject.truth.id, subject.truth.tags.clone());
        let after = joined(&before, &inherits);
        self.write_tags(machine, after.clone(), [Duration::ZERO; 2]);
        self.record(ChangeKind::TagsPropagated { instance, before, after });
    }

    /// Writes a Linode's tags, seen by GET and by lists after these lags.
    pub fn write_tags(&mut self, machine: MachineIx, tags: Tags, lags: [Duration; 2]) {
        let now = self.now;
        let subject = &mut self.machines[machine as usize];
        subject.truth.tags = tags.clone();
        let get = subject.write_tags(View::Get, now + lags[0], tags.clone());
        let list = subject.write_tags(View::List, now + lags[1], tags);
        self.plan(get, Event::TagsSeen(machine, View::Get));
        self.plan(list, Event::TagsSeen(machine, View::List));
    }

    /// A client replaces a Linode's tags.
    pub fn tag_machine(&mut self, machine: MachineIx, after: Tags) {
        let luck = &self.luck;
        let subject = &mut self.machines[machine as usize];
        let lags = self.settings.lags_of(subject.truth.cluster);
        subject.tag_writes += 1;
        let delays = [
            luck::delay(luck.tag_get, &lags.tag_get, subject.entity, subject.tag_writes),
            luck::delay(luck.tag_list, &lags.tag_list, subject.entity, subject.tag_writes),
        ];
        let (instance, before) = (subject.truth.id, subject.truth.tags.clone());
        self.write_tags(machine, after.clone(), delays);
        self.record(ChangeKind::InstanceTagged { instance, before, after });
    }

    /// Adds tags without lag.
    pub fn add_tags(&mut self, machine: MachineIx, more: &Tags) {
        let truth = &self.machines[machine as usize].truth;
        let (instance, before) = (truth.id, truth.tags.clone());
        let after = joined(&before, more);
        self.write_tags(machine, after.clone(), [Duration::ZERO; 2]);
        self.record(ChangeKind::InstanceTagged { instance, before, after });
    }

    /// A Linode's deletion is accepted: it is gone, and stays visible for a time.
    pub fn delete_machine(&mut self, machine: MachineIx, why: DeletedBy) {
        let now = self.now;
        let subject = &mut self.machines[machine as usize];
        subject.truth.deleted = Some(now);
        let (instance, entity, cluster) = (subject.truth.id, subject.entity, subject.truth.cluster);
        self.refresh(machine);
        self.record(ChangeKind::InstanceDeleted { instance, why });
        let stays = luck::delay(self.luck.deletion, &self.settings.lags_of(cluster).deletion, entity, 0);
        self.plan(now + stays, Event::Vanish(machine));
    }

    pub fn vanish(&mut self, machine: MachineIx) {
        let now = self.now;
        let truth = &mut self.machines[machine as usize].truth;
        truth.vanished = Some(now);
        let instance = truth.id;
        self.refresh(machine);
        self.record(ChangeKind::InstanceVanished { instance });
    }
}

/// `more` after `tags`, without what is there already.
pub(crate) fn joined(tags: &Tags, more: &Tags) -> Tags {
    if tags.is_empty() {
        return more.clone();
    }
    let more = more.iter().filter(|tag| !tags.has(tag));
    tags.iter().chain(more).cloned().collect()
}
