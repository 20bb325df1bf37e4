//! A value whose writes are seen after a lag, in the order of writing.

use crate::saved::Saved;
use lkesim_runtime::Time;
use std::collections::VecDeque;

/// What one view knows of a value.
///
/// A write that would be seen before an earlier one waits for it: a view may be late, yet it never goes back in time.
#[derive(Clone, Debug)]
pub struct Lagged<T> {
    seen: T,
    due: VecDeque<(Time, T)>,
}

impl<T> Lagged<T> {
    /// A value that is seen from the start.
    pub const fn new(seen: T) -> Lagged<T> {
        Lagged { seen, due: VecDeque::new() }
    }

    /// Writes a value that is seen at `at`, or with the last write before it, if that is later. Says when.
    pub fn write(&mut self, at: Time, value: T) -> Time {
        let at = self.due.back().map_or(at, |&(last, _)| last.max(at));
        self.due.push_back((at, value));
        at
    }

    /// Sees what is due; whether anything was.
    pub fn catch_up(&mut self, now: Time) -> bool {
        let mut any = false;
        while self.due.front().is_some_and(|&(at, _)| at <= now)
            && let Some((_, value)) = self.due.pop_front()
        {
            self.seen = value;
            any = true;
        }
        any
    }

    /// What is seen.
    pub const fn seen(&self) -> &T {
        &self.seen
    }
}

impl<T> Lagged<T> {
    /// What is seen, and what will be.
    pub(crate) fn all(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.seen).chain(self.due.iter().map(|(_, value)| value))
    }
}

impl<T: Saved> Saved for Lagged<T> {
    fn save(&self) -> serde_json::Value {
        serde_json::Value::from(vec![self.seen.save(), self.due.save()])
    }

    fn load(value: &serde_json::Value) -> Option<Lagged<T>> {
        let (seen, due) = Saved::load(value)?;
        Some(Lagged { seen, due })
    }
}

#[cfg(test)]
mod tests;
