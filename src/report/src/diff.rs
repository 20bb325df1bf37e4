//! Two traces compared: what they are of, the first event that differs, and the figures that differ.

use crate::story::event_words;
use crate::style::{Style, Tone, harmless};
use crate::table::{Cell, Table};
use crate::units::{clock, count, delta};
use lkesim_judge::trace::{EventLine, Trace};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Events that are shown before the first difference.
const CONTEXT: usize = 5;

/// One member that differs, with its two values; none where it is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its path, such as `api.calls`.
    pub path: String,
    /// In the first trace.
    pub left: Option<Value>,
    /// In the second.
    pub right: Option<Value>,
}

/// The first event that differs.
#[derive(Clone, Debug)]
pub struct FirstEvent<'a> {
    /// The n-th event, from 1.
    pub number: usize,
    /// The last events that are equal.
    pub before: &'a [EventLine],
    /// The first trace's event; none where it has no more.
    pub left: Option<&'a EventLine>,
    /// The second trace's.
    pub right: Option<&'a EventLine>,
    /// The members in which they differ, where they are of one kind.
    pub members: Vec<Member>,
}

/// What differs between two traces.
#[derive(Clone, Debug)]
pub struct Difference<'a> {
    /// Members of the headers.
    pub header: Vec<Member>,
    /// The first event, where one differs.
    pub event: Option<FirstEvent<'a>>,
    /// Figures of the outcomes.
    pub figures: Vec<Member>,
}

impl Difference<'_> {
    /// Whether nothing differs.
    pub fn is_none(&self) -> bool {
        self.header.is_empty() && self.event.is_none() && self.figures.is_empty()
    }
}

/// Compares two traces.
pub fn compare<'a>(left: &'a Trace, right: &'a Trace) -> Difference<'a> {
    Difference {
        header: members(&left.header, &right.header),
        event: first_event(&left.events, &right.events),
        figures: figures(left, right),
    }
}

/// What a footer says besides its figures.
#[derive(Serialize)]
struct Judged<V> {
    verdict: V,
}

/// The figures that differ. What broke in words is left to the verdicts and counts, which are figures too.
fn figures(left: &Trace, right: &Trace) -> Vec<Member> {
    let mut all = members(&left.footer.outcome, &right.footer.outcome);
    all.retain(|member| !["violations", "unsettled"].iter().any(|words| member.path.contains(words)));
    all.extend(members(&Judged { verdict: &left.footer.verdict }, &Judged { verdict: &right.footer.verdict }));
    all
}

/// The first event that differs between two streams.
pub fn first_event<'a>(left: &'a [EventLine], right: &'a [EventLine]) -> Option<FirstEvent<'a>> {
    let equal = left.iter().zip(right).take_while(|(left, right)| left == right).count();
    let (one, other) = (left.get(equal), right.get(equal));
    if one.is_none() && other.is_none() {
        return None;
    }
    let members = match (one, other) {
        (Some(one), Some(other)) if same_kind(one, other) => members(one, other),
        _ => Vec::new(),
    };
    Some(FirstEvent {
        number: equal + 1,
        before: &left[equal.saturating_sub(CONTEXT)..equal],
        left: one,
        right: other,
        members,
    })
}

fn same_kind(one: &EventLine, other: &EventLine) -> bool {
    std::mem::discriminant(&one.what) == std::mem::discriminant(&other.what)
}

/// The members that differ between two values, in the order of the first.
fn members(left: &impl Serialize, right: &impl Serialize) -> Vec<Member> {
    let flat = |value: &Value| {
        let mut leaves = Vec::new();
        flatten(String::new(), value, &mut leaves);
        leaves
    };
    let value = |serialized: serde_json::Result<Value>| serialized.unwrap_or_default();
    let left = flat(&value(serde_json::to_value(left)));
    let right = flat(&value(serde_json::to_value(right)));
    let other: BTreeMap<&str, &Value> = right.iter().map(|(path, value)| (path.as_str(), value)).collect();
    let own: BTreeMap<&str, ()> = left.iter().map(|(path, _)| (path.as_str(), ())).collect();
    let changed = left.iter().filter_map(|(path, value)| {
        let right = other.get(path.as_str()).copied();
        (right != Some(value)).then(|| Member { path: path.clone(), left: Some(value.clone()), right: right.cloned() })
    });
    let added = right.iter().filter(|(path, _)| !own.contains_key(path.as_str()));
    let added = added.map(|(path, value)| Member { path: path.clone(), left: None, right: Some(value.clone()) });
    changed.chain(added).collect()
}

