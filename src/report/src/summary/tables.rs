//! The figures of one run as tables.

use crate::style::Tone;
use crate::table::{Cell, Table};
use crate::units::{count, exact, length, window};
use lkesim_judge::Outcome;
use lkesim_judge::outcome::{BudgetRow, ClassUse, ClientUse, ExpectationOutcome, Spread, Times};
use lkesim_linode_api::Operation;
use std::collections::BTreeMap;

/// What became of NodeClaims, Linodes, money and taints: a name and a sentence each.
pub fn facts(outcome: &Outcome) -> Table {
    let mut table = Table::new(&["of", "what became"]).words_in(1);
    let mut fact = |name: &str, text: String| table.row([name.into(), Cell::from(text)]);
    let claims = &outcome.claims;
    fact(
        "NodeClaims",
        format!(
            "{} requested, {} launched, {} registered, {} initialized, {} failed, {} deleted",
            claims.requested, claims.launched, claims.registered, claims.initialized, claims.failed, claims.deleted
        ),
    );
    if claims.gate_shut_ms > 0 {
        fact("sync gate", format!("shut for {}: a NodeClaim had no providerID", length(claims.gate_shut_ms)));
    }
    let linodes = &outcome.instances;
    fact(
        "Linodes",
        format!(
            "{} created ({} for each 100 launched), peak {}; unclaimed: {} at the end, {} in all",
            linodes.created,
            linodes.created_per_100_launched,
            linodes.peak,
            linodes.unclaimed_at_end,
            count(linodes.unclaimed_minutes, "minute"),
        ),
    );
    fact(
        "cost",
        format!(
            "${} by the end of the trouble, ${} of it for unclaimed Linodes",
            outcome.cost.total_usd, outcome.cost.unclaimed_usd
        ),
    );
    let taints = outcome.taints.iter().map(|(node_pool, taints)| {
        let nodes = count(taints.nodes_launched, "node");
        let removed = match taints.taint_removed {
            0 => String::new(),
            removed => format!(", taint removed from {removed}"),
        };
        let disrupted = match taints.nodes_disrupted {
            0 => String::new(),
            disrupted => format!(", {disrupted} disrupted"),
        };
        format!("{node_pool}: {nodes} launched{removed}{disrupted}")
    });
    let taints: Vec<String> = taints.collect();
    if !taints.is_empty() {
        fact("NodePools", taints.join("; "));
    }
    pod_facts(outcome, &mut fact);
    fact("API", format!("{}, {} throttled", count(outcome.api.calls, "call"), outcome.api.throttled));
    let clients = &outcome.api.by_client;
    if clients.len() > 1 {
        let of = |(name, used): (&String, &ClientUse)| format!("{name}: {}, {} throttled", used.calls, used.throttled);
        fact("clients", clients.iter().map(of).collect::<Vec<_>>().join("; "));
    }
    table
}

/// What became of pods, passes and nodes, where a run has pods.
fn pod_facts(outcome: &Outcome, fact: &mut impl FnMut(&str, String)) {
    if let Some(pods) = &outcome.pods {
        let mut text = format!(
            "{} created, {} bound, {} ended; {} run and {} pend at the end; {} unschedulable at some time",
            pods.created, pods.bound, pods.ended, pods.running_at_end, pods.pending_at_end, pods.unschedulable
        );
        let more = [
            (pods.failed_scheduling, "without room"),
            (pods.evicted, "evicted"),
            (pods.preempted, "preempted"),
            (pods.of_daemon_sets, "of DaemonSets besides"),
        ];
        for (count, what) in more.into_iter().filter(|(count, _)| *count > 0) {
            text.push_str(&format!(", {count} {what}"));
        }
        fact("pods", text);
    }
    if let Some(passes) = &outcome.passes {
        let (claims, each) = (count(passes.claims, "NodeClaim"), spread(&passes.pods_a_pass));
        fact("passes", format!("{}, over {each} pods each; {claims} wanted by {}", passes.count, passes.buying));
    }
    if let Some(nodes) = &outcome.nodes {
        let types = |all: &BTreeMap<String, u64>| {
            let each: Vec<String> = all.iter().map(|(plan, n)| format!("{n} {plan}")).collect();
            if each.is_empty() { "none".to_owned() } else { each.join(", ") }
        };
        fact("nodes", format!("at the end: {}; at most: {}", types(&nodes.at_end), types(&nodes.peak)));
    }
}

/// From a NodeClaim's creation to each milestone, and where there are pods, from a pod's.
pub fn times(outcome: &Outcome) -> Table {
    let mut table = Table::new(&["time to", "n/of", "p50", "p90", "p99", "max"]);
    let time_to = &outcome.time_to;
    let rows = [("launch", &time_to.launch), ("register", &time_to.register), ("ready", &time_to.ready)];
    let of_pods = [("bind a pod", &time_to.bind), ("pod ready", &time_to.pod_ready)];
    let of_pods = of_pods.into_iter().filter_map(|(name, times)| Some((name, times.as_ref()?)));
    for (name, times) in rows.into_iter().chain(of_pods) {
        table.row(times_row(name, times, outcome.virtual_ms));
    }
    table
}

