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
    let pods = story::pods(&trace);
    let pod = args.pod.as_deref().map(|name| pod_of(name, &pods));
    if let Some(name) = pod {
        known("pod", name, &pods, &trace.source)?;
    }
    let about = match (&args.claim, pod) {
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

/// The pod that is meant. One of the namespace `default` is called without it, and of another the namespace may be left
/// out where one pod alone has the name.
fn pod_of<'a>(name: &'a str, all: &[&'a str]) -> &'a str {
    let usual = name.strip_prefix("default/").filter(|rest| all.contains(rest));
    let mut same = all.iter().filter(|known| known.rsplit_once('/').is_some_and(|(_, of_object)| of_object == name));
    match (all.contains(&name), usual, same.next(), same.next()) {
        (true, ..) => name,
        (_, Some(usual), ..) => usual,
        (_, _, Some(only), None) => only,
        _ => name,
    }
}

/// Whether the trace has an object of this name; where it has none, what it has instead.
fn known(kind: &str, name: &str, all: &[&str], source: &str) -> Result<(), Failure> {
    if all.contains(&name) {
        return Ok(());
    }
    let in_cluster = |known: &&&str| known.rsplit_once('/').is_some_and(|(_, of_object)| of_object == name);
    let same: Vec<String> = all.iter().filter(in_cluster).map(|known| format!("`{known}`")).collect();
    if !same.is_empty() {
        let within = if kind == "pod" { "several namespaces or clusters" } else { "a cluster" };
        let text = format!("{source} has the {kind} `{name}` in {within}: {}", same.join(", "));
        return Err(Failure::Usage(text));
    }
    let help = match (catalogue::did_you_mean(name, all.iter().copied()), all) {
        (none, [first, .., last]) if none.is_empty() => format!("; it has `{first}` to `{last}`"),
        (none, [only]) if none.is_empty() => format!("; it has `{only}`"),
        (near, _) => near,
    };
    Err(Failure::Usage(format!("{source} has no {kind} `{name}`{help}")))
}

#[cfg(test)]
mod tests {
    use super::pod_of;

    #[test]
    fn a_pod_is_meant_by_its_name_where_that_is_one_pods_alone() {
        let all = ["shop/db-0", "shop/web", "test/web", "web-1"];
        for (written, meant) in [
            ("shop/db-0", "shop/db-0"),
            ("db-0", "shop/db-0"),
            ("web", "web"),
            ("web-1", "web-1"),
            ("default/web-1", "web-1"),
            ("default/db-0", "default/db-0"),
        ] {
            assert_eq!(pod_of(written, &all), meant);
        }
    }
}
