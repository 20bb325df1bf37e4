//! `lkesim explore --exhaustive`: every order of one tiny scenario with few departures.

mod page;

use super::progress::found;
use super::{is_over, junit, keep, without_panics_told, write_junit};
use crate::args::Explore as Args;
use crate::args::many::Paged;
use crate::commands::many::put_page;
use crate::pace::Pace;
use crate::{Failure, Terminal, catalogue, exit, input, interrupt, runner};
use lkesim_explore::exhaustive::{Covering, Exhaustive, Proof, Tried, too_large};
use lkesim_explore::{Exhausted, Kept};
use lkesim_kernel::Deviations;
use lkesim_report::repeat::{Order, command, quoted};
use lkesim_report::style::{Style, Tone, harmless};
use lkesim_report::units::{clock, count};
use std::io::{self, Write};

/// Runs the command.
pub fn exhaust(args: &Args, departures: u32, terminal: &mut Terminal) -> Result<u8, Failure> {
    let all = exhaustive(args, departures, terminal)?;
    let repro = |deviations: &Deviations| repro(&all, deviations);
    let mut exhausted = run(&all, args, &repro, terminal);
    if let Some(folder) = &args.keep {
        for proof in &mut exhausted.findings {
            keep_one(&all, proof, folder)?;
        }
    }
    write_junit(&junit::of_all_orders(&exhausted), args.junit.as_deref(), terminal)?;
    let code = match exhausted.verdict {
        _ if !exhausted.covered && interrupt::was_asked() => exit::INTERRUPTED,
        // Nothing failed that was tried, as in a search that its time ends.
        Covering::Pass | Covering::NotCovered => exit::OK,
        Covering::Fail if exhausted.findings.is_empty() => exit::WRONG_INPUT,
        Covering::Fail => exit::FAILED,
    };
    let style = terminal.style;
    let reported = match args.format {
        Paged::Text => terminal.put(|out| write(&exhausted, style, out)),
        Paged::Json => terminal.print_json(&exhausted),
        format => put_page(&page::of_all_orders(&exhausted), format, terminal),
    };
    reported.map_err(|failure| failure.with_code(code))?;
    Ok(code)
}

fn exhaustive(args: &Args, departures: u32, terminal: &mut Terminal) -> Result<Exhaustive, Failure> {
    let ([path], []) = (&args.scenario[..], &args.file[..]) else {
        return Err(Failure::Usage("--exhaustive takes one scenario, such as `tiny-two-claims`".to_owned()));
    };
    let designs: Vec<String> = args.design.iter().cloned().collect();
    let loaded = input::scenario(path, &[], &designs, terminal)?;
    let own = loaded.scenario.design.clone();
    let design = args.design.clone().or(own).unwrap_or_else(|| catalogue::DEFAULT_DESIGN.to_owned());
    if let Some(why) = too_large(&loaded.scenario) {
        return Err(Failure::Input(format!("{} is too large for --exhaustive: {why}", loaded.name)));
    }
    Ok(Exhaustive {
        name: loaded.name,
        scenario: loaded.scenario,
        design: input::design(&design)?,
        seed: args.start_seed,
        departures,
        jobs: runner::jobs(args.jobs),
    })
}

/// Tries all orders, and shows how it goes.
fn run(all: &Exhaustive, args: &Args, repro: &dyn Fn(&Deviations) -> String, terminal: &mut Terminal) -> Exhausted {
    let mut pace = Pace::start();
    let is_over = is_over(args, pace);
    let mut merged = |tried: &Tried| {
        if pace.is_due() {
            terminal.tell(&progress(tried, &pace));
        }
    };
    interrupt::patiently();
    without_panics_told(|| all.run(&is_over, &mut merged, repro))
}

fn progress(tried: &Tried, pace: &Pace) -> String {
    let runs: u64 = tried.orders.iter().sum();
    let found = found(&tried.by_invariant());
    format!(
        "{} of {} orders with {}, {} runs a second, {} virtual hours a second; found: {found}",
        tried.orders.last().copied().unwrap_or_default(),
        tried.of,
        count(tried.orders.len() as u64 - 1, "departure"),
        pace.per_second(runs),
        pace.per_second(tried.virtual_ms / 3_600_000),
    )
}

