//! Equal scenario, design, seed and order: equal run, to the byte of its trace.

use crate::support::{Run, read, root};
use lkesim_lke::{DESIGNS, Design};
use lkesim_runtime::Seed;
use lkesim_scenario::builtin;
use lkesim_sim::{Order, Simulator};
use std::collections::{BTreeMap, BTreeSet};
use std::thread;

#[test]
fn a_run_repeats_to_the_byte_in_fresh_and_in_used_memory() {
    let mut used = Simulator::new();
    for name in ["one-claim-standard", "two-pools", "burst-enterprise"] {
        for order in [Order::Fifo, Order::Random(Seed(3))] {
            let run = Run::builtin(name).seed(7).order(order);
            let (first, trace) = run.traced_in(&mut used);
            let (again, trace_again) = run.traced_in(&mut used);
            let (fresh, fresh_trace) = run.traced_in(&mut Simulator::new());
            assert!(trace == trace_again && trace == fresh_trace, "{name}: the traces differ");
            assert_eq!(first, again);
            assert_eq!(first, fresh);
        }
    }
}

#[test]
fn a_trace_changes_nothing() {
    let run = Run::builtin("two-pools").seed(2);
    assert_eq!(run.outcome(), run.traced().0);
}

#[test]
fn threads_change_nothing() {
    let seeds: Vec<u64> = (1..=16).collect();
    let on_one = digests(&seeds);
    let parts: Vec<_> = seeds.chunks(4).map(<[u64]>::to_vec).collect();
    let threads: Vec<_> = parts.into_iter().map(|part| thread::spawn(move || digests(&part))).collect();
    let on_four: Vec<String> = threads.into_iter().flat_map(|thread| thread.join().expect("the thread ends")).collect();
    assert_eq!(on_one, on_four);
    assert_eq!(distinct(&on_one), 16, "seeds are luck: {on_one:?}");
}

fn digests(seeds: &[u64]) -> Vec<String> {
    let mut simulator = Simulator::new();
    let digest = |seed: &u64| {
        let request = Run::builtin("two-pools").seed(*seed).request();
        let ran = simulator.run(&request, None).expect("it runs");
        ran.outcome.digest
    };
    seeds.iter().map(digest).collect()
}

fn distinct(digests: &[String]) -> usize {
    digests.iter().collect::<BTreeSet<_>>().len()
}

#[test]
fn random_orders_repeat_and_differ_by_seed() {
    let digest = |seed| {
        let run = Run::builtin("burst-standard").order(Order::Random(Seed(seed)));
        run.outcome().digest
    };
    let first: Vec<_> = (1..=8).map(digest).collect();
    let again: Vec<_> = (1..=8).map(digest).collect();
    assert_eq!(first, again);
    assert!(distinct(&first) >= 7, "eight orders, nearly all different: {first:?}");
}

#[test]
fn recorded_departures_repeat_a_random_order() {
    for seed in 1..=4 {
        let run = Run::builtin("two-pools").order(Order::Random(Seed(seed)));
        let random = run.ran();
        let departures = random.deviations.clone();
        assert!(!departures.list.is_empty(), "seed {seed} departs nowhere");
        let read_back = departures.to_string().parse().expect("what is written is read");
        for departures in [departures, read_back] {
            let replayed = run.clone().order(Order::Replay(departures)).ran();
            assert_eq!(replayed.unmatched, Vec::<String>::new());
            assert_eq!(replayed.outcome, random.outcome);
            assert_eq!(replayed.deviations, random.deviations);
        }
    }
}

#[test]
fn no_task_was_woken_from_elsewhere() {
    Run::builtin("burst-enterprise").outcome();
    assert_eq!(lkesim_kernel::foreign_wakes(), 0);
}

/// The file that holds the digests of this version, the same in debug and release and on every machine.
const GOLDEN: &str = "tests/golden/digests.txt";

/// The seeds and orders that each scenario and design has a digest for.
const GOLDEN_RUNS: [(u64, Option<u64>); 4] = [(1, None), (2, None), (9_007_199_254_740_993, None), (1, Some(1))];

/// Set `LKESIM_UPDATE_GOLDEN=1` where a change of behaviour is meant: the file is written, to be committed.
#[test]
fn golden_digests_are_those_of_this_version() {
    let text = golden_text();
    if std::env::var_os("LKESIM_UPDATE_GOLDEN").is_some_and(|value| value == "1") {
        std::fs::write(root().join(GOLDEN), &text).expect("the file can be written");
    }
    let (was, is) = (rows(&read(GOLDEN)), rows(&text));
    let differ = |(run, digest): (&String, &String)| match was.get(run) {
        Some(golden) if golden == digest => None,
        golden => Some(format!("{run}: {digest}, in the file {golden:?}")),
    };
    let mut differences: Vec<String> = is.iter().filter_map(differ).collect();
    let gone = was.keys().filter(|run| !is.contains_key(*run));
    differences.extend(gone.map(|run| format!("{run}: there is no such run")));
    assert!(
        differences.is_empty(),
        "{} runs differ from {GOLDEN}; LKESIM_UPDATE_GOLDEN=1 cargo test writes it anew:\n{}",
        differences.len(),
        differences.join("\n")
    );
}

fn golden_text() -> String {
    let mut text = "# scenario, design, seed, order: digest. Written by LKESIM_UPDATE_GOLDEN=1 cargo test\n".to_owned();
    let mut simulator = Simulator::new();
    for scenario in builtin::all() {
        // What a scenario about one design sets, another may not have.
        let own = Run::builtin(scenario.name).scenario().design;
        let is_run = |design: &&&Design| own.as_ref().is_none_or(|own| *own == design.facts.name);
        for design in DESIGNS.iter().filter(is_run) {
            for (seed, order) in GOLDEN_RUNS {
                let (order, word) = match order {
                    None => (Order::Fifo, "fifo".to_owned()),
                    Some(seed) => (Order::Random(Seed(seed)), format!("random-{seed}")),
                };
                let run = Run::builtin(scenario.name).design(design).seed(seed).order(order);
                let ran = simulator.run(&run.request(), None).expect("it runs");
                let digest = ran.outcome.digest;
                text.push_str(&format!("{} {} {seed} {word} {digest}\n", scenario.name, design.facts.name));
            }
        }
    }
    text
}

fn rows(text: &str) -> BTreeMap<String, String> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| line.rsplit_once(' ')).map(|(run, digest)| (run.to_owned(), digest.to_owned())).collect()
}
