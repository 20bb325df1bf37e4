//! Who may use whom, as one table, and what no simulated code may touch.

use crate::support::{read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Every crate: its folder, its package, and the crates of ours that it is built on. A crate names only crates above it.
const ARROWS: &[(&str, &str, &[&str])] = &[
    ("src/runtime", "lkesim-runtime", &[]),
    ("src/kernel", "lkesim-kernel", &[RUNTIME]),
    ("src/linode-api", "lkesim-linode-api", &[RUNTIME]),
    ("src/kube", "lkesim-kube", &[RUNTIME]),
    ("src/karpenter", "lkesim-karpenter", &[KUBE, RUNTIME]),
    (
        "src/lke",
        "lkesim-lke",
        &[KARPENTER, KUBE, LINODE_API, RUNTIME],
    ),
    ("fake-linode", "fake-linode", &[LINODE_API, RUNTIME]),
    ("src/scenario", "lkesim-scenario", &[LINODE_API, RUNTIME]),
    ("src/judge", "lkesim-judge", &[LINODE_API, RUNTIME]),
    (
        "src/sim",
        "lkesim-sim",
        &[
            FAKE, JUDGE, KARPENTER, KERNEL, KUBE, LINODE_API, LKE, RUNTIME, SCENARIO,
        ],
    ),
    ("src/report", "lkesim-report", &[JUDGE, LINODE_API, RUNTIME]),
    (
        "src/cli",
        "lkesim",
        &[FAKE, JUDGE, KERNEL, LKE, REPORT, RUNTIME, SCENARIO, SIM],
    ),
];

const RUNTIME: &str = "lkesim-runtime";
const KERNEL: &str = "lkesim-kernel";
const LINODE_API: &str = "lkesim-linode-api";
const KUBE: &str = "lkesim-kube";
const KARPENTER: &str = "lkesim-karpenter";
const LKE: &str = "lkesim-lke";
const FAKE: &str = "fake-linode";
const SCENARIO: &str = "lkesim-scenario";
const JUDGE: &str = "lkesim-judge";
const SIM: &str = "lkesim-sim";
const REPORT: &str = "lkesim-report";

/// What a crate has of tokio. The others have nothing of it.
const TOKIO: &[(&str, &[&str])] = &[
    ("src/runtime", &["rt", "time", "sync"]),
    ("src/kube", &["sync"]),
    ("src/lke", &["sync"]),
    ("src/sim", &["sync"]),
];

/// What simulated code has no use for. The clock and the order of a run are its own.
const BANNED: &[&str] = &[
    "HashMap",
    "HashSet",
    "Instant::now",
    "SystemTime",
    "thread::sleep",
    "thread::spawn",
    "rand::rng",
    "thread_rng",
    "std::fs",
    "std::net",
    "std::env::",
    "println!",
    "f32",
    "f64",
];

/// Files that may have some of it, and why.
const EXCEPTIONS: &[(&str, &[&str], &str)] = &[
    (
        "src/runtime/src/real.rs",
        &["Instant::now"],
        "the seam on tokio",
    ),
    (
        "src/scenario/src/decode/decoder.rs",
        &["f32", "f64"],
        "serde's list of its types",
    ),
    (
        "src/scenario/src/tree.rs",
        &["f64"],
        "a number as YAML has it, before it is refused or read as text",
    ),
    (
        "src/scenario/src/value/expected.rs",
        &["f64"],
        "goes back to the text that was written",
    ),
    (
        "src/judge/src/outcome/number.rs",
        &["f64"],
        "dollars of a finished run, read back from JSON",
    ),
];

/// The dependencies of a manifest's section, each with the rest of its line.
fn dependencies(folder: &str, section: &str) -> BTreeMap<String, String> {
    let manifest = read(&format!("{folder}/Cargo.toml"));
    let lines = manifest.lines().skip_while(|line| *line != section).skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, rest)| (name.to_owned(), rest.to_owned()))
        .collect()
}

#[test]
fn the_table_has_every_crate() {
    let manifests = std::fs::read_dir(root().join("src")).expect("the crates are there");
    let mut folders: BTreeSet<String> = manifests
        .map(|entry| format!("src/{}", entry.expect("an entry").file_name().display()))
        .collect();
    folders.insert("fake-linode".to_owned());
    let table: BTreeSet<String> = ARROWS.iter().map(|row| row.0.to_owned()).collect();
    assert_eq!(table, folders);
}

#[test]
fn the_table_has_no_upward_arrow() {
    for (place, (_, package, below)) in ARROWS.iter().enumerate() {
        for used in *below {
            let above = ARROWS[..place].iter().any(|row| row.1 == *used);
            assert!(
                above,
                "{package} uses {used}, which does not stand above it"
            );
        }
    }
}

