use super::NAMES;
use crate::{builtin, load, schema};
use std::path::Path;

/// Compares a generated file with what it should be; writes it under `INSTA_UPDATE=always`, as for snapshots.
#[track_caller]
fn check_file(name: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios").join(name);
    if std::env::var("INSTA_UPDATE").is_ok_and(|how| how == "always") {
        std::fs::write(&path, expected).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "scenarios/{name} is old: run the tests with INSTA_UPDATE=always");
}

#[test]
fn the_schema_file_is_what_the_types_say() {
    check_file("schema.json", &format!("{:#}\n", schema()));
}

#[test]
fn the_readme_lists_what_each_scenario_is_about() {
    check_file("README.md", &builtin::readme());
}

#[test]
fn every_builtin_scenario_can_be_read() {
    assert!(!builtin::all().is_empty());
    let names = crate::Names::default();
    for builtin in builtin::all() {
        load(builtin.name, builtin.text, &[], &names).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn the_examples_of_the_readme_can_be_read() {
    let readme = builtin::readme();
    let examples: Vec<&str> = readme.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        load("README.md", example, &[], &NAMES).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn every_field_has_a_description() {
    fn walk(value: &serde_json::Value, path: &str) {
        if let Some(properties) = value.get("properties").and_then(|properties| properties.as_object()) {
            for (name, property) in properties {
                let described = property.get("description").is_some() || path.ends_with("Delay");
                assert!(described, "{path}.{name} has no description");
            }
        }
        if let Some(definitions) = value.get("definitions").and_then(|definitions| definitions.as_object()) {
            for (name, definition) in definitions {
                walk(definition, name);
            }
        }
    }
    walk(&schema(), "Scenario");
}

#[test]
fn a_builtin_is_found_by_its_name_and_a_wrong_name_has_a_nearest() {
    assert!(builtin::find("two-pools").is_some());
    assert!(builtin::find("two-pols").is_none());
    assert_eq!(builtin::nearest("two-pols"), Some("two-pools"));
}
