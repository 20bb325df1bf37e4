//! What LKE does to nodes by itself: it replaces those whose Linode is gone, writes a pool's tags again, and recycles.

use crate::agenda::{Event, MachineIx};
use crate::change::{ChangeKind, DeletedBy};
use crate::life::joined;
use crate::luck;
use crate::settings::TagResync;
use crate::world::World;
use lkesim_linode_api::{LkePoolId, Tags};
use std::time::Duration;

/// When LKE tries again to replace a node whose plan could not be had.
const HEAL_AGAIN: Duration = Duration::from_secs(60);

impl World {
    /// LKE will notice that a node's Linode is gone.
    pub fn plan_heal(&mut self, machine: MachineIx) {
        let entity = self.machines[machine as usize].entity;
        let lags = self.settings.lags_of(self.machines[machine as usize].truth.cluster);
        let after = luck::delay(self.luck.heal, &lags.heal, entity, 0);
        self.plan(self.now + after, Event::Heal(machine));
    }

    /// Replaces a node whose Linode is gone, unless the node has gone meanwhile. Where its plan can't be had, LKE tries
    /// again later; that it does, and when, is *unknown*.
    pub fn heal(&mut self, machine: MachineIx) {
        let node = self.machines[machine as usize].truth.node;
        let Some(ix) = node.and_then(|node| self.lke_pool_ix(node.lke_pool)) else {
            return;
        };
        let waits = self.lke_pools[ix].open_slots().any(|slot| slot.machine == machine);
        if !waits || !self.lke_pools[ix].truth.is_live() {
            return;
        }
        let truth = &self.lke_pools[ix].truth;
        match self.check_plan(&self.home_of(truth.cluster), &truth.plan, 1) {
            Ok(()) => self.replace(ix, &[machine]),
            Err(_) => self.plan(self.now + HEAL_AGAIN, Event::Heal(machine)),
        }
    }

    /// Each of these nodes gives way to another one with a Linode of its own; the count stays.
    pub fn replace(&mut self, ix: usize, nodes: &[MachineIx]) {
        self.lke_pools[ix].begin();
        for &machine in nodes {
            self.close_slot(ix, machine, DeletedBy::Replaced);
            self.add_node(ix, Tags::default(), Duration::ZERO, false);
        }
        self.lke_pools[ix].commit();
        self.show_lke_pool(ix, false);
    }

    /// Replaces every node of a pool at once, as recycling it does; in truth they go one after the other. A node stays
    /// where its plan is sold out, or the account is full without it. False where
    /// there is no such pool, or nothing could be replaced.
    pub fn recycle(&mut self, id: LkePoolId) -> bool {
        let Some(ix) = self.lke_pool_ix(id).filter(|&ix| self.lke_pools[ix].truth.is_live()) else {
            return false;
        };
        let nodes: Vec<MachineIx> = self.lke_pools[ix].open_slots().map(|slot| slot.machine).collect();
        let truth = &self.lke_pools[ix].truth;
        // The old Linode goes before the other comes, so that one more need not fit.
        let can_be_had = self.check_plan(&self.home_of(truth.cluster), &truth.plan, 0).is_ok();
        if can_be_had {
            self.replace(ix, &nodes);
        }
        can_be_had
    }

    /// After a change of a pool, its tags will be written to its Linodes again, where the setting says so.
    pub fn plan_resync(&mut self, ix: usize) {
        if self.settings.lke_pool_tag_resync == TagResync::Never || self.lke_pools[ix].fixed.inherited.is_none() {
            return;
        }
        let n = u64::from(self.lke_pools[ix].revision());
        let machines: Vec<MachineIx> = self.lke_pools[ix].open_slots().map(|slot| slot.machine).collect();
        for machine in machines {
            let entity = self.machines[machine as usize].entity;
            let lags = self.settings.lags_of(Some(self.lke_pools[ix].truth.cluster));
            let after = luck::delay(self.luck.resync, &lags.propagation, entity, n);
            self.plan(self.now + after, Event::Resync(machine));
        }
    }

    /// The pool's tags are written to a Linode once more. One that they have not reached yet gets them by propagation.
    pub fn resync(&mut self, machine: MachineIx) {
        let truth = &self.machines[machine as usize].truth;
        let pool = truth.node.and_then(|node| self.lke_pool_ix(node.lke_pool));
        let inherited = pool.and_then(|ix| self.lke_pools[ix].fixed.inherited.clone());
        let Some(inherited) = inherited.filter(|_| truth.is_live()) else {
            return;
        };
        let (instance, before) = (truth.id, truth.tags.clone());
        let after = match self.settings.lke_pool_tag_resync {
            TagResync::Never => return,
            TagResync::Merge => joined(&before, &inherited),
            TagResync::Replace => inherited.clone(),
        };
        self.machines[machine as usize].inherits = Some(inherited);
        if after != before {
            self.write_tags(machine, after.clone(), [Duration::ZERO; 2]);
            self.record(ChangeKind::TagsPropagated { instance, before, after });
        }
    }
}