fn times_row(name: &str, times: &Times, ended_ms: u64) -> Vec<Cell> {
    let all = if times.n < times.of { Tone::Warn } else { Tone::Plain };
    let mut row = vec![Cell::from(name), Cell::toned(format!("{}/{}", times.n, times.of), all)];
    row.extend(Quantile::ALL.map(|quantile| match times.of {
        0 => Cell::toned("-", Tone::Faint),
        _ => Cell::from(quantile.words(times, ended_ms)),
    }));
    row
}

/// A place among times in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantile {
    /// The median.
    P50,
    /// Nine of ten are at most this.
    P90,
    /// 99 of 100 are at most this.
    P99,
    /// The longest.
    Max,
}

impl Quantile {
    /// All, the shortest first.
    pub const ALL: [Quantile; 4] = [Quantile::P50, Quantile::P90, Quantile::P99, Quantile::Max];

    /// Its time, in milliseconds.
    pub const fn of(self, times: &Times) -> u64 {
        match self {
            Quantile::P50 => times.p50_ms,
            Quantile::P90 => times.p90_ms,
            Quantile::P99 => times.p99_ms,
            Quantile::Max => times.max_ms,
        }
    }

    /// Its time in words, of a run that ended then. What never finished counts as the horizon, which is no measured time:
    /// it is marked `>`, and where the run ended sooner, it is `never`.
    pub fn words(self, times: &Times, ended_ms: u64) -> String {
        let percent = match self {
            Quantile::P50 => 50,
            Quantile::P90 => 90,
            Quantile::P99 => 99,
            Quantile::Max => 100,
        };
        // The nearest rank, as the times were chosen.
        let rank = times.of.saturating_mul(percent).div_ceil(100);
        match (rank > times.n, self.of(times)) {
            (true, horizon) if horizon > ended_ms => "never".to_owned(),
            (true, horizon) => format!(">{}", length(horizon)),
            (false, time) => length(time),
        }
    }
}

/// Calls by rate limit, the peak of one window beside the limit.
pub fn limits(outcome: &Outcome) -> Table {
    let mut table = Table::new(&["rate limit", "calls", "throttled", "peak/limit"]);
    for (name, class) in &outcome.api.by_class {
        table.row([Cell::from(name.as_str()), Cell::number(class.calls), Cell::trouble(class.throttled), peak(class)]);
    }
    table
}

fn peak(class: &ClassUse) -> Cell {
    let Some(limit) = class.limit else {
        return Cell::from(format!("{}/-", class.peak_in_window));
    };
    let window = class.window_ms.map_or(String::new(), |ms| format!(" in {}", window(ms)));
    let tone = match class.peak_in_window {
        peak if peak.saturating_mul(10) >= limit.saturating_mul(8) => Tone::Warn,
        _ => Tone::Plain,
    };
    Cell::toned(format!("{}/{limit}{window}", class.peak_in_window), tone)
}

/// Calls by endpoint, the most asked first.
pub fn endpoints(outcome: &Outcome) -> Table {
    let mut table = Table::new(&["endpoint", "calls", "throttled", "errors", "retries"]);
    let mut rows: Vec<_> = outcome.api.by_endpoint.iter().collect();
    rows.sort_by_key(|(name, row)| (std::cmp::Reverse(row.calls), *name));
    for (name, row) in rows {
        table.row([
            Cell::from(name.as_str()),
            Cell::number(row.calls),
            Cell::trouble(row.throttled),
            Cell::trouble(row.errors),
            Cell::trouble(row.retries),
        ]);
    }
    table
}

/// The design document's budget line by line, beside what was measured, with the reason of every difference.
pub fn budgets(outcome: &Outcome) -> Table {
    budget_lines(outcome, |_| true, None)
}

/// The same for a screen: without calls that were never made and the words of the document, and with reasons cut short.
pub fn budgets_used(outcome: &Outcome) -> Table {
    budget_lines(outcome, |row| row.calls + row.retries > 0, Some(REASON))
}

/// How much of a reason a screen has room for.
const REASON: usize = 60;

/// With room for so many characters of a reason; where there is no bound, the document's words stand before it.
fn budget_lines(outcome: &Outcome, shown: fn(&BudgetRow) -> bool, reason: Option<usize>) -> Table {
    let mut headings = vec!["operation", "call", "calls", "budget", "a run", "allowed", "retries"];
    headings.extend(reason.is_none().then_some("stated"));
    headings.push("difference");
    let words = 7..headings.len();
    let mut table = words.fold(Table::new(&headings).words_in(1), Table::words_in);
    for (name, operation) in in_order(outcome) {
        let mut first = format!("{name} ({}", count(operation.runs, "run"));
        if operation.attempts > operation.runs {
            first.push_str(&format!(", {}", count(operation.attempts, "attempt")));
        }
        first.push(')');
        for row in outcome.budgets.iter().filter(|row| row.operation == name && shown(row)) {
            table.row(budget_row(std::mem::take(&mut first), row, reason));
        }
        if !first.is_empty() {
            // Clusters of several designs or tiers share no budget; JSON has their calls.
            let several = outcome.budgets.is_empty() && !operation.calls.is_empty();
            let calls = if several { "calls of clusters that have no common budget" } else { "no call" };
            table.row([Cell::from(first), Cell::toned(calls, Tone::Faint)]);
        }
    }
    table
}

