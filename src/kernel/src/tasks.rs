//! The tasks: a slab of slots, each used by one task after the other.

use crate::groups::Group;
use crate::path::PathId;
use crate::prefetch::prefetch;
use crate::ready::NOWHERE;
use crate::waker::{GENERATION_MAX, SLOTS_MAX, TaskWord};
use lkesim_runtime::{LocalFuture, Slab, Task, large};

/// One task, in one cache line.
#[repr(align(64))]
pub(crate) struct Slot {
    /// None while it is being polled, and in a free slot.
    pub(crate) future: Option<LocalFuture>,
    /// The task's own word. Its generation rises with each task, so that wakers of earlier ones are known.
    pub(crate) word: TaskWord,
    /// The word while the task waits to be woken, otherwise nobody's: what a wake is compared to.
    pub(crate) waits: TaskWord,
    /// The hash of its path.
    pub(crate) hash: u64,
    pub(crate) polls: u32,
    pub(crate) group: u32,
    pub(crate) prev: u32,
    pub(crate) next: u32,
    pub(crate) path: PathId,
    /// Its group was cancelled while it was being polled.
    pub(crate) doomed: bool,
    /// A deviation names it, so its path must stay.
    pub(crate) named: bool,
}

impl Slot {
    /// Whether the task, if it lives, is ready to be polled.
    #[inline]
    pub(crate) fn is_ready(&self) -> bool {
        self.waits == TaskWord::NOBODY
    }
}

/// From so many tasks on, futures of further ones lie in memory of the kernel's own: fewer are found in time anyway.
const MANY: usize = 4_096;

pub(crate) struct Tasks {
    /// Part of each word.
    kernel: u32,
    slots: Vec<Slot>,
    free: Vec<u32>,
    live: usize,
    /// Where futures lie while tasks are many.
    slab: Slab,
}

impl Tasks {
    pub(crate) fn new(kernel: u32) -> Tasks {
        Tasks { kernel, slots: Vec::new(), free: Vec::new(), live: 0, slab: Slab::new() }
    }

    pub(crate) fn live(&self) -> usize {
        self.live
    }

    #[inline]
    pub(crate) fn at(&mut self, slot: u32) -> &mut Slot {
        &mut self.slots[slot as usize]
    }

    #[inline]
    pub(crate) fn get(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }

    /// Fetches what a wake will look at.
    #[inline]
    pub(crate) fn foresee(&self, task: TaskWord) {
        if let Some(slot) = self.slots.get(task.slot() as usize) {
            prefetch::<1, _>(slot);
        }
    }

    /// The slot of a task that waits, which then does no more. None if it is ready already, or gone.
    #[inline]
    pub(crate) fn wake(&mut self, task: TaskWord) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(task.slot() as usize)?;
        if slot.waits != task {
            return None;
        }
        slot.waits = TaskWord::NOBODY;
        Some(slot)
    }

    /// Adds a task as the last of its group, and returns its slot.
    #[inline]
    pub(crate) fn insert(&mut self, task: Task, (path, hash): (PathId, u64), (index, group): (u32, &mut Group)) -> u32 {
        let at = self.free.pop().unwrap_or_else(|| self.add_slot());
        let future = if self.live < MANY { task.start() } else { task.start_in(&mut self.slab) };
        let slot = &mut self.slots[at as usize];
        slot.future = Some(future);
        (slot.path, slot.hash) = (path, hash);
        slot.waits = slot.word;
        slot.polls = 0;
        (slot.doomed, slot.named) = (false, false);
        slot.group = index;
        (slot.prev, slot.next) = (group.tail, NOWHERE);
        match group.tail {
            NOWHERE => group.head = at,
            tail => self.slots[tail as usize].next = at,
        }
        group.tail = at;
        self.live += 1;
        at
    }

    #[cold]
    fn add_slot(&mut self) -> u32 {
        let at = self.slots.len() as u32;
        assert!(at < SLOTS_MAX, "more tasks than the kernel counts");
        large::push(
            &mut self.slots,
            Slot {
                future: None,
                word: TaskWord::new(self.kernel, 0, at),
                waits: TaskWord::NOBODY,
                hash: 0,
                polls: 0,
                group: 0,
                prev: NOWHERE,
                next: NOWHERE,
                path: PathId::ROOT,
                doomed: false,
                named: false,
            },
        );
        at
    }

    /// Takes a task out of its group's list.
    #[inline]
    pub(crate) fn unlink(&mut self, at: u32, group: &mut Group) {
        let Slot { prev, next, .. } = self.slots[at as usize];
        match prev {
            NOWHERE => group.head = next,
            prev => self.slots[prev as usize].next = next,
        }
        match next {
            NOWHERE => group.tail = prev,
            next => self.slots[next as usize].prev = prev,
        }
    }

    /// The slot's task is gone; its wakers find nobody from here on.
    #[inline]
    pub(crate) fn free(&mut self, at: u32) {
        let slot = &mut self.slots[at as usize];
        slot.waits = TaskWord::NOBODY;
        self.live -= 1;
        // A slot whose generations ran out is left aside: a waker must never mean two tasks.
        let generation = slot.word.generation();
        if generation < GENERATION_MAX {
            slot.word = TaskWord::new(self.kernel, generation + 1, at);
            self.free.push(at);
        }
    }

    /// Puts the free slots in order, so that the next run lies in memory as a first one does.
    pub(crate) fn tidy(&mut self) {
        self.free.sort_unstable_by(|a, b| b.cmp(a));
    }
}
