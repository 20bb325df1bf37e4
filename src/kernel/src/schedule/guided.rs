//! First in, first out, but for choices that are listed by their number; and a record of every choice there was.
//!
//! What tries all orders of a small run goes from one run to the next by this: a run tells how many were ready at each
//! choice, and the next one takes another of them there.

use super::{Choice, Strategy};
use crate::ready::Ready;
use std::cell::RefCell;
use std::rc::Rc;

/// Another choice than first-in-first-out's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Turn {
    /// Which of the run's choices, from 0. Where one task alone is ready, there is none.
    pub choice: u32,
    /// The place of the task that goes, in the order in which they came.
    pub place: u32,
}

/// What a guided run is to do, and what it did. Clones share both.
#[derive(Clone, Debug, Default)]
pub struct Guide(Rc<RefCell<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    turns: Vec<Turn>,
    next: usize,
    ready: Vec<u32>,
}

impl Guide {
    /// Begins another run, with these turns in ascending order of their choices.
    pub fn begin(&self, turns: &[Turn]) {
        let inner = &mut *self.0.borrow_mut();
        inner.turns.clear();
        inner.turns.extend_from_slice(turns);
        inner.next = 0;
        inner.ready.clear();
    }

    /// How many tasks were ready at each choice of the run so far.
    pub fn ready(&self) -> Vec<u32> {
        self.0.borrow().ready.clone()
    }

    /// How many choices the run has had.
    pub fn choices(&self) -> usize {
        self.0.borrow().ready.len()
    }
}

/// The order that a [`Guide`] gives.
#[derive(Clone, Debug)]
pub struct Guided(Guide);

impl Guided {
    /// The order of this guide.
    pub fn new(guide: Guide) -> Guided {
        Guided(guide)
    }
}

impl Strategy for Guided {
    fn pick(&mut self, ready: &[Ready], _: &Choice) -> usize {
        let inner = &mut *self.0.0.borrow_mut();
        let choice = inner.ready.len() as u32;
        inner.ready.push(ready.len() as u32);
        match inner.turns.get(inner.next) {
            Some(turn) if turn.choice == choice => {
                inner.next += 1;
                // A list that belongs to another run may name a place that nobody has.
                (turn.place as usize).min(ready.len() - 1)
            }
            _ => 0,
        }
    }
}
