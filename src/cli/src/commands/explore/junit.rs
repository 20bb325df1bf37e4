//! What a search found, as JUnit XML: a test case an invariant, which fails once for each mechanism.

use lkesim_explore::Explored;
use lkesim_explore::explored::Finding;
use lkesim_explore::trial::{PANIC, SPINNING};
use lkesim_judge::invariants::INVARIANTS;
use std::io::{self, Write};

/// The name of the test case about hard cases.
const HARD_CASES: &str = "hard-cases-occur";

/// The name of the test case about what is not modelled.
const MODELLED: &str = "everything-is-modelled";

/// Writes it.
pub fn write(explored: &Explored, out: &mut dyn Write) -> io::Result<()> {
    let cases: Vec<(&str, Vec<String>)> = cases(explored);
    let failed = cases.iter().filter(|(_, failures)| !failures.is_empty()).count();
    let (name, tests) = (escaped(&format!("lkesim explore {}", explored.palette.join(" "))), cases.len());
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="lkesim" tests="{tests}" failures="{failed}" errors="0">"#)?;
    writeln!(out, r#"  <testsuite name="{name}" tests="{tests}" failures="{failed}" errors="0" skipped="0">"#)?;
    let class = escaped(&format!("lkesim.{}", explored.design));
    for (case, failures) in &cases {
        if failures.is_empty() {
            writeln!(out, r#"    <testcase classname="{class}" name="{case}"/>"#)?;
            continue;
        }
        writeln!(out, r#"    <testcase classname="{class}" name="{case}">"#)?;
        let first = failures[0].lines().next().unwrap_or_default();
        let message = match failures.len() {
            1 => first.to_owned(),
            more => format!("{first} (and {} more)", more - 1),
        };
        let text = escaped(&failures.join("\n\n"));
        writeln!(out, r#"      <failure message="{}">{text}</failure>"#, escaped(&message))?;
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

fn cases(explored: &Explored) -> Vec<(&str, Vec<String>)> {
    let names = INVARIANTS.iter().map(|invariant| invariant.name).chain([PANIC, SPINNING]);
    let of = |name: &str| {
        let findings = explored.findings.iter().filter(|finding| finding.invariant == name);
        findings.map(failure).collect::<Vec<_>>()
    };
    let mut cases: Vec<(&str, Vec<String>)> = names.map(|name| (name, of(name))).collect();
    let missing = explored.missing.iter().map(|case| format!("{case} never occurred"));
    cases.push((HARD_CASES, missing.collect()));
    let not_modelled = explored.not_modelled.iter().map(|(what, runs)| format!("{what}, in {runs} runs"));
    cases.push((MODELLED, not_modelled.collect()));
    cases
}

fn failure(finding: &Finding) -> String {
    let Finding { mechanism, count, first_seed, text, repro, .. } = finding;
    format!("{mechanism}\n{count} runs, first in seed {first_seed}: {text}\n{repro}")
}

/// Text as XML has it. Characters that XML has none of are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
