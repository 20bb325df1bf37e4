//! Text for a terminal: the verdict first, then what broke, then one screen of figures.
//!
//! A run fits [`SCREEN`] lines. What broke has its room first, then the short tables, then as much of the long one as
//! there is left; JSON and Markdown have all of it.

use super::Format;
use crate::Run;
use crate::side_by_side;
use crate::style::{Style, Tone, harmless};
use crate::summary::{self, Finding};
use crate::table::{Table, beside};
use lkesim_judge::Outcome;
use std::io::{self, Write};

/// The lines that a run may take.
pub const SCREEN: usize = 40;

/// The most lines that findings may take of them.
const FOR_FINDINGS: usize = 10;

/// The most lines that calls by endpoint may take.
const FOR_ENDPOINTS: usize = 3;

/// The most details of one finding.
const DETAILS: usize = 3;

/// The most lines of one detail.
const LINES_A_DETAIL: usize = 3;

/// The longest line of a finding, in characters.
const LONGEST: usize = 110;

/// The format.
pub struct Text;

impl Format for Text {
    fn name(&self) -> &'static str {
        "text"
    }

    fn summary(&self) -> &'static str {
        "one screen for people"
    }

    fn one(&self, run: &Run<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
        for line in page(run, style) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }

    fn several(&self, runs: &[Run<'_>], style: Style, out: &mut dyn Write) -> io::Result<()> {
        for run in runs {
            writeln!(out, "{}", verdict_line(run, style))?;
            for line in finding_lines(&summary::findings(run.outcome), style, FOR_FINDINGS / runs.len().max(1)) {
                writeln!(out, "{line}")?;
            }
        }
        for table in [side_by_side::figures(runs), side_by_side::budgets(runs)] {
            writeln!(out)?;
            for line in table.lines(style) {
                writeln!(out, "{line}")?;
            }
        }
        for run in runs.iter().filter(|run| failed(run)) {
            writeln!(out, "\n{}", repeat_line(run, style))?;
        }
        Ok(())
    }
}

fn failed(run: &Run<'_>) -> bool {
    run.outcome.verdict == lkesim_judge::outcome::Verdict::Fail
}

fn verdict_line(run: &Run<'_>, style: Style) -> String {
    let (word, tone) = summary::verdict(run.outcome);
    let headline = summary::headline(run.outcome);
    format!("{}  {}", style.paint(tone, word), harmless(&headline))
}

fn repeat_line(run: &Run<'_>, style: Style) -> String {
    format!("{} {}", style.paint(Tone::Strong, "repeat it:"), harmless(run.repeat))
}

fn page(run: &Run<'_>, style: Style) -> Vec<String> {
    let outcome = run.outcome;
    let mut lines = vec![verdict_line(run, style)];
    let course = summary::course(outcome);
    lines.push(format!("      {}", style.paint(Tone::Faint, harmless(&course))));
    lines.extend(finding_lines(&summary::findings(outcome), style, FOR_FINDINGS));
    if failed(run) {
        lines.push(repeat_line(run, style));
    }
    lines.push(String::new());
    // The facts are sentences and need no heading.
    lines.extend(summary::facts(outcome).lines(style).into_iter().skip(1));
    lines.extend(endpoint_lines(outcome));
    lines.push(String::new());
    lines.extend(beside(&summary::times(outcome), &summary::limits(outcome), style));
    let budgets = summary::budgets_used(outcome);
    // The table has an empty line before it and a heading.
    let room = SCREEN.saturating_sub(lines.len() + 2);
    if !budgets.rows.is_empty() && room > 0 {
        lines.push(String::new());
        lines.extend(cut(budgets, room, style));
    }
    lines
}

