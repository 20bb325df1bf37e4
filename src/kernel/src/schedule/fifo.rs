//! First in, first out.

use super::{Choice, Strategy};
use crate::ready::Ready;

/// The task that became ready first goes first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fifo;

impl Strategy for Fifo {
    #[inline]
    fn pick(&mut self, _: &[Ready], _: &Choice) -> usize {
        0
    }
}
