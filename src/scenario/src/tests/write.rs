use super::NAMES;
use super::strategy::scenario;
use crate::{Names, builtin, load, to_yaml};
use proptest::prelude::*;

#[test]
fn built_in_scenarios_are_written_as_they_were_read() {
    for found in builtin::all() {
        let scenario = load(found.name, found.text, &[], &Names::default()).unwrap();
        let text = to_yaml(&scenario);
        let again = load(found.name, &text, &[], &Names::default());
        let again = again.unwrap_or_else(|mistakes| panic!("{}\n{text}", mistakes.render(false)));
        assert_eq!(again, scenario, "{text}");
    }
}

#[test]
fn what_is_as_usual_is_left_out() {
    let text = "about: One.\ncloud: {tier: standard, lags: {boot: 5s}}\nworkload:\n- create: {claims: 2, at: 5s}\n\
                faults:\n- lose: {call: UpdateInstance, nth: 2}\n";
    let scenario = load("one", text, &[], &Names::default()).unwrap();
    let expected = "about: One.\ncloud:\n  tier: standard\n  lags:\n    boot: 5s\nworkload:\n- create:\n    claims: 2\n    \
                    at: 5s\nfaults:\n- lose:\n    call: UpdateInstance\n    nth: '2'\n";
    assert_eq!(to_yaml(&scenario), expected);
}

proptest! {
    #[test]
    fn any_scenario_survives_its_text(scenario in scenario()) {
        let text = to_yaml(&scenario);
        let again = load("generated", &text, &[], &NAMES);
        let again = again.unwrap_or_else(|mistakes| panic!("{}\n{text}", mistakes.render(false)));
        prop_assert_eq!(again, scenario, "{}", text);
    }
}
