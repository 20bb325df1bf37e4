//! The recommendation's page: each pair of invariant and fault that no design can hold has a scenario that asserts it, and
//! what the page says was measured.

use crate::support::{lkesim, read, root};
use serde_json::Value;
use std::path::Path;

/// The scenarios beside the page.
fn pairs() -> Vec<String> {
    scenarios("reports/recommended")
}

fn scenarios(folder: &str) -> Vec<String> {
    let folder = std::fs::read_dir(root().join(folder)).expect("a folder");
    let names = folder.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".yaml")).collect();
    names.sort();
    names
}

#[test]
fn each_pair_breaks_as_its_scenario_says() {
    let pairs = pairs();
    assert!(!pairs.is_empty());
    for name in pairs {
        let path = root().join("reports/recommended").join(&name).display().to_string();
        // Where it takes a schedule too, that lies beside it.
        let schedule = path.replace(".yaml", ".deviations.txt");
        let with = ["run", &path, "--deviations", &schedule];
        let (code, out, err) = lkesim(if Path::new(&schedule).exists() { &with } else { &with[..2] });
        assert_eq!(code, 0, "{name}: {out}{err}");
        assert!(out.contains("as expected"), "{name}: {out}");
    }
}

/// What broke it once, and breaks it no more.
#[test]
fn it_holds_what_it_did_not_hold_before_it_was_mended() {
    let mended = scenarios("reports/recommended/holds");
    assert!(!mended.is_empty());
    let page = read("reports/recommended/README.md");
    for name in mended {
        let path = root().join("reports/recommended/holds").join(&name).display().to_string();
        let (code, out, err) = lkesim(&["run", &path]);
        assert_eq!(code, 0, "{name}: {out}{err}");
        assert!(out.contains("under recommended"), "{name}: {out}");
        assert!(page.contains(&format!("](holds/{name})")), "the page does not name {name}");
    }
}

#[test]
fn the_page_names_each_of_them() {
    let page = read("reports/recommended/README.md");
    for name in pairs() {
        assert!(page.contains(&format!("]({name})")), "the page does not name {name}");
    }
}

/// The searches, and what broke in each.
fn explored() -> Vec<(String, Value)> {
    let searches = read("reports/recommended/searches");
    let files = searches.lines().filter_map(|line| line.split_once(' ')).filter(|(file, _)| file.ends_with(".json"));
    files
        .map(|(file, _)| {
            let text = read(&format!("reports/recommended/explored/{file}"));
            (file.to_owned(), serde_json::from_str(&text).expect("JSON"))
        })
        .collect()
}

/// A number with commas, as the page writes it.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let group = |chunk: &[u8]| String::from_utf8_lossy(chunk).into_owned();
    let groups: Vec<String> = digits.as_bytes().rchunks(3).rev().map(group).collect();
    groups.join(",")
}

#[test]
fn nothing_broke_in_the_searches_that_is_not_listed() {
    let all = explored();
    assert!(all[0].1["runs"].as_u64() >= Some(300_000));
    for (file, document) in &all {
        assert_eq!(document["accused"], serde_json::json!([]), "{file}");
    }
}

#[test]
fn the_page_tells_of_each_search_and_each_pair_how_often_it_broke() {
    let page = read("reports/recommended/README.md");
    let has_row = |parts: &[&str]| page.lines().any(|line| parts.iter().all(|part| line.contains(part)));
    for (file, document) in explored() {
        let (runs, failed) = (&document["runs"], &document["failed_runs"]);
        let [runs, failed] = [runs, failed].map(|number| grouped(number.as_u64().expect("a number")));
        assert!(has_row(&[&format!("](explored/{file})"), &format!("| {runs} | {failed} | 0 |")]), "{file}");
        for pair in document["listed"].as_array().expect("a list") {
            let (invariant, by) = (pair["invariant"].as_str().expect("text"), pair["by"].as_str().expect("text"));
            assert!(has_row(&[&format!("| `{invariant}` | {by} |")]), "{file}: {invariant}, {by}");
            let often = format!("| `{invariant}` | {by} | {} |", grouped(pair["runs"].as_u64().expect("a number")));
            assert!(file != "general.json" || has_row(&[&often]), "{often}");
        }
    }
}

#[test]
fn the_page_quotes_its_data() {
    let page = read("reports/recommended/README.md");
    let mut quoted = 0;
    for scenario in ["burst-enterprise", "burst-standard", "rate-limited"] {
        let data = read(&format!("reports/recommended/data/{scenario}.md"));
        let section = page.split(&format!("### {scenario}\n")).nth(1).expect("a section").split("\n#").next();
        let rows = section.unwrap_or_default().lines().filter(|line| line.contains("\\_"));
        for row in rows {
            assert!(data.lines().any(|line| line == row), "{scenario}: {row}");
            quoted += 1;
        }
    }
    assert!(quoted >= 15, "{quoted}");
}

/// Debug builds are slow, and three hundred NodeClaims are many.
const SEEDS: &str = if cfg!(debug_assertions) { "4" } else { "10" };

#[test]
fn it_needs_half_the_list_calls_of_documented_no_more_others_and_is_ready_no_later() {
    let designs = ["--designs", "documented,recommended", "--seeds", SEEDS, "--format", "json"];
    for scenario in ["burst-enterprise", "burst-standard", "rate-limited"] {
        let (code, out, err) = lkesim(&[&["compare", scenario][..], &designs[..]].concat());
        assert_eq!(code, 0, "{err}");
        let document: Value = serde_json::from_str(&out).expect("JSON");
        let of = |design: usize, path: &str| {
            let measured = &document["scenarios"][0]["designs"][design];
            measured.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{scenario}: {path}"))
        };
        let (lists, others) = ("/figures/list_calls_per_launch/mean", "/figures/other_calls_per_launch/mean");
        assert!(of(1, lists) * 2.0 <= of(0, lists), "{scenario}: {} of {}", of(1, lists), of(0, lists));
        assert!(of(1, others) <= of(0, others), "{scenario}: {} of {}", of(1, others), of(0, others));
        assert!(of(1, "/time_to/ready/p50_ms") <= of(0, "/time_to/ready/p50_ms"), "{scenario}");
        assert!(of(1, "/time_to/ready/p99_ms") < of(0, "/time_to/ready/p99_ms"), "{scenario}");
    }
}
