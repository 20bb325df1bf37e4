//! Everything that has a name: designs, scenarios, invariants, faults and hard cases, from the tables that own them.

use crate::parts;
use fake_linode::Catalogue;
use fake_linode::catalogue::Region;
use lkesim_judge::expect::figure_paths;
use lkesim_judge::figures::HARD_CASES;
use lkesim_judge::invariants::INVARIANTS;
use lkesim_judge::outcome::Kind;
use lkesim_kube::object::labels;
use lkesim_lke::{DESIGNS, plan_labels};
use lkesim_scenario::{Names, Scenario, builtin, load, schema};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Something with a name, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name, as commands and scenarios write it.
    pub name: String,
    /// One line.
    pub summary: String,
    /// The whole text.
    pub text: String,
}

/// A kind of things that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kinds {
    /// Ways to make, find and remove the Linode of a NodeClaim
    Designs,
    /// Scenarios that come with the program
    Scenarios,
    /// What must hold in every run
    Invariants,
    /// What a scenario can make go wrong
    Faults,
    /// Hard cases that runs count, for `sometimes` of a scenario's `expect`
    Sometimes,
    /// Numbers of a run's result, for `figures` of a scenario's `expect`
    Figures,
}

/// All of a kind, in the order of reports.
pub fn entries(kind: Kinds) -> Vec<Entry> {
    match kind {
        Kinds::Designs => designs(),
        Kinds::Scenarios => scenarios(),
        Kinds::Invariants => invariants(),
        Kinds::Faults => faults(),
        Kinds::Sometimes => hard_cases(),
        Kinds::Figures => figures(),
    }
}

/// Everything that can be explained by name.
pub fn everything() -> Vec<Entry> {
    let kinds = [Kinds::Invariants, Kinds::Designs, Kinds::Faults, Kinds::Scenarios];
    let mut all: Vec<Entry> = kinds.into_iter().flat_map(entries).collect();
    all.extend(hard_cases());
    all.extend(parts::parts());
    all.push(all_of(
        "sometimes",
        "How often each hard case occurred in a run. A part of a run's result, and of `expect` in a scenario: what should \
         occur, and how often.",
        &hard_cases(),
    ));
    all.push(all_of(
        "figures",
        "The numbers of a run's result, by their paths in its JSON form. A part of `expect` in a scenario: what they should \
         be.",
        &figures(),
    ));
    all
}

/// An entry that lists others.
fn all_of(name: &str, about: &str, entries: &[Entry]) -> Entry {
    let width = entries.iter().map(|entry| entry.name.chars().count()).max().unwrap_or(0);
    let line = |entry: &Entry| format!("  {:<width$}  {}", entry.name, entry.summary).trim_end().to_owned();
    let lines: Vec<String> = entries.iter().map(line).collect();
    Entry { name: name.to_owned(), summary: about.to_owned(), text: format!("{about}\n\n{}", lines.join("\n")) }
}

/// Paths of figures. What they count stands where their parts are explained: the schema of a run's result.
fn figures() -> Vec<Entry> {
    let entry = |name: String| Entry {
        text: format!("A figure of a run's result: `{name}`, as `lkesim schema run` describes it."),
        summary: String::new(),
        name,
    };
    figure_paths().into_iter().map(entry).collect()
}

fn designs() -> Vec<Entry> {
    let entry = |design: &&lkesim_lke::Design| {
        let mut text = design.about.trim_end().to_owned();
        if !design.facts.not_promised.is_empty() {
            text.push_str(&format!("\n\nIt does not promise {}.", design.facts.not_promised.join(", ")));
        }
        text.push_str("\n\nIts settings, under `provider:` of a scenario save where fixed, with their sources:\n");
        text.push_str(&settings(design.settings));
        Entry { name: design.facts.name.to_owned(), summary: design.summary.to_owned(), text }
    };
    DESIGNS.iter().map(entry).collect()
}

