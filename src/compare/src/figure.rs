//! The figures by which designs are compared: one table.

use lkesim_judge::Outcome;
use lkesim_judge::figures::Lasted;
use lkesim_judge::outcome::{Quantity, Times};
use lkesim_linode_api::RateClass;

/// What a figure's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// How many.
    Count,
    /// Hundredths.
    Percent,
    /// Virtual milliseconds.
    Ms,
    /// Minutes.
    Minutes,
    /// US dollars.
    Usd,
}

/// Which way is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Less.
    Lower,
    /// More.
    Higher,
}

/// What a figure is read from.
#[derive(Clone, Copy)]
pub struct Read<'a> {
    /// What came of the run.
    pub outcome: &'a Outcome,
    /// How long what happened in it took, one by one.
    pub lasted: &'a Lasted,
}

/// A number that each run has.
pub struct Figure {
    /// Its name in documents.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// What its numbers are.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// Whether the verdict speaks of it. The more do, the wider the interval of each.
    pub decides: bool,
    /// Its value in a run; none where the run has no such figure.
    pub of: fn(Read<'_>) -> Option<Quantity>,
}

/// All figures, in the order of tables.
pub const FIGURES: &[Figure] = &[
    Figure {
        name: "list_calls_per_launch",
        about: "API calls under the limit for lists, for each launched NodeClaim",
        unit: Unit::Count,
        better: Better::Lower,
        decides: true,
        of: |run| per_launch(run, class_calls(run, RateClass::List)),
    },
    Figure {
        name: "other_calls_per_launch",
        about: "all other API calls, for each launched NodeClaim",
        unit: Unit::Count,
        better: Better::Lower,
        decides: true,
        of: |run| per_launch(run, run.outcome.api.calls.saturating_sub(class_calls(run, RateClass::List))),
    },
    Figure {
        name: "calls_per_launch",
        about: "all API calls, for each launched NodeClaim",
        unit: Unit::Count,
        better: Better::Lower,
        decides: false,
        of: |run| per_launch(run, run.outcome.api.calls),
    },
    Figure {
        name: "list_limit_share",
        about: "most list calls in one window, as a share of the limit",
        unit: Unit::Percent,
        better: Better::Lower,
        decides: false,
        of: |run| limit_share(run, RateClass::List),
    },
    Figure {
        name: "throttled",
        about: "API calls that a rate limit refused",
        unit: Unit::Count,
        better: Better::Lower,
        decides: true,
        of: |run| Some(whole(run.outcome.api.throttled)),
    },
    Figure {
        name: "launch_p50",
        about: "time to launch, median of the run's NodeClaims",
        unit: Unit::Ms,
        better: Better::Lower,
        decides: false,
        of: |run| time(&run.outcome.time_to.launch, |times| times.p50_ms),
    },
    Figure {
        name: "launch_p90",
        about: "time to launch, 90th percentile",
        unit: Unit::Ms,
        better: Better::Lower,
        decides: false,
        of: |run| time(&run.outcome.time_to.launch, |times| times.p90_ms),
    },
    Figure {
        name: "launch_p99",
        about: "time to launch, 99th percentile",
        unit: Unit::Ms,
        better: Better::Lower,
        decides: true,
        of: |run| time(&run.outcome.time_to.launch, |times| times.p99_ms),
    },
    Figure {
        name: "ready_p50",
        about: "time to a ready node, median of the run's NodeClaims",
        unit: Unit::Ms,
        better: Better::Lower,
        decides: true,
        of: |run| time(&run.outcome.time_to.ready, |times| times.p50_ms),
    },
    Figure {
        name: "ready_p90",
        about: "time to a ready node, 90th percentile",
        unit: Unit::Ms,
        better: Better::Lower,
        decides: false,
        of: |run| time(&run.outcome.time_to.ready, |times| times.p90_ms),
    },
    Figure {
        name: "ready_p99",
        about: "time to a ready node, 99th percentile",
        unit: Unit::Ms,
        better: Better::Lower,
        decides: true,
        of: |run| time(&run.outcome.time_to.ready, |times| times.p99_ms),
    },
    Figure {
        name: "makespan",
        about: "from the first NodeClaim to the last ready node",
        unit: Unit::Ms,
        better: Better::Lower,
        decides: false,
        of: |run| (run.outcome.time_to.ready.of > 0).then(|| whole(run.lasted.makespan_ms)),
    },
    Figure {
        name: "created_per_launch",
        about: "Linodes made for each launched NodeClaim",
        unit: Unit::Count,
        better: Better::Lower,
        decides: true,
        of: |run| per_launch(run, run.outcome.instances.created),
    },
    Figure {
        name: "unclaimed_minutes",
        about: "time that Linodes lived without a live holder, summed",
        unit: Unit::Minutes,
        better: Better::Lower,
        decides: false,
        of: |run| Some(whole(run.outcome.instances.unclaimed_minutes)),
    },
    Figure {
        name: "unclaimed_usd",
        about: "what Linode bills for that time",
        unit: Unit::Usd,
        better: Better::Lower,
        decides: true,
        of: |run| Some(dollars(run.outcome.cost.unclaimed_usd.0)),
    },
    Figure {
        name: "total_usd",
        about: "what Linode bills",
        unit: Unit::Usd,
        better: Better::Lower,
        decides: false,
        of: |run| Some(dollars(run.outcome.cost.total_usd.0)),
    },
    Figure {
        name: "initialized",
        about: "NodeClaims with a ready node",
        unit: Unit::Count,
        better: Better::Higher,
        decides: false,
        of: |run| Some(whole(run.outcome.claims.initialized)),
    },
    Figure {
        name: "failed",
        about: "NodeClaims that Karpenter gave up",
        unit: Unit::Count,
        better: Better::Lower,
        decides: false,
        of: |run| Some(whole(run.outcome.claims.failed)),
    },
    Figure {
        name: "broken",
        about: "invariants that broke, of those that the design promises",
        unit: Unit::Count,
        better: Better::Lower,
        decides: true,
        of: |run| Some(whole(broken(run.outcome).count() as u64)),
    },
];

/// The place in [`FIGURES`] of the figure with this name.
pub fn place(name: &str) -> Option<usize> {
    FIGURES.iter().position(|figure| figure.name == name)
}

/// The promised invariants that broke.
pub fn broken(outcome: &Outcome) -> impl Iterator<Item = &str> {
    let broke = outcome.invariants.iter().filter(|invariant| !invariant.held && !invariant.not_promised);
    broke.map(|invariant| invariant.name.as_str())
}

fn whole(number: u64) -> Quantity {
    Quantity::whole(i64::try_from(number).unwrap_or(i64::MAX))
}

fn dollars(micros: u64) -> Quantity {
    Quantity(i64::try_from(micros).unwrap_or(i64::MAX))
}

fn class_calls(run: Read<'_>, class: RateClass) -> u64 {
    run.outcome.api.by_class.get(class.name()).map_or(0, |used| used.calls)
}

/// So many for each NodeClaim that launched; none where none did.
fn per_launch(run: Read<'_>, number: u64) -> Option<Quantity> {
    ratio(number, run.outcome.claims.launched)
}

fn limit_share(run: Read<'_>, class: RateClass) -> Option<Quantity> {
    let used = run.outcome.api.by_class.get(class.name())?;
    ratio(used.peak_in_window * 100, used.limit?)
}

fn ratio(number: u64, of: u64) -> Option<Quantity> {
    let millionths = (i128::from(number) * 1_000_000 + i128::from(of) / 2).checked_div(i128::from(of))?;
    Some(Quantity(i64::try_from(millionths).unwrap_or(i64::MAX)))
}

fn time(times: &Times, of: fn(&Times) -> u64) -> Option<Quantity> {
    (times.of > 0).then(|| whole(of(times)))
}
