//! What a search found, for people: the verdict first.

use lkesim_explore::explored::{Ended, Finding};
use lkesim_explore::{Explored, Verdict};
use lkesim_report::style::{Style, Tone, harmless};
use lkesim_report::units::{clock, count};
use std::io::{self, Write};

/// Writes it.
pub fn write(explored: &Explored, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (word, tone) = match explored.verdict {
        Verdict::Pass => ("PASS", Tone::Good),
        Verdict::Fail => ("FAIL", Tone::Bad),
    };
    writeln!(out, "{}  {}", style.paint(tone, word), harmless(&headline(explored)))?;
    for finding in &explored.findings {
        writeln!(out)?;
        write_finding(finding, style, out)?;
    }
    if !explored.missing.is_empty() {
        writeln!(out)?;
    }
    for case in &explored.missing {
        writeln!(out, "  {}  {case}: a declared hard case that never occurred", style.paint(Tone::Bad, "missing"))?;
    }
    for (what, runs) in &explored.not_modelled {
        let runs = count(*runs, "run");
        let mark = style.paint(Tone::Warn, "not modelled");
        writeln!(out, "\n  {mark}  {}, in {runs}", harmless(what))?;
    }
    let seen = explored.hard_cases.values().filter(|count| **count > 0).count();
    let never: Vec<&str> =
        explored.hard_cases.iter().filter(|(_, count)| **count == 0).map(|(case, _)| case.as_str()).collect();
    let never = if never.is_empty() { String::new() } else { format!("; never: {}", never.join(", ")) };
    writeln!(out, "\n{seen} of {} hard cases occurred{never}", explored.hard_cases.len())
}

/// What ran and how much was found, in a line.
pub fn headline(explored: &Explored) -> String {
    let ended = match explored.ended {
        Ended::Done => "",
        Ended::FirstFinding => ", stopped at the first finding",
        Ended::Stopped => ", stopped before its end",
    };
    let palette = explored.palette.join(", ");
    let last = explored.start_seed.wrapping_add(explored.runs.saturating_sub(1));
    format!(
        "{} under {}, seeds {} to {last}{ended}: {} in {} of {}, {} virtual hours",
        palette,
        explored.design,
        explored.start_seed,
        count(explored.findings.len() as u64, "finding"),
        explored.failed_runs,
        count(explored.runs, "run"),
        explored.virtual_ms / 3_600_000,
    )
}

fn write_finding(finding: &Finding, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let Finding { invariant, mechanism, count, first_seed, at_ms, text, repro } = finding;
    writeln!(out, "  {} {}", style.paint(Tone::Strong, format!("{count}×")), style.paint(Tone::Bad, invariant))?;
    writeln!(out, "      {}", harmless(mechanism))?;
    writeln!(out, "      seed {first_seed}, {}: {}", clock(*at_ms), harmless(text))?;
    writeln!(out, "      {}", style.paint(Tone::Faint, harmless(repro)))
}
