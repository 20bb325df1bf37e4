//! An answer on its way: one slot with two ends, which are cheaper than a boxed future for each request.

use crate::request::Answer;
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

#[derive(Default)]
struct Slot {
    answer: Cell<Option<Answer>>,
    waker: Cell<Option<Waker>>,
    abandoned: Cell<bool>,
}

/// The caller's end. Dropping it abandons the answer, not the request.
pub struct Answering(Rc<Slot>);

/// The wire's end. Dropping it without an answer leaves the caller waiting, as a network does.
pub struct Answerer(Rc<Slot>);

/// Both ends of one answer.
pub fn answering() -> (Answerer, Answering) {
    let slot = Rc::new(Slot::default());
    (Answerer(slot.clone()), Answering(slot))
}

impl Answerer {
    /// Whether nobody waits any more.
    pub fn is_abandoned(&self) -> bool {
        self.0.abandoned.get()
    }

    /// Gives the answer.
    pub fn put(self, answer: Answer) {
        self.0.answer.set(Some(answer));
        if let Some(waker) = self.0.waker.take() {
            waker.wake();
        }
    }
}

impl Future for Answering {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Answer> {
        match self.0.answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => {
                self.0.waker.set(Some(context.waker().clone()));
                Poll::Pending
            }
        }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.abandoned.set(true);
    }
}
