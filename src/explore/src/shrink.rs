//! Makes a failure small: first its scenario, then its schedule.
//!
//! A smaller case counts if it still breaks the same invariant by the same mechanism, or by the same under fewer
//! hindrances: a fault that has nothing to do with the failure may be part of the first run's signature. Everything is
//! tried in a fixed order, so that equal cases shrink to equal ones.

mod scenario;
mod schedule;

pub use schedule::shrink as schedule;

use crate::mechanism::is_no_more_than;
use crate::trial::{Breach, Case, Trier};
use lkesim_kernel::Deviations;
use lkesim_scenario::Scenario;
use lkesim_sim::Order;

/// A failure made small.
#[derive(Clone)]
pub struct Shrunk {
    /// The scenario.
    pub scenario: Scenario,
    /// The departures from first-in-first-out that it needs.
    pub deviations: Deviations,
    /// What breaks.
    pub breach: Breach,
    /// How many runs it took to find.
    pub runs: u64,
}

/// What is to break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The invariant.
    pub invariant: String,
    /// The mechanism.
    pub mechanism: String,
}

/// Shrinks a case whose order is a list of deviations. None if it does not break as it should. `is_over` ends it with
/// the smallest that was found by then.
pub fn shrink(case: &Case, deviations: &Deviations, target: &Target, is_over: &dyn Fn() -> bool) -> Option<Shrunk> {
    let mut shrinker = Shrinker { trier: Trier::new(), case: case.clone(), target, runs: 0, is_over };
    let mut deviations = deviations.clone();
    shrinker.breach(&case.scenario, &deviations)?;
    // Most failures need no schedule, and are then found sooner.
    if shrinker.breaks(&case.scenario, &Deviations::default()) {
        deviations = Deviations::default();
    }
    let small = scenario::shrink(&case.scenario, &mut |scenario| shrinker.breaks(scenario, &deviations));
    let deviations =
        schedule::shrink(&deviations, &mut |fewer| shrinker.breaks(&small, fewer).then(|| shrinker.trier.deviations()));
    // With less of a schedule more of the scenario may go.
    let small = scenario::shrink(&small, &mut |scenario| shrinker.breaks(scenario, &deviations));
    let breach = shrinker.breach(&small, &deviations)?;
    Some(Shrunk { scenario: small, deviations, breach, runs: shrinker.runs })
}

struct Shrinker<'a> {
    trier: Trier,
    case: Case,
    target: &'a Target,
    runs: u64,
    is_over: &'a dyn Fn() -> bool,
}

impl Shrinker<'_> {
    /// Whether it is worth a run and breaks as it should.
    fn breaks(&mut self, scenario: &Scenario, deviations: &Deviations) -> bool {
        !(self.is_over)() && self.breach(scenario, deviations).is_some()
    }

    fn breach(&mut self, scenario: &Scenario, deviations: &Deviations) -> Option<Breach> {
        self.runs += 1;
        self.case.scenario = scenario.clone();
        self.case.order = match deviations.list.is_empty() {
            true => Order::Fifo,
            false => Order::Replay(deviations.clone()),
        };
        let trial = self.trier.run(&self.case);
        let is_it = |breach: &Breach| {
            breach.invariant == self.target.invariant && is_no_more_than(&breach.mechanism, &self.target.mechanism)
        };
        trial.breaches.into_iter().find(is_it)
    }
}

#[cfg(test)]
mod tests;
