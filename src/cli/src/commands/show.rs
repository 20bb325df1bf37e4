//! `lkesim show`: tells a trace as a timeline, or draws the Create calls of a NodeClaim.

use crate::args::{Show as Args, Telling};
use crate::{Failure, Terminal, catalogue, exit, input};
use lkesim_report::story::About;
use lkesim_report::{sequence, story};

/// Runs the command.
pub fn show(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let trace = input::trace(&args.trace, terminal)?;
    let claims = story::claims(&trace);
    if let Some(name) = &args.claim {
        known("NodeClaim", name, &claims, &trace.source)?;
    }
    if let Some(name) = &args.pod {
        known("pod", name, &story::pods(&trace), &trace.source)?;
    }
    let about = match (&args.claim, &args.pod) {
        (Some(name), _) => About::Claim(name),
        (None, Some(name)) => About::Pod(name),
        (None, None) => About::All,
    };
    let style = terminal.style;
    match args.format {
        Telling::Text => terminal.put(|out| story::write(&trace, about, style, out))?,
        Telling::Mermaid if args.pod.is_some() => {
            return Err(Failure::Usage("--format mermaid draws a NodeClaim: give --claim, not --pod".to_owned()));
        }
        Telling::Mermaid => {
            let claim = args.claim.as_deref().or(claims.first().copied());
            let claim = claim.ok_or_else(|| Failure::Usage(format!("{} has no NodeClaim to draw", trace.source)))?;
            terminal.put(|out| sequence::write(&trace, claim, out))?;
        }
    }
    Ok(exit::OK)
}

/// Whether the trace has an object of this name; where it has none, what it has instead.
fn known(kind: &str, name: &str, all: &[&str], source: &str) -> Result<(), Failure> {
    if all.contains(&name) {
        return Ok(());
    }
    let in_cluster = |known: &&&str| known.rsplit_once('/').is_some_and(|(_, of_object)| of_object == name);
    let same: Vec<String> = all.iter().filter(in_cluster).map(|known| format!("`{known}`")).collect();
    if !same.is_empty() {
        let text = format!("{source} has the {kind} `{name}` in a cluster: {}", same.join(", "));
        return Err(Failure::Usage(text));
    }
    let help = match (catalogue::did_you_mean(name, all.iter().copied()), all) {
        (none, [first, .., last]) if none.is_empty() => format!("; it has `{first}` to `{last}`"),
        (none, [only]) if none.is_empty() => format!("; it has `{only}`"),
        (near, _) => near,
    };
    Err(Failure::Usage(format!("{source} has no {kind} `{name}`{help}")))
}
