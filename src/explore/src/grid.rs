//! The same seeds for several scenarios and designs: what comparisons are made of.
//!
//! Runs go over threads in a fixed order, and results are handed on in that order.

use crate::threads::in_order;
use lkesim_lke::Design;
use lkesim_runtime::Seed;
use lkesim_scenario::Scenario;
use lkesim_sim::{Order, Plan, Ran, Request, RunError, Simulator};
use std::ops::ControlFlow;
use std::rc::Rc;

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
        let worker = || {
            let plans: Vec<Rc<Plan>> =
                self.scenarios.iter().map(|(_, scenario)| Rc::new(Plan::new(scenario))).collect();
            let mut simulator = Simulator::new();
            move |spot| (spot, simulator.run(&self.request(&plans, spot), None).map(read).map_err(Why::from))
        };
        let mut ended = Ok(());
        in_order(self.jobs, (0..self.runs()).map(|n| self.spot(n)), is_over, &worker, |(spot, ran)| match ran {
            Ok(ran) => {
                each(spot, ran);
                ControlFlow::Continue(())
            }
            Err(why) => {
                ended = Err(self.stuck(spot, why));
                ControlFlow::Break(())
            }
        });
        ended
    }

    fn request(&self, plans: &[Rc<Plan>], spot: Spot) -> Request {
        Request {
            plan: plans[spot.scenario].clone(),
            name: self.scenarios[spot.scenario].0.clone(),
            design: self.designs[spot.design],
            seed: Seed(spot.seed),
            order: Order::Fifo,
            as_written: false,
        }
    }

    fn stuck(&self, spot: Spot, why: Why) -> Stuck {
        Stuck {
            scenario: self.scenarios[spot.scenario].0.clone(),
            design: self.designs[spot.design].facts.name.to_owned(),
            seed: spot.seed,
            why,
        }
    }
}
