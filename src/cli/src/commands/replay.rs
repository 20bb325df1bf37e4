//! `lkesim replay`: runs what a trace recorded again, and compares event by event.

use crate::args::Replay as Args;
use crate::runner::{self, ReplayError, Replayed, RunError};
use crate::{Failure, Terminal, catalogue, exit, input};
use lkesim_judge::trace::{Header, Trace};
use lkesim_report::diff;
use lkesim_report::style::harmless;
use lkesim_report::units::count;
use serde_json::Value;

/// Runs the command.
pub fn replay(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let recorded = input::trace(&args.trace, terminal)?;
    let own = Header::new("", "", 0, Value::Null).program;
    let is_own = recorded.header.program == own;
    if !is_own {
        let other = &harmless(&recorded.header.program.to_string()).into_owned();
        terminal.tell(&format!("warning: the trace is of {other}, and this is {own}: it may not repeat"));
    }
    let Replayed { trace: again, unmatched } =
        runner::replay(&recorded, &catalogue::known().names()).map_err(|error| why(error, &recorded))?;
    for key in unmatched {
        terminal.tell(&format!("warning: the recorded departure `{key}` matched nothing", key = harmless(&key)));
    }
    // Another version may tell the same run with other words and figures; what happened is in the digest.
    let is_equal = !is_own || diff::compare(&recorded, &again).is_none();
    if is_equal && recorded.footer.digest == again.footer.digest {
        let events = count(recorded.footer.events, "event");
        terminal.print(&format!("repeated: {events}, digest {}\n", again.footer.digest))?;
        return Ok(exit::OK);
    }
    let style = terminal.style;
    terminal
        .put(|out| diff::write(&recorded, &again, style, out))
        .map_err(|failure| failure.with_code(exit::DIVERGED))?;
    Err(Failure::Diverged)
}

fn why(error: ReplayError, recorded: &Trace) -> Failure {
    match error {
        ReplayError::Scenario(text) => Failure::Scenario(text),
        ReplayError::Schedule(_) | ReplayError::Run(RunError::UnknownDesign(_)) => {
            Failure::Input(format!("{}: {error}", recorded.source))
        }
        ReplayError::Run(RunError::NotModelled(what)) => Failure::NotModelled(what),
        ReplayError::Run(other) => Failure::Bug(other.to_string()),
    }
}