/// Two lines a setting: name, value and what it is; then where that comes from.
fn settings(facts: &[lkesim_lke::SettingFact]) -> String {
    let values: Vec<String> = facts.iter().map(|fact| fact.value.to_string()).collect();
    let name_width = facts.iter().map(|fact| fact.name.len()).max().unwrap_or_default();
    let value_width = values.iter().map(String::len).max().unwrap_or_default();
    let mut text = String::new();
    for (fact, value) in facts.iter().zip(&values) {
        let (name, about, source) = (fact.name, fact.about, fact.source);
        let fixed = if fact.fixed { "fixed: " } else { "" };
        text.push_str(&format!("\n  {name:<name_width$}  {value:<value_width$}  {fixed}{about}"));
        text.push_str(&format!("\n  {:name_width$}  {:value_width$}  {source}", "", ""));
    }
    text
}

fn scenarios() -> Vec<Entry> {
    let entry = |found: &builtin::Builtin| Entry {
        name: found.name.to_owned(),
        summary: about(found),
        // Indented, as it is laid out already.
        text: indented(found.text),
    };
    builtin::all().iter().map(entry).collect()
}

fn indented(text: &str) -> String {
    let lines = text.trim_end().lines();
    let lines: Vec<String> = lines.map(|line| format!("  {line}")).collect();
    lines.join("\n")
}

/// The built-in scenarios, read once: each invariant looks at them all. One that is not valid, which tests exclude, is
/// none.
static BUILTIN: LazyLock<Vec<(&str, Option<Scenario>)>> = LazyLock::new(|| {
    let read = |found: &builtin::Builtin| load(found.name, found.text, &[], &Names::default()).ok();
    builtin::all().iter().map(|found| (found.name, read(found))).collect()
});

/// What a built-in scenario is about.
fn about(found: &builtin::Builtin) -> String {
    let scenario = BUILTIN.iter().find(|(name, _)| *name == found.name).and_then(|(_, read)| read.as_ref());
    scenario.map_or_else(|| "not valid: see `lkesim check`".to_owned(), |scenario| scenario.about.trim().to_owned())
}

fn invariants() -> Vec<Entry> {
    let entry = |invariant: &lkesim_judge::invariants::InvariantInfo| {
        let kind = match invariant.kind {
            Kind::Always => "It must hold at every moment.",
            Kind::Eventually => "It must hold at the end of the calm.",
        };
        let (summary, why, how) = (invariant.summary(), invariant.why(), invariant.how());
        Entry {
            name: invariant.name.to_owned(),
            text: format!(
                "{summary}\n\n{kind}\n\nWhy it matters\n\n{why}\n\nHow it is judged\n\n{how}\n\nWhere it is shown\n\n{}",
                shown(invariant.name)
            ),
            summary,
        }
    };
    INVARIANTS.iter().map(entry).collect()
}

/// The scenarios that break an invariant, and those that all but do.
fn shown(invariant: &str) -> String {
    let expected = BUILTIN.iter().filter_map(|(name, scenario)| Some((*name, &scenario.as_ref()?.expect)));
    let (mut broken, mut near) = (Vec::new(), Vec::new());
    for (name, expect) in expected {
        let violations = expect.violates.iter();
        let mut designs = violations.filter(|(_, all)| all.iter().any(|violation| violation.invariant == invariant));
        if let Some((first, _)) = designs.next() {
            let others = designs.map(|(design, _)| format!(", {design}"));
            broken.push(format!("{name} ({first}{})", others.collect::<String>()));
        }
        if expect.near_miss.iter().any(|other| other == invariant) {
            near.push(name.to_owned());
        }
    }
    let broken = match &broken[..] {
        [] => "No built-in scenario breaks it; a design that is made to break it does, in the tests.".to_owned(),
        broken => format!("Broken by {}.", broken.join(", ")),
    };
    match &near[..] {
        [] => broken,
        near => format!("{broken} It holds, but only just, in {}.", near.join(", ")),
    }
}

