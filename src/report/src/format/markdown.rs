//! Markdown for pull requests and pages: everything that the run has to say.

use super::Format;
use crate::Run;
use crate::side_by_side;
use crate::style::{Style, harmless};
use crate::summary;
use crate::table::{Table, escaped};
use lkesim_judge::outcome::Verdict;
use std::io::{self, Write};

/// The format.
pub struct Markdown;

impl Format for Markdown {
    fn name(&self) -> &'static str {
        "markdown"
    }

    fn summary(&self) -> &'static str {
        "all tables, for a pull request or a page"
    }

    fn one(&self, run: &Run<'_>, _: Style, out: &mut dyn Write) -> io::Result<()> {
        let outcome = run.outcome;
        let (word, _) = summary::verdict(outcome);
        writeln!(out, "# {word}: {}\n", escaped(&summary::headline(outcome)))?;
        if !outcome.about.is_empty() {
            writeln!(out, "{}\n", escaped(&outcome.about))?;
        }
        writeln!(out, "{}\n", escaped(&summary::course(outcome)))?;
        findings(run, out)?;
        repeat(run, out)?;
        section(out, "What became", &summary::facts(outcome))?;
        section(out, "Times", &summary::times(outcome))?;
        section(out, "Rate limits", &summary::limits(outcome))?;
        section(out, "Calls by endpoint", &summary::endpoints(outcome))?;
        section(out, "Calls by operation, beside the document's budget", &summary::budgets(outcome))?;
        section(out, "Calls by cause", &summary::causes(outcome))?;
        section(out, "Calls by client", &summary::clients(outcome))?;
        section(out, "Expected", &summary::expectations(outcome))?;
        section(out, "Hard cases", &summary::cases(outcome))
    }

    fn several(&self, runs: &[Run<'_>], _: Style, out: &mut dyn Write) -> io::Result<()> {
        let scenario = runs.first().map_or("nothing", |run| &run.outcome.scenario);
        writeln!(out, "# Designs side by side: {}\n", escaped(scenario))?;
        for run in runs {
            let (word, _) = summary::verdict(run.outcome);
            writeln!(out, "- **{word}** {}", escaped(&summary::headline(run.outcome)))?;
        }
        writeln!(out)?;
        section(out, "Figures", &side_by_side::figures(runs))?;
        section(out, "Calls/budget by operation", &side_by_side::budgets(runs))?;
        for run in runs {
            if !summary::findings(run.outcome).is_empty() {
                writeln!(out, "## {}\n", escaped(&run.outcome.design))?;
            }
            findings(run, out)?;
            repeat(run, out)?;
        }
        Ok(())
    }
}

fn findings(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    let findings = summary::findings(run.outcome);
    for finding in &findings {
        let (name, text) = (escaped(&finding.name), escaped(&finding.text));
        writeln!(out, "- **{}** {name}: {text}", finding.mark)?;
        for detail in &finding.details {
            writeln!(out, "  - {}", escaped(detail))?;
        }
    }
    if findings.is_empty() { Ok(()) } else { writeln!(out) }
}

fn repeat(run: &Run<'_>, out: &mut dyn Write) -> io::Result<()> {
    match run.outcome.verdict {
        Verdict::Fail => writeln!(out, "Repeat it:\n\n    {}\n", harmless(run.repeat)),
        Verdict::Pass => Ok(()),
    }
}

fn section(out: &mut dyn Write, title: &str, table: &Table) -> io::Result<()> {
    if table.rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "## {title}\n\n{}", table.markdown())
}
