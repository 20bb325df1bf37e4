//! Our side of the differential test of the scheduler.
//!
//! `scheduler-ours problems SEED COUNT` prints problems, one JSON object a line. `scheduler-ours crowd plain|mixed COUNT` prints the problem of
//! the benchmark. `scheduler-ours compare PROBLEMS RESULTS
//! [LISTED]` solves them, and compares with what Karpenter's scheduler printed. `scheduler-ours solve PROBLEMS` prints what ours decides. `scheduler-ours keep RESULTS` prints a line
//! a result that `cargo test` compares with. Exit codes: 0 equal or listed, 1 some differ, 2 usage, 4 a file.

use lkesim_scheduler_tests::{compare, generate};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let outcome = match args[..] {
        ["problems", seed, count] => match (seed.parse(), count.parse()) {
            (Ok(seed), Ok(count)) => {
                (0..count).for_each(|number: u64| println!("{}", generate::problem(seed, number)));
                return ExitCode::SUCCESS;
            }
            _ => return ExitCode::from(2),
        },
        ["crowd", kind @ ("plain" | "mixed"), count] => match count.parse() {
            Ok(count) => {
                let crowd = if kind == "plain" { generate::Crowd::Plain } else { generate::Crowd::Mixed };
                println!("{}", generate::crowd(crowd, count));
                return ExitCode::SUCCESS;
            }
            Err(_) => return ExitCode::from(2),
        },
        ["compare", problems, results] => compare::files(problems, results, None),
        ["compare", problems, results, listed] => compare::files(problems, results, Some(listed)),
        ["solve", problems] => compare::solved(problems).map(|text| (text, true)),
        ["keep", results] => compare::kept(results).map(|text| (text, true)),
        _ => return ExitCode::from(2),
    };
    match outcome {
        Ok((report, holds)) => {
            print!("{report}");
            if holds { ExitCode::SUCCESS } else { ExitCode::from(1) }
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(4)
        }
    }
}