/// Faults and their fields, from the schema that is made of their types' documentation.
fn faults() -> Vec<Entry> {
    let schema = schema();
    let variants = schema["definitions"]["Fault"]["oneOf"].as_array().cloned().unwrap_or_default();
    variants.iter().filter_map(|variant| parts::fault(&schema, variant)).collect()
}

fn hard_cases() -> Vec<Entry> {
    let entry = |(_, name, summary): &(_, &str, &str)| Entry {
        name: (*name).to_owned(),
        summary: (*summary).to_owned(),
        text: format!("A hard case, counted in `sometimes`: {summary}."),
    };
    HARD_CASES.iter().map(entry).collect()
}

/// The names that a scenario may use, as this program knows them.
pub struct Known {
    designs: Vec<&'static str>,
    invariants: Vec<&'static str>,
    types: Vec<&'static str>,
    labels: &'static [(String, Vec<String>)],
    regions: Vec<&'static str>,
    lke_regions: Vec<&'static str>,
    enterprise_regions: Vec<&'static str>,
    figures: Vec<&'static str>,
    sometimes: Vec<&'static str>,
    settings: Vec<(&'static str, Vec<&'static str>)>,
}

/// The design that runs where neither the command line nor the scenario names one.
pub const DEFAULT_DESIGN: &str = "documented";

/// The paths of figures, made once.
static FIGURES: LazyLock<Vec<String>> = LazyLock::new(figure_paths);

/// The labels by which pods choose plans, each with its values. The region is the cluster's.
static LABELS: LazyLock<Vec<(String, Vec<String>)>> = LazyLock::new(|| {
    let of_plans = Catalogue::recorded().types().iter().map(|plan| plan_labels::of(plan, ""));
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (key, value) in of_plans.flat_map(|labels| labels.iter().cloned().collect::<Vec<_>>()) {
        found.entry(key.to_string()).or_default().insert(value.to_string());
    }
    found.remove(labels::REGION);
    for key in plan_labels::NOT_BORNE {
        found.entry(key.to_owned()).or_default();
    }
    found.into_iter().map(|(key, values)| (key, values.into_iter().collect())).collect()
});

/// The names that a scenario may use.
pub fn known() -> Known {
    Known {
        designs: DESIGNS.iter().map(|design| design.facts.name).collect(),
        invariants: INVARIANTS.iter().map(|invariant| invariant.name).collect(),
        types: Catalogue::recorded().types().iter().map(|plan| &*plan.id).collect(),
        labels: &LABELS,
        regions: regions(|_| true),
        lke_regions: regions(|region| region.kubernetes),
        enterprise_regions: regions(|region| region.enterprise),
        figures: FIGURES.iter().map(String::as_str).collect(),
        sometimes: HARD_CASES.iter().map(|(_, name, _)| *name).collect(),
        settings: DESIGNS.iter().map(|design| (design.facts.name, design.setting_names())).collect(),
    }
}

fn regions(are_meant: impl Fn(&Region) -> bool) -> Vec<&'static str> {
    Catalogue::recorded().regions().iter().filter(|region| are_meant(region)).map(|region| &*region.id).collect()
}

impl Known {
    /// For the reader of scenarios.
    pub fn names(&self) -> Names<'_> {
        Names {
            designs: &self.designs,
            invariants: &self.invariants,
            types: &self.types,
            labels: self.labels,
            regions: &self.regions,
            lke_regions: &self.lke_regions,
            enterprise_regions: &self.enterprise_regions,
            figures: &self.figures,
            sometimes: &self.sometimes,
            settings: &self.settings,
            running: &[],
            usual_design: Some(DEFAULT_DESIGN),
        }
    }
}

/// The known name that is nearest to a wrong one, as the end of a message.
pub fn did_you_mean<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    match lkesim_scenario::nearest(name, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => String::new(),
    }
}
