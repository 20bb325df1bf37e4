use super::*;
use lkesim_kube::object::Operator;

fn set(selectors: &[Selector]) -> Requirements {
    Requirements::of_selectors(selectors)
}

#[test]
fn a_label_that_nobody_defines_can_not_be_asked_for_unless_it_is_well_known() {
    let nothing = Requirements::NONE;
    let zone = set(&[Selector::any_of(labels::ZONE, ["a"])]);
    let known = WellKnownLabels::default();
    assert!(nothing.compatible(&zone, Some(&known)).is_ok());
    let team = set(&[Selector::any_of("team", ["a"])]);
    let text = nothing.compatible(&team, Some(&known)).expect_err("team is not defined").to_string();
    assert_eq!(text, "label \"team\" does not have known values");
    let absent = set(&[Selector::new("team", Operator::NotIn, ["a"])]);
    assert!(nothing.compatible(&absent, None).is_ok());
}

#[test]
fn what_is_perhaps_meant_is_told() {
    let asked = set(&[Selector::any_of("zone", ["a"])]);
    let text =
        Requirements::NONE.compatible(&asked, Some(&WellKnownLabels::default())).expect_err("a typo").to_string();
    assert_eq!(text, "label \"zone\" does not have known values (typo of \"topology.kubernetes.io/zone\"?)");
}

#[test]
fn two_that_a_node_without_the_label_meets_are_compatible() {
    let not_a = set(&[Selector::new("team", Operator::NotIn, ["a"])]);
    let none = set(&[Selector::new("team", Operator::DoesNotExist, [""; 0])]);
    assert!(not_a.intersects(&none).is_ok());
    let some = set(&[Selector::new("team", Operator::Exists, [""; 0])]);
    assert!(some.intersects(&none).is_err());
}
