use super::NAMES;
use super::strategy::{document, scenario};
use crate::{Path, Scenario, load};
use proptest::prelude::*;

/// A key, or the number of an entry.
fn part() -> impl Strategy<Value = Result<String, usize>> {
    prop_oneof!["[a-z_.\\[\\]=]{1,8}".prop_map(Ok), (0..99_usize).prop_map(Err)]
}

proptest! {
    #[test]
    fn a_scenario_reads_back_from_json(scenario in scenario()) {
        let json = serde_json::to_string(&scenario).unwrap();
        prop_assert_eq!(serde_json::from_str::<Scenario>(&json).unwrap(), scenario);
    }

    #[test]
    fn a_checked_scenario_reads_back_through_every_check(scenario in scenario()) {
        let json = serde_json::to_string(&scenario).unwrap();
        let read = load("x.json", &json, &[], &NAMES);
        let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(read, scenario);
    }

    #[test]
    fn both_readers_agree(document in document()) {
        let by_serde: Scenario = serde_json::from_value(document.clone()).unwrap();
        let read = load("x.json", &document.to_string(), &[], &NAMES);
        let read = read.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(read, by_serde);
    }

    #[test]
    fn a_path_reads_back(parts in prop::collection::vec(part(), 1..6)) {
        let path = parts.iter().fold(Path::default(), |path, part| match part {
            Ok(key) => path.key(key),
            Err(index) => path.index(*index),
        });
        prop_assert_eq!(Path::parse(&path.to_string()), Ok(path));
    }
}
