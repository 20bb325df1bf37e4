//! Many seeds over threads, with results in the order of seeds.
//!
//! A thread takes the next seed, runs it in a simulator of its own, and sends what came of it. They are merged in the
//! order of seeds, so that which thread was faster decides nothing. A search that is stopped has run the seeds up to
//! some one.

use crate::explored::{Ended, Explored, Part};
use crate::palette::Palette;
use crate::tally::{About, Tally};
use crate::trial::{Case, Trial, Trier};
use lkesim_lke::Design;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

/// A search.
#[derive(Clone)]
pub struct Search {
    /// What scenarios are drawn from.
    pub palette: Palette,
    /// The design.
    pub design: &'static Design,
    /// The first seed.
    pub start_seed: u64,
    /// How many seeds; none for as many as there is time for.
    pub seeds: Option<u64>,
    /// How many threads.
    pub jobs: usize,
    /// Whether the first finding ends it.
    pub stop_on_first: bool,
}

impl Search {
    /// The case of one of its seeds.
    pub fn case(&self, seed: u64) -> Case {
        Case::drawn(&self.palette, self.design, seed)
    }

    /// Searches to the end. `is_over` is asked after each run, by any thread; `merged` hears of each seed in turn, and
    /// whether it broke something in a way that no seed before did; `repro` gives the command that repeats a seed.
    pub fn run(
        &self,
        is_over: &(dyn Fn() -> bool + Sync),
        merged: &mut dyn FnMut(&Trial, bool, &Tally),
        repro: &dyn Fn(u64) -> String,
    ) -> Explored {
        self.run_part(None, is_over, merged, repro)
    }

    /// The same where these seeds are a part of a search, whose results [`crate::merge`] joins.
    pub fn run_part(
        &self,
        part: Option<Part>,
        is_over: &(dyn Fn() -> bool + Sync),
        merged: &mut dyn FnMut(&Trial, bool, &Tally),
        repro: &dyn Fn(u64) -> String,
    ) -> Explored {
        let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
        let (tally, ended) = thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..self.jobs.max(1) {
                let (sender, next, over) = (sender.clone(), &next, &over);
                scope.spawn(move || self.work(next, over, is_over, &sender));
            }
            drop(sender);
            self.merge(&receiver, &over, merged)
        });
        let about = About {
            palette: self.palette.names(),
            palette_hash: self.palette.hash(),
            design: self.design.facts.name.to_owned(),
            start_seed: self.start_seed,
            ended,
            declared: self.palette.declared(self.design.facts.name),
            part,
        };
        tally.explored(about, repro)
    }

    /// Runs seeds until there are no more, or the search is over.
    fn work(
        &self,
        next: &AtomicU64,
        over: &AtomicBool,
        is_over: &(dyn Fn() -> bool + Sync),
        sender: &mpsc::Sender<(u64, Trial)>,
    ) {
        let mut trier = Trier::new();
        loop {
            if over.load(Ordering::Relaxed) {
                return;
            }
            let place = next.fetch_add(1, Ordering::Relaxed);
            if self.seeds.is_some_and(|seeds| place >= seeds) {
                return;
            }
            let trial = trier.run(&self.case(self.start_seed.wrapping_add(place)));
            if sender.send((place, trial)).is_err() {
                return;
            }
            if is_over() {
                over.store(true, Ordering::Relaxed);
            }
        }
    }

    /// Takes trials in the order of their seeds, whatever the order in which they come.
    fn merge(
        &self,
        receiver: &mpsc::Receiver<(u64, Trial)>,
        over: &AtomicBool,
        merged: &mut dyn FnMut(&Trial, bool, &Tally),
    ) -> (Tally, Ended) {
        let mut tally = Tally::default();
        let mut waiting = BTreeMap::new();
        for (place, trial) in receiver {
            waiting.insert(place, trial);
            while let Some(trial) = waiting.remove(&tally.runs) {
                let is_new = tally.take(&trial);
                merged(&trial, is_new, &tally);
                if self.stop_on_first && !trial.breaches.is_empty() {
                    over.store(true, Ordering::Relaxed);
                    return (tally, Ended::FirstFinding);
                }
            }
        }
        let ended = if self.seeds == Some(tally.runs) { Ended::Done } else { Ended::Stopped };
        (tally, ended)
    }
}
