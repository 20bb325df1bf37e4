//! Who may use whom, as one table, and what no simulated code may touch.

use crate::support::{read, root};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Every crate, and the crates of ours that it is built on. A crate names only crates that stand above it.
const ARROWS: &str = "
runtime
kernel       -> runtime
linode-api   -> runtime
kube         -> runtime
scheduling   -> kube
karpenter    -> kube runtime scheduling
control-plane -> kube runtime scheduling
lke          -> karpenter kube linode-api runtime
fake-linode  -> linode-api runtime
scenario     -> kube linode-api runtime scheduling
judge        -> linode-api runtime
compare      -> judge linode-api runtime
sim          -> control-plane fake-linode judge karpenter kernel kube linode-api lke runtime scenario scheduling
explore      -> judge kernel linode-api lke runtime scenario sim
report       -> compare judge linode-api runtime
cli          -> compare explore fake-linode judge karpenter kernel kube linode-api lke report runtime scenario sim
";

/// The code under test, and what it must not see, or it could tell a simulation from the real thing.
const UNDER_TEST: [&str; 5] = ["kube", "scheduling", "karpenter", "control-plane", "lke"];
const UNSEEN: [&str; 6] = ["kernel", "fake-linode", "judge", "scenario", "sim", "report"];

/// A row of the table.
struct Crate {
    name: &'static str,
    below: BTreeSet<&'static str>,
}

impl Crate {
    fn folder(&self) -> String {
        match self.name {
            "fake-linode" => self.name.to_owned(),
            name => format!("src/{name}"),
        }
    }
}

fn crates() -> Vec<Crate> {
    let row = |line: &'static str| {
        let (name, below) = line.split_once("->").unwrap_or((line, ""));
        Crate { name: name.trim(), below: below.split_whitespace().collect() }
    };
    ARROWS.trim().lines().map(row).collect()
}

/// The name in the table of a package of ours.
fn name_of(package: &str) -> Option<&str> {
    match package {
        "fake-linode" => Some(package),
        "lkesim" => Some("cli"),
        _ => package.strip_prefix("lkesim-"),
    }
}

/// What a crate has of tokio. The others have nothing of it.
const TOKIO: &[(&str, &[&str])] = &[
    ("runtime", &["rt", "time", "sync"]),
    ("linode-api", &["net", "rt", "time"]),
    ("kube", &["sync"]),
    ("lke", &["sync"]),
    ("fake-linode", &["macros", "net", "rt", "sync", "time"]),
    ("sim", &["sync"]),
    ("cli", &["net", "rt", "sync", "time"]),
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

/// Files that may have one of these: the seam on tokio; what goes over sockets, behind features; the form of an address
/// in a body; serde's list of its types; a number as YAML has it; one that goes back to the text that was written;
/// dollars of a finished run, read back from JSON. No float decides an outcome.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("src/runtime/src/real.rs", "Instant::now"),
    ("src/linode-api/src/http.rs", "std::net"),
    ("src/linode-api/src/http/io.rs", "Instant::now"),
    ("src/linode-api/src/wire/body.rs", "std::net"),
    ("fake-linode/src/http/admin.rs", "std::net"),
    ("fake-linode/src/http/clock.rs", "Instant::now"),
    ("fake-linode/src/http/connection.rs", "std::net"),
    ("src/scenario/src/decode/decoder.rs", "f32"),
    ("src/scenario/src/decode/decoder.rs", "f64"),
    ("src/scenario/src/tree.rs", "f64"),
    ("src/scenario/src/value/amount.rs", "f64"),
    ("src/scenario/src/value/expected.rs", "f64"),
    ("src/judge/src/outcome/number.rs", "f64"),
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
    let members = std::fs::read_dir(root().join("src")).expect("the crates are there");
    let members = members.map(|entry| format!("src/{}", entry.expect("an entry").file_name().display()));
    let found: BTreeSet<String> = members.chain(["fake-linode".to_owned()]).collect();
    let table: BTreeSet<String> = crates().iter().map(Crate::folder).collect();
    assert_eq!(table, found);
}

#[test]
fn the_table_has_no_upward_arrow() {
    let mut above = BTreeSet::new();
    for Crate { name, below } in crates() {
        for used in below {
            assert!(above.contains(used), "{name} uses {used}, which does not stand above it");
        }
        above.insert(name);
    }
}

#[test]
fn manifests_have_the_arrows_of_the_table() {
    for row in crates() {
        let all = dependencies(&row.folder(), "[dependencies]");
        let ours: BTreeSet<&str> = all.keys().filter_map(|package| name_of(package)).collect();
        assert_eq!(ours, row.below, "{}", row.name);
    }
}

#[test]
fn code_under_test_cannot_tell_a_simulation() {
    for row in crates().iter().filter(|row| UNDER_TEST.contains(&row.name)) {
        for unseen in UNSEEN {
            assert!(!row.below.contains(unseen), "{} sees {unseen}", row.name);
        }
    }
}

#[test]
fn tokio_is_synchronization_alone() {
    for row in crates() {
        let expected = TOKIO.iter().find(|with| with.0 == row.name);
        let expected = expected.map_or(&[][..], |with| with.1);
        let found = dependencies(&row.folder(), "[dependencies]");
        let found = found.get("tokio").map(|rest| features(rest));
        assert_eq!(found.unwrap_or_default(), expected, "{}", row.name);
    }
}

/// The features in a dependency's line.
fn features(rest: &str) -> Vec<String> {
    let list = rest.split_once("features = [").and_then(|(_, list)| list.split_once(']'));
    let names = list.map_or("", |(names, _)| names).split(',');
    names.map(|name| name.trim().trim_matches('"').to_owned()).filter(|name| !name.is_empty()).collect()
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
    named("tests") || named("tests.rs") || path.ends_with("testing.rs") || path.ends_with("build.rs")
}

#[test]
fn simulated_code_has_no_clock_no_chance_and_no_outside() {
    let mut found = Vec::new();
    for row in crates().iter().filter(|row| !["cli", "report"].contains(&row.name)) {
        for path in rust_files(&format!("{}/src", row.folder())) {
            if is_test(&path) {
                continue;
            }
            let text = read(&path.display().to_string());
            for (number, line) in text.lines().enumerate() {
                let code = line.split("//").next().unwrap_or_default();
                let banned = BANNED.iter().filter(|word| has_word(code, word) && !may(&path, word));
                found.extend(banned.map(|word| format!("{}:{}: {word}", path.display(), number + 1)));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

fn may(path: &Path, word: &str) -> bool {
    EXCEPTIONS.iter().any(|row| path == Path::new(row.0) && word == row.1)
}

/// Whether the word stands alone in the line, so that `eprintln!` is not `println!`.
fn has_word(line: &str, word: &str) -> bool {
    let alone = |at: usize| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let part = |side: Option<char>| side.is_some_and(|char| char.is_alphanumeric() || char == '_');
        !part(before) && (word.ends_with(['!', ':']) || !part(after))
    };
    line.match_indices(word).any(|(at, _)| alone(at))
}

#[test]
fn select_is_biased() {
    for row in crates() {
        for path in rust_files(&format!("{}/src", row.folder())) {
            let text = read(&path.display().to_string());
            for rest in text.split("select! {").skip(1) {
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
