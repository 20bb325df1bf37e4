//! What a search found, as JUnit XML: a test case an invariant, which fails once for each mechanism.

use lkesim_explore::exhaustive::Proof;
use lkesim_explore::explored::Finding;
use lkesim_explore::trial::{PANIC, SPINNING};
use lkesim_explore::{Exhausted, Explored};
use lkesim_judge::invariants::INVARIANTS;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The name of the test case about hard cases.
const HARD_CASES: &str = "hard-cases-occur";

/// The name of the test case about orders that were not tried.
const COVERED: &str = "all-orders-tried";

/// The name of the test case about what is not modelled.
const MODELLED: &str = "everything-is-modelled";

/// A test suite.
pub struct Suite {
    name: String,
    class: String,
    /// Each test case with its failures.
    cases: Vec<(String, Vec<String>)>,
    /// A test case that came to no end, and why.
    skipped: Option<(&'static str, &'static str)>,
}

/// Writes it.
pub fn write(suite: &Suite, out: &mut dyn Write) -> io::Result<()> {
    let failed = suite.cases.iter().filter(|(_, failures)| !failures.is_empty()).count();
    let skipped = usize::from(suite.skipped.is_some());
    let (name, class, tests) = (escaped(&suite.name), escaped(&suite.class), suite.cases.len() + skipped);
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="lkesim" tests="{tests}" failures="{failed}" errors="0">"#)?;
    writeln!(out, r#"  <testsuite name="{name}" tests="{tests}" failures="{failed}" errors="0" skipped="{skipped}">"#)?;
    for (case, failures) in &suite.cases {
        let case = escaped(case);
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
    if let Some((case, why)) = suite.skipped {
        writeln!(out, r#"    <testcase classname="{class}" name="{case}"><skipped message="{why}"/></testcase>"#)?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

/// What a search over seeds found.
pub fn of_search(explored: &Explored) -> Suite {
    let of = |finding: &Finding| (finding.invariant.clone(), failure(finding));
    let missing = explored.missing.iter().map(|case| format!("{case} never occurred"));
    let cases = cases(explored.findings.iter().map(of).collect(), &explored.not_modelled)
        .into_iter()
        .chain([(HARD_CASES.to_owned(), missing.collect())]);
    Suite {
        name: format!("lkesim explore {}", explored.palette.join(" ")),
        class: format!("lkesim.{}", explored.design),
        cases: cases.collect(),
        skipped: None,
    }
}

/// What came of all orders.
pub fn of_all_orders(exhausted: &Exhausted) -> Suite {
    let of = |proof: &Proof| {
        let Proof { invariant, mechanism, count, text, repro, .. } = proof;
        (invariant.clone(), format!("{mechanism}\n{count} orders: {text}\n{repro}"))
    };
    let mut cases = cases(exhausted.findings.iter().map(of).collect(), &exhausted.not_modelled);
    let skipped = (!exhausted.covered).then_some((COVERED, "not all orders were tried"));
    if exhausted.covered {
        cases.push((COVERED.to_owned(), Vec::new()));
    }
    Suite {
        name: format!("lkesim explore {} --exhaustive {}", exhausted.scenario, exhausted.departures),
        class: format!("lkesim.{}", exhausted.design),
        cases,
        skipped,
    }
}

/// A case for each invariant, and one for what is not modelled.
fn cases(failures: Vec<(String, String)>, not_modelled: &BTreeMap<String, u64>) -> Vec<(String, Vec<String>)> {
    let names = INVARIANTS.iter().map(|invariant| invariant.name).chain([PANIC, SPINNING]);
    let of = |name: &str| failures.iter().filter(|(of, _)| of == name).map(|(_, text)| text.clone()).collect();
    let mut cases: Vec<(String, Vec<String>)> = names.map(|name| (name.to_owned(), of(name))).collect();
    let not_modelled = not_modelled.iter().map(|(what, runs)| format!("{what}, in {runs} runs"));
    cases.push((MODELLED.to_owned(), not_modelled.collect()));
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
