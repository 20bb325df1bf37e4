//! A process that can be made to stand still: while its gate is closed, none of its tasks is polled.
//!
//! Its timers go on and its requests are answered, as those of a frozen container are; it sees all of it when it wakes.

use lkesim_runtime::{Driver, GroupId, LocalFuture, Runtime, Task, TaskName, Time, TimerId};
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
        Runtime::new(Rc::new(Gated { gate: self.clone(), driver: runtime.driver().clone() }))
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

struct Gated {
    gate: Rc<Gate>,
    driver: Rc<dyn Driver>,
}

impl Driver for Gated {
    fn now(&self) -> Time {
        self.driver.now()
    }

    fn wall_clock(&self) -> Time {
        self.driver.wall_clock()
    }

    fn register(&self, at: Time, waker: &Waker) -> TimerId {
        self.driver.register(at, waker)
    }

    fn poll_timer(&self, timer: TimerId, at: Time, waker: &Waker) -> Option<TimerId> {
        self.driver.poll_timer(timer, at, waker)
    }

    fn cancel(&self, timer: TimerId) {
        self.driver.cancel(timer);
    }

    fn spawn(&self, group: GroupId, name: TaskName, task: Task) {
        self.driver.spawn(group, name, Task::new(Behind { gate: self.gate.clone(), task: task.start() }));
    }

    fn open_group(&self, parent: GroupId, name: &str) -> GroupId {
        self.driver.open_group(parent, name)
    }

    fn cancel_group(&self, group: GroupId) {
        self.driver.cancel_group(group);
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
