//! What is written about the program agrees with it.

use crate::layers::rust_files;
use crate::support::{lkesim, read, root};
use lkesim_judge::invariants::INVARIANTS;
use lkesim_lke::DESIGNS;
use lkesim_scenario::builtin;
use std::path::PathBuf;

/// The pages for people: those at the root, the scenarios' own, and everything in `docs/`.
fn pages() -> Vec<PathBuf> {
    let folder = |name: &str| std::fs::read_dir(root().join(name)).into_iter().flatten();
    let mut pages: Vec<PathBuf> = ["", "scenarios", "docs"]
        .into_iter()
        .flat_map(folder)
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages
}

fn all_pages() -> String {
    let text = |page: PathBuf| std::fs::read_to_string(page).expect("a page is text");
    pages().into_iter().map(text).collect()
}

/// The commands in the blocks of a page, without what precedes the program's own arguments.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(str::lines).map(|line| line.trim().trim_start_matches("$ "));
    lines
        .filter_map(|line| {
            let from_cargo = line.strip_prefix("cargo run").and_then(|rest| rest.split_once("-- "));
            from_cargo.map(|(_, args)| args).or_else(|| line.strip_prefix("lkesim "))
        })
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_commands_of_the_readme_exist() {
    let commands = commands(&read("README.md"));
    assert!(!commands.is_empty(), "README.md shows no command");
    for line in commands {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (code, _, err) = lkesim(&[words[0], "--help"]);
        assert_eq!(code, 0, "`{line}`: {err}");
    }
}

#[test]
fn every_scenario_invariant_and_design_is_named_in_the_docs() {
    let text = all_pages();
    let scenarios = builtin::all().iter().map(|scenario| scenario.name);
    let invariants = INVARIANTS.iter().map(|invariant| invariant.name);
    let designs = DESIGNS.iter().map(|design| design.facts.name);
    let unnamed: Vec<&str> =
        scenarios.chain(invariants).chain(designs).filter(|name| !text.contains(&format!("`{name}`"))).collect();
    assert!(unnamed.is_empty(), "no page names {unnamed:?}");
}

/// What a page shows between the mark of a command and the end of its block, and where that stands.
fn shown<'a>(page: &'a str, command: &str) -> Option<(usize, &'a str)> {
    let mark = format!("<!-- output of: lkesim {command} -->\n```text\n");
    let from = page.find(&mark)? + mark.len();
    let length = page[from..].find("```")?;
    Some((from, &page[from..from + length]))
}

/// `INSTA_UPDATE=always` writes the block anew, as it does snapshots.
#[test]
fn the_readme_shows_what_the_program_prints() {
    let page = read("README.md");
    let (_, printed, _) = lkesim(&["run", "burst-enterprise"]);
    let (from, block) = shown(&page, "run burst-enterprise").expect("README.md marks an output");
    if block != printed && std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        let updated = format!("{}{printed}{}", &page[..from], &page[from + block.len()..]);
        return std::fs::write(root().join("README.md"), updated).expect("README.md can be written");
    }
    assert_eq!(block, printed, "README.md is old: run the tests with INSTA_UPDATE=always");
}

#[test]
fn there_is_a_changelog() {
    let version = env!("CARGO_PKG_VERSION");
    let changelog = read("CHANGELOG.md");
    assert!(
        changelog.contains(version) || changelog.contains("Unreleased"),
        "CHANGELOG.md does not know version {version}"
    );
}

#[test]
fn nothing_is_left_for_later_in_the_code() {
    let words = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("todo", "!("), concat!("#[ign", "ore")];
    let files = ["src", "fake-linode", "tests"].into_iter().flat_map(rust_files);
    let mut found = Vec::new();
    for path in files {
        let text = read(&path.display().to_string());
        for (number, line) in text.lines().enumerate() {
            if words.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What is shown of the language is what the program takes, under the designs that it names.
#[test]
fn the_examples_of_the_language_are_checked_and_run() {
    let page = read("scenarios/README.md");
    let folder = std::env::temp_dir().join(format!("lkesim-docs-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("manifests")).expect("a folder");
    std::fs::write(folder.join("manifests/shop.yaml"), read("scenarios/manifests/shop.yaml")).expect("it is written");
    for block in page.split("```yaml\n").skip(1) {
        let path = folder.join("example.yaml").display().to_string();
        std::fs::write(&path, block.split("```").next().unwrap_or_default()).expect("it is written");
        for command in ["check", "run"] {
            let (code, _, err) = lkesim(&[command, &path]);
            assert!(code < 2, "{command}: {err}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("it is there");
}
