use crate::{Diagnostics, Names, Scenario, load};

mod broken;
mod files;
mod hostile;
mod overrides;
mod round_trip;
pub mod strategy;
mod write;

/// Names that a caller would pass in.
pub const NAMES: Names<'static> = Names {
    designs: &["documented", "shipped", "v0.1.3"],
    invariants: &["one-claim-per-instance", "one-instance-per-claim", "one-pool-per-key"],
    types: &["g6-standard-2", "g6-standard-4", "g6-standard-6", "g6-dedicated-2"],
    labels: &[],
    regions: &["us-ord", "us-mia", "nl-ams"],
    lke_regions: &[],
    enterprise_regions: &[],
    figures: &["api.calls", "claims.launched", "time_to.launch.p99_ms", "api.by_endpoint.*"],
    sometimes: &["throttled", "claim_lost"],
    settings: &[],
    running: &[],
    usual_design: None,
};

fn sets(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The shortest scenario, with overrides.
pub fn five_lines(overrides: &[&str]) -> Result<Scenario, Diagnostics> {
    load("five.yaml", "about: x\nworkload:\n- create: {}\n", &sets(overrides), &NAMES)
}

/// A scenario that must be right.
#[track_caller]
pub fn read(text: &str) -> Scenario {
    load("test.yaml", text, &[], &NAMES).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn five_lines_are_a_whole_scenario() {
    let scenario =
        read("about: Five NodeClaims.\nworkload:\n  - create:\n      claims: 5\n      type: g6-standard-4\n");
    assert_eq!(scenario.claims().len(), 5);
    assert_eq!(scenario.duration, crate::Span::mins(20));
    assert_eq!(scenario.preset, crate::Preset::Default);
}

#[test]
fn a_key_without_a_value_is_the_same_as_no_key() {
    let bare = read("about: x\nduration:\nfaults:\ncloud:\nkarpenter:\n  controller_cpus: ~\nworkload:\n- create:\n");
    assert_eq!(bare, five_lines(&[]).unwrap());
}

#[test]
fn aliases_repeat_what_they_name() {
    let scenario = read("about: x\nworkload:\n- create: &two {claims: 2}\n- create: *two\n");
    assert_eq!(scenario.claims().len(), 4);
}

#[test]
fn what_is_expected_of_all_designs_is_expected_of_each() {
    let scenario = read(
        "about: x\nworkload: [create: {}]\nexpect:\n  violates:\n    all: [one-pool-per-key]\n    \
         shipped: [one-claim-per-instance]\n",
    );
    let violations = |design| scenario.expect.violations(design).count();
    assert_eq!((violations("shipped"), violations("documented")), (2, 1));
}
