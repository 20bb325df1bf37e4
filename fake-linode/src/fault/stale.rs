//! Answers a read from a replica that is behind: as the same view would have answered so long ago.
//!
//! What a replica does not know yet it does not show, and what is gone it still shows. Writes go to the truth.

use super::Effect;
use std::time::Duration;

pub(super) const fn effect(age: Duration) -> Effect {
    Effect::AsOf(age)
}
