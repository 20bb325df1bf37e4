use crate::tests::{five_lines, read};
use std::time::Duration;

#[test]
fn instance_seen_sets_both_views_and_a_named_one_beats_it() {
    let lags = five_lines(&["cloud.lags.instance_seen=90s"]).unwrap().lags();
    assert_eq!((lags.instance_get.max(), lags.instance_list.min()), (Duration::from_secs(90), Duration::from_secs(90)));
    let lags = five_lines(&["cloud.lags.instance_seen=90s", "cloud.lags.instance_get=1s"]).unwrap().lags();
    assert_eq!((lags.instance_get.max(), lags.instance_list.min()), (Duration::from_secs(1), Duration::from_secs(90)));
    let lags = five_lines(&[]).unwrap().lags();
    assert_eq!((lags.instance_get.max(), lags.instance_list.max()), (Duration::from_secs(45), Duration::from_secs(45)));
}

#[test]
fn an_own_zero_beats_the_preset() {
    let scenario = five_lines(&["cloud.lags.boot=0s", "kubernetes.ready=0s"]).unwrap();
    assert!(scenario.lags().boot.is_zero());
    assert!(scenario.kubernetes_delays().ready.is_zero());
}

#[test]
fn a_lag_of_the_other_tier_is_zero() {
    let standard = five_lines(&["cloud.tier=standard"]).unwrap().lags();
    assert!(standard.members.is_zero() && standard.propagation.is_zero() && standard.instance_get.is_zero());
    assert!(!standard.slot_id.is_zero());
    assert!(five_lines(&[]).unwrap().lags().slot_id.is_zero());
}

#[test]
fn steps_with_one_name_go_on_counting_and_claims_come_by_time() {
    let scenario = read(
        "about: x\nworkload:\n- create: {claims: 2, at: 1m, every: 10s}\n- create: {claims: 1}\n- create: {name: b}\n",
    );
    let claims: Vec<_> = scenario.claims().iter().map(|claim| (claim.name.clone(), claim.at.as_secs())).collect();
    let expected = [("claim-3", 0), ("b-1", 0), ("claim-1", 60), ("claim-2", 70)];
    assert_eq!(claims, expected.map(|(name, at)| (name.to_owned(), at)));
}

#[test]
fn a_count_deletes_the_first_made_that_no_earlier_step_deletes() {
    let scenario = read(
        "about: x\nworkload:\n- create: {claims: 4}\n- delete: {claims: 2, at: 2m}\n\
         - delete: {claims: [claim-2], at: 1m}\n",
    );
    let deletions: Vec<_> =
        scenario.deletions().into_iter().map(|deletion| (deletion.at.as_secs(), deletion.claims)).collect();
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(deletions, [(60, names(&["claim-2"])), (120, names(&["claim-1", "claim-3"]))]);
}

#[test]
fn node_pools_follow_from_the_workload_unless_they_are_listed() {
    let steps = "workload:\n- create: {node_pool: a, type: g6-standard-2}\n- create: {node_pool: b}\n\
        - create: {node_pool: a, types: [g6-standard-4, g6-standard-2]}\n";
    let show = |text: &str| -> Vec<String> {
        let node_pools = read(text).node_pools();
        node_pools.iter().map(|node_pool| format!("{} {}", node_pool.name, node_pool.types.join("+"))).collect()
    };
    assert_eq!(show(&format!("about: x\n{steps}")), ["a g6-standard-2+g6-standard-4", "b g6-standard-4"]);
    let listed = "node_pools:\n- {name: b}\n- {name: a, types: [g6-standard-4, g6-standard-2, g6-standard-6]}\n";
    assert_eq!(
        show(&format!("about: x\n{listed}{steps}")),
        ["b g6-standard-4", "a g6-standard-4+g6-standard-2+g6-standard-6"]
    );
}
