//! What `explore`, `shrink` and `merge` print and write.

use super::{Folder, SMALL, call};
use crate::exit;

/// A scenario that breaks under `documented` whatever the seed, in little time.
const BREAKS: &str = "\
about: Lists show a tag late.
duration: 2m
cloud: {tier: enterprise, lags: {tag_to_list: 30s}}
workload:
  - create: {claims: 2, every: 1s}
";

#[test]
fn a_search_gives_the_same_with_one_thread_and_with_eight() {
    let folder = Folder::new("threads");
    let scenario = folder.path("breaks.yaml");
    std::fs::write(&scenario, BREAKS).expect("it is written");
    let search = |jobs: &str| call(&["explore", &scenario, "--seeds", "40", "--jobs", jobs, "--format", "json"]);
    let (one, eight) = (search("1"), search("8"));
    // How it goes is told on standard error where it takes long.
    assert_eq!((one.code, &one.out), (eight.code, &eight.out));
    assert_eq!(one.code, exit::FAILED, "{}", one.err);
    let found: serde_json::Value = serde_json::from_str(&one.out).expect("it is JSON");
    assert_eq!((&found["schema"], &found["runs"]), (&"lkesim.explore/1".into(), &40.into()));
    let counts: Vec<u64> =
        found["findings"].as_array().expect("a list").iter().filter_map(|f| f["count"].as_u64()).collect();
    assert!(!counts.is_empty() && counts.is_sorted_by(|a, b| a >= b), "{counts:?}");
}

#[test]
fn a_finding_is_kept_repeats_and_is_made_small() {
    let folder = Folder::new("kept");
    let (scenario, found, junit) = (folder.path("breaks.yaml"), folder.path("found"), folder.path("out.xml"));
    std::fs::write(&scenario, BREAKS).expect("it is written");
    let args = ["explore", &scenario, "--stop-on-first", "--keep", &found, "--junit", &junit, "--jobs", "1"];
    let called = call(&args);
    assert_eq!(called.code, exit::FAILED, "{}", called.err);
    let (first, _) = called.out.split_once('\n').expect("a line");
    assert!(first.starts_with("FAIL  ") && first.contains("stopped at the first finding"), "{first}");
    let xml = std::fs::read_to_string(&junit).expect("it was written");
    assert!(xml.contains("<failure message=") && xml.trim_end().ends_with("</testsuites>"), "{xml}");
    for entry in std::fs::read_dir(&found).expect("findings are kept") {
        let kept = entry.expect("an entry").path();
        // The command is one line of words without spaces.
        let command = std::fs::read_to_string(kept.join("command")).expect("it is there");
        let words: Vec<&str> = command.split_whitespace().skip(1).collect();
        let repeated = call(&words);
        assert_eq!((repeated.code, repeated.err.as_str()), (exit::FAILED, ""), "{command}");
        let small = call(&["shrink", &kept.display().to_string()]);
        assert_eq!((small.code, small.err.as_str()), (exit::OK, ""), "{}", small.out);
        assert!(small.out.lines().count() <= 25, "{}", small.out);
        let command = small.out.lines().last().expect("the command comes last");
        let repeated = call(&command.split_whitespace().skip(1).collect::<Vec<_>>());
        assert_eq!((repeated.code, repeated.err.as_str()), (exit::FAILED, ""), "{command}");
        assert!(kept.join("small/trace.jsonl").exists() && kept.join("small/story.txt").exists());
    }
}

