//! The parts of a scenario, for `lkesim explain`: made of the schema, which is made of their types' documentation.

use crate::catalogue::Entry;
use lkesim_scenario::schema;
use serde_json::Value;

/// The longest line, in characters.
const WIDTH: usize = 100;

/// Parts whose values are maps of one kind each: their kinds have entries too.
const OF_KINDS: &[&str] = &["workload", "by_hand", "chaos"];

/// Every member of a scenario, then every kind of step, hand edit and chaos.
pub fn parts() -> Vec<Entry> {
    let schema = schema();
    let members = schema["properties"].as_object().cloned().unwrap_or_default();
    let mut all: Vec<Entry> = members.iter().map(|(name, about)| part(&schema, name, about)).collect();
    for name in OF_KINDS {
        all.extend(kinds(&schema, &members[*name]).into_iter().map(|kind| of_kind(&schema, name, &kind)));
    }
    all
}

/// A fault, as an entry of its own.
pub fn fault(schema: &Value, variant: &Value) -> Option<Entry> {
    let kind = Kind::of(schema, variant)?;
    Some(of_kind(schema, "faults", &kind))
}

/// One of the maps that a list may hold.
struct Kind {
    name: String,
    about: String,
    inside: Value,
}

impl Kind {
    fn of(schema: &Value, variant: &Value) -> Option<Kind> {
        let (name, inside) = variant["properties"].as_object()?.iter().next()?;
        let inside = target(schema, inside).clone();
        Some(Kind { name: name.clone(), about: words(variant), inside })
    }
}

fn of_kind(schema: &Value, part: &str, kind: &Kind) -> Entry {
    let (name, about) = (&kind.name, &kind.about);
    let text = format!("{about}\n\nUnder `{part}:`, as `- {name}: {{…}}`, with\n{}", fields(schema, &kind.inside));
    Entry { name: name.clone(), summary: about.clone(), text }
}

fn part(schema: &Value, name: &str, about: &Value) -> Entry {
    let mut text = format!("{}\n", words(about));
    let kinds = kinds(schema, about);
    let item = about.get("items").map(|items| target(schema, items));
    let inside = item.unwrap_or_else(|| target(schema, about));
    if !kinds.is_empty() {
        text.push_str(&format!("\nA list under `{name}:`, each with one of\n"));
        let width = kinds.iter().map(|kind| kind.name.len()).max().unwrap_or_default();
        kinds.iter().for_each(|kind| text.push_str(&row(&kind.name, width, &kind.about)));
        text.push_str("\n\n`lkesim explain` has more about each, by its name.");
    } else if inside["properties"].is_object() {
        let list = if item.is_some() { "A list of maps" } else { "A map" };
        text.push_str(&format!("\n{list} under `{name}:`, with\n{}", fields(schema, inside)));
    }
    Entry { name: name.to_owned(), summary: words(about), text }
}

/// The kinds of a list whose items are maps of one kind each; none of any other.
fn kinds(schema: &Value, about: &Value) -> Vec<Kind> {
    let item = target(schema, about.get("items").unwrap_or(&Value::Null));
    let variants = item["oneOf"].as_array().into_iter().flatten();
    variants.filter_map(|variant| Kind::of(schema, variant)).collect()
}

/// The fields of a map, and those of the maps in it, a line or more each.
fn fields(schema: &Value, inside: &Value) -> String {
    let mut all = Vec::new();
    gather(schema, inside, "", &mut all);
    let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    all.iter().map(|(name, about)| row(name, width, about)).collect()
}

fn gather(schema: &Value, inside: &Value, above: &str, into: &mut Vec<(String, String)>) {
    for (field, about) in inside["properties"].as_object().into_iter().flatten() {
        let below = target(schema, about.get("items").unwrap_or(about));
        let list = if about.get("items").is_some() { "[]" } else { "" };
        let path = format!("{above}{field}");
        let mut text = words(about);
        let values = values(below);
        if !values.is_empty() {
            text.push_str(&format!(" One of {}.", values.join(", ")));
        }
        if let Some(default) = about.get("default").filter(|default| !default.is_object() && !default.is_array()) {
            text.push_str(&format!(" Default: `{}`.", plain(default)));
        }
        into.push((path.clone(), text));
        gather(schema, below, &format!("{path}{list}."), into);
    }
}

/// The words that a value may be, where it is one of a few.
fn values(of: &Value) -> Vec<String> {
    let named = of["enum"].as_array().into_iter().flatten();
    let described = of["oneOf"].as_array().into_iter().flatten().filter_map(|one| one.get("const"));
    named.chain(described).map(|value| format!("`{}`", plain(value))).collect()
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// The definition that something refers to, or itself.
fn target<'a>(schema: &'a Value, of: &'a Value) -> &'a Value {
    let referred = |value: &'a Value| value["$ref"].as_str()?.rsplit('/').next();
    let variants = ["allOf", "anyOf"].into_iter().filter_map(|key| of[key].as_array()).flatten();
    match referred(of).or_else(|| variants.filter_map(referred).next()) {
        Some(name) => &schema["definitions"][name],
        None => of,
    }
}

fn words(of: &Value) -> String {
    of["description"].as_str().unwrap_or_default().replace('\n', " ")
}

/// A name and what it is, beside it or, where there is too little room, below.
fn row(name: &str, width: usize, about: &str) -> String {
    let indent = width + 4;
    let mut text = format!("\n  {name:<width$} ");
    let mut used = indent - 1;
    for word in about.split_whitespace() {
        let length = word.chars().count();
        if used + 1 + length > WIDTH && used >= indent {
            text.push_str(&format!("\n{:indent$}{word}", ""));
            used = indent + length;
        } else {
            text.push_str(&format!(" {word}"));
            used += 1 + length;
        }
    }
    text.trim_end().to_owned()
}
