//! First in, first out, with few departures.
//!
//! Source: Emmi, Qadeer and Rakamaric, "Delay-bounded scheduling" (2011): most bugs need few departures from a plain
//! order, so that runs with one to three of them are worth more than as many wild ones. What is found is small already.

use super::{Choice, Strategy};
use crate::ready::Ready;
use lkesim_runtime::{Entity, Seed};
use std::collections::BTreeSet;

/// First in, first out, but that at a few choices, drawn beforehand, the first in line is put off to the end of its
/// instant.
#[derive(Clone, Debug)]
pub struct DelayBounded {
    /// Choices at which the first in line is put off.
    puts_off: BTreeSet<u64>,
    /// Polls that wait for the end of their instant.
    waiting: Vec<(u64, u32)>,
    /// Choices so far.
    choices: u64,
}

impl DelayBounded {
    /// The order of this seed, which puts off as many, spread over the first `choices` choices.
    pub fn new(seed: Seed, puts_off: u32, choices: u64) -> DelayBounded {
        let key = seed.key("schedule.delay_bounded");
        let choice = |n: u32| key.draw(Entity::named("choice"), n.into()).below(choices);
        DelayBounded { puts_off: (0..puts_off).map(choice).collect(), waiting: Vec::new(), choices: 0 }
    }

    /// The first that is not put off. Where all are, the first of them.
    fn first(&self, ready: &[Ready]) -> usize {
        let is_free = |ready: &Ready| !self.waiting.contains(&(ready.task, ready.poll));
        ready.iter().position(is_free).unwrap_or(0)
    }
}

impl Strategy for DelayBounded {
    fn pick(&mut self, ready: &[Ready], _: &Choice) -> usize {
        let first = self.first(ready);
        let is_put_off = self.puts_off.contains(&self.choices);
        self.choices += 1;
        if !is_put_off {
            return first;
        }
        self.waiting.push((ready[first].task, ready[first].poll));
        self.first(ready)
    }
}
