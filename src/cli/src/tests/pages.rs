//! Results as pages.

use super::{Folder, call};
use crate::exit;

#[test]
fn a_run_is_drawn_and_its_trace_is_kept_as_well() {
    let folder = Folder::new("drawn");
    let (plain, beside) = (folder.path("plain.jsonl"), folder.path("beside.jsonl"));
    let drawn = call(&["run", "one-claim-standard", "--format", "html"]);
    assert_eq!(drawn.code, 0, "{}", drawn.err);
    for chart in ["calls come to their limit", "What was there", "What did each NodeClaim wait for"] {
        assert!(drawn.out.contains(chart), "{chart}");
    }
    assert_eq!(call(&["run", "one-claim-standard", "--trace", &plain]).code, 0);
    let both = call(&["run", "one-claim-standard", "--format", "html", "--trace", &beside]);
    assert_eq!(both.out, drawn.out);
    let read = |path: &str| std::fs::read_to_string(path).expect("it was written");
    assert_eq!(read(&plain), read(&beside));
}

#[test]
fn a_search_and_all_orders_are_written_in_each_format() {
    let search = ["explore", "--design", "shipped", "--seeds", "20", "--format"];
    let orders = ["explore", "tiny-two-claims", "--exhaustive", "1", "--format"];
    for command in [&search[..], &orders[..]] {
        let written = |format| call(&[command, &[format]].concat());
        let (markdown, csv, html) = (written("markdown"), written("csv"), written("html"));
        assert!(markdown.out.starts_with("# "), "{}{}", markdown.out, markdown.err);
        assert!(
            csv.out.starts_with("Findings,invariant,") || csv.out.starts_with("Orders that were tried,"),
            "{}",
            csv.out
        );
        assert!(html.out.ends_with("</html>\n"), "{}", html.out);
        assert_eq!((markdown.code, csv.code), (html.code, written("json").code));
    }
}

/// The diagrams of all NodeClaims of a run.
fn diagrams(scenario: &str) -> Vec<String> {
    let folder = Folder::new(&format!("diagrams-{scenario}"));
    let trace = folder.path("trace.jsonl");
    assert!(call(&["run", scenario, "--trace", &trace]).code <= exit::FAILED);
    let text = std::fs::read_to_string(&trace).expect("it was written");
    let events = text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("it is JSON"));
    let names: std::collections::BTreeSet<String> =
        events.filter_map(|event| Some(event["claim"]["name"].as_str()?.to_owned())).collect();
    assert!(!names.is_empty(), "{scenario} has NodeClaims");
    let diagram = |name: &String| call(&["show", &trace, "--claim", name, "--format", "mermaid"]).out;
    names.iter().map(diagram).collect()
}

#[test]
fn a_diagram_says_that_there_is_no_create() {
    for diagram in diagrams("orphans-standard") {
        assert!(diagram.contains("Note over NC,INST: no Create of "), "{diagram}");
    }
    assert!(!diagrams("one-claim-standard")[0].contains("no Create of"));
}

#[test]
fn a_diagram_tells_two_creates_of_one_claim_apart() {
    let of_two = diagrams("two-leaders");
    let marked = of_two.iter().find(|diagram| diagram.contains(" of process 2)"));
    let marked = marked.unwrap_or_else(|| panic!("no Creates overlap: {of_two:?}"));
    assert!(marked.contains(" of process 1)"), "{marked}");
    assert!(!diagrams("one-claim-standard")[0].contains(" of process"));
}

/// With other values what is listed may break or not, and the verdict does not ask.
#[test]
fn what_did_not_break_under_other_values_does_not_decide() {
    let called = call(&["run", "burst-standard", "--set", "workload[0].create.claims=3"]);
    assert_eq!(called.code, exit::OK, "{}", called.out);
    let line =
        called.out.lines().find(|line| line.contains("did not break")).unwrap_or_else(|| panic!("{}", called.out));
    assert!(line.ends_with("the scenario lists it as one that breaks; this does not decide"), "{line}");
}
