use super::ranges::{RANGES, UNSCREENED};
use super::{Mark, Preset, SETTINGS, TABLE, delay};
use crate::tests::five_lines;
use lkesim_linode_api::object::Tier;
use lkesim_runtime::Quantiles;
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
fn every_row_rises_and_names_a_field_that_can_be_set() {
    for row in TABLE {
        let points: Vec<_> =
            row.points.iter().map(|&(percent, millis)| (percent * 10_000, Duration::from_millis(millis))).collect();
        assert!(Quantiles::through(&points).is_ok(), "{}", row.knob);
        five_lines(&[&format!("{}=5s", row.knob)]).unwrap_or_else(|error| panic!("{error}"));
        assert!(!row.source.is_empty());
    }
}

#[test]
fn no_preset_has_two_values_for_a_knob() {
    for preset in Preset::ALL {
        for tier in [Tier::Standard, Tier::Enterprise] {
            let mut knobs: Vec<_> = TABLE
                .iter()
                .filter(|row| row.presets.contains(&preset) && row.tier.is_none_or(|of| of == tier))
                .map(|row| row.knob)
                .collect();
            let all = knobs.len();
            knobs.sort_unstable();
            knobs.dedup();
            assert_eq!(knobs.len(), all, "{}", preset.name());
        }
    }
}

/// What a file can't write, as nothing is the default, is told in words.
#[test]
fn every_setting_states_the_default_that_the_scenario_has() {
    let scenario = serde_json::to_value(five_lines(&[]).unwrap()).unwrap();
    for setting in SETTINGS {
        let value = setting.knob.split('.').fold(&scenario, |value, key| &value[key]);
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        assert!(value.is_null() || text == setting.default, "{}: {text}", setting.knob);
        assert!(!setting.default.is_empty() && !setting.source.is_empty(), "{}", setting.knob);
    }
}

/// The paths of all fields below a definition of the schema; a field that is a map of fields stands for those.
fn leaves(schema: &Value, at: &Value, path: &str, into: &mut BTreeSet<String>) {
    let refers = |at: &Value| at["$ref"].as_str().and_then(|path| path.rsplit('/').next()).map(str::to_owned);
    let choices = ["allOf", "anyOf"].iter().filter_map(|key| at[*key].as_array()).flatten();
    let all: Vec<&Value> = std::iter::once(at).chain(choices).collect();
    let mut found = false;
    for one in all {
        let one = refers(one).map_or(one, |name| &schema["definitions"][&name]);
        let is_choice = one["anyOf"].is_array() && !std::ptr::eq(one, at);
        // A delay may be written as a map of quantiles, yet it is one value.
        let is_value = one["properties"].get("p50").is_some();
        if let Some(fields) = one["properties"].as_object().filter(|_| !is_value) {
            found = true;
            for (name, field) in fields {
                leaves(schema, field, &format!("{path}.{name}"), into);
            }
        } else if is_choice {
            let before = into.len();
            leaves(schema, one, path, into);
            into.remove(path);
            found |= into.len() > before;
        }
    }
    if !found {
        into.insert(path.to_owned());
    }
}

#[test]
fn every_field_of_the_world_has_its_row_and_every_row_its_field() {
    let schema = crate::schema();
    let mut fields = BTreeSet::new();
    for (part, definition) in [("cloud", "Cloud"), ("kubernetes", "Kubernetes"), ("karpenter", "Karpenter")] {
        leaves(&schema, &schema["definitions"][definition], part, &mut fields);
    }
    let rows: BTreeSet<String> = TABLE
        .iter()
        .map(|row| row.knob)
        .chain(SETTINGS.iter().map(|setting| setting.knob))
        .map(str::to_owned)
        .collect();
    let without: Vec<_> = fields.difference(&rows).collect();
    assert!(without.is_empty(), "fields without a row in presets/: {without:?}");
    let unknown: Vec<_> = rows.difference(&fields).collect();
    assert!(unknown.is_empty(), "rows of no field: {unknown:?}");
    assert!(fields.len() > 50, "the schema was not walked: {fields:?}");
}

#[test]
fn zero_takes_no_time_and_document_only_what_is_documented() {
    for row in TABLE {
        for tier in [Tier::Standard, Tier::Enterprise] {
            assert!(delay(Preset::Zero, tier, row.knob).is_zero());
        }
    }
    let document = |tier, knob| delay(Preset::Document, tier, knob);
    assert_eq!(document(Tier::Enterprise, "cloud.lags.members").min(), Duration::from_secs(30));
    assert!(document(Tier::Standard, "cloud.lags.members").is_zero());
    assert!(document(Tier::Enterprise, "cloud.lags.instance_seen").is_zero());
    assert!(document(Tier::Enterprise, "cloud.latency.list").is_zero());
    assert_eq!(document(Tier::Standard, "cloud.lags.boot").max(), Duration::from_secs(105));
}

/// Without one, nobody could tell whether a verdict rests on the guess.
#[test]
fn every_guess_has_a_range_or_a_reason_why_it_has_none() {
    let guesses: BTreeSet<&str> = TABLE
        .iter()
        .filter(|row| row.mark == Mark::Unknown)
        .map(|row| row.knob)
        .chain(SETTINGS.iter().filter(|setting| setting.mark == Mark::Unknown).map(|setting| setting.knob))
        .collect();
    let told: Vec<&str> =
        RANGES.iter().map(|range| range.knob).chain(UNSCREENED.iter().map(|(knob, _)| *knob)).collect();
    assert_eq!(told.iter().copied().collect::<BTreeSet<_>>(), guesses);
    assert_eq!(told.len(), guesses.len(), "a knob is there twice");
}

#[test]
fn every_end_of_a_range_can_be_set_and_is_not_the_default() {
    let default = serde_json::to_value(five_lines(&[]).unwrap()).unwrap();
    for range in RANGES {
        assert!(!range.values.is_empty() && !range.reason.is_empty(), "{}", range.knob);
        for value in range.values {
            let set = five_lines(&[&format!("{}={value}", range.knob)]).unwrap_or_else(|error| panic!("{error}"));
            assert_ne!(serde_json::to_value(set).unwrap(), default, "{}={value} changes nothing", range.knob);
        }
    }
}
