//! `lkesim-pairs`: explores one design of the program and tells by pairs of invariant and fault what broke.

use clap::{Parser, ValueEnum};
use lkesim_defects::pairs::pairs;
use lkesim_explore::{First, Palette, Search, Twist};
use std::process::ExitCode;

/// Explores a design with the palette `general`, as `lkesim explore` does, and prints as JSON which pairs of invariant and
/// fault broke: those that no design can hold, and those that are held against it.
#[derive(Parser)]
struct Args {
    /// The design.
    design: String,
    /// How many seeds.
    #[arg(long, default_value_t = 1_000)]
    seeds: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    start_seed: u64,
    /// All lags so many times as long.
    #[arg(long)]
    stretch_lags: Option<u32>,
    /// This view shows a new Linode at once, and the other one 30 to 60 s later.
    #[arg(long, value_enum)]
    first: Option<View>,
    /// Threads.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
}

#[derive(Clone, Copy, ValueEnum)]
enum View {
    Members,
    List,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let Some(design) = lkesim_lke::design(&args.design) else {
        eprintln!("there is no design `{}`", args.design);
        return ExitCode::from(2);
    };
    let first = args.first.map(|first| match first {
        View::Members => First::Members,
        View::List => First::List,
    });
    let search = Search {
        palette: Palette::General.twisted(Twist { stretch: args.stretch_lags, first }),
        design,
        start_seed: args.start_seed,
        seeds: Some(args.seeds),
        jobs: args.jobs,
        stop_on_first: false,
    };
    let (told, _) = pairs(&search, &mut |trial| {
        if trial.seed % 50_000 == 0 {
            eprintln!("seed {}", trial.seed);
        }
    });
    match serde_json::to_string_pretty(&told) {
        Ok(text) => println!("{text}"),
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::from(4);
        }
    }
    if told.accused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
