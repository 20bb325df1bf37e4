//! Everything that is, and how it changes: by what was planned, and by accepted calls.

use crate::agenda::{Agenda, Event, MachineIx, View};
use crate::change::{Change, ChangeKind};
use crate::cluster::Cluster;
use crate::fault::Action;
use crate::history::History;
use crate::instance_list::InstanceList;
use crate::lke_pool::Pool;
use crate::lke_pool_list::LkePoolLists;
use crate::luck::{self, Luck};
use crate::machine::Machine;
use crate::settings::{AccountId, ClusterSettings, ListOrder, Settings};
use lkesim_linode_api::Endpoint;
use lkesim_linode_api::{CallNumber, ClusterId, InstanceId, LkeCluster, LkePoolId, Tags, Tier};
use lkesim_runtime::{Entity, Seed, Time};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The state of the cloud.
pub(crate) struct World {
    pub settings: Settings,
    pub luck: Luck,
    pub now: Time,
    /// Whether a fault carries the call out for the second time.
    pub repeats: bool,
    /// The call that is being judged.
    pub call: Option<CallNumber>,
    /// Whose call that is; none where nobody asks, or a person edits by hand.
    pub asking: Option<AccountId>,
    /// By ascending id.
    pub clusters: Vec<Cluster>,
    /// Tags that were made by themselves, by account.
    pub tags: BTreeSet<(AccountId, Arc<str>)>,
    pub machines: Vec<Machine>,
    pub lke_pools: Vec<Pool>,
    /// By account.
    pub instance_lists: Vec<InstanceList>,
    pub lke_pool_lists: LkePoolLists,
    pub agenda: Agenda,
    pub changes: Vec<Change>,
    /// What views showed before, where a fault answers as of then.
    pub history: Option<History>,
    /// Clusters that are offered calls that the real API does not have, with these.
    pub wished: Vec<(ClusterId, &'static [Endpoint])>,
}

impl World {
    pub fn new(settings: Settings, seed: Seed) -> World {
        let cluster = |cluster: &ClusterSettings| {
            let shown = LkeCluster {
                id: cluster.id,
                label: cluster.label.clone(),
                region: settings.region_of(Some(cluster.id)).clone(),
                tier: Some(settings.tier_of(cluster.id)),
                k8s_version: settings.k8s_version.clone(),
                tags: Tags::default(),
                created: settings.epoch,
                updated: settings.epoch,
                high_availability: settings.tier_of(cluster.id) == Tier::Enterprise,
                audit_logs_enabled: false,
            };
            Cluster::settled(shown, cluster.account)
        };
        let looks_back = settings.faults.iter().any(|fault| matches!(fault.action, Action::Stale(_)));
        World {
            history: looks_back.then(History::default),
            clusters: settings.clusters.iter().map(cluster).collect(),
            tags: BTreeSet::new(),
            luck: Luck::new(seed),
            now: Time::ZERO,
            call: None,
            asking: None,
            repeats: false,
            machines: Vec::new(),
            lke_pools: Vec::new(),
            instance_lists: InstanceList::of_each_account(&settings),
            lke_pool_lists: LkePoolLists::default(),
            agenda: Agenda::default(),
            changes: Vec::new(),
            wished: Vec::new(),
            settings,
        }
    }

    pub fn record(&mut self, kind: ChangeKind) {
        self.changes.push(Change { at: self.now, call: self.call, kind });
    }

