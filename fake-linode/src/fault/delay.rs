//! Delays an answer. The change is made when the call arrives, so a client that gave up waiting finds it made.

use super::Effect;
use lkesim_runtime::{Quantiles, Word};

pub(super) fn effect(delays: &Quantiles, word: Word) -> Effect {
    Effect::Late(delays.draw(word))
}
