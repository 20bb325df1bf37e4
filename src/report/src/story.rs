//! A trace told as a timeline: of everything, of one NodeClaim, or of one pod.
//!
//! One line an event, an API call on one line with its answer and how long it took, calls indented below operations.
//! Breaches of invariants stand where they happened. The story of a NodeClaim has its operations and their calls, its
//! Linodes and their nodes, and what else touched them. That of a pod has each step of the scheduling simulation that was
//! about it, and the NodeClaims and nodes that it was to go to.

mod cast;
mod pods;
mod short;
mod words;

pub use cast::{Cast, claims};
pub use pods::{PodCast, pods};
pub use short::short;
pub use words::{event_words, request_words};

use crate::style::{Style, Tone, harmless};
use crate::summary;
use crate::units::{clock, length};
use lkesim_judge::event::Step;
use lkesim_judge::outcome::Violation;
use lkesim_judge::trace::{EventLine, Failure, Returned, Seen, Trace, TraceEvent};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// What a story is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About<'a> {
    /// Everything.
    All,
    /// The NodeClaims with this name.
    Claim(&'a str),
    /// The pods with this name.
    Pod(&'a str),
}

impl About<'_> {
    /// The object, as breaches name it.
    fn object(self) -> Option<String> {
        match self {
            About::All => None,
            About::Claim(name) => Some(format!("nodeclaim/{name}")),
            About::Pod(name) => Some(format!("pod/{name}")),
        }
    }
}

/// Who plays in a story.
enum Who {
    All,
    Claim(Cast),
    Pod(PodCast),
}

impl Who {
    fn of(trace: &Trace, about: About<'_>) -> Who {
        match about {
            About::All => Who::All,
            About::Claim(name) => Who::Claim(Cast::of(trace, name)),
            About::Pod(name) => Who::Pod(PodCast::of(trace, name)),
        }
    }

    fn has(&self, what: &TraceEvent) -> bool {
        match self {
            Who::All => true,
            Who::Claim(cast) => cast.has(what),
            Who::Pod(cast) => cast.has(what),
        }
    }

    fn steps<'a>(&self, what: &'a TraceEvent) -> Vec<&'a Step> {
        let TraceEvent::ProvisioningPass { steps, .. } = what else {
            return Vec::new();
        };
        let is_told = |step: &&Step| match self {
            Who::All => true,
            Who::Claim(_) => false,
            Who::Pod(cast) => cast.is_own(step),
        };
        steps.iter().filter(is_told).collect()
    }
}

/// Writes the story of a trace, or of the objects with one name in it.
pub fn write(trace: &Trace, about: About<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let who = Who::of(trace, about);
    let teller = Teller { answers: answers(trace), style };
    title(trace, about, style, out)?;
    let mut breaches = breaches(trace, about).into_iter().peekable();
    for event in &trace.events {
        while let Some(breach) = breaches.next_if(|breach| breach.1.at_ms < event.at_ms) {
            writeln!(out, "{}", teller.breach(&breach))?;
        }
        if who.has(&event.what)
            && let Some(line) = teller.line(event)
        {
            writeln!(out, "{line}")?;
            for line in who.steps(&event.what).into_iter().flat_map(pods::step) {
                writeln!(out, "{:>10}    {}", "", harmless(&line))?;
            }
        }
    }
    for breach in breaches {
        writeln!(out, "{}", teller.breach(&breach))?;
    }
    end(trace, style, out)
}

fn title(trace: &Trace, about: About<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let header = &trace.header;
    let of = about.object().map_or(String::new(), |object| format!("{object} in "));
    let text = format!("{of}{} under {}, seed {}", header.name, header.design, header.seed);
    let text = harmless(&text).into_owned();
    writeln!(out, "{}", style.paint(Tone::Strong, text))?;
    let about = format!("{}; virtual time 0 is {}", header.program, header.starts_at);
    let about = harmless(&about).into_owned();
    writeln!(out, "{}\n", style.paint(Tone::Faint, about))
}

fn end(trace: &Trace, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let (word, tone) = summary::verdict(&trace.footer.outcome);
    let course = summary::course(&trace.footer.outcome);
    writeln!(out, "\n{}  {}", style.paint(tone, word), harmless(&course))
}

/// When and how each call ended, by its number.
type Answers<'a> = BTreeMap<u64, (&'a EventLine, Option<&'a Seen>, Option<&'a Failure>)>;

