//! `lkesim-defects`: hunts each design of the suite and prints the table.

use clap::Parser;
use lkesim_defects::report::{self, Row};
use lkesim_defects::{ENTRIES, Entry, Hunt, accusations, excuse, find, small};
use lkesim_explore::Palette;
use lkesim_explore::trial::{Case, Trier};
use lkesim_judge::trace::Header;
use lkesim_runtime::Seed;
use lkesim_scenario::to_yaml;
use lkesim_sim::{Plan, Request, Simulator};
use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
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
    /// With `--seed`, writes its trace to this file, for `lkesim show`.
    #[arg(long, requires = "seed")]
    trace: Option<PathBuf>,
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
        for entry in entries {
            tell(entry, seed);
            if let Some(file) = &args.trace
                && let Err(error) = trace(entry, seed, file)
            {
                eprintln!("{}: {error}", file.display());
                return ExitCode::from(4);
            }
        }
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
    let hunt = Hunt { least, most, jobs: args.jobs };
    let hunted = hunt.telling(entry, &mut |seed, breach| {
        if entry.is_right {
            eprintln!("{} is accused by seed {seed}: {}: {}", entry.design.facts.name, breach.invariant, breach.text);
        }
    });
    let took_ms = start.elapsed().as_millis() as u64;
    let first = hunted.first.as_ref();
    eprintln!(
        "{:26} {:>6} runs {:>5} failed in {took_ms} ms; {:?}; seeds {:?}",
        entry.design.facts.name,
        hunted.runs,
        hunted.failed,
        first.map(|(seed, breach)| (seed, &breach.invariant, &breach.mechanism)),
        hunted.seeds,
    );
    let small = first.filter(|_| !entry.is_right).and_then(|(seed, breach)| small(entry, *seed, breach));
    Row { entry, hunted, took_ms, small }
}

#[allow(clippy::disallowed_methods, reason = "the real clock: how long a search takes is no part of what it finds")]
fn now() -> Instant {
    Instant::now()
}

/// Runs one seed once more, for its trace.
fn trace(entry: &'static Entry, seed: u64, file: &Path) -> Result<(), Box<dyn Error>> {
    let case = Case::drawn(&Palette::General, &entry.design, seed);
    let header = Header::new(&case.name, entry.design.facts.name, seed, serde_json::to_value(&case.scenario)?);
    let request = Request {
        plan: Rc::new(Plan::new(&case.scenario)),
        name: case.name.clone(),
        design: case.design,
        seed: Seed(seed),
        order: case.order,
        as_written: false,
    };
    let sink = Box::new(BufWriter::new(File::create(file)?));
    Simulator::new().run(&request, Some((sink, header)))?;
    Ok(())
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
