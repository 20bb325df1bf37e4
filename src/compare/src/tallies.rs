//! One design's samples of one scenario, added up.

use crate::bootstrap::{mean, rounded};
use crate::document::{BudgetMeasured, CallsMeasured, DesignMeasured, FigureMeasured, Sustained, TimesMeasured};
use crate::figure::FIGURES;
use crate::sample::{Calls, Sample};
use crate::times::TimesOf;
use lkesim_judge::outcome::Quantity;
use std::collections::BTreeMap;

/// What a design came to, from its samples in the order of seeds.
pub fn measured(design: &str, samples: &[Sample]) -> DesignMeasured {
    let launched = samples.iter().map(|sample| sample.launched).sum();
    let figure = |place: usize| {
        let values: Vec<Option<Quantity>> = samples.iter().map(|sample| sample.values[place]).collect();
        let known = values.iter().flatten().count() as u64;
        let mean = Quantity(mean(values.iter().flatten().map(|value| value.0)));
        FigureMeasured { mean, n: known, values }
    };
    let figures = FIGURES.iter().enumerate().map(|(place, named)| (named.name.to_owned(), figure(place)));
    let calls = calls(samples, launched);
    let runs = samples.len() as u64;
    let broke = samples.iter().filter(|sample| !sample.broken.is_empty()).count() as u64;
    DesignMeasured {
        design: design.to_owned(),
        runs,
        launched,
        figures: figures.collect(),
        time_to: times(samples),
        sustained: sustained(samples, &calls),
        calls,
        budgets: budgets(samples),
        broken_per_1000: share(broke * 1_000, runs).unwrap_or_default(),
        invariants_broken_per_1000: invariants(samples),
    }
}

/// A quotient of counts; none where nothing is divided.
pub fn share(number: u64, of: u64) -> Option<Quantity> {
    (of > 0).then(|| Quantity(rounded(i128::from(number) * 1_000_000, of.into())))
}

fn calls(samples: &[Sample], launched: u64) -> CallsMeasured {
    let summed = |of: fn(&Calls) -> &BTreeMap<String, u64>| {
        let mut sums = BTreeMap::<String, u64>::new();
        for (name, calls) in samples.iter().flat_map(|sample| of(&sample.calls)) {
            *sums.entry(name.clone()).or_default() += calls;
        }
        // Without a launch there is nothing to divide by: the calls stand as they are.
        let a_launch = |calls: u64| share(calls, launched.max(1)).unwrap_or_default();
        sums.into_iter().map(|(name, calls)| (name, a_launch(calls))).collect()
    };
    CallsMeasured {
        by_class: summed(|calls| &calls.by_class),
        by_endpoint: summed(|calls| &calls.by_endpoint),
        by_operation: summed(|calls| &calls.by_operation),
        by_cause: summed(|calls| &calls.by_cause),
    }
}

/// The most launches a minute within each limit, and the limit that allows the fewest.
fn sustained(samples: &[Sample], calls: &CallsMeasured) -> Option<Sustained> {
    if samples.iter().all(|sample| sample.launched == 0) {
        return None;
    }
    let limits = &samples.first()?.calls.limits;
    let within = limits.iter().filter_map(|(class, &(count, window_ms))| {
        let cost = calls.by_class.get(class).filter(|cost| cost.0 > 0)?;
        let a_minute = i128::from(count) * 60_000 * 1_000_000 * 1_000_000;
        let launches = rounded(a_minute, i128::from(window_ms.max(1)) * i128::from(cost.0));
        Some(Sustained { launches_per_minute: Quantity(launches), bound_by: class.clone() })
    });
    within.min_by_key(|sustained| sustained.launches_per_minute)
}

fn times(samples: &[Sample]) -> TimesMeasured {
    let (mut launch, mut ready) = (TimesOf::new(), TimesOf::new());
    for sample in samples {
        launch.add(&sample.lasted.launch);
        ready.add(&sample.lasted.ready);
    }
    TimesMeasured { launch: launch.quantiles(), ready: ready.quantiles() }
}

fn budgets(samples: &[Sample]) -> Vec<BudgetMeasured> {
    let mut lines: Vec<BudgetMeasured> = Vec::new();
    for row in samples.iter().flat_map(|sample| &sample.budgets) {
        let is_line = |line: &&mut BudgetMeasured| line.operation == row.operation && line.call == row.call;
        match lines.iter_mut().find(is_line) {
            Some(line) => {
                line.runs += row.runs;
                line.calls += row.calls;
                line.retries += row.retries;
                line.budget = line.budget.zip(row.budget).map(|(line, row)| line + row);
            }
            None => lines.push(BudgetMeasured {
                operation: row.operation.clone(),
                call: row.call.clone(),
                runs: row.runs,
                calls: row.calls,
                retries: row.retries,
                budget: row.budget,
            }),
        }
    }
    lines
}

/// How many of 1,000 runs broke each invariant that broke.
pub fn invariants(samples: &[Sample]) -> BTreeMap<String, Quantity> {
    let mut broke = BTreeMap::<&str, u64>::new();
    for name in samples.iter().flat_map(|sample| &sample.broken) {
        *broke.entry(name).or_default() += 1;
    }
    let runs = samples.len() as u64;
    let rate = |(name, n): (&str, u64)| Some((name.to_owned(), share(n * 1_000, runs)?));
    broke.into_iter().filter_map(rate).collect()
}
