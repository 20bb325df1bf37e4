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

/// A scenario that breaks under `documented` in many orders.
#[cfg(unix)]
const BREAKS: &str = "\
about: Lists show a tag late.
duration: 2m
cloud: {tier: enterprise, lags: {tag_to_list: 30s}}
workload:
  - create: {claims: 20, every: 100ms}
";

/// All files below a folder, by their paths in it.
#[cfg(unix)]
fn files(folder: &std::path::Path) -> std::collections::BTreeMap<std::path::PathBuf, Vec<u8>> {
    let (mut found, mut folders) = (std::collections::BTreeMap::new(), vec![folder.to_owned()]);
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => {
                    let name = path.strip_prefix(folder).expect("it is in the folder").to_owned();
                    found.insert(name, std::fs::read(path).expect("it can be read"));
                }
            }
        }
    }
    found
}

/// Whatever a limit of file sizes stops, each file of a finding's folder is as it is without the limit, or is not there.
#[cfg(unix)]
#[test]
fn what_is_kept_of_a_finding_is_written_whole_or_not_at_all() {
    let folder = std::env::temp_dir().join(format!("lkesim-kept-{}", std::process::id()));
    let search = "\"$0\" explore breaks.yaml --seeds 2 --jobs 1 --keep found";
    let scripts = [
        format!("ulimit -f LIMIT; exec {search}"),
        format!("{search}; ulimit -f LIMIT; exec \"$0\" shrink found/one-cl* --to small"),
    ];
    for script in scripts {
        let under = |limit: &str| {
            std::fs::create_dir_all(&folder).expect("a folder");
            std::fs::write(folder.join("breaks.yaml"), BREAKS).expect("it is written");
            let script = script.replace("LIMIT", limit);
            let mut shell = Command::new("sh");
            let output = shell.args(["-c", &script, env!("CARGO_BIN_EXE_lkesim")]).current_dir(&folder).output();
            let found = (output.expect("a shell").status.code(), files(&folder));
            std::fs::remove_dir_all(&folder).expect("it goes");
            found
        };
        let (code, whole) = under("unlimited");
        assert!(code == Some(0) || code == Some(1), "{code:?}");
        let largest = whole.values().map(Vec::len).max().expect("files");
        let limits = ["0", "1", "2", "4", "8", "16", "32"];
        let mut stopped = 0;
        for (code, left) in limits.map(under) {
            stopped += u32::from(code == Some(4));
            for (path, bytes) in &left {
                assert!(whole.get(path) == Some(bytes), "{}: {} bytes", path.display(), bytes.len());
                let its_finding = path.with_file_name("finding.json");
                let is_whole = !path.starts_with("found") || left.contains_key(&its_finding);
                assert!(is_whole, "{} is in a folder that is no finding", path.display());
            }
        }
        assert!(stopped >= 3, "{stopped} of the limits stopped something; the largest file has {largest} bytes");
    }
}