fn answers(trace: &Trace) -> Answers<'_> {
    let events = trace.events.iter();
    events
        .filter_map(|event| match &event.what {
            TraceEvent::ApiAnswered { call, seen, failure } => Some((*call, (event, seen.as_ref(), failure.as_ref()))),
            _ => None,
        })
        .collect()
}

/// Breaches by time, each with its invariant's name; of one object those that name it.
fn breaches<'a>(trace: &'a Trace, about: About<'_>) -> Vec<(&'a str, &'a Violation)> {
    let object = about.object();
    let invariants = trace.footer.outcome.invariants.iter();
    let mut all: Vec<_> = invariants
        .flat_map(|invariant| {
            let name = invariant.name.as_str();
            invariant.violations.iter().map(move |violation| (name, violation))
        })
        .filter(|(_, violation)| object.as_ref().is_none_or(|object| violation.objects.contains(object)))
        .collect();
    all.sort_by_key(|(_, violation)| violation.at_ms);
    all
}

struct Teller<'a> {
    answers: Answers<'a>,
    style: Style,
}

impl Teller<'_> {
    fn breach(&self, (name, violation): &(&str, &Violation)) -> String {
        let text = format!("broken: {name}: {}", violation.text);
        let text = harmless(&text).into_owned();
        let when = clock(violation.at_ms);
        format!("{when:>10}  {}", self.style.paint(Tone::Bad, text))
    }

    /// The event's line; none for an answer, which stands beside its call.
    fn line(&self, event: &EventLine) -> Option<String> {
        let when = clock(event.at_ms);
        let (indent, text, tone) = match &event.what {
            TraceEvent::ApiAnswered { .. } => return None,
            TraceEvent::ApiCalled { call, .. } => {
                let (ending, tone) = self.ending(event, *call);
                ("      ", format!("{}{ending}", event_words(&event.what)), tone)
            }
            TraceEvent::OperationStarted { .. } => ("  ", event_words(&event.what), Tone::Strong),
            TraceEvent::OperationReturned { result, .. } => ("  ", event_words(&event.what), tone_of(result)),
            TraceEvent::StartedWith { .. }
            | TraceEvent::CalmBegan
            | TraceEvent::ProcessStarted { .. }
            | TraceEvent::ProcessTurned { .. }
            | TraceEvent::ProcessStopped { .. } => ("", event_words(&event.what), Tone::Faint),
            other => ("", event_words(other), Tone::Plain),
        };
        let text = harmless(&text).into_owned();
        Some(format!("{when:>10}  {indent}{}", self.style.paint(tone, text)))
    }

    /// How a call ended and how long it took.
    fn ending(&self, called: &EventLine, call: u64) -> (String, Tone) {
        let Some((answered, seen, failure)) = self.answers.get(&call) else {
            return (" → no answer before the end".to_owned(), Tone::Warn);
        };
        let took = length(answered.at_ns.saturating_sub(called.at_ns) / 1_000_000);
        let fault = seen.and_then(|seen| seen.fault.as_ref());
        match (failure, seen) {
            (Some(failure), _) => (format!(" → {} after {took}", failure_words(failure)), Tone::Warn),
            (None, _) if fault.is_some_and(|_| seen.is_none_or(|seen| seen.pages == 0 && seen.entries == 0)) => {
                (format!(" → ok after {took}{}", by_fault(fault)), Tone::Warn)
            }
            (None, Some(seen)) if seen.pages > 0 || seen.entries > 0 => {
                let pages = if seen.pages > 1 { format!(" of {} pages", seen.pages) } else { String::new() };
                let cut = if seen.truncated { ", cut by a fault" } else { "" };
                let by = by_fault(fault);
                let tone = if fault.is_some() { Tone::Warn } else { Tone::Plain };
                (format!(" → {} seen{pages}{cut} after {took}{by}", seen.entries), tone)
            }
            _ => (format!(" → ok after {took}"), Tone::Plain),
        }
    }
}

fn by_fault(fault: Option<&String>) -> String {
    fault.map_or_else(String::new, |fault| format!(", under the fault `{fault}`"))
}

fn failure_words(failure: &Failure) -> String {
    let mut text = failure.text.clone();
    if failure.throttled {
        text.push_str(", by the rate limit");
    }
    if let Some(fault) = &failure.fault {
        text.push_str(&format!(", by the fault `{fault}`"));
    }
    text
}

fn tone_of(result: &Returned) -> Tone {
    match result {
        Returned::Linode(_) | Returned::Linodes(_) | Returned::Done => Tone::Good,
        _ => Tone::Warn,
    }
}
