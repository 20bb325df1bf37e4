use super::level::{Level, Node};
use super::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn tiny(text: &str) -> Scenario {
    lkesim_scenario::load("tiny.yaml", text, &[], &Default::default()).expect("it is valid")
}

const TWO: &str = "{about: tiny, preset: document, duration: 1m, workload: [{create: {claims: 2}}]}";

fn all(text: &str, departures: u32, jobs: usize) -> Exhaustive {
    let design = lkesim_lke::design("documented").expect("it is built in");
    Exhaustive { name: "tiny".to_owned(), scenario: tiny(text), design, seed: 1, departures, jobs }
}

proptest! {
    /// Runs whose numbers of ready tasks do not depend on what departed, as in no real run: all words are then known.
    #[test]
    fn a_level_has_each_list_of_departures_once(ready in prop::collection::vec(2..5u32, 0..5)) {
        let mut parents = vec![Node::root()];
        let mut all = BTreeSet::new();
        for departures in 0..=ready.len() as u32 {
            let level = Level::new(departures, &parents);
            let len = level.len();
            let nodes: Vec<Node> = level.map(|turns| Node { turns, ready: ready.clone() }).collect();
            prop_assert_eq!(nodes.len() as u64, len);
            prop_assert!(nodes.iter().all(|node| node.turns.len() == departures as usize));
            prop_assert!(nodes.iter().all(|node| node.turns.is_sorted_by_key(|turn| turn.choice)));
            prop_assert!(nodes.iter().flat_map(|node| &node.turns).all(|turn| turn.place < ready[turn.choice as usize]));
            all.extend(nodes.iter().map(|node| node.turns.clone()));
            parents = nodes;
        }
        // Each choice has one of its places: as many as there are words.
        let words: u64 = ready.iter().map(|ready| u64::from(*ready)).product();
        prop_assert_eq!(all.len() as u64, words);
    }
}

#[test]
fn all_orders_with_one_departure_run_once_whatever_the_number_of_threads() {
    let run = |jobs| all(TWO, 1, jobs).run(&|| false, &mut |_| {}, &|_| "again".to_owned());
    let (one, three) = (run(1), run(3));
    assert_eq!(one, three);
    assert!(one.covered && one.findings.is_empty(), "{:?}", one.findings);
    assert_eq!((one.verdict, one.orders[0], one.runs), (Covering::Pass, 1, 1 + one.orders[1]));
    assert!(one.orders[1] > one.choices, "{one:?}");
}

#[test]
fn what_was_stopped_proves_nothing() {
    let stopped = all(TWO, 1, 1).run(&|| true, &mut |_| {}, &|_| String::new());
    assert_eq!((stopped.covered, stopped.verdict), (false, Covering::NotCovered));
    assert_eq!(stopped.runs, 2, "one of each level");
}

#[test]
fn a_larger_scenario_is_refused_with_the_reason() {
    let why = |text: &str| too_large(&tiny(text));
    assert_eq!(why(TWO), None);
    let is_about = |text: &str, what: &str| why(text).is_some_and(|why| why.starts_with(what));
    assert!(is_about("{about: tiny, workload: [{create: {claims: 3}}]}", "NodeClaims: 3"));
    assert!(is_about(
        "{about: tiny, start: {lke_pools: [{claims: 2}]}, workload: [{create: {claims: 1}}]}",
        "NodeClaims"
    ));
    let faults = "{about: tiny, workload: [{create: {claims: 1}}], \
        faults: [{lose: {call: UpdateInstance}}, {lose: {call: DeleteLKENodePoolNode}}]}";
    assert!(is_about(faults, "faults"));
    let clusters = "{about: tiny, clusters: [{name: a}, {name: b}], workload: [{create: {claims: 1}}]}";
    assert!(is_about(clusters, "clusters: 2"));
    let pools =
        "{about: tiny, workload: [{create: {claims: 1, types: [g6-standard-2, g6-standard-4, g6-standard-6]}}]}";
    assert!(is_about(pools, "LKE pools"));
}

#[test]
fn the_departures_of_an_order_are_those_that_repeat_it() {
    let all = all(TWO, 2, 1);
    let turns = [Turn { choice: 0, place: 1 }, Turn { choice: 30, place: 1 }];
    let deviations = all.deviations(&turns);
    assert_eq!(deviations.list.len(), 2);
    let (guide, mut trier) = (Guide::default(), Trier::new());
    let digest = |trial: Trial| match trial.ending {
        Ending::Judged { digest, .. } => digest,
        other => panic!("it is judged: {other:?}"),
    };
    guide.begin(&turns);
    let guided = digest(trier.run(&all.case(&guide)));
    let replayed = trier.run(&Case { order: Order::Replay(deviations), ..all.case(&guide) });
    assert!(replayed.unmatched.is_empty());
    assert_eq!(guided, digest(replayed));
}
