//! `scenarios/SEEDS.md`: every statement of the documents has what shows it, and that exists under its name.

use crate::layers::rust_files;
use crate::support::read;
use lkesim_judge::expect::figure_paths;
use lkesim_judge::figures::HARD_CASES;
use lkesim_judge::invariants;
use lkesim_linode_api::Endpoint;
use lkesim_lke::DESIGNS;
use lkesim_scenario::builtin;

/// A row: its id, and its last column.
fn rows(text: &str) -> Vec<(String, String)> {
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| #");
    let rows = text.lines().filter(is_row);
    rows.map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let last = cells.get(2..).map(|rest| rest.join(" | ")).unwrap_or_default();
        (cells[0].to_owned(), last.trim_end_matches(['|', ' ']).to_owned())
    })
    .collect()
}

#[test]
fn every_statement_has_what_shows_it_or_says_later() {
    let rows = rows(&read("scenarios/SEEDS.md"));
    assert!(rows.len() > 100, "{} rows", rows.len());
    for (id, shown_by) in &rows {
        assert!(!shown_by.is_empty(), "{id} has nothing that shows it");
    }
}

#[test]
fn what_shows_a_statement_exists() {
    let mut missing = Vec::new();
    for (id, shown_by) in rows(&read("scenarios/SEEDS.md")) {
        for part in shown_by.split(';').map(str::trim).filter(|part| *part != "later") {
            let kind = part.split('`').next().unwrap_or_default().trim().trim_end_matches('s');
            let names: Vec<&str> = part.split('`').skip(1).step_by(2).collect();
            if names.is_empty() {
                missing.push(format!("{id}: `{part}` names nothing"));
            }
            let unknown = names.into_iter().filter(|name| !exists(kind, name));
            missing.extend(unknown.map(|name| format!("{id}: {kind} {name}")));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

fn exists(kind: &str, name: &str) -> bool {
    match kind {
        "scenario" => builtin::find(name).is_some(),
        "invariant" => invariants::by_name(name).is_some(),
        "hard case" => HARD_CASES.iter().any(|case| case.1 == name),
        "design" => lkesim_lke::design(name).is_some(),
        "figure" => is_figure(name),
        "setting" => is_setting(name),
        "budget" => is_budget(name),
        "test" => is_test(name),
        _ => false,
    }
}

/// A figure, or a member that has figures below it.
fn is_figure(name: &str) -> bool {
    let below = format!("{name}.");
    let known = figure_paths();
    let open = |path: &str| path.strip_suffix('*').is_some_and(|start| name.starts_with(start));
    known.iter().any(|path| path == name || path.starts_with(&below) || open(path))
}

/// A field of a scenario: each step of its path is a property of the schema.
fn is_setting(name: &str) -> bool {
    let schema = lkesim_scenario::schema().to_string();
    name.split('.').all(|field| schema.contains(&format!("\"{field}\":")))
}

/// `Operation/Endpoint` of a line of a design's budget.
fn is_budget(name: &str) -> bool {
    let Some((operation, call)) = name.split_once('/') else {
        return false;
    };
    let mut lines = DESIGNS.iter().flat_map(|design| design.budgets);
    let is_call = |endpoint: Endpoint| endpoint.name() == call;
    lines.any(|line| line.operation.name() == operation && (is_call(line.endpoint) || line.or.is_some_and(is_call)))
}

/// `crate::module::test`: a function of that name in a file of that path.
fn is_test(name: &str) -> bool {
    let mut path: Vec<&str> = name.split("::").collect();
    let (Some(function), false) = (path.pop(), path.is_empty()) else {
        return false;
    };
    let folder = match path.remove(0) {
        "it" => "tests/it".to_owned(),
        "fake_linode" => "fake-linode/src".to_owned(),
        other => format!("src/{}/src", other.replace('_', "-")),
    };
    if !crate::support::root().join(&folder).is_dir() {
        return false;
    }
    let wanted = format!("fn {function}(");
    let in_module = |file: &str| path.is_empty() || file.ends_with(&format!("{}.rs", path.join("/")));
    rust_files(&folder)
        .iter()
        .map(|file| file.display().to_string())
        .any(|file| in_module(&file) && read(&file).contains(&wanted))
}
