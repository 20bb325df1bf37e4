//! What views showed before, for reads that a fault answers as of then.
//!
//! Kept only in runs that have such a fault: each change of a view is one shared pointer more.

use crate::agenda::{MachineIx, View};
use crate::machine::Machine;
use crate::saved::saved;
use lkesim_linode_api::{Instance, LkePool};
use lkesim_runtime::Time;
use std::sync::Arc;

/// Views of machines and LKE pools through time.
#[derive(Default)]
pub(crate) struct History {
    machines: Vec<Views<Instance>>,
    lke_pools: Vec<Views<LkePool>>,
}

struct Views<T> {
    get: Vec<(Time, Option<Arc<T>>)>,
    list: Vec<(Time, Option<Arc<T>>)>,
}

impl<T> Views<T> {
    const fn new() -> Views<T> {
        Views { get: Vec::new(), list: Vec::new() }
    }

    fn view(&mut self, view: View) -> &mut Vec<(Time, Option<Arc<T>>)> {
        match view {
            View::Get => &mut self.get,
            View::List => &mut self.list,
        }
    }

    fn shown(&self, view: View, at: Time) -> Option<&Arc<T>> {
        let entries = match view {
            View::Get => &self.get,
            View::List => &self.list,
        };
        let known = entries.partition_point(|&(since, _)| since <= at);
        entries[..known].last()?.1.as_ref()
    }
}

fn note<T>(all: &mut Vec<Views<T>>, place: usize, view: View, now: Time, shown: Option<&Arc<T>>) {
    if all.len() <= place {
        all.resize_with(place + 1, Views::new);
    }
    all[place].view(view).push((now, shown.cloned()));
}

impl History {
    /// The view shows this Linode like that from now on.
    pub fn note_machine(&mut self, machines: &[Machine], machine: MachineIx, view: View, now: Time) {
        let subject = &machines[machine as usize];
        let shown = match view {
            View::Get => subject.shown_by_get(),
            View::List => subject.shown_by_list(),
        };
        note(&mut self.machines, machine as usize, view, now, shown);
    }

    /// The view shows this LKE pool like that from now on.
    pub fn note_lke_pool(&mut self, ix: usize, view: View, now: Time, shown: Option<&Arc<LkePool>>) {
        note(&mut self.lke_pools, ix, view, now, shown);
    }

    /// The Linode as the view showed it at `at`.
    pub fn machine(&self, machine: MachineIx, view: View, at: Time) -> Option<&Arc<Instance>> {
        self.machines.get(machine as usize)?.shown(view, at)
    }

    /// The LKE pool as the view showed it at `at`.
    pub fn lke_pool(&self, ix: usize, view: View, at: Time) -> Option<&Arc<LkePool>> {
        self.lke_pools.get(ix)?.shown(view, at)
    }
}

saved!(History { machines, lke_pools });
saved!(Views<Instance> { get, list });
saved!(Views<LkePool> { get, list });
