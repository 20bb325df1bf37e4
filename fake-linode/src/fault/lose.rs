//! Loses an answer after the change was made: the client waits for its time limit and can't know.

use super::Effect;

pub(super) const fn effect() -> Effect {
    Effect::Lost
}