#[test]
fn manifests_have_the_arrows_of_the_table() {
    for (folder, package, below) in ARROWS {
        let ours = |name: &String| name.starts_with("lkesim") || name == "fake-linode";
        let found: BTreeSet<String> = dependencies(folder, "[dependencies]")
            .into_keys()
            .filter(ours)
            .collect();
        let table: BTreeSet<String> = below.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(found, table, "{package}");
    }
}

#[test]
fn code_under_test_cannot_tell_a_simulation() {
    for (folder, _, below) in ARROWS {
        if ["src/kube", "src/karpenter", "src/lke"].contains(folder) {
            for unseen in [KERNEL, FAKE, JUDGE, SCENARIO, SIM] {
                assert!(!below.contains(&unseen), "{folder} sees {unseen}");
            }
        }
    }
}

#[test]
fn tokio_is_synchronization_alone() {
    for (folder, package, _) in ARROWS {
        let expected = TOKIO
            .iter()
            .find(|row| row.0 == *folder)
            .map_or(&[][..], |row| row.1);
        let found = dependencies(folder, "[dependencies]");
        let found = found
            .get("tokio")
            .map(|rest| features(rest))
            .unwrap_or_default();
        assert_eq!(found, expected, "{package}");
    }
}

/// The features in a dependency's line.
fn features(rest: &str) -> Vec<String> {
    let list = rest
        .split_once("features = [")
        .and_then(|(_, list)| list.split_once(']'));
    let names = list.map_or("", |(names, _)| names).split(',');
    names
        .map(|name| name.trim().trim_matches('"').to_owned())
        .filter(|name| !name.is_empty())
        .collect()
}

/// Every Rust file below a folder, as a path from the root.
pub fn rust_files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(root().join(&folder)).expect("a folder");
        for entry in entries.map(|entry| entry.expect("an entry")) {
            let path = folder.join(entry.file_name());
            let is_folder = entry.file_type().expect("a type").is_dir();
            match path.extension() {
                _ if is_folder && path.ends_with("target") => {}
                _ if is_folder => folders.push(path),
                Some(extension) if extension == "rs" => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn is_test(path: &Path) -> bool {
    let named = |name: &str| path.components().any(|part| part.as_os_str() == name);
    named("tests")
        || named("tests.rs")
        || path.ends_with("testing.rs")
        || path.ends_with("build.rs")
}

#[test]
fn simulated_code_has_no_clock_no_chance_and_no_outside() {
    let mut found = Vec::new();
    for (folder, ..) in ARROWS
        .iter()
        .filter(|row| row.1 != "lkesim" && row.1 != REPORT)
    {
        for path in rust_files(&format!("{folder}/src")) {
            if is_test(&path) {
                continue;
            }
            let exception = EXCEPTIONS.iter().find(|row| path == Path::new(row.0));
            let allowed = exception.map_or(&[][..], |row| row.1);
            let text = read(&path.display().to_string());
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                let banned = BANNED
                    .iter()
                    .filter(|word| !allowed.contains(word) && has_word(code, word));
                found.extend(
                    banned.map(|word| format!("{}:{}: {word}", path.display(), number + 1)),
                );
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Whether the word stands alone in the line, so that `eprintln!` is not `println!`.
fn has_word(line: &str, word: &str) -> bool {
    let alone = |at: usize| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let part =
            |side: Option<char>| side.is_some_and(|char| char.is_alphanumeric() || char == '_');
        !part(before) && (word.ends_with(['!', ':']) || !part(after))
    };
    line.match_indices(word).any(|(at, _)| alone(at))
}

#[test]
fn select_is_biased() {
    for (folder, ..) in ARROWS {
        for path in rust_files(&format!("{folder}/src")) {
            let text = read(&path.display().to_string());
            for (_, rest) in text.split("select! {").skip(1).map(|rest| ((), rest)) {
                assert!(
                    rest.trim_start().starts_with("biased;"),
                    "{}: without `biased`, select! draws from tokio's own randomness",
                    path.display()
                );
            }
        }
    }
}

#[test]
fn no_file_is_longer_than_600_lines() {
    let folders = ["src", "fake-linode", "tests"];
    let long: Vec<String> = folders
        .into_iter()
        .flat_map(rust_files)
        .map(|path| (read(&path.display().to_string()).lines().count(), path))
        .filter(|(lines, _)| *lines > 600)
        .map(|(lines, path)| format!("{}: {lines} lines", path.display()))
        .collect();
    assert!(long.is_empty(), "{}", long.join("\n"));
}
