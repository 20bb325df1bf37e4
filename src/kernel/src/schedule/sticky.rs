//! A random order in which a task tends to go on.
//!
//! Where every poll is drawn anew, a task that polls often is all but never through before another begins. Real
//! executors and operating systems let a thread run for a while: some bugs need just that, a task that does many steps
//! while the others stand still.

use super::{Choice, Random, Ranks, Strategy};
use crate::ready::Ready;
use lkesim_runtime::{Entity, Key, Ppm, Seed};

/// The task that was chosen last goes on with a fixed chance; otherwise the order is random.
#[derive(Clone, Debug)]
pub struct Sticky {
    stays: Key,
    stay: Ppm,
    ranks: Ranks,
    /// The hash of the path of the task that was chosen last.
    last: Option<u64>,
}

impl Sticky {
    /// The order of this seed, in which a task goes on with the chance `stay`.
    pub fn new(seed: Seed, stay: Ppm) -> Sticky {
        Sticky { stays: seed.key("schedule.sticky"), stay, ranks: Random::new(seed).ranks(), last: None }
    }

    fn goes_on(&self, ready: &Ready) -> bool {
        Some(ready.task) == self.last
            && self.stays.draw(Entity::numbered(ready.task), ready.poll.into()).happens(self.stay)
    }
}

impl Strategy for Sticky {
    fn pick(&mut self, ready: &[Ready], _: &Choice) -> usize {
        let same = ready.iter().position(|ready| self.goes_on(ready));
        let rank = |index: &usize| self.ranks.rank(ready[*index].task, ready[*index].poll);
        let chosen = same.or_else(|| (0..ready.len()).max_by_key(rank)).unwrap_or(0);
        self.last = Some(ready[chosen].task);
        chosen
    }
}