/// The leaves of a value, each with its path.
fn flatten(path: String, value: &Value, into: &mut Vec<(String, Value)>) {
    let below = |key: &str| {
        if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
    };
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, value)| flatten(below(key), value, into));
        }
        Value::Array(items) if !items.is_empty() => {
            // Invariants are told by their names, not by their places; of what shares its name, places tell which it is.
            let named = |name: &str| items.iter().filter(|item| item["name"] == *name).count();
            let name = |at: usize, item: &Value| match item["name"].as_str() {
                Some(name) if named(name) == 1 => name.to_owned(),
                Some(name) => format!("{name}[{at}]"),
                None => at.to_string(),
            };
            items.iter().enumerate().for_each(|(at, item)| flatten(below(&name(at, item)), item, into));
        }
        _ => into.push((path, value.clone())),
    }
}

/// Writes what differs between two traces, for people.
pub fn write(left: &Trace, right: &Trace, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let difference = compare(left, right);
    let names = (harmless(&left.source), harmless(&right.source));
    let digests = (&left.footer.digest, &right.footer.digest);
    if difference.is_none() && digests.0 == digests.1 {
        let events = count(left.footer.events, "event");
        let equal = style.paint(Tone::Good, "equal");
        return writeln!(out, "{equal}: {} and {}, {events}, digest {}", names.0, names.1, digests.0);
    }
    writeln!(out, "{} {}\n{} {}", style.paint(Tone::Bad, "-"), names.0, style.paint(Tone::Good, "+"), names.1)?;
    section(out, "They are of", &difference.header, style)?;
    match &difference.event {
        None => {
            writeln!(out, "\nAll {} are equal.", count(left.footer.events, "event"))?;
            if digests.0 != digests.1 {
                let (one, other) = (harmless(digests.0), harmless(digests.1));
                writeln!(out, "The digests differ, {one} and {other}: only the order of tasks can differ.")?;
            }
        }
        Some(event) => write_event(event, style, out)?,
    }
    section(out, "Figures", &difference.figures, style)
}

/// Writes the first event that differs, after the last equal ones.
pub fn write_event(event: &FirstEvent<'_>, style: Style, out: &mut dyn Write) -> io::Result<()> {
    let title = format!("The first event that differs is number {}", event.number);
    writeln!(out, "\n{}", style.paint(Tone::Strong, title))?;
    for line in event.before {
        writeln!(out, "  {}", style.paint(Tone::Faint, said(line)))?;
    }
    for (mark, line, tone) in [("-", event.left, Tone::Bad), ("+", event.right, Tone::Good)] {
        let text = line.map_or("(the end)".to_owned(), said);
        writeln!(out, "{} {text}", style.paint(tone, mark))?;
    }
    for member in &event.members {
        let (left, right) = (shown(&member.left), shown(&member.right));
        writeln!(out, "    {}: {} → {}", harmless(&member.path), harmless(&left), harmless(&right))?;
    }
    Ok(())
}

fn said(line: &EventLine) -> String {
    let text = format!("{}  {}", clock(line.at_ms), event_words(&line.what));
    harmless(&text).into_owned()
}

fn section(out: &mut dyn Write, title: &str, members: &[Member], style: Style) -> io::Result<()> {
    if members.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(&[title, "-", "+", "change"]);
    for member in members {
        let cells = [shown(&member.left), shown(&member.right), change(member)];
        table.row([Cell::from(member.path.as_str())].into_iter().chain(cells.map(Cell::from)));
    }
    writeln!(out)?;
    table.lines(style).iter().try_for_each(|line| writeln!(out, "{line}"))
}

fn shown(value: &Option<Value>) -> String {
    match value {
        None => "-".to_owned(),
        Some(Value::String(text)) => short(text),
        Some(other) => short(&other.to_string()),
    }
}

/// At most so many characters, so that one long text makes no column of its width.
fn short(text: &str) -> String {
    const LONGEST: usize = 48;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn change(member: &Member) -> String {
    let number = |value: &Option<Value>| value.as_ref().and_then(Value::as_u64);
    match (number(&member.left), number(&member.right)) {
        (Some(left), Some(right)) => delta(left.into(), right.into()),
        _ => String::new(),
    }
}
