//! What a NodePool says of disruption, and what is said of what is not modelled of it.

use super::super::Objects;
use crate::tests::NAMES;
use crate::{Diagnostics, Given, Input, Loaded, load_input};
use lkesim_kube::object::node_pool::{DisruptionBudget, DisruptionReason, NodePoolSpec};
use lkesim_kube::object::pod_disruption_budget::Share;
use std::rc::Rc;
use std::time::Duration;

/// A NodePool with this in its spec, under a setting of `karpenter.disruption`.
fn given(disruption: &str, setting: &str) -> Result<Loaded, Diagnostics> {
    let text = format!(
        "apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata: {{name: a}}\nspec:\n  {disruption}\n  template:\n    spec:\n      \
         requirements: []\n      nodeClassRef: {{group: karpenter.k8s.linode, kind: LinodeNodeClass, name: default}}\n"
    );
    let manifests = [Given { name: "given.yaml".to_owned(), bytes: text.into_bytes() }];
    let sets = [format!("karpenter.disruption={setting}")];
    let input = Input {
        name: "given.yaml",
        bytes: None,
        sets: &sets,
        manifests: &manifests,
        strict: false,
        files: &crate::builtin::Manifests,
        is_recorded: false,
    };
    load_input(&input, &NAMES)
}

#[track_caller]
fn spec(disruption: &str) -> Rc<NodePoolSpec> {
    let loaded = given(disruption, "emptiness").unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let Objects { node_pools, .. } = loaded.scenario.objects(0);
    node_pools[0].spec.clone()
}

#[track_caller]
fn said(disruption: &str, setting: &str) -> String {
    match given(disruption, setting) {
        Ok(loaded) => loaded.remarks.to_string(),
        Err(mistakes) => mistakes.to_string(),
    }
}

#[test]
fn what_is_left_out_is_as_the_api_server_puts_it_there() {
    let left_out = spec("weight: 1");
    assert_eq!(left_out.consolidate_after, Some(Duration::ZERO));
    assert_eq!(left_out.budgets, [DisruptionBudget::DEFAULT]);
    let short = spec("disruption: {consolidateAfter: 5m}");
    assert_eq!(short.consolidate_after, Some(Duration::from_secs(300)));
    assert_eq!(short.budgets, [DisruptionBudget::DEFAULT]);
    assert_eq!(spec("disruption: {consolidateAfter: Never, budgets: []}").budgets, []);
    assert_eq!(spec("disruption: {consolidateAfter: Never}").consolidate_after, None);
}

#[test]
fn budgets_have_numbers_shares_and_reasons() {
    let found = spec(
        "disruption: {consolidateAfter: 1m, consolidationPolicy: WhenEmpty, \
         budgets: [{nodes: \"3\"}, {nodes: 25%, reasons: [Empty, Drifted]}]}",
    );
    let of = |nodes, reasons| DisruptionBudget { nodes, reasons };
    let reasons = vec![DisruptionReason::Empty, DisruptionReason::Drifted];
    assert_eq!(found.budgets, [of(Share::Pods(3), None), of(Share::Percent(25), Some(reasons))]);
    for (wrong, expected) in [
        ("{nodes: 3}", "found the number `3`"),
        ("{nodes: 101%}", "found `101%`"),
        ("{nodes: \"1\", reasons: [Idle]}", "unknown value `Idle`"),
        ("{reasons: [Empty]}", "`nodes` is missing"),
    ] {
        let said = said(&format!("disruption: {{consolidateAfter: 1m, budgets: [{wrong}]}}"), "emptiness");
        assert!(said.contains(expected), "{wrong}: {said}");
    }
}

#[test]
fn more_than_emptiness_is_not_modelled_and_told() {
    let other = "consolidation of nodes that are not empty is not modelled";
    assert!(said("disruption: {consolidateAfter: 1m}", "emptiness").contains(other), "it is the default");
    assert!(said("weight: 1", "emptiness").contains(other), "it is the default of what is left out, too");
    let asked = "disruption: {consolidateAfter: 1m, consolidationPolicy: WhenEmptyOrUnderutilized}";
    assert!(said(asked, "emptiness").contains(other));
    for silent in ["{consolidateAfter: 1m, consolidationPolicy: WhenEmpty}", "{consolidateAfter: Never}"] {
        assert_eq!(said(&format!("disruption: {silent}"), "emptiness"), "", "{silent}");
    }
    let scheduled = "disruption: {consolidateAfter: 1m, consolidationPolicy: WhenEmpty, \
                     budgets: [{nodes: \"0\", schedule: \"@daily\", duration: 1h}]}";
    let said_of_it = said(scheduled, "emptiness");
    assert!(
        said_of_it.contains("`schedule` is not modelled: the budget is taken to hold at all times"),
        "{said_of_it}"
    );
}

#[test]
fn where_nothing_disrupts_a_node_pool_that_wants_it_is_told() {
    let off = "`karpenter.disruption` is off";
    let wants = "disruption: {consolidateAfter: 1m, consolidationPolicy: WhenEmpty, budgets: [{nodes: \"1\", schedule: \"@daily\", duration: 1h}]}";
    let said_of_it = said(wants, "off");
    assert!(said_of_it.contains(off) && !said_of_it.contains("schedule` is not"), "{said_of_it}");
    for silent in ["weight: 1", "disruption: {consolidateAfter: Never}"] {
        assert_eq!(said(silent, "off"), "", "{silent}");
    }
}
