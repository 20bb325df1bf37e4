//! Each page as its reader sees it.

use crate::format::{self, FORMATS};
use crate::samples::{ONE_CLAIM, failed, other_design, passed, trace};
use crate::story::About;
use crate::style::Style;
use crate::{Run, diff, repeat, sequence, story};
use lkesim_judge::Outcome;
use lkesim_judge::outcome::{ClientUse, EndpointUse};
use proptest::prelude::*;

fn written(write: impl FnOnce(&mut Vec<u8>) -> std::io::Result<()>) -> String {
    let mut out = Vec::new();
    write(&mut out).expect("memory takes all");
    String::from_utf8(out).expect("text")
}

fn report(format: &str, outcomes: &[Outcome], style: Style) -> String {
    let repeat = repeat::command(
        "burst-enterprise",
        Some("documented"),
        1,
        &repeat::Order::Named("fifo"),
        &["cloud.tier=standard".to_owned()],
    );
    let run = |outcome| Run { outcome, repeat: &repeat, trace: None };
    let runs: Vec<Run<'_>> = outcomes.iter().map(run).collect();
    let format = format::find(format).expect("a format");
    written(|out| format::write(format, &runs, style, out))
}

#[test]
fn a_run_in_every_format() {
    for format in FORMATS {
        let name = format.name();
        insta::assert_snapshot!(format!("passed_{name}"), report(name, &[passed()], Style::PLAIN));
        insta::assert_snapshot!(format!("failed_{name}"), report(name, &[failed()], Style::PLAIN));
    }
}

#[test]
fn two_designs_in_every_format() {
    for format in FORMATS {
        let name = format.name();
        let both = [passed(), other_design()];
        insta::assert_snapshot!(format!("designs_{name}"), report(name, &both, Style::PLAIN));
    }
}

#[test]
fn json_begins_with_its_schema_and_reads_back() {
    let text = report("json", &[failed()], Style::PLAIN);
    assert!(text.starts_with("{\n  \"schema\": \"lkesim.run/1\""));
    assert_eq!(serde_json::from_str::<Outcome>(&text).expect("it reads back"), failed());
    let both = report("json", &[passed(), failed()], Style::PLAIN);
    assert!(both.starts_with("{\n  \"schema\": \"lkesim.runs/1\""));
}

#[test]
fn colour_adds_codes_and_nothing_else() {
    let coloured = report("text", &[failed()], Style { colour: true });
    assert!(coloured.contains("\x1b[1;31mFAIL\x1b[0m"));
    let mut plain = String::new();
    for part in coloured.split('\x1b') {
        plain.push_str(part.split_once('m').filter(|_| part.starts_with('[')).map_or(part, |(_, rest)| rest));
    }
    assert_eq!(plain, report("text", &[failed()], Style::PLAIN));
}

#[test]
fn no_line_ends_in_a_space() {
    let text = report("text", &[failed()], Style::PLAIN) + &report("text", &[passed(), failed()], Style::PLAIN);
    let lines: Vec<&str> = text.lines().filter(|line| line.ends_with(' ')).collect();
    assert_eq!(lines, Vec::<&str>::new());
}

/// An outcome with as much to say as one can have.
fn crowded(findings: usize, endpoints: usize) -> Outcome {
    let mut outcome = failed();
    for n in 0..findings {
        let mut invariant = outcome.invariants[0].clone();
        invariant.name = format!("invariant-{n}");
        outcome.invariants.push(invariant);
    }
    for n in 0..endpoints {
        let used = EndpointUse { calls: n as u64, ..EndpointUse::default() };
        outcome.api.by_endpoint.insert(format!("Endpoint{n}"), used);
        let create = outcome.api.by_operation["Create"].clone();
        outcome.api.by_operation.insert(format!("Operation{n}"), create);
    }
    outcome
}

proptest! {
    #[test]
    fn a_run_fits_one_screen(findings in 0..30_usize, endpoints in 0..30_usize) {
        let text = report("text", &[crowded(findings, endpoints)], Style::PLAIN);
        prop_assert!(text.lines().count() <= 40, "{} lines:\n{}", text.lines().count(), text);
    }

    #[test]
    fn hostile_names_stay_on_their_line(name in "\\PC*|[\\x00-\\x1f|`;#]{1,8}") {
        let mut outcome = failed();
        outcome.scenario = name.clone();
        let calm = report("text", &[failed()], Style::PLAIN);
        let text = report("text", &[outcome], Style::PLAIN);
        prop_assert_eq!(text.lines().count(), calm.lines().count());
        prop_assert!(!text.contains('\x1b'));
    }

    #[test]
    fn a_shell_reads_back_what_was_quoted(word in "[ -~]{0,20}") {
        let quoted = repeat::quoted(&word);
        // A shell's own rules: within single quotes all is literal, and \' stands for a quote outside.
        let read = quoted.replace(r"'\''", "\0").replace('\'', "").replace('\0', "'");
        prop_assert_eq!(read, word);
    }
}

