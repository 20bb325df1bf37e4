//! Holds a design to what the real provider did in the same cases.
//!
//! `conformance-ours compare DESIGN FOLDER [ONLY]` compares with the driver's records in FOLDER, `conformance-ours keep
//! DESIGN FOLDER` writes their lines to `recorded/`, `conformance-ours show DESIGN CASE` prints what the design does.
//! Exit codes: 0 all equal or listed, 1 something differs, 2 the usage or a case is wrong.

use lkesim_tests::conformance::compare::{FOLDER, Lines, driven, hold, keep, our_records};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FOLDER);
    let came = match args[..] {
        ["compare", design, from] => compared(&folder, design, Path::new(from), ""),
        ["compare", design, from, only] => compared(&folder, design, Path::new(from), only),
        ["keep", design, from] => keep(&folder, design, Path::new(from)).map(|kept| {
            println!("{kept} records kept");
            ExitCode::SUCCESS
        }),
        ["show", design, only] => shown(&folder, design, only),
        _ => Err("usage: conformance-ours compare|keep|show DESIGN FOLDER|CASE".to_owned()),
    };
    came.unwrap_or_else(|error| {
        eprintln!("{error}");
        ExitCode::from(2)
    })
}

fn compared(folder: &Path, design: &str, from: &Path, only: &str) -> Result<ExitCode, String> {
    let report = hold(folder, design, only, |job| driven(from, &job.id(), &job.case))?;
    for id in &report.equal {
        println!("equal    {id}");
    }
    for id in &report.listed {
        println!("listed   {id}");
    }
    for wrong in &report.wrong {
        println!("differs  {wrong}");
    }
    let (equal, listed) = (report.equal.len(), report.listed.len());
    println!("{design}: {} cases, {equal} equal, {listed} listed differences", report.cases());
    Ok(if report.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn shown(folder: &Path, design: &str, only: &str) -> Result<ExitCode, String> {
    for (job, record) in our_records(folder, design, only)? {
        let lines = serde_json::to_value(Lines::of(&record, &job.case)).map_err(|error| error.to_string())?;
        println!("{lines:#}");
    }
    Ok(ExitCode::SUCCESS)
}
