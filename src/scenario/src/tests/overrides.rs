use super::strategy::{document, places};
use super::{NAMES, five_lines, sets};
use crate::load;
use proptest::prelude::*;
use serde_json::Value;

#[test]
fn an_override_replaces_one_field() {
    let scenario = five_lines(&["cloud.lags.instance_seen=90s", "workload[0].create.claims=5"]).unwrap();
    assert_eq!(scenario.claims().len(), 5);
    assert_eq!(scenario.lags().instance_get.max().as_secs(), 90);
}

#[test]
fn the_last_override_of_a_field_counts() {
    assert_eq!(five_lines(&["calm=5m", "calm=6m"]).unwrap().calm, crate::Span::mins(6));
}

#[test]
fn an_override_may_be_a_list_or_map_and_may_add_an_entry() {
    let scenario = five_lines(&[
        "cloud.lags.boot={p50: 60s, p99: 90s}",
        "workload[1]={create: {claims: 2, name: b}}",
        "faults[0].lose.call=[GetInstance, ListInstances]",
        "expect.figures.all.\"api.calls\"=600..700",
    ]);
    let scenario = scenario.unwrap();
    assert_eq!((scenario.claims().len(), scenario.faults.len()), (3, 1));
    assert_eq!(scenario.expect.figures("documented").count(), 1);
}

#[test]
fn an_override_may_mend_the_file() {
    let text = "about: x\nduration: 5\nworkload: [create: {}]\n";
    assert!(load("x.yaml", text, &sets(&["duration=5m"]), &NAMES).is_ok());
}

#[test]
fn an_override_of_null_restores_the_default() {
    let text = "about: x\nduration: 5m\nworkload: [create: {}]\n";
    let scenario = load("x.yaml", text, &sets(&["duration=null"]), &NAMES).unwrap();
    assert_eq!(scenario.duration, crate::Span::mins(20));
}

/// An unset variable of a shell must not set something else than was meant.
#[test]
fn an_override_without_a_value_is_a_mistake() {
    let text = "about: x\nworkload: [create: {}]\n";
    for set in ["duration=", "duration=  "] {
        let refused = load("x.yaml", text, &sets(&[set]), &NAMES).expect_err("no value").to_string();
        assert!(refused.contains("no value; `null` takes a field back"), "{refused}");
    }
}

proptest! {
    #[test]
    fn an_override_is_the_same_as_editing_the_file(
        base in document(),
        other in document(),
        pick in any::<prop::sample::Index>(),
    ) {
        // Any place that both have gets the other's value, once in the file and once by an override.
        let common: Vec<String> = places(&base).into_iter().filter(|place| other.pointer(place).is_some()).collect();
        let place = pick.get(&common);
        let value = other.pointer(place).cloned().unwrap_or(Value::Null);
        let mut edited = base.clone();
        *edited.pointer_mut(place).unwrap() = value.clone();
        let set = format!("{}={value}", path_of(&base, place));
        let by_override = load("x.yaml", &base.to_string(), &[set], &NAMES);
        let by_edit = load("x.yaml", &edited.to_string(), &[], &NAMES);
        prop_assert_eq!(by_override.is_ok(), by_edit.is_ok());
        if let (Ok(by_override), Ok(by_edit)) = (by_override, by_edit) {
            prop_assert_eq!(by_override, by_edit);
        }
    }

    #[test]
    fn no_override_panics(text in "[a-z\\[\\].\"={}:0-9 ]{0,40}") {
        let _ = five_lines(&[&text]);
    }
}

/// A JSON pointer as `--set` writes it.
fn path_of(document: &Value, pointer: &str) -> String {
    let mut path = crate::Path::default();
    let mut value = document;
    for part in pointer.split('/').skip(1) {
        let key = part.replace("~1", "/").replace("~0", "~");
        path = match value {
            Value::Array(_) => path.index(key.parse().unwrap()),
            _ => path.key(&key),
        };
        value = value.get(&key).or_else(|| value.get(key.parse::<usize>().ok()?)).unwrap();
    }
    path.to_string()
}
