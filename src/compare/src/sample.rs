//! What is kept of one run.

use crate::figure::{FIGURES, Read, broken};
use lkesim_judge::Outcome;
use lkesim_judge::figures::Lasted;
use lkesim_judge::outcome::{BudgetRow, Quantity};
use std::collections::BTreeMap;

/// One run of one scenario by one design, as far as comparisons look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The seed, by which samples are paired.
    pub seed: u64,
    /// In the order of [`FIGURES`].
    pub values: Vec<Option<Quantity>>,
    /// NodeClaims that launched.
    pub launched: u64,
    /// API calls by class and name.
    pub calls: Calls,
    /// The design document's budget beside the calls.
    pub budgets: Vec<BudgetRow>,
    /// The promised invariants that broke.
    pub broken: Vec<String>,
    /// The times one by one.
    pub lasted: Lasted,
}

/// API calls by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    /// By rate limit.
    pub by_class: BTreeMap<String, u64>,
    /// The limit of each class for a window of so many milliseconds, where there is one.
    pub limits: BTreeMap<String, (u64, u64)>,
    /// By call.
    pub by_endpoint: BTreeMap<String, u64>,
    /// By the provider's operation.
    pub by_operation: BTreeMap<String, u64>,
    /// By what they were for.
    pub by_cause: BTreeMap<String, u64>,
}

impl Sample {
    /// What is kept of a run.
    pub fn of(outcome: &Outcome, lasted: Lasted) -> Sample {
        let read = Read { outcome, lasted: &lasted };
        let values = FIGURES.iter().map(|figure| (figure.of)(read)).collect();
        let api = &outcome.api;
        let operation = |used: &lkesim_judge::outcome::OperationUse| {
            used.calls.values().map(|line| line.calls + line.retries).sum::<u64>()
        };
        let limit = |used: &lkesim_judge::outcome::ClassUse| Some((used.limit?, used.window_ms?));
        let calls = Calls {
            by_class: api.by_class.iter().map(|(name, used)| (name.clone(), used.calls)).collect(),
            limits: api.by_class.iter().filter_map(|(name, used)| Some((name.clone(), limit(used)?))).collect(),
            by_endpoint: api.by_endpoint.iter().map(|(name, used)| (name.clone(), used.calls)).collect(),
            by_operation: api.by_operation.iter().map(|(name, used)| (name.clone(), operation(used))).collect(),
            by_cause: api.by_cause.clone(),
        };
        Sample {
            seed: outcome.seed,
            values,
            launched: outcome.claims.launched,
            calls,
            budgets: outcome.budgets.clone(),
            broken: broken(outcome).map(str::to_owned).collect(),
            lasted,
        }
    }
}
