//! The tasks: a slab of slots, each used by one task after the other.

use crate::groups::Group;
use crate::path::PathId;
use crate::prefetch::prefetch;
use crate::ready::NOWHERE;
use crate::waker::{GENERATION_MAX, SLOTS_MAX, TaskWord};
use lkesim_runtime::LocalFuture;

/// One task, in one cache line.
#[repr(align(64))]
pub(crate) struct Slot {
    /// None while it is being polled, and in a free slot.
    pub(crate) future: Option<LocalFuture>,
    /// The hash of its path.
    pub(crate) hash: u64,
    /// Rises with each task, so that wakers of earlier ones are known.
    pub(crate) generation: u32,
    pub(crate) polls: u32,
    pub(crate) group: u32,
    pub(crate) prev: u32,
    pub(crate) next: u32,
    pub(crate) path: PathId,
    pub(crate) alive: bool,
    pub(crate) ready: bool,
    /// Its group was cancelled while it was being polled.
    pub(crate) doomed: bool,
    /// A deviation names it, so its path must stay.
    pub(crate) named: bool,
}

#[derive(Default)]
pub(crate) struct Tasks {
    slots: Vec<Slot>,
    free: Vec<u32>,
    live: usize,
}

impl Tasks {
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

    /// The path of a task. It is kept if a deviation names it.
    #[inline]
    pub(crate) fn name(&mut self, slot: u32, named: bool) -> PathId {
        let slot = self.at(slot);
        slot.named |= named;
        slot.path
    }

    /// Fetches what [`Tasks::find`] will look at.
    #[inline]
    pub(crate) fn foresee(&self, task: TaskWord) {
        if let Some(slot) = self.slots.get(task.slot() as usize) {
            prefetch(slot);
        }
    }

    /// The task of a waker, if it lives.
    #[inline]
    pub(crate) fn find(&mut self, task: TaskWord) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(task.slot() as usize)?;
        (slot.generation == task.generation() && slot.alive).then_some(slot)
    }

    /// Adds a task as the last of its group, and returns its slot.
    #[inline]
    pub(crate) fn insert(
        &mut self,
        future: LocalFuture,
        (path, hash): (PathId, u64),
        (index, group): (u32, &mut Group),
    ) -> u32 {
        let at = self.free.pop().unwrap_or_else(|| self.add_slot());
        let slot = &mut self.slots[at as usize];
        slot.future = Some(future);
        (slot.path, slot.hash) = (path, hash);
        (slot.polls, slot.ready) = (0, false);
        (slot.alive, slot.doomed, slot.named) = (true, false, false);
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
        self.slots.push(Slot {
            future: None,
            hash: 0,
            generation: 0,
            polls: 0,
            group: 0,
            prev: NOWHERE,
            next: NOWHERE,
            path: PathId::ROOT,
            alive: false,
            ready: false,
            doomed: false,
            named: false,
        });
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
        slot.alive = false;
        self.live -= 1;
        // A slot whose generations ran out is left aside: a waker must never mean two tasks.
        if slot.generation < GENERATION_MAX {
            slot.generation += 1;
            self.free.push(at);
        }
    }

    /// Puts the free slots in order, so that the next run lies in memory as a first one does.
    pub(crate) fn tidy(&mut self) {
        self.free.sort_unstable_by(|a, b| b.cmp(a));
    }
}
