//! Text for a terminal: the verdict first, then what broke, then one screen of figures.
//!
//! A run fits [`SCREEN`] lines. What broke has its room first, then the short tables, then as much of the long ones as
//! is left; JSON and Markdown have all of it.

use super::Format;
use crate::Run;
use crate::side_by_side;
use crate::style::{Style, Tone, harmless};
use crate::summary::{self, Finding};
use crate::table::{Table, beside};
use std::io::{self, Write};

/// The lines that a run may take.
pub const SCREEN: usize = 40;

/// The most lines that findings may take of them.
const FOR_FINDINGS: usize = 12;

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
            for line in finding_lines(
                &summary::findings(run.outcome),
                style,
                FOR_FINDINGS / runs.len().max(1),
            ) {
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
    format!("{} {}", style.paint(Tone::Strong, "repeat it:"), run.repeat)
}

fn page(run: &Run<'_>, style: Style) -> Vec<String> {
    let outcome = run.outcome;
    let mut lines = vec![verdict_line(run, style)];
    let course = summary::course(outcome);
    lines.push(format!("      {}", style.paint(Tone::Faint, course)));
    lines.extend(finding_lines(
        &summary::findings(outcome),
        style,
        FOR_FINDINGS,
    ));
    if failed(run) {
        lines.push(repeat_line(run, style));
    }
    lines.push(String::new());
    // The facts are sentences and need no heading.
    lines.extend(summary::facts(outcome).lines(style).into_iter().skip(1));
    lines.push(String::new());
    lines.extend(beside(
        &summary::times(outcome),
        &summary::limits(outcome),
        style,
    ));
    long_tables(&mut lines, run, style);
    lines
}

/// The two tables that may be long share what is left of the screen.
fn long_tables(lines: &mut Vec<String>, run: &Run<'_>, style: Style) {
    let endpoints = summary::endpoints(run.outcome);
    let budgets = summary::budgets_used(run.outcome);
    // Each table has an empty line before it and a heading.
    let room = SCREEN.saturating_sub(lines.len() + 4);
    let (for_endpoints, for_budgets) = shared(room, endpoints.rows.len(), budgets.rows.len());
    for (table, rows) in [(endpoints, for_endpoints), (budgets, for_budgets)] {
        if !table.rows.is_empty() && rows > 0 {
            lines.push(String::new());
            lines.extend(cut(table, rows, style));
        }
    }
}

/// Rows for two tables: a third of the room for the first, the rest for the second, and what one leaves the other takes.
fn shared(room: usize, first: usize, second: usize) -> (usize, usize) {
    let first_has = first.min(room.saturating_sub(second).max(room / 3));
    (first_has, second.min(room - first_has))
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
    let shown = if all > room {
        room.saturating_sub(1)
    } else {
        all
    };
    let findings = &findings[..shown];
    let marks = findings
        .iter()
        .map(|finding| finding.mark.len())
        .max()
        .unwrap_or(0);
    let mut spare = room.saturating_sub(shown);
    let mut lines = Vec::new();
    for finding in findings {
        let mark = style.paint(finding.tone, finding.mark);
        let fill = " ".repeat(marks - finding.mark.len());
        let text = format!("{}: {}", finding.name, finding.text);
        lines.push(format!("  {mark}{fill}  {}", folded(&text, 1).concat()));
        for detail in &finding.details {
            let detail = folded(detail, spare.min(LINES_A_DETAIL));
            spare -= detail.len();
            lines.extend(detail.iter().map(|line| format!("      {line}")));
        }
    }
    if shown < all {
        lines.push(format!("  … {} more: --format json has all", all - shown));
    }
    lines
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