/// Departures that were cut short would be another run.
#[test]
fn a_schedule_that_was_cut_short_is_exit_2() {
    let run = |schedule: &str| super::call_with(&["run", "tiny-two-claims", "--deviations", "-"], schedule);
    let text = "lkesim-schedule 3\nworld@1 delay 1s\nworld@2 delay 1s\n";
    let whole = run(&format!("{text}end 2\n"));
    assert!([exit::OK, exit::FAILED].contains(&whole.code), "{}", whole.err);
    let cut = run(text);
    assert_eq!((cut.code, cut.out.as_str()), (exit::WRONG_INPUT, ""));
    assert!(
        cut.err.contains("ends without its last line `end <number of departures>`, after 2 of them"),
        "{}",
        cut.err
    );
    let lacking = run(&format!("{text}end 3\n"));
    assert_eq!(lacking.code, exit::WRONG_INPUT);
    assert!(lacking.err.contains("line 4 is `end 3`, after 2 departures: expected `end 2`"), "{}", lacking.err);
}

#[test]
fn shards_merged_are_the_whole_search_byte_for_byte() {
    let folder = Folder::new("shards");
    let scenario = folder.path("breaks.yaml");
    std::fs::write(&scenario, BREAKS).expect("it is written");
    let search = ["explore", &scenario, "--seeds", "11", "--start-seed", "3", "--format", "json"];
    let whole = call(&search);
    let mut files = Vec::new();
    for shard in ["2/3", "0/3", "1/3"] {
        let called = call(&[&search[..], &["--shard", shard]].concat());
        let file = folder.path(&format!("{}.json", shard.replace('/', "-")));
        std::fs::write(&file, called.out).expect("it is written");
        files.push(file);
    }
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let merged = call(&[&["merge", "--format", "json"], &files[..]].concat());
    assert_eq!((merged.code, &merged.out), (whole.code, &whole.out), "{}", merged.err);
    let lacking = call(&["merge", files[0], files[1]]);
    assert_eq!(lacking.code, exit::WRONG_INPUT);
    assert!(lacking.err.contains("of 3 shards these are missing: 1"), "{}", lacking.err);
    let other = call(&["merge", &scenario]);
    assert_eq!(other.code, exit::WRONG_INPUT);
    assert!(other.err.contains("is no result of `lkesim explore --format json`"), "{}", other.err);
    let no_shard = call(&["explore", "--shard", "3/3"]);
    assert_eq!(no_shard.code, exit::WRONG_INPUT);
    assert!(no_shard.err.contains("0/8 for the first of eight"), "{}", no_shard.err);
}

