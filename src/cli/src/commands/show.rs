//! `lkesim show`: tells a trace as a timeline, or draws the Create calls of a NodeClaim.

use crate::args::{Show as Args, Telling};
use crate::{Failure, Terminal, catalogue, exit, input};
use lkesim_report::{sequence, story};

/// Runs the command.
pub fn show(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let trace = input::trace(&args.trace, terminal)?;
    let claims = story::claims(&trace);
    if let Some(name) = &args.claim
        && !claims.contains(&name.as_str())
    {
        let in_cluster = |claim: &&&str| claim.rsplit_once('/').is_some_and(|(_, of_object)| of_object == name);
        let same: Vec<String> = claims.iter().filter(in_cluster).map(|claim| format!("`{claim}`")).collect();
        if !same.is_empty() {
            let text = format!("{} has the NodeClaim `{name}` in a cluster: {}", trace.source, same.join(", "));
            return Err(Failure::Usage(text));
        }
        let help = match (catalogue::did_you_mean(name, claims.iter().copied()), &claims[..]) {
            (none, [first, .., last]) if none.is_empty() => format!("; it has `{first}` to `{last}`"),
            (none, [only]) if none.is_empty() => format!("; it has `{only}`"),
            (near, _) => near,
        };
        return Err(Failure::Usage(format!("{} has no NodeClaim `{name}`{help}", trace.source)));
    }
    let style = terminal.style;
    match args.format {
        Telling::Text => terminal.put(|out| story::write(&trace, args.claim.as_deref(), style, out))?,
        Telling::Mermaid => {
            let claim = args.claim.as_deref().or(claims.first().copied());
            let claim = claim.ok_or_else(|| Failure::Usage(format!("{} has no NodeClaim to draw", trace.source)))?;
            terminal.put(|out| sequence::write(&trace, claim, out))?;
        }
    }
    Ok(exit::OK)
}
