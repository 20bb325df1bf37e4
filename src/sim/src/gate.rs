//! A process that can be made to stand still: while its gate is closed, none of its tasks is polled.
//!
//! Its timers go on and its requests are answered, as those of a frozen container are; it sees all of it when it wakes.

use crate::around::{self, Around};
use lkesim_runtime::{LocalFuture, Runtime, Task};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Whether the tasks behind it may go on.
#[derive(Default)]
pub(crate) struct Gate {
    closed: Cell<bool>,
    waiting: RefCell<Vec<Waker>>,
}

impl Gate {
    /// A runtime whose tasks stand behind this gate.
    pub fn before(self: &Rc<Gate>, runtime: &Runtime) -> Runtime {
        around::before(runtime, self.clone())
    }

    /// Lets the tasks stand still.
    pub fn close(&self) {
        self.closed.set(true);
    }

    /// Lets them go on, in the order in which they came to wait.
    pub fn open(&self) {
        self.closed.set(false);
        self.waiting.take().into_iter().for_each(Waker::wake);
    }
}

impl Around for Rc<Gate> {
    fn task(&self, task: Task) -> Task {
        Task::new(Behind { gate: self.clone(), task: task.start() })
    }
}

/// A task behind a gate.
struct Behind {
    gate: Rc<Gate>,
    task: LocalFuture,
}

impl Future for Behind {
    type Output = ();

    fn poll(mut self: Pin<&mut Behind>, cx: &mut Context<'_>) -> Poll<()> {
        if self.gate.closed.get() {
            self.gate.waiting.borrow_mut().push(cx.waker().clone());
            return Poll::Pending;
        }
        Pin::new(&mut self.task).poll(cx)
    }
}
