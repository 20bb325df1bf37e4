//! The seam on tokio: the same code on a `LocalSet`, with a real or a paused clock.

use crate::{Driver, GroupId, Runtime, Task, TaskName, Time, TimerId};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::rc::Rc;
use std::task::Waker;
use std::time::Duration;
use tokio::task::{AbortHandle, spawn_local};

/// A runtime on the `LocalSet` that this is called in. Time counts from now.
///
/// # Panics
/// Outside a tokio `LocalSet` with a clock.
pub fn on_tokio() -> Runtime {
    Runtime::new(Rc::new(Tokio {
        start: tokio::time::Instant::now(),
        timers: RefCell::default(),
        next_timer: Cell::new(NonZeroU64::MIN),
        groups: RefCell::new(vec![Group::default()]),
    }))
}

struct Tokio {
    start: tokio::time::Instant,
    timers: RefCell<BTreeMap<NonZeroU64, AbortHandle>>,
    next_timer: Cell<NonZeroU64>,
    groups: RefCell<Vec<Group>>,
}

#[derive(Default)]
struct Group {
    parent: u32,
    cancelled: bool,
    tasks: Vec<AbortHandle>,
}

impl Driver for Tokio {
    fn now(&self) -> Time {
        Time::ZERO + self.start.elapsed()
    }

    fn register(&self, at: Time, waker: &Waker) -> TimerId {
        let timer = self.next_timer.get();
        self.next_timer.set(timer.saturating_add(1));
        let (at, waker) = (self.start + Duration::from_nanos(at.as_nanos()), waker.clone());
        let task = spawn_local(async move {
            tokio::time::sleep_until(at).await;
            waker.wake();
        });
        self.timers.borrow_mut().insert(timer, task.abort_handle());
        TimerId(timer)
    }

    fn cancel(&self, timer: TimerId) {
        if let Some(task) = self.timers.borrow_mut().remove(&timer.0) {
            task.abort();
        }
    }

    fn spawn(&self, group: GroupId, _name: TaskName, task: Task) {
        let mut groups = self.groups.borrow_mut();
        let group = &mut groups[group.0 as usize];
        if !group.cancelled {
            group.tasks.retain(|task| !task.is_finished());
            group.tasks.push(spawn_local(task.start()).abort_handle());
        }
    }

    fn open_group(&self, parent: GroupId, _name: &str) -> GroupId {
        let mut groups = self.groups.borrow_mut();
        let cancelled = groups[parent.0 as usize].cancelled;
        groups.push(Group { parent: parent.0, cancelled, ..Group::default() });
        GroupId(groups.len() as u32 - 1)
    }

    fn cancel_group(&self, group: GroupId) {
        let mut groups = self.groups.borrow_mut();
        groups[group.0 as usize].cancelled = true;
        for index in 1..groups.len() {
            // A group comes after the one that it was opened from.
            let parent = groups[index].parent as usize;
            groups[index].cancelled |= parent > 0 && groups[parent].cancelled;
        }
        for group in groups.iter_mut().filter(|group| group.cancelled) {
            group.tasks.drain(..).for_each(|task| task.abort());
        }
    }
}
