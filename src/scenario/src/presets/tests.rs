use super::{Preset, SETTINGS, TABLE, delay};
use crate::tests::five_lines;
use lkesim_linode_api::object::Tier;
use lkesim_runtime::Quantiles;
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

#[test]
fn every_setting_states_the_default_that_the_scenario_has() {
    let scenario = serde_json::to_value(five_lines(&[]).unwrap()).unwrap();
    for setting in SETTINGS {
        let value = setting.knob.split('.').fold(&scenario, |value, key| &value[key]);
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        assert_eq!(text, setting.default, "{}", setting.knob);
    }
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
