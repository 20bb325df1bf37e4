//! The built program: two processes make the same bytes.

use std::process::{Command, Output};

fn lkesim(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_lkesim")).args(args).output().expect("the program starts")
}

/// The run's trace, as it is written to standard output.
#[track_caller]
fn trace(args: &[&str]) -> Vec<u8> {
    let mut all = vec!["run"];
    all.extend(args);
    all.extend(["--trace", "-"]);
    let output = lkesim(&all);
    let code = output.status.code();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(code == Some(0) || code == Some(1), "{code:?}: {err}");
    output.stdout
}

#[test]
fn two_processes_write_equal_traces() {
    for scenario in ["one-claim-standard", "two-pools", "burst-enterprise"] {
        let args = [scenario, "--seed", "5"];
        let (first, second) = (trace(&args), trace(&args));
        assert!(first.len() > 1_000, "{scenario}: {} bytes", first.len());
        assert!(first == second, "{scenario}: the traces differ");
        assert!(first != trace(&[scenario, "--seed", "6"]), "{scenario}: seeds are luck");
    }
}

#[test]
fn the_report_is_the_same_in_every_format() {
    for format in ["text", "json", "markdown"] {
        let args = ["run", "two-pools", "--format", format];
        let (first, second) = (lkesim(&args), lkesim(&args));
        assert_eq!(first.stdout, second.stdout, "{format}");
        assert_eq!(String::from_utf8_lossy(&first.stderr), "", "{format}");
    }
}
