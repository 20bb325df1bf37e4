use super::*;
use crate::DESIGNS;
use std::collections::BTreeSet;

#[test]
fn a_value_is_told_with_its_unit() {
    let span = |ms| SettingValue::Span(Duration::from_millis(ms)).to_string();
    assert_eq!([0, 1, 2_000, 90_000, 180_000, 43_200_000].map(span), ["0 s", "1 ms", "2 s", "90 s", "3 min", "12 h"]);
    assert_eq!(SettingValue::Count(20, "passes").to_string(), "20 passes");
    assert_eq!(SettingValue::Count(400, "").to_string(), "400");
    assert_eq!(SettingValue::Word(LookupFailure::NotFound.name()).to_string(), "not_found");
}

#[test]
fn a_design_lists_each_setting_once_with_its_source() {
    for design in DESIGNS {
        let mut seen = BTreeSet::new();
        for fact in design.settings {
            let name = design.facts.name;
            assert!(seen.insert(fact.name), "{name}: {} is listed twice", fact.name);
            assert!(!fact.about.is_empty() && !fact.source.is_empty(), "{name}: {} has no source", fact.name);
        }
        assert!(!design.settings.is_empty(), "{}", design.facts.name);
    }
}
