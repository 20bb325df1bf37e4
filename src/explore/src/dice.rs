//! Draws by what they are for.
//!
//! Each draw is keyed by its name, so that a knob that is added leaves what all others draw as it was. Two draws of one
//! name are the same: what is drawn by another function gets a part of its own.

use lkesim_runtime::{Entity, Key, Seed, Word};

/// The luck of one seed for one part of a drawing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice {
    key: Key,
    of: Entity,
}

impl Dice {
    pub fn new(seed: u64, purpose: &str) -> Dice {
        Dice { key: Seed(seed).key(purpose), of: Entity::named(purpose) }
    }

    /// The same luck for a part of it: the n-th trouble, say.
    pub fn part(self, name: &str, n: u64) -> Dice {
        Dice { of: self.of.and_name(name).and(n), ..self }
    }

    fn word(self, what: &str) -> Word {
        self.key.draw(self.of.and_name(what), 0)
    }

    /// A number in `0..bound`.
    pub fn below(self, what: &str, bound: u64) -> u64 {
        self.word(what).below(bound)
    }

    /// Whether something of one in so many happens.
    pub fn one_in(self, what: &str, of: u64) -> bool {
        self.below(what, of) == 0
    }

    /// One of several, all as likely.
    pub fn of<T: Copy>(self, what: &str, choices: &[T]) -> T {
        choices[self.below(what, choices.len() as u64) as usize]
    }

    /// One of several, by their weights.
    pub fn weighted<T: Copy>(self, what: &str, choices: &[(u64, T)]) -> T {
        let total = choices.iter().map(|(weight, _)| weight).sum();
        let mut at = self.below(what, total);
        for (weight, choice) in choices {
            match at.checked_sub(*weight) {
                Some(rest) => at = rest,
                None => return *choice,
            }
        }
        unreachable!("the draw is below the sum of the weights")
    }
}