#[test]
fn several_clients_have_their_lines() {
    let mut shared = passed();
    shared.api.by_client.insert("autoscaler".into(), ClientUse { calls: 600, throttled: 7 });
    let text = report("text", &[shared.clone()], Style::PLAIN);
    assert!(text.contains("autoscaler: 600, 7 throttled; karpenter: 650, 12 throttled"), "{text}");
    let text = report("text", &[passed(), shared], Style::PLAIN);
    assert!(
        text.contains("API calls throttled of `autoscaler`") && text.contains("API calls of `karpenter`"),
        "{text}"
    );
    assert!(!report("text", &[passed(), passed()], Style::PLAIN).contains("of `karpenter`"));
}

#[test]
fn the_story_of_all_and_of_one() {
    let trace = trace("run.jsonl", ONE_CLAIM, &failed());
    insta::assert_snapshot!("story", written(|out| story::write(&trace, About::All, Style::PLAIN, out)));
    insta::assert_snapshot!(
        "story_of_one",
        written(|out| story::write(&trace, About::Claim("burst-0"), Style::PLAIN, out))
    );
    assert_eq!(story::claims(&trace), ["burst-0", "other"]);
}

#[test]
fn a_create_as_the_documents_diagram() {
    let trace = trace("run.jsonl", ONE_CLAIM, &passed());
    insta::assert_snapshot!("sequence", written(|out| sequence::write(&trace, "burst-0", out)));
}

#[test]
fn equal_traces_are_equal() {
    let (one, other) = (trace("a.jsonl", ONE_CLAIM, &passed()), trace("b.jsonl", ONE_CLAIM, &passed()));
    insta::assert_snapshot!(
        written(|out| diff::write(&one, &other, Style::PLAIN, out)),
        @"equal: a.jsonl and b.jsonl, 43 events, digest 0123456789abcdef"
    );
}

#[test]
fn the_first_difference_is_shown_in_its_context() {
    let changed = ONE_CLAIM.replacen("\"at_ms\":6580,\"at_ns\":6580000000", "\"at_ms\":6590,\"at_ns\":6590000000", 1);
    let (one, other) = (trace("a.jsonl", ONE_CLAIM, &passed()), trace("b.jsonl", &changed, &other_design()));
    insta::assert_snapshot!("diff", written(|out| diff::write(&one, &other, Style::PLAIN, out)));
    let shorter: Vec<&str> = ONE_CLAIM.lines().take(20).collect();
    let shorter = trace("b.jsonl", &shorter.join("\n"), &passed());
    let event = diff::compare(&one, &shorter).event.expect("one is longer");
    assert_eq!((event.number, event.right.is_none()), (21, true));
}

#[test]
fn lengths_read_well() {
    let lengths = [0, 999, 1_000, 12_345, 59_999, 65_300, 3_599_999, 3_600_000, 90_000_000];
    let shown = lengths.map(crate::units::length);
    assert_eq!(shown, ["0ms", "999ms", "1.0s", "12.3s", "59.9s", "1m05s", "59m59s", "1h00m", "25h00m"]);
}

#[test]
fn changes_have_a_sign_and_a_share() {
    let changes = [(0, 0), (0, 5), (10, 11), (200, 100), (3, 4), (3, 2)];
    let shown = changes.map(|(from, to)| crate::units::delta(from, to));
    assert_eq!(shown, ["=", "+5", "+1 (+10%)", "-100 (-50%)", "+1 (+33%)", "-1 (-33%)"]);
}

#[test]
fn exact_lengths_are_written_as_in_a_scenario() {
    let cases =
        [(0, "0s"), (250, "250ms"), (60_000, "1m"), (65_300, "1m5.3s"), (7_200_000, "2h"), (3_600_005, "1h0.005s")];
    for (ms, text) in cases {
        assert_eq!(crate::units::exact(ms), text);
    }
}

#[test]
fn a_time_that_never_ended_is_marked() {
    use crate::summary::Quantile;
    let times = lkesim_judge::outcome::Times {
        n: 9,
        of: 10,
        p50_ms: 1_000,
        p90_ms: 2_000,
        p99_ms: 3_600_000,
        max_ms: 3_600_000,
    };
    let words = |ended_ms| Quantile::ALL.map(|quantile| quantile.words(&times, ended_ms));
    assert_eq!(words(3_600_000), ["1.0s", "2.0s", ">1h00m", ">1h00m"]);
    assert_eq!(words(1_350_000), ["1.0s", "2.0s", "never", "never"]);
}

#[test]
fn an_expected_time_is_told_as_one_and_says_where_it_does_not_decide() {
    let mut outcome = failed();
    let expectation = &mut outcome.expectations[0];
    expectation.figure = "time_to.launch.p99_ms".to_owned();
    expectation.expected = "<= 1m".to_owned();
    expectation.actual = serde_json::from_value(serde_json::json!(65_300)).ok();
    expectation.decides = false;
    let found = crate::summary::findings(&outcome);
    let text = "expected <= 1m, was 1m5.3s; this does not decide";
    assert!(found.iter().any(|finding| finding.text == text), "{found:?}");
}
