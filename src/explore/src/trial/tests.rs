//! A run is repeated by the list of its departures from first-in-first-out alone.

use super::{Case, Ending, Trier};
use crate::palette::Palette;
use lkesim_kernel::Deviations;
use lkesim_lke::DESIGNS;
use lkesim_sim::Order;

fn digest(trier: &mut Trier, case: &Case) -> Option<String> {
    match trier.run(case).ending {
        Ending::Judged { digest, .. } => Some(digest),
        Ending::Broken | Ending::NotModelled(_) => None,
    }
}

/// How many runs are repeated; this variable of the environment asks for more.
fn repeated() -> u64 {
    std::env::var("LKESIM_REPLAYS").map_or(200, |runs| runs.parse().expect("a number of runs"))
}

#[test]
fn random_runs_replayed_from_the_text_of_their_deviations_have_equal_digests() {
    let (mut trier, mut compared) = (Trier::new(), 0);
    let runs = repeated();
    for seed in 1..=runs {
        let case = Case::drawn(&Palette::General, DESIGNS[seed as usize % DESIGNS.len()], seed);
        let Some(first) = digest(&mut trier, &case) else {
            continue;
        };
        let text = trier.deviations().to_string();
        let list: Deviations = text.parse().unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let again = Case { order: Order::Replay(list), ..case };
        let trial = trier.run(&again);
        assert!(trial.unmatched.is_empty(), "seed {seed}: {:?}", trial.unmatched);
        let Ending::Judged { digest, .. } = trial.ending else {
            panic!("seed {seed} does not end when it is replayed");
        };
        assert_eq!(digest, first, "seed {seed}");
        compared += 1;
    }
    println!("{compared} of {runs} runs were repeated, with equal digests");
    assert!(compared * 10 > runs * 9, "{compared}");
}
