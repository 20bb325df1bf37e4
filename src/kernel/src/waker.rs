//! Wakers that are numbers.
//!
//! A waker's data word is (kernel, generation, slot) and is never followed as a pointer. Waking pushes it to a list
//! of the thread, which the kernel reads after each poll. A word whose task is gone finds another generation in its
//! slot, and a word woken on another thread finds another kernel, or none: both are ignored, and the latter is counted.

use std::cell::{Cell, RefCell};
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::task::{RawWaker, RawWakerVTable, Waker};

const SLOT_BITS: u32 = 24;
const GENERATION_BITS: u32 = 20;
const KERNEL_BITS: u32 = 20;

/// No more slots than this at a time.
pub(crate) const SLOTS_MAX: u32 = (1 << SLOT_BITS) - 1;
/// A slot is retired once it has had this many tasks.
pub(crate) const GENERATION_MAX: u32 = (1 << GENERATION_BITS) - 1;

// The word must fit a pointer.
const _: () = assert!(usize::BITS == 64 && SLOT_BITS + GENERATION_BITS + KERNEL_BITS == 64);

/// A task of a kernel of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskWord(u64);

impl TaskWord {
    #[inline]
    pub(crate) fn new(kernel: u32, generation: u32, slot: u32) -> TaskWord {
        let high = (u64::from(kernel) << GENERATION_BITS) | u64::from(generation);
        TaskWord((high << SLOT_BITS) | u64::from(slot))
    }

    #[inline]
    pub(crate) fn slot(self) -> u32 {
        self.0 as u32 & SLOTS_MAX
    }

    #[inline]
    pub(crate) fn generation(self) -> u32 {
        (self.0 >> SLOT_BITS) as u32 & GENERATION_MAX
    }

    #[inline]
    pub(crate) fn kernel(self) -> u32 {
        (self.0 >> (SLOT_BITS + GENERATION_BITS)) as u32
    }

    /// No task's word: the last slot is never used.
    pub(crate) const NOBODY: TaskWord = TaskWord(u64::MAX);

    /// The task behind `waker`, or nobody if it is not one of ours.
    #[inline]
    pub(crate) fn of(waker: &Waker) -> TaskWord {
        if ptr::eq(waker.vtable(), &VTABLE) { TaskWord(waker.data().addr() as u64) } else { TaskWord::NOBODY }
    }

    /// A waker for one poll. It owns nothing, so it needs no drop.
    #[inline]
    pub(crate) fn waker(self) -> ManuallyDrop<Waker> {
        // SAFETY: the four functions of VTABLE read the data word as a number and touch thread-locals alone. They may
        // be called on any thread, any number of times and in any order, and there is no resource to free.
        ManuallyDrop::new(unsafe { Waker::new(ptr::without_provenance(self.0 as usize), &VTABLE) })
    }

    /// Puts the task on this thread's list.
    #[inline]
    pub(crate) fn wake(self) {
        // A thread that is ending has no kernel left to wake.
        let _ = LOCAL.try_with(|local| {
            if local.kernels.get() == 0 {
                FOREIGN.fetch_add(1, Ordering::Relaxed);
            } else {
                local.woken.borrow_mut().push(self);
                WOKEN.set(true);
            }
        });
    }
}

static VTABLE: RawWakerVTable = RawWakerVTable::new(clone, wake, wake, drop_nothing);

fn clone(data: *const ()) -> RawWaker {
    RawWaker::new(data, &VTABLE)
}

fn wake(data: *const ()) {
    TaskWord(data.addr() as u64).wake();
}

fn drop_nothing(_: *const ()) {}

struct Local {
    /// How many kernels live on this thread: without one, nobody would empty the list.
    kernels: Cell<u32>,
    woken: RefCell<Vec<TaskWord>>,
    ids: RefCell<Vec<u32>>,
}

thread_local! {
    static LOCAL: Local = const {
        Local { kernels: Cell::new(0), woken: RefCell::new(Vec::new()), ids: RefCell::new(Vec::new()) }
    };
}

thread_local! {
    /// Whether the list has anything: a flag without a destructor is read at no cost.
    static WOKEN: Cell<bool> = const { Cell::new(false) };
}

static NEXT_KERNEL: AtomicU32 = AtomicU32::new(0);
static FOREIGN: AtomicU64 = AtomicU64::new(0);

/// How many wakes of this process came on a thread without the task's kernel, and were ignored.
///
/// Not zero means that a task handed its waker to another thread: it may wait for ever.
pub fn foreign_wakes() -> u64 {
    FOREIGN.load(Ordering::Relaxed)
}

/// A kernel's seat on its thread, given up on drop.
pub(crate) struct Seat {
    pub(crate) kernel: u32,
}

impl Seat {
    pub(crate) fn take() -> Seat {
        // The number tells kernels apart and decides nothing; after a million kernels it comes round.
        let kernel = NEXT_KERNEL.fetch_add(1, Ordering::Relaxed) & ((1 << KERNEL_BITS) - 1);
        LOCAL.with(|local| {
            local.kernels.set(local.kernels.get() + 1);
            local.ids.borrow_mut().push(kernel);
        });
        Seat { kernel }
    }

    /// Hands out the woken tasks of this kernel, in the order of their wakes.
    ///
    /// `each` must not run code of tasks, which might wake.
    #[inline]
    pub(crate) fn drain(&self, each: impl FnMut(TaskWord)) {
        if WOKEN.get() {
            self.drain_woken(each);
        }
    }

    fn drain_woken(&self, mut each: impl FnMut(TaskWord)) {
        LOCAL.with(|local| {
            let mut woken = local.woken.borrow_mut();
            let mut strays = 0;
            for at in 0..woken.len() {
                let task = woken[at];
                if task.kernel() == self.kernel {
                    each(task);
                } else if local.ids.borrow().contains(&task.kernel()) {
                    woken[strays] = task;
                    strays += 1;
                } else {
                    FOREIGN.fetch_add(1, Ordering::Relaxed);
                }
            }
            woken.truncate(strays);
            WOKEN.set(strays > 0);
        });
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // A kernel kept in a thread-local may outlive the list.
        let _ = LOCAL.try_with(|local| {
            local.kernels.set(local.kernels.get() - 1);
            local.ids.borrow_mut().retain(|&id| id != self.kernel);
            local.woken.borrow_mut().retain(|task| task.kernel() != self.kernel);
        });
    }
}
