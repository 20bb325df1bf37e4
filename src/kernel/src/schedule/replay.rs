//! Replay: first-in-first-out, but for listed departures.

use super::{Choice, Setting, Strategy};
use crate::deviations::{Deviation, Deviations, PollKey, Verb};
use crate::ready::Ready;
use std::collections::BTreeMap;
use std::time::Duration;

type Key = (u64, u32);

fn key_of(key: &PollKey) -> Key {
    (key.task.hash(), key.poll)
}

/// Repeats a run from its deviations.
///
/// Why it is exact: at a choice whose first in line is H, the recorded run took the earliest listed of the polls
/// "before H" that were ready, for all that are listed before it had been taken. As long as both runs agree, the same
/// are ready here.
///
/// The verbs that a kernel does not record come before that: who is `first` goes at once, and of the others the first
/// in line is the first that neither `last` nor `after` holds back. Where all are held back, none is.
pub struct Replay {
    deviations: Vec<Deviation>,
    matched: Vec<bool>,
    keys: Vec<Key>,
    /// The polls that go before a poll, in order: indices of `deviations`.
    before: BTreeMap<Key, Vec<usize>>,
    /// Those that go first, in order.
    first: Vec<usize>,
    /// Those that are held back: to the end, or by another poll.
    held: BTreeMap<Key, (usize, Option<Key>)>,
    /// Those whose timers fire late.
    late: BTreeMap<Key, (usize, Duration)>,
}

impl Replay {
    /// The run that `deviations` were recorded in. Of two lines that hold back or delay the same poll, the last counts.
    pub fn new(deviations: &Deviations) -> Replay {
        let deviations = deviations.list.clone();
        let keys: Vec<Key> = deviations.iter().map(|deviation| key_of(&deviation.key)).collect();
        let mut replay = Replay {
            matched: vec![false; deviations.len()],
            deviations: Vec::new(),
            keys: Vec::new(),
            before: BTreeMap::new(),
            first: Vec::new(),
            held: BTreeMap::new(),
            late: BTreeMap::new(),
        };
        for (index, (deviation, key)) in deviations.iter().zip(&keys).enumerate() {
            match &deviation.verb {
                Verb::Before(other) => replay.before.entry(key_of(other)).or_default().push(index),
                Verb::First => replay.first.push(index),
                Verb::Last => drop(replay.held.insert(*key, (index, None))),
                Verb::After(other) => drop(replay.held.insert(*key, (index, Some(key_of(other))))),
                Verb::Delay(by) => drop(replay.late.insert(*key, (index, *by))),
            }
        }
        Replay { deviations, keys, ..replay }
    }

    /// The deviations that changed nothing so far: after a run, those that belong to another one.
    pub fn unmatched(&self) -> Vec<Deviation> {
        let pairs = self.deviations.iter().zip(&self.matched);
        pairs.filter(|(_, matched)| !**matched).map(|(deviation, _)| deviation.clone()).collect()
    }

    /// The first of these lines whose poll is ready and has not been moved by it.
    fn next_of(&self, lines: &[usize], ready: &[Ready]) -> Option<(usize, usize)> {
        let open = lines.iter().filter(|&&line| !self.matched[line]);
        open.copied().find_map(|line| position(ready, self.keys[line]).map(|at| (line, at)))
    }

    /// The line that holds a poll back among those that are ready.
    fn holds_back(&self, poll: &Ready, ready: &[Ready]) -> Option<usize> {
        let &(line, until) = self.held.get(&(poll.task, poll.poll))?;
        let is_to_come = |(task, number): Key| ready.iter().any(|other| other.task == task && other.poll <= number);
        until.is_none_or(is_to_come).then_some(line)
    }

    /// The first in line.
    fn head(&mut self, ready: &[Ready]) -> usize {
        let Some(head) = ready.iter().position(|poll| self.holds_back(poll, ready).is_none()) else {
            return 0;
        };
        for poll in &ready[..head] {
            if let Some(line) = self.holds_back(poll, ready) {
                self.matched[line] = true;
            }
        }
        head
    }
}

fn position(ready: &[Ready], key: Key) -> Option<usize> {
    ready.iter().position(|ready| (ready.task, ready.poll) == key)
}

impl Strategy for Replay {
    fn pick(&mut self, ready: &[Ready], _: &Choice) -> usize {
        if let Some((line, at)) = self.next_of(&self.first, ready) {
            self.matched[line] = true;
            return at;
        }
        let head = if self.held.is_empty() { 0 } else { self.head(ready) };
        let key = (ready[head].task, ready[head].poll);
        let moved = self.before.get(&key).and_then(|lines| {
            // One that is the head itself is not moved.
            let open = lines.iter().filter(|&&line| !self.matched[line]);
            open.copied()
                .find_map(|line| position(ready, self.keys[line]).filter(|&at| at != head).map(|at| (line, at)))
        });
        match moved {
            Some((line, at)) => {
                self.matched[line] = true;
                at
            }
            None => head,
        }
    }

    fn delays(&self) -> bool {
        !self.late.is_empty()
    }

    fn delay(&mut self, setting: &Setting) -> Duration {
        match self.late.get(&(setting.task, setting.poll)) {
            Some(&(line, by)) => {
                self.matched[line] = true;
                by
            }
            None => Duration::ZERO,
        }
    }
}