/// Calls by endpoint as a list, the most asked first: a row each would take half the screen.
fn endpoint_lines(outcome: &Outcome) -> Vec<String> {
    let mut all: Vec<_> = outcome.api.by_endpoint.iter().collect();
    all.sort_by_key(|(name, used)| (std::cmp::Reverse(used.calls), *name));
    let words = all.iter().map(|(name, used)| {
        let troubles = [(used.throttled, "throttled"), (used.errors, "failed"), (used.retries, "retried")];
        let troubles = troubles.iter().filter(|(n, _)| *n > 0);
        let troubles: Vec<String> = troubles.map(|(n, what)| format!("{n}\u{a0}{what}")).collect();
        match troubles.is_empty() {
            true => format!("{name}\u{a0}{}", used.calls),
            false => format!("{name}\u{a0}{}\u{a0}({})", used.calls, troubles.join(",\u{a0}")),
        }
    });
    let text = words.collect::<Vec<_>>().join(", ");
    // What belongs together is held together by spaces that do not break.
    let lines = folded(&text, FOR_ENDPOINTS).into_iter();
    lines.filter(|line| !line.is_empty()).map(|line| format!("            {}", line.replace('\u{a0}', " "))).collect()
}

/// A table's lines with at most `rows` rows, the last of which says how many were left out.
fn cut(mut table: Table, rows: usize, style: Style) -> Vec<String> {
    let left_out = table.rows.len() - rows.min(table.rows.len());
    if left_out == 0 {
        return table.lines(style);
    }
    table.rows.truncate(rows - 1);
    let mut lines = table.lines(style);
    let rest = format!("… {} more: --format json has all", left_out + 1);
    lines.push(style.paint(Tone::Faint, rest).to_string());
    lines
}

/// A line a finding, then as many of its details as there is room for.
fn finding_lines(findings: &[Finding], style: Style, room: usize) -> Vec<String> {
    let all = findings.len();
    let shown = if all > room { room.saturating_sub(1) } else { all };
    let findings = &findings[..shown];
    let marks = findings.iter().map(|finding| finding.mark.len()).max().unwrap_or(0);
    let texts: Vec<Vec<String>> = findings.iter().map(|finding| detail_lines(finding, usize::MAX)).collect();
    let given = shared(room.saturating_sub(shown), &texts);
    let mut lines = Vec::new();
    for (finding, given) in findings.iter().zip(given) {
        let mark = style.paint(finding.tone, finding.mark);
        let fill = " ".repeat(marks - finding.mark.len());
        let text = format!("{}: {}", finding.name, finding.text);
        lines.push(format!("  {mark}{fill}  {}", folded(&text, 1).concat()));
        lines.extend(detail_lines(finding, given).iter().map(|line| format!("      {line}")));
    }
    if shown < all {
        lines.push(format!("  … {} more: --format json has all", all - shown));
    }
    lines
}

/// The lines of a finding's details, at most so many: what has no room for all of its lines ends in a mark.
fn detail_lines(finding: &Finding, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for detail in finding.details.iter().take(DETAILS) {
        let room = LINES_A_DETAIL.min(most - lines.len());
        if room > 0 {
            lines.extend(folded(detail, room));
        }
    }
    lines
}

/// How many lines each has of the room: one after the other is given one, until all have what they want.
fn shared(room: usize, wanted: &[Vec<String>]) -> Vec<usize> {
    let mut given = vec![0; wanted.len()];
    let mut left = room;
    while left > 0 {
        let before = left;
        for (given, wanted) in given.iter_mut().zip(wanted) {
            if left > 0 && *given < wanted.len() {
                *given += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    given
}

/// Text in at most `most` lines, broken at spaces; what has no room ends in an ellipsis.
fn folded(text: &str, most: usize) -> Vec<String> {
    let text = harmless(text);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        let used = lines.last().map_or(LONGEST, |line| line.chars().count());
        if used + 1 + word.chars().count() > LONGEST {
            if lines.len() == most {
                if let Some(line) = lines.last_mut() {
                    line.push('…');
                }
                return lines;
            }
            lines.push(word.to_owned());
        } else if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines
}
