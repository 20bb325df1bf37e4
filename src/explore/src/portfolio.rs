//! The portfolio: which order of tasks a seed has.
//!
//! No rule finds every bug soonest: a random order finds one that needs a whole permutation, priorities one that needs
//! a task to starve, few departures one that needs a single step out of turn, and late timers what exact ties never
//! show. So seeds take turns.

use crate::dice::Dice;
use lkesim_runtime::{Ppm, Seed};
use lkesim_sim::{Late, Order, Rule};
use std::time::Duration;

/// The order that a seed draws.
pub fn order(seed: u64) -> Order {
    let dice = Dice::new(seed, "explore.portfolio");
    Order::Drawn(Seed(seed), rule(dice), late(dice))
}

fn rule(dice: Dice) -> Rule {
    let choices = dice.of("choices", &[16, 64, 256, 1_024]);
    match dice.weighted("rule", &[(15, 0), (30, 1), (15, 2), (20, 3), (20, 4)]) {
        0 => Rule::Fifo,
        1 => Rule::Random,
        2 => Rule::Sticky { stay: dice.of("stay", &[Ppm(500_000), Ppm(800_000), Ppm(950_000)]) },
        3 => Rule::Priorities { changes: dice.of("changes", &[0, 1, 2, 3]), choices },
        _ => Rule::DelayBounded { puts_off: dice.of("puts_off", &[1, 2, 3]), choices },
    }
}

/// Half of all runs are on time. 12 s is beyond what the SDK waits for an answer.
fn late(dice: Dice) -> Option<Late> {
    const MS: Duration = Duration::from_millis(1);
    const LENGTHS: [&[Duration]; 5] = [
        &[MS],
        &[MS, Duration::from_millis(100)],
        &[Duration::from_millis(100), Duration::from_secs(1)],
        &[Duration::from_secs(3)],
        &[Duration::from_secs(12)],
    ];
    let chance = dice.of("chance", &[Ppm(1_000), Ppm(4_000), Ppm(20_000)]);
    let lengths = dice.weighted("lengths", &[(3, 0), (3, 1), (3, 2), (2, 3), (1, 4)]);
    (!dice.one_in("on_time", 2)).then(|| Late { chance, lengths: LENGTHS[lengths].to_vec() })
}
