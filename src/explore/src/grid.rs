//! The same seeds for several scenarios and designs: what comparisons are made of.
//!
//! Threads take runs in a fixed order, and results are handed on in that order, whichever thread was faster.

use lkesim_lke::Design;
use lkesim_runtime::Seed;
use lkesim_scenario::Scenario;
use lkesim_sim::{Order, Plan, Ran, Request, RunError, Simulator};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;

/// Scenarios, designs and seeds: each combination is a run.
pub struct Grid {
    /// The scenarios with their names.
    pub scenarios: Vec<(String, Scenario)>,
    /// The designs.
    pub designs: Vec<&'static Design>,
    /// The first seed.
    pub start_seed: u64,
    /// How many seeds.
    pub seeds: u64,
    /// How many threads.
    pub jobs: usize,
}

/// One run of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The place of the scenario.
    pub scenario: usize,
    /// The place of the design.
    pub design: usize,
    /// The seed.
    pub seed: u64,
}

/// Why a grid was not run to its end.
#[derive(Debug)]
pub struct Stuck {
    /// The scenario's name.
    pub scenario: String,
    /// The design's name.
    pub design: String,
    /// The seed.
    pub seed: u64,
    /// What happened.
    pub why: Why,
}

/// Why a run has no outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// It asks for something that nothing models.
    NotModelled(String),
    /// A bug of ours or of a design.
    Bug(String),
}

impl From<RunError> for Why {
    fn from(error: RunError) -> Why {
        match error {
            RunError::NotModelled(what) => Why::NotModelled(what),
            other => Why::Bug(other.to_string()),
        }
    }
}

impl Grid {
    /// How many runs there are.
    pub fn runs(&self) -> u64 {
        self.seeds * self.scenarios.len() as u64 * self.designs.len() as u64
    }

    /// The n-th run: seed by seed, and for each all scenarios and designs, so that a grid that is stopped early has
    /// about as many seeds everywhere.
    fn spot(&self, n: u64) -> Spot {
        let (designs, scenarios) = (self.designs.len() as u64, self.scenarios.len() as u64);
        Spot {
            scenario: (n / designs % scenarios) as usize,
            design: (n % designs) as usize,
            seed: self.start_seed.wrapping_add(n / designs / scenarios),
        }
    }

    /// Runs all of it. `read` takes what matters from a run, on the run's thread; `each` hears of it, in order.
    /// `is_over` is asked after each run and ends it early.
    ///
    /// # Errors
    /// The first run, in order, that has no outcome.
    pub fn run<T: Send>(
        &self,
        is_over: &(dyn Fn() -> bool + Sync),
        read: &(dyn Fn(Ran) -> T + Sync),
        each: &mut dyn FnMut(Spot, T),
    ) -> Result<(), Stuck> {
        let (next, over) = (AtomicU64::new(0), AtomicBool::new(false));
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            for _ in 0..self.jobs.max(1) {
                let (sender, next, over) = (sender.clone(), &next, &over);
                scope.spawn(move || self.work(next, over, is_over, read, &sender));
            }
            drop(sender);
            let mut waiting = BTreeMap::new();
            let mut merged = 0;
            for (n, ran) in receiver {
                waiting.insert(n, ran);
                while let Some(ran) = waiting.remove(&merged) {
                    let spot = self.spot(merged);
                    match ran {
                        Ok(ran) => each(spot, ran),
                        Err(why) => {
                            over.store(true, Ordering::Relaxed);
                            return Err(self.stuck(spot, why));
                        }
                    }
                    merged += 1;
                }
            }
            Ok(())
        })
    }

    fn stuck(&self, spot: Spot, why: Why) -> Stuck {
        Stuck {
            scenario: self.scenarios[spot.scenario].0.clone(),
            design: self.designs[spot.design].facts.name.to_owned(),
            seed: spot.seed,
            why,
        }
    }

    fn work<T>(
        &self,
        next: &AtomicU64,
        over: &AtomicBool,
        is_over: &(dyn Fn() -> bool + Sync),
        read: &(dyn Fn(Ran) -> T + Sync),
        sender: &mpsc::Sender<(u64, Result<T, Why>)>,
    ) {
        let plans: Vec<Rc<Plan>> = self.scenarios.iter().map(|(_, scenario)| Rc::new(Plan::new(scenario))).collect();
        let mut simulator = Simulator::new();
        while !over.load(Ordering::Relaxed) {
            let n = next.fetch_add(1, Ordering::Relaxed);
            if n >= self.runs() {
                return;
            }
            let spot = self.spot(n);
            let request = Request {
                plan: plans[spot.scenario].clone(),
                name: self.scenarios[spot.scenario].0.clone(),
                design: self.designs[spot.design],
                seed: Seed(spot.seed),
                order: Order::Fifo,
                as_written: false,
            };
            let ran = simulator.run(&request, None).map(read).map_err(Why::from);
            if sender.send((n, ran)).is_err() {
                return;
            }
            if is_over() {
                over.store(true, Ordering::Relaxed);
            }
        }
    }
}
