//! Loses an answer after the change was made: the client waits for its time limit and can't know.

use super::Hit;
use std::sync::Arc;
use std::time::Duration;

pub(super) fn hit(name: Arc<str>) -> Hit {
    Hit { name, answer: None, delay: Duration::ZERO, lost: true }
}
