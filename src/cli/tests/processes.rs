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

/// The shell's limit is in blocks of 512 bytes or of a KiB.
#[cfg(unix)]
#[test]
fn a_limit_of_file_sizes_is_a_file_that_could_not_be_written() {
    let folder = std::env::temp_dir().join(format!("lkesim-limit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let script = "ulimit -f 8; exec \"$0\" run burst-enterprise --trace limited.jsonl";
    let lkesim = env!("CARGO_BIN_EXE_lkesim");
    let output = Command::new("sh").args(["-c", script, lkesim]).current_dir(&folder).output().expect("a shell");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
    let left: Vec<_> = std::fs::read_dir(&folder).expect("a folder").collect();
    assert!(left.is_empty(), "{left:?}");
    std::fs::remove_dir(&folder).expect("it is empty");
}