/// The command that runs the order again: its departures come on standard input.
fn repro(all: &Exhaustive, deviations: &Deviations) -> String {
    let design = Some(all.design.facts.name);
    if deviations.list.is_empty() {
        return command(&all.name, design, all.seed, &Order::Named("fifo"), &[]);
    }
    let lines: Vec<String> = deviations.to_string().lines().map(quoted).collect();
    let run = command(&all.name, design, all.seed, &Order::Deviations("-".to_owned()), &[]);
    format!("printf '%s\\n' {} | {run}", lines.join(" "))
}

fn keep_one(all: &Exhaustive, proof: &mut Proof, folder: &std::path::Path) -> Result<(), Failure> {
    let deviations = Deviations::of_lines(proof.deviations.iter().map(String::as_str));
    let deviations = deviations.map_err(|error| Failure::Bug(error.to_string()))?;
    let kept = Kept {
        design: all.design.facts.name.to_owned(),
        seed: all.seed,
        invariant: proof.invariant.clone(),
        mechanism: proof.mechanism.clone(),
        text: proof.text.clone(),
    };
    proof.repro = keep::keep_one(folder, &kept, &all.scenario, &deviations)?;
    Ok(())
}

/// For people: the verdict first, then what was tried.
fn write(exhausted: &Exhausted, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (word, tone) = word(exhausted.verdict);
    writeln!(out, "{}  {}", style.paint(tone, word), harmless(&course(exhausted)))?;
    for sentence in proved(exhausted) {
        writeln!(out, "      {sentence}")?;
    }
    for Proof { invariant, mechanism, count: orders, deviations, at_ms, text, repro } in &exhausted.findings {
        let orders = style.paint(Tone::Strong, format!("{orders}×"));
        writeln!(out, "\n  {orders} {}", style.paint(Tone::Bad, invariant))?;
        writeln!(out, "      {}", harmless(mechanism))?;
        let least = count(deviations.len() as u64, "departure");
        writeln!(out, "      {least} at least, {}: {}", clock(*at_ms), harmless(text))?;
        for line in deviations {
            writeln!(out, "        {}", harmless(line))?;
        }
        writeln!(out, "      {}", style.paint(Tone::Faint, harmless(repro)))?;
    }
    for (what, runs) in &exhausted.not_modelled {
        let mark = style.paint(Tone::Warn, "not modelled");
        writeln!(out, "\n  {mark}  {}, in {}", harmless(what), count(*runs, "order"))?;
    }
    Ok(())
}

fn word(verdict: Covering) -> (&'static str, Tone) {
    match verdict {
        Covering::Pass => ("PASS", Tone::Good),
        Covering::Fail => ("FAIL", Tone::Bad),
        Covering::NotCovered => ("NOT COVERED", Tone::Warn),
    }
}

/// What was tried, in a line.
fn course(exhausted: &Exhausted) -> String {
    let Exhausted { scenario, design, seed, departures, choices, runs, orders, .. } = exhausted;
    let by_departures: Vec<String> =
        (0u64..).zip(orders).map(|(departures, orders)| format!("{orders} with {departures}")).collect();
    format!(
        "{scenario} under {design}, seed {seed}: {} of at most {}; {} in the plain order, {}",
        count(*runs, "order"),
        count((*departures).into(), "departure"),
        count(*choices, "choice"),
        by_departures.join(", "),
    )
}

/// What follows from it.
fn proved(exhausted: &Exhausted) -> impl Iterator<Item = &'static str> {
    if !exhausted.covered {
        let text = "not covered: it was stopped before all orders were tried, which proves nothing";
        return [Some(text), None].into_iter().flatten();
    }
    let is_broken = exhausted.findings.iter().any(|proof| proof.invariant == DOUBLE_CLAIM);
    let holds = exhausted.findings.is_empty() && exhausted.not_modelled.is_empty();
    let claim = match (is_broken, holds) {
        (_, true) => "within it no invariant breaks: no double claim is possible",
        (false, false) => "within it no double claim is possible",
        (true, false) => "within it a double claim is possible",
    };
    [Some("covered: all orders within this bound were tried"), Some(claim)].into_iter().flatten()
}

/// The invariant that most of this is about.
const DOUBLE_CLAIM: &str = "one-claim-per-instance";