fn budget_row(first: String, row: &BudgetRow, reason: Option<usize>) -> Vec<Cell> {
    let nothing = || Cell::toned("-", Tone::Faint);
    let difference = row.difference.as_deref().map_or(Cell::default(), |words| {
        Cell::toned(
            shortened(words, reason.unwrap_or(usize::MAX)),
            if row.runs_over > 0 { Tone::Bad } else { Tone::Faint },
        )
    });
    let mut cells = vec![
        Cell::from(first),
        Cell::from(row.call.as_str()),
        Cell::toned(row.calls, spent(row)),
        row.budget.map_or_else(nothing, Cell::number),
        Cell::from(spread(&row.a_run)),
        row.allowed_a_run.as_ref().map_or_else(nothing, |allowed| Cell::from(spread(allowed))),
        Cell::trouble(row.retries),
    ];
    if reason.is_none() {
        cells.push(row.stated.as_deref().map_or_else(nothing, Cell::from));
    }
    cells.push(difference);
    cells
}

/// Least, median and most, or one number where they are the same.
fn spread(spread: &Spread) -> String {
    match (spread.min, spread.median, spread.max) {
        (min, _, max) if min == max => min.to_string(),
        (min, median, max) => format!("{min}/{median}/{max}"),
    }
}

fn shortened(words: &str, most: usize) -> String {
    if words.chars().count() <= most {
        return words.to_owned();
    }
    words.chars().take(most - 1).chain(['…']).collect()
}

/// Operations in the order of reports; unknown names last.
pub fn in_order(outcome: &Outcome) -> impl Iterator<Item = (&str, &lkesim_judge::outcome::OperationUse)> {
    let place = |name: &str| Operation::ALL.iter().position(|known| known.name() == name);
    let mut all: Vec<_> = outcome.api.by_operation.iter().collect();
    all.sort_by_key(|(name, _)| place(name).unwrap_or(usize::MAX));
    all.into_iter().map(|(name, operation)| (name.as_str(), operation))
}

/// Over the budget is bad; a call that the document does not name is worth a look.
pub fn spent(row: &BudgetRow) -> Tone {
    match row.budget {
        Some(budget) if row.calls > budget => Tone::Bad,
        _ => Tone::Plain,
    }
}

/// Calls by what they were for.
pub fn causes(outcome: &Outcome) -> Table {
    named("cause", "calls", &outcome.api.by_cause)
}

/// Calls by the client that asked.
pub fn clients(outcome: &Outcome) -> Table {
    let mut table = Table::new(&["client", "calls", "throttled"]);
    for (name, used) in &outcome.api.by_client {
        table.row([Cell::from(name.as_str()), Cell::number(used.calls), Cell::number(used.throttled)]);
    }
    table
}

/// How often each hard case occurred.
pub fn cases(outcome: &Outcome) -> Table {
    named("hard case", "times", &outcome.sometimes)
}

fn named(what: &str, unit: &str, map: &std::collections::BTreeMap<String, u64>) -> Table {
    let mut table = Table::new(&[what, unit]);
    for (name, n) in map {
        table.row([Cell::from(name.as_str()), Cell::number(*n)]);
    }
    table
}

/// What was expected of figures.
pub fn expectations(outcome: &Outcome) -> Table {
    let mut table = Table::new(&["figure", "expected", "was", "held"]);
    for expectation in &outcome.expectations {
        let held = match (expectation.held, expectation.decides) {
            (true, _) => Cell::toned("yes", Tone::Good),
            (false, true) => Cell::toned("no", Tone::Bad),
            (false, false) => Cell::toned("no, does not count", Tone::Faint),
        };
        let actual = actual(expectation).unwrap_or("-".to_owned());
        table.row([
            Cell::from(expectation.figure.as_str()),
            Cell::from(expectation.expected.as_str()),
            Cell::from(actual),
            held,
        ]);
    }
    table
}

/// What an expected figure was: a time where the expectation is written as one, which its unit tells.
pub fn actual(expectation: &ExpectationOutcome) -> Option<String> {
    let actual = expectation.actual?;
    let is_time =
        expectation.figure.ends_with("_ms") && expectation.expected.contains(|c: char| c.is_ascii_alphabetic());
    match u64::try_from(actual.0) {
        Ok(millionths) if is_time && millionths.is_multiple_of(1_000_000) => Some(exact(millionths / 1_000_000)),
        _ => Some(actual.to_string()),
    }
}
