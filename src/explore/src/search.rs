//! Many seeds over threads, with results in the order of seeds.
//!
//! A thread takes the next seed and runs it in a simulator of its own. A search that is stopped has run the seeds up to
//! some one.

use crate::explored::{Ended, Explored, Part};
use crate::palette::Palette;
use crate::tally::{About, Tally};
use crate::threads::in_order;
use crate::trial::{Case, Trial, Trier};
use lkesim_lke::Design;
use std::ops::ControlFlow;

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
        let (mut tally, mut ended) = (Tally::default(), Ended::Stopped);
        let worker = || {
            let mut trier = Trier::new();
            move |place| trier.run(&self.case(self.start_seed.wrapping_add(place)))
        };
        let places = 0..self.seeds.unwrap_or(u64::MAX);
        in_order(self.jobs, places, is_over, &worker, |trial| {
            let is_new = tally.take(&trial);
            merged(&trial, is_new, &tally);
            if self.stop_on_first && !trial.breaches.is_empty() {
                ended = Ended::FirstFinding;
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        if ended == Ended::Stopped && self.seeds == Some(tally.runs) {
            ended = Ended::Done;
        }
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
}
