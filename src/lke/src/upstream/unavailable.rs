//! Which offerings LKE refused of late, for all NodePools alike.
//!
//! A mark lasts for a time, and goes with the first sweep after it. Marks and sweeps raise a number by which holders of
//! older answers know that theirs are stale: an offering whose mark ended stays unavailable until it is swept. Source:
//! provider e1c5200 pkg/cache/unavailableofferings.go, over go-cache's janitor.

use crate::context::Context;
use lkesim_runtime::{Runtime, Time};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// The marks of one process, for its one region.
pub struct Unavailable {
    runtime: Runtime,
    lasts: Duration,
    swept_every: Duration,
    since: Time,
    marks: RefCell<Marks>,
}

#[derive(Default)]
struct Marks {
    types: BTreeMap<Rc<str>, Mark>,
    region: Mark,
}

#[derive(Clone, Copy, Default)]
struct Mark {
    until: Option<Time>,
    changes: u64,
}

impl Unavailable {
    /// No marks yet. Sweeps begin with the process.
    pub fn new(cx: &Context) -> Unavailable {
        Unavailable {
            runtime: cx.runtime.clone(),
            lasts: cx.settings.unavailable_for,
            swept_every: cx.settings.unavailable_swept_every,
            since: cx.runtime.wall_clock(),
            marks: RefCell::default(),
        }
    }

    /// Marks what an error of finding or making a LKE pool speaks of, listing included (pkg/utils/utils.go:310): after
    /// a 400 the type, after a 5xx the whole region.
    pub fn mark_by(&self, code: Option<u16>, plan: &Rc<str>) {
        let until = Some(self.runtime.wall_clock() + self.lasts);
        self.sweep();
        let marks = &mut *self.marks.borrow_mut();
        let mark = match code {
            Some(400) => marks.types.entry(plan.clone()).or_default(),
            Some(500 | 502..=504) => &mut marks.region,
            _ => return,
        };
        *mark = Mark { until, changes: mark.changes + 1 };
    }

    /// Whether the type can't be had at present.
    pub fn is_marked(&self, plan: &str) -> bool {
        let now = self.runtime.wall_clock();
        let marks = self.marks.borrow();
        let lasts = |mark: &Mark| mark.until.is_some_and(|until| now <= until);
        marks.types.get(plan).is_some_and(lasts) || lasts(&marks.region)
    }

    /// How often anything changed about the type.
    pub fn changes_of(&self, plan: &str) -> u64 {
        self.sweep();
        let marks = self.marks.borrow();
        marks.types.get(plan).map_or(0, |mark| mark.changes) + marks.region.changes
    }

    /// How often anything changed at all.
    pub fn changes(&self) -> u64 {
        self.sweep();
        let marks = self.marks.borrow();
        marks.types.values().map(|mark| mark.changes).sum::<u64>() + marks.region.changes
    }

    /// Does what the sweeps up to now have done. They are told by the clock on the wall, as the marks' ends are; go-cache's
    /// come by a ticker, which a clock that is set does not move.
    fn sweep(&self) {
        let marks = &mut *self.marks.borrow_mut();
        for mark in marks.types.values_mut().chain([&mut marks.region]) {
            if mark.until.is_some_and(|until| self.first_sweep_after(until) <= self.runtime.wall_clock()) {
                *mark = Mark { until: None, changes: mark.changes + 1 };
            }
        }
    }

    fn first_sweep_after(&self, until: Time) -> Time {
        let every = self.swept_every.as_nanos().max(1) as u64;
        let sweeps = until.since(self.since).as_nanos() as u64 / every + 1;
        self.since + Duration::from_nanos(sweeps * every)
    }
}
