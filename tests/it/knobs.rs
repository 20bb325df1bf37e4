//! Every setting matters: changed alone, it changes a figure, and which one is written here.
//!
//! `knobs/table.txt` has a row a setting: its path, a figure, how it changes; then the scenario of `knobs/bases.txt`,
//! the design, and two values. A value that begins with `@` is an override of its own. Lags and latencies have a table
//! of their own.

use crate::support::{Run, design, read};
use lkesim_judge::expect::figure;
use lkesim_lke::DESIGNS;
use lkesim_scenario::presets::SETTINGS;
use std::collections::{BTreeMap, BTreeSet};

/// A setting, and what it does.
struct Row {
    knob: String,
    figure: String,
    change: String,
    base: String,
    design: String,
    sets: [String; 2],
}

/// Settings that no figure of a run shows, each with the reason.
const ELSEWHERE: &[(&str, &str)] = &[
    ("cloud.pool_tag_filter", "no design filters lists of pools; a test of the fake does"),
    ("cloud.autoscaler_bounds", "no design reads them; tests of the fake and of the served fake do"),
    ("cloud.cluster_labels", "no simulated client makes a cluster; tests of the fake and of the served fake do"),
    ("cloud.dying_delete", "no design deletes a Linode again before it forgets it; a test of the fake does"),
    ("cloud.enterprise_fields", "a scenario's NodeClass names none of them; cases of the differential test do"),
    ("cloud.more_versions", "a scenario's NodeClass names no version; cases of the differential test do"),
    ("cloud.limits.header", "the SDK does not read it; a test of the fake does"),
    ("clusters[].name", "a name"),
];

/// How the settings of a part begin; each part has a test of its own.
const PARTS: [&[&str]; 4] =
    [&["cloud."], &["karpenter.", "kubernetes."], &["provider."], &["by_hand.", "chaos.", "clusters[]."]];

fn rows() -> Vec<Row> {
    let mut blocks: Vec<String> = Vec::new();
    for line in read("tests/it/knobs/table.txt").lines() {
        match line.strip_prefix("  ") {
            Some(more) => {
                let block = blocks.last_mut().expect("a row begins at the margin");
                let separator = if block.ends_with('|') { " " } else { " | " };
                block.push_str(separator);
                block.push_str(more);
            }
            None => blocks.push(line.to_owned()),
        }
    }
    blocks.iter().map(|block| row(block)).collect()
}

#[track_caller]
fn row(block: &str) -> Row {
    let fields: Vec<String> = block.split(" | ").map(str::to_owned).collect();
    let [knob, figure, change, base, design, one, other] =
        fields.try_into().unwrap_or_else(|fields| panic!("not seven fields: {fields:?}"));
    assert!(["rises", "falls"].contains(&&*change), "{knob}: a figure rises or falls, or the row shows nothing");
    let set = |value: &str| match value.strip_prefix('@') {
        Some(whole) => whole.to_owned(),
        None => format!("{knob}={value}"),
    };
    Row { sets: [set(&one), set(&other)], knob, figure, change, base, design }
}

fn bases() -> BTreeMap<String, String> {
    let text = read("tests/it/knobs/bases.txt");
    let parts = text.split("== ").skip(1);
    let named = parts.map(|part| part.split_once('\n').expect("a name and a scenario"));
    named.map(|(name, rest)| (name.to_owned(), format!("about: {name}\n{rest}"))).collect()
}

/// The kinds of a list's maps, or the fields of its items, as the language has them.
fn of_schema(part: &str, definition: &str) -> Vec<String> {
    let schema = lkesim_scenario::schema();
    let of = &schema["definitions"][definition];
    let kinds = of["oneOf"].as_array().into_iter().flatten();
    let kinds = kinds.filter_map(|kind| kind["properties"].as_object()?.keys().next());
    let kinds = kinds.map(|kind| format!("{part}.{kind}"));
    let fields = of["properties"].as_object().into_iter().flat_map(|fields| fields.keys());
    kinds.chain(fields.map(|field| format!("{part}[].{field}"))).collect()
}

/// Every setting that is no delay.
fn knobs() -> BTreeSet<String> {
    let mut all: BTreeSet<String> = SETTINGS.iter().map(|setting| setting.knob.to_owned()).collect();
    let of_designs = DESIGNS.iter().flat_map(|design| design.setting_names());
    all.extend(of_designs.map(|name| format!("provider.{name}")));
    for (part, definition) in [("by_hand", "ByHand"), ("chaos", "Chaos"), ("clusters", "Cluster")] {
        all.extend(of_schema(part, definition));
    }
    all
}

#[test]
fn every_setting_has_a_row() {
    let rows = rows();
    let shown: BTreeSet<&str> =
        rows.iter().map(|row| row.knob.as_str()).chain(ELSEWHERE.iter().map(|(knob, _)| *knob)).collect();
    let missing: Vec<String> = knobs().into_iter().filter(|knob| !shown.contains(knob.as_str())).collect();
    assert!(missing.is_empty(), "no row shows what these do: {missing:?}");
    let gone = ELSEWHERE.iter().find(|(knob, _)| !knobs().contains(*knob));
    assert!(gone.is_none(), "there is no such setting: {gone:?}");
    let unread = rows.iter().find(|row| !PARTS.iter().flat_map(|of| *of).any(|start| row.knob.starts_with(start)));
    assert!(unread.is_none(), "no test runs the row of {:?}", unread.map(|row| &row.knob));
}

/// Runs the rows of settings that begin so.
#[track_caller]
fn check(of: &[&str]) {
    let bases = bases();
    let wrong: Vec<String> = rows()
        .iter()
        .filter(|row| of.iter().any(|start| row.knob.starts_with(start)))
        .filter_map(|row| {
            let text = bases.get(&row.base).unwrap_or_else(|| panic!("no scenario {}", row.base));
            let [one, other] = row.sets.each_ref().map(|set| {
                let run = Run::yaml(&row.base, text).design(design(&row.design)).set(set.as_str());
                let document = serde_json::to_value(run.outcome()).expect("an outcome is JSON");
                figure(&document, &row.figure).unwrap_or_else(|| panic!("no figure {}", row.figure)).0
            });
            let change = match one.cmp(&other) {
                std::cmp::Ordering::Less => "rises",
                std::cmp::Ordering::Greater => "falls",
                std::cmp::Ordering::Equal => "stays",
            };
            let Row { knob, figure, .. } = row;
            (change != row.change).then(|| format!("{knob}: {figure} {change}, from {one} to {other}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_setting_of_the_cloud_changes_its_figure() {
    check(PARTS[0]);
}

#[test]
fn each_setting_of_karpenter_and_kubernetes_changes_its_figure() {
    check(PARTS[1]);
}

#[test]
fn each_setting_of_a_design_changes_its_figure() {
    check(PARTS[2]);
}

#[test]
fn each_hand_edit_each_chaos_and_each_setting_of_a_cluster_changes_its_figure() {
    check(PARTS[3]);
}