    /// Does all that is due by `now`, each at its time.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        while let Some((at, event)) = self.agenda.pop_due(now) {
            self.now = self.now.max(at);
            self.apply(event);
        }
        self.now = self.now.max(now);
    }

    /// Plans an event; what is due already happens at once.
    pub fn plan(&mut self, at: Time, event: Event) {
        if at <= self.now {
            self.apply(event);
        } else {
            self.agenda.plan(at, event);
        }
    }

    /// Does what was planned. The cloud does it by itself, whichever call it follows from.
    fn apply(&mut self, event: Event) {
        let call = self.call.take();
        self.apply_event(event);
        self.call = call;
    }

    fn apply_event(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Boot(machine) => self.boot(machine),
            Event::Propagate(machine) => self.propagate(machine),
            Event::Vanish(machine) => self.vanish(machine),
            Event::Heal(machine) => self.heal(machine),
            Event::Resync(machine) => self.resync(machine),
            Event::Turned(machine) => self.turned(machine),
            Event::ClusterVanish(cluster) => self.vanish_cluster(cluster),
            Event::Appear(machine, view) => {
                self.machines[machine as usize].appear(view);
                self.touch(machine, view);
            }
            Event::TagsSeen(machine, view) => {
                if self.machines[machine as usize].see_tags(view, now) {
                    self.touch(machine, view);
                }
            }
            Event::LkePoolSeen(lke_pool, view) => {
                self.with_lke_pool(lke_pool, |pool| pool.catch_up(view, now));
            }
            Event::Member(lke_pool, machine) => {
                self.with_lke_pool(lke_pool, |pool| pool.list_member(machine));
            }
            Event::SlotId(lke_pool, machine) => {
                self.with_lke_pool(lke_pool, |pool| pool.give_id(machine));
            }
        }
    }

    /// Keeps from here on what views showed; what they show by now counts as shown since the beginning.
    pub fn keep_history(&mut self) {
        if self.history.is_some() {
            return;
        }
        let mut history = History::default();
        for view in [View::Get, View::List] {
            for machine in 0..self.machines.len() {
                history.note_machine(&self.machines, machine as MachineIx, view, Time::ZERO);
            }
            for (ix, pool) in self.lke_pools.iter_mut().enumerate() {
                history.note_lke_pool(ix, view, Time::ZERO, pool.shown(view));
            }
        }
        self.history = Some(history);
    }

    /// Takes note that a view shows a Linode differently.
    pub fn touch(&mut self, machine: MachineIx, view: View) {
        if let Some(history) = &mut self.history {
            history.note_machine(&self.machines, machine, view, self.now);
        }
        if view == View::List {
            let account = self.machines[machine as usize].truth.account;
            self.instance_lists[usize::from(account.0)].touch(&self.machines, machine);
        }
    }

    pub fn with_lke_pool(&mut self, id: LkePoolId, change: impl FnOnce(&mut Pool)) {
        if let Some(ix) = self.lke_pool_ix(id) {
            change(&mut self.lke_pools[ix]);
            if let Some(history) = &mut self.history {
                for view in [View::Get, View::List] {
                    history.note_lke_pool(ix, view, self.now, self.lke_pools[ix].shown(view));
                }
            }
            self.lke_pool_lists.touch(self.lke_pools[ix].truth.cluster, ix);
        }
    }

    /// The id of the pool that is made as the n-th, from 0.
    pub fn lke_pool_id(&self, ix: usize) -> LkePoolId {
        let named = &self.settings.lke_pool_ids;
        let id = named.get(ix).copied();
        LkePoolId(id.unwrap_or_else(|| self.first_unnamed_lke_pool() + (ix - named.len()) as u64))
    }

    /// The first id after all that the settings name.
    fn first_unnamed_lke_pool(&self) -> u64 {
        let named = self.settings.lke_pool_ids.iter().max();
        self.settings.first_lke_pool.max(named.map_or(0, |last| last + 1))
    }

    pub fn lke_pool_ix(&self, id: LkePoolId) -> Option<usize> {
        let named = &self.settings.lke_pool_ids;
        let ix = match named.iter().position(|own| *own == id.0) {
            Some(ix) => ix,
            None => usize::try_from(id.0.checked_sub(self.first_unnamed_lke_pool())?).ok()? + named.len(),
        };
        (ix < self.lke_pools.len()).then_some(ix)
    }

    /// The place of the pool if it is of this cluster, which the account has, and live.
    pub fn live_lke_pool(&self, cluster: ClusterId, id: LkePoolId) -> Option<usize> {
        let ix = self.lke_pool_ix(id)?;
        let truth = &self.lke_pools[ix].truth;
        (truth.cluster == cluster && truth.is_live() && self.sees_cluster(cluster)).then_some(ix)
    }

    #[inline]
    pub fn machine_ix(&self, id: InstanceId) -> Option<MachineIx> {
        let ix = id.0.checked_sub(self.settings.first_instance)?;
        (ix < self.machines.len() as u64).then_some(ix as MachineIx)
    }

    #[inline]
    pub fn machine(&self, id: InstanceId) -> Option<&Machine> {
        self.machine_ix(id).map(|ix| &self.machines[ix as usize])
    }

    /// An object's place in lists, before its id.
    pub fn rank(&self, id: u64) -> u64 {
        match self.settings.list_order {
            ListOrder::Id => id,
            ListOrder::Newest => u64::MAX - id,
            ListOrder::Shuffled => self.luck.order.draw(Entity::numbered(id), 0).0,
        }
    }

    /// How many live nodes a cluster has.
    pub fn nodes_of(&self, cluster: ClusterId) -> u32 {
        let pools = self.lke_pools.iter().map(|pool| &pool.truth);
        pools.filter(|pool| pool.cluster == cluster && pool.is_live()).map(|pool| pool.count).sum()
    }

    /// Lets both views see a pool's last revision, each after its lag; at once where the pool is there from the start.
    pub fn show_lke_pool(&mut self, ix: usize, settled: bool) {
        let (luck, now) = (&self.luck, self.now);
        let pool = &mut self.lke_pools[ix];
        let lags = self.settings.lags_of(Some(pool.truth.cluster));
        let (id, entity, n) = (pool.truth.id, pool.fixed.entity, u64::from(pool.revision()));
        let delays = match settled {
            true => [Duration::ZERO; 2],
            false => [
                luck::delay(luck.lke_pool_get, &lags.lke_pool_get, entity, n),
                luck::delay(luck.lke_pool_list, &lags.lke_pool_list, entity, n),
            ],
        };
        let get = pool.show(View::Get, now + delays[0]);
        let list = pool.show(View::List, now + delays[1]);
        self.plan(get, Event::LkePoolSeen(id, View::Get));
        self.plan(list, Event::LkePoolSeen(id, View::List));
    }
}