#[test]
fn all_orders_of_a_tiny_scenario_are_tried_and_what_breaks_repeats() {
    let proved = call(&["explore", "tiny-two-claims", "--exhaustive", "0"]);
    assert_eq!((proved.code, proved.err.as_str()), (exit::OK, ""));
    assert!(proved.out.contains("within it no invariant breaks: no double claim is possible"), "{}", proved.out);
    let folder = Folder::new("exhausted");
    let (scenario, found, junit) = (folder.path("breaks.yaml"), folder.path("found"), folder.path("out.xml"));
    std::fs::write(&scenario, BREAKS).expect("it is written");
    let broken = call(&["explore", &scenario, "--exhaustive", "0", "--keep", &found, "--junit", &junit]);
    assert_eq!(broken.code, exit::FAILED, "{}", broken.err);
    assert!(broken.out.contains("covered: all orders"), "{}", broken.out);
    assert!(std::fs::read_to_string(&junit).expect("it was written").contains(r#"name="all-orders-tried"/>"#));
    let kept = std::fs::read_dir(&found).expect("findings are kept").next().expect("one").expect("an entry").path();
    let command = std::fs::read_to_string(kept.join("command")).expect("it is there");
    let repeated = call(&command.split_whitespace().skip(1).collect::<Vec<_>>());
    assert_eq!((repeated.code, repeated.err.as_str()), (exit::FAILED, ""), "{command}");
}

#[test]
fn a_scenario_that_is_no_tiny_one_is_refused() {
    let large = call(&["explore", "burst-enterprise", "--exhaustive", "1"]);
    assert_eq!(large.code, exit::WRONG_INPUT);
    assert!(large.err.contains("burst-enterprise is too large for --exhaustive: NodeClaims"), "{}", large.err);
    let none = call(&["explore", "--exhaustive", "1"]);
    assert_eq!(none.code, exit::WRONG_INPUT);
    assert!(none.err.contains("--exhaustive takes one scenario"), "{}", none.err);
}

#[test]
fn a_declared_hard_case_that_never_occurs_fails_a_search_by_its_name() {
    let folder = Folder::new("missing");
    let scenario = folder.path("calm.yaml");
    let text = format!("{SMALL}expect:\n  sometimes:\n    all: {{maintenance_met: \">= 1\"}}\n");
    std::fs::write(&scenario, text).expect("it is written");
    let called = call(&["explore", &scenario, "--seeds", "1", "--start-seed", "2"]);
    assert_eq!(called.code, exit::FAILED, "{}", called.out);
    assert!(called.out.contains("maintenance_met: a declared hard case that never occurred"), "{}", called.out);
}

#[test]
fn a_folder_that_is_no_finding_is_exit_2() {
    let folder = Folder::new("nothing");
    let called = call(&["shrink", &folder.path("")]);
    assert_eq!(called.code, exit::WRONG_INPUT);
    assert!(called.err.contains("explore --keep"), "{}", called.err);
}

/// The elements of a document, each with its attributes: enough of XML to see that it is well formed.
fn elements(xml: &str) -> Vec<(String, Vec<(String, String)>)> {
    let (mut found, mut open) = (Vec::new(), Vec::new());
    let body = xml.strip_prefix(r#"<?xml version="1.0" encoding="UTF-8"?>"#).expect("it declares itself");
    let mut rest = body;
    while let Some((text, tag)) = rest.split_once('<') {
        is_text(text);
        let (tag, behind) = tag.split_once('>').expect("a tag ends");
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "tags nest");
            continue;
        }
        let (inside, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, mut attributes) = inside.split_once(' ').unwrap_or((inside, ""));
        let mut list = Vec::new();
        while let Some((key, value)) = attributes.trim_start().split_once("=\"") {
            let (value, behind) = value.split_once('"').expect("a value ends");
            is_text(value);
            list.push((key.to_owned(), value.to_owned()));
            attributes = behind;
        }
        assert_eq!(attributes.trim(), "", "nothing but attributes stands in a tag");
        found.push((name.to_owned(), list));
        if !is_empty {
            open.push(name.to_owned());
        }
    }
    is_text(rest);
    assert!(open.is_empty(), "all tags end: {open:?}");
    found
}

/// Text has no mark of its own but the five that have names.
fn is_text(text: &str) {
    assert!(!text.contains('>'), "{text}");
    for reference in text.split('&').skip(1) {
        let (name, _) = reference.split_once(';').expect("a reference ends");
        assert!(["amp", "lt", "gt", "quot", "apos"].contains(&name), "{name}");
    }
}

#[test]
fn junit_is_well_formed_and_its_counts_are_right() {
    let folder = Folder::new("junit");
    let (scenario, junit) = (folder.path("<breaks> & \"more\".yaml"), folder.path("out.xml"));
    std::fs::write(&scenario, BREAKS).expect("it is written");
    for search in [&["--seeds", "12"][..], &["--exhaustive", "0"][..]] {
        let called = call(&[&["explore", &scenario, "--junit", &junit], search].concat());
        assert_eq!(called.code, exit::FAILED, "{}", called.err);
        let xml = std::fs::read_to_string(&junit).expect("it was written");
        let elements = elements(&xml);
        let count = |name: &str| elements.iter().filter(|(element, _)| element == name).count();
        assert_eq!((count("testsuites"), count("testsuite")), (1, 1));
        assert!(count("failure") > 0 && count("failure") < count("testcase"), "{xml}");
        for (name, attributes) in elements.iter().filter(|(name, _)| name.starts_with("testsuite")) {
            let attribute = |wanted: &str| attributes.iter().find(|(key, _)| key == wanted).map(|(_, value)| &**value);
            assert_eq!(attribute("tests"), Some(&*count("testcase").to_string()), "{name}");
            assert_eq!(attribute("failures"), Some(&*count("failure").to_string()), "{name}");
        }
    }
}

/// Garbage collection deletes for no NodeClaim: what it did wrong is told all the same.
#[test]
fn a_story_tells_the_operation_without_a_node_claim_that_broke_it() {
    let folder = Folder::new("orphan");
    let (scenario, found) = (folder.path("orphan.yaml"), folder.path("found"));
    let text = "\
about: An error is taken for the absence of an orphan.
duration: 5m
cloud: {tier: standard}
start:
  lke_pools:
    - {type: g6-standard-2, linodes: [{claim_tag: gone, age: 1h}]}
workload: []
faults:
  - refuse: {call: ListLKENodePools, status: 500}
";
    std::fs::write(&scenario, text).expect("it is written");
    let search = ["explore", &scenario, "--design", "shipped", "--seeds", "1", "--jobs", "1", "--keep", &found];
    assert_eq!(call(&search).code, exit::FAILED);
    let entries = std::fs::read_dir(&found).expect("findings").map(|entry| entry.expect("an entry").path());
    let mut kept = entries.filter(|path| path.display().to_string().contains("an-error-is-not-absence"));
    let small = call(&["shrink", &kept.next().expect("it is found").display().to_string()]);
    let lines: Vec<&str> = small.out.lines().collect();
    let position = |wanted: &[&str]| {
        let found = lines.iter().position(|line| wanted.iter().all(|part| line.contains(part)));
        found.unwrap_or_else(|| panic!("{wanted:?} is not in\n{}", small.out))
    };
    let began = position(&["Delete #", " of linode/", "began, by instance.garbagecollection"]);
    let refused = position(&["500"]);
    let returned = position(&["returned not found"]);
    assert!(began < refused && refused < returned, "{}", small.out);
    let (decided, then) = (position(&["It is decided by", "500"]), position(&["and then by", "returned not found"]));
    assert_eq!(decided + 1, then, "{}", small.out);
    assert!(lines.len() <= 25, "{}", small.out);
}

/// What was stopped before its end is neither held nor broken.
#[test]
fn orders_that_time_cut_short_prove_nothing_and_fail_nothing() {
    let folder = Folder::new("cut-short");
    let junit = folder.path("out.xml");
    let args = ["explore", "tiny-two-claims", "--exhaustive", "9", "--time", "1ms", "--junit", &junit];
    let called = call(&args);
    assert_eq!((called.code, called.err.as_str()), (exit::OK, ""));
    assert!(called.out.starts_with("NOT COVERED  "), "{}", called.out);
    assert!(called.out.contains("which proves nothing") && !called.out.contains("PASS"), "{}", called.out);
    let xml = std::fs::read_to_string(&junit).expect("it was written");
    let skipped = elements(&xml).into_iter().filter(|(name, _)| name == "skipped" || name == "failure");
    assert_eq!(skipped.map(|(name, _)| name).collect::<Vec<_>>(), ["skipped"], "{xml}");
    let json = call(&[&args[..], &["--format", "json"]].concat());
    let document: serde_json::Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!((&document["verdict"], &document["covered"]), (&"not_covered".into(), &false.into()));
}

#[test]
fn no_search_goes_beyond_the_last_seed() {
    let last = u64::MAX.to_string();
    for command in [&["explore"][..], &["compare", "burst-standard", "--designs", "shipped"]] {
        let called = call(&[command, &["--start-seed", &last, "--seeds", "2"]].concat());
        assert_eq!((called.code, called.out.as_str()), (exit::WRONG_INPUT, ""));
        assert!(called.err.contains(&format!("beyond the last seed, {last}")), "{}", called.err);
    }
    let one = call(&["explore", "tiny-two-claims", "--start-seed", &last, "--seeds", "1"]);
    assert!(one.out.contains(&format!("seeds {last} to {last}")), "{one:?}");
}
