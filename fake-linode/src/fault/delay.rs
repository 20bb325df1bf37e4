//! Delays an answer. The change is made when the call arrives, so a client that gave up waiting finds it made.

use super::Hit;
use lkesim_runtime::{Quantiles, Word};
use std::sync::Arc;
use std::time::Duration;

pub(super) fn hit(name: Arc<str>, delays: &Quantiles, word: Word) -> Hit {
    let delay: Duration = delays.draw(word);
    Hit { name, answer: None, delay, lost: false }
}
