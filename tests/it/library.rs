//! The library as a team uses it that tests a design of its own.

use crate::planted::locked_by_claim;
use crate::support::design;
use lkesim::scenario::builtin;
use lkesim::{Check, strategies};
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn scenario(name: &str) -> lkesim::scenario::Scenario {
    let text = builtin::find(name).expect("it is built in").text;
    lkesim::scenario::load(name, text, &[], &Default::default()).expect("it is valid")
}

fn message(work: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(work)).expect_err("it fails");
    panic.downcast_ref::<String>().cloned().expect("it says why")
}

#[test]
fn a_good_design_passes_a_check() {
    Check::of(design("documented")).around("tiny-two-claims", &scenario("tiny-two-claims")).seeds(1).holds();
}

#[test]
fn a_bad_design_fails_a_check_with_what_broke_how_and_the_smallest_scenario() {
    let tiny = scenario("tiny-two-claims");
    let text = message(|| Check::of(locked_by_claim()).around("tiny-two-claims", &tiny).seeds(4).holds());
    let (head, _) = text.split_once('\n').expect("lines");
    assert!(head.starts_with("planted broke something in ") && head.ends_with(" of 4 runs"), "{text}");
    for part in ["\n  how: ", "\n  again: LKESIM_SEED=", " cargo test\n", "\nThe smallest scenario that breaks "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let (_, yaml) = text.split_once(":\n  about:").expect("the scenario");
    assert!(yaml.contains("claims: 2"), "{yaml}");
}

#[test]
fn an_invariant_is_asserted_by_its_name() {
    let tiny = scenario("tiny-two-claims");
    let good = lkesim::run(design("documented"), &tiny, 1).expect("it is modelled");
    lkesim::assert_all_hold(&good);
    lkesim::assert_holds(&good, "one-claim-per-instance");
    let text = message(|| lkesim::assert_holds(&good, "no-such"));
    assert!(text.starts_with("there is no invariant `no-such`; there is one-claim-per-instance, "), "{text}");
    let bad = lkesim::run(locked_by_claim(), &tiny, 1).expect("it is modelled");
    let text = message(|| lkesim::assert_all_hold(&bad));
    assert!(text.contains(" broke under planted, seed 1, first at "), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn drawn_scenarios_are_valid_and_those_around_one_keep_its_tier(
        drawn in strategies::scenarios(design("shipped")),
        near in strategies::around("tiny", &scenario("tiny-two-claims"), design("documented")),
        seed in strategies::seeds(),
    ) {
        prop_assert!(drawn.mistakes(&Default::default()).is_empty(), "{seed}");
        prop_assert!(near.mistakes(&Default::default()).is_empty());
        prop_assert_eq!(near.cloud.tier, scenario("tiny-two-claims").cloud.tier);
    }
}
