//! An answer on its way: one slot with two ends, which are cheaper than a boxed future for each request.

use crate::request::{Answer, CallNumber};
use lkesim_runtime::Time;
use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// Who wants to know, at once, that a caller no longer waits for its answer.
pub trait Watch {
    /// The caller of `call` let go before an answer came: its time was over, or its process died. `arrived` is when the
    /// request reached the API, if it did yet, and `fault` what keeps the answer away, where that is known.
    fn abandoned(&self, call: CallNumber, arrived: Option<Time>, fault: Option<Arc<str>>);
}

struct Slot {
    call: CallNumber,
    watch: Option<Rc<dyn Watch>>,
    arrived: Cell<Option<Time>>,
    fault: Cell<Option<Arc<str>>>,
    answer: Cell<Option<Answer>>,
    waker: Cell<Option<Waker>>,
    answered: Cell<bool>,
    abandoned: Cell<bool>,
}

/// The caller's end. Dropping it abandons the answer, not the request.
pub struct Answering(Rc<Slot>);

/// The wire's end. Dropping it without an answer leaves the caller waiting, as a network does.
pub struct Answerer(Rc<Slot>);

/// Both ends of the answer to a call.
pub fn answering(call: CallNumber, watch: Option<Rc<dyn Watch>>) -> (Answerer, Answering) {
    let slot = Rc::new(Slot {
        call,
        watch,
        arrived: Cell::default(),
        fault: Cell::default(),
        answer: Cell::default(),
        waker: Cell::default(),
        answered: Cell::default(),
        abandoned: Cell::default(),
    });
    (Answerer(slot.clone()), Answering(slot))
}

impl Answerer {
    /// Whether nobody waits any more.
    pub fn is_abandoned(&self) -> bool {
        self.0.abandoned.get()
    }

    /// Notes that the request reached the API, and what keeps its answer away.
    pub fn arrived(&self, at: Time, fault: Option<Arc<str>>) {
        self.0.arrived.set(Some(at));
        self.0.fault.set(fault);
    }

    /// Gives the answer.
    pub fn put(self, answer: Answer) {
        self.0.answered.set(true);
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
        if self.0.answered.get() {
            return;
        }
        self.0.abandoned.set(true);
        if let Some(watch) = &self.0.watch {
            watch.abandoned(self.0.call, self.0.arrived.get(), self.0.fault.take());
        }
    }
}
