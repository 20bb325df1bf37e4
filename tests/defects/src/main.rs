//! `lkesim-defects`: hunts each design of the suite and prints the table.

use clap::Parser;
use lkesim_defects::report::{self, Row};
use lkesim_defects::{ENTRIES, Entry, Hunt, accusations, excuse, find, small};
use lkesim_explore::Palette;
use lkesim_explore::trial::{Case, Trier};
use lkesim_scenario::to_yaml;
use std::process::ExitCode;
use std::time::Instant;

/// Hunts each design of the defects suite with the palette `general`, and prints the table as Markdown.
#[derive(Parser)]
struct Args {
    /// Only these designs.
    names: Vec<String>,
    /// At most so many seeds for a defect.
    #[arg(long, default_value_t = 20_000)]
    seeds: u64,
    /// So many seeds in any case.
    #[arg(long, default_value_t = 2_000)]
    least: u64,
    /// So many seeds for a design that is right.
    #[arg(long, default_value_t = 2_000)]
    right: u64,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Tells of this one seed alone.
    #[arg(long)]
    seed: Option<u64>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if let Some(name) = args.names.iter().find(|name| find(name).is_none()) {
        eprintln!("there is no design `{name}` in the suite");
        return ExitCode::from(2);
    }
    let is_named = |name: &str| args.names.is_empty() || args.names.iter().any(|named| named == name);
    let entries = ENTRIES.iter().filter(|entry| is_named(entry.design.facts.name));
    if let Some(seed) = args.seed {
        entries.for_each(|entry| tell(entry, seed));
        return ExitCode::SUCCESS;
    }
    let rows: Vec<Row> = entries.map(|entry| hunt(entry, &args)).collect();
    print!("{}", report::markdown(&rows, args.least));
    let is_as_it_should = |row: &Row| row.entry.is_right == row.hunted.first.is_none();
    if rows.iter().all(is_as_it_should) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Hunts one design, and tells on standard error how it went.
fn hunt(entry: &'static Entry, args: &Args) -> Row {
    let (least, most) = if entry.is_right { (args.right, args.right) } else { (args.least, args.seeds) };
    let start = now();
    let hunted = Hunt { least, most, jobs: args.jobs }.run(entry);
    let took_ms = start.elapsed().as_millis() as u64;
    let first = hunted.first.as_ref();
    eprintln!(
        "{:26} {:>6} runs {:>5} failed in {took_ms} ms; {:?}",
        entry.design.facts.name,
        hunted.runs,
        hunted.failed,
        first.map(|(seed, breach)| (seed, &breach.invariant, &breach.mechanism)),
    );
    let small = first.filter(|_| !entry.is_right).and_then(|(seed, breach)| small(entry, *seed, breach));
    Row { entry, hunted, took_ms, small }
}

#[allow(clippy::disallowed_methods, reason = "the real clock: how long a search takes is no part of what it finds")]
fn now() -> Instant {
    Instant::now()
}

/// What one seed breaks.
fn tell(entry: &'static Entry, seed: u64) {
    let case = Case::drawn(&Palette::General, &entry.design, seed);
    let trial = Trier::new().run(&case);
    println!("{}", to_yaml(&case.scenario));
    println!("order: {:?}", case.order);
    for breach in &trial.breaches {
        let why = excuse(&case, breach).map_or("accused", |excuse| excuse.how);
        println!("{} at {} ms ({why}):\n  {}\n  {}", breach.invariant, breach.at_ms, breach.text, breach.mechanism);
    }
    println!("{} accusations", accusations(&case, &trial).len());
}
