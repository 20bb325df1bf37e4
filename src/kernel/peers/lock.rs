//! The locks that the benchmark's tasks share: one of its own, and tokio's.
//!
//! tokio's mutex costs every executor the same, and more than an event of the faster ones. So the tasks use a lock
//! that does no more than they need, first come, first served; with tokio's they are measured as a variant.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// A fair lock around a count of its grants.
pub trait Lock: Default + Send + Sync + 'static {
    /// Holds the lock until it is dropped.
    type Guard<'a>: Send;
    /// Waits for its turn.
    fn lock(&self) -> impl Future<Output = Self::Guard<'_>> + Send;
    /// Counts a grant.
    fn count(guard: &mut Self::Guard<'_>);
    /// The grants so far; none while it is held.
    fn grants(&self) -> Option<u64>;
}

/// tokio's lock.
pub type TokioMutex = tokio::sync::Mutex<u64>;

impl Lock for TokioMutex {
    type Guard<'a> = tokio::sync::MutexGuard<'a, u64>;

    fn lock(&self) -> impl Future<Output = Self::Guard<'_>> + Send {
        TokioMutex::lock(self)
    }

    fn count(guard: &mut Self::Guard<'_>) {
        **guard += 1;
    }

    fn grants(&self) -> Option<u64> {
        self.try_lock().ok().map(|grants| *grants)
    }
}

/// A lock that is handed to whoever waits longest.
#[derive(Default)]
pub struct FairLock {
    held: Cell<bool>,
    grants: Cell<u64>,
    /// How many of those that had to wait have had their turn.
    served: Cell<u64>,
    /// The others, by turn; none if it gave up.
    waiting: RefCell<VecDeque<Option<Waker>>>,
}

// SAFETY: executors that spawn tasks on many threads ask for these. Each peer runs on one thread, that of its `main`,
// and so does the kernel: no lock is ever seen by a second one.
unsafe impl Send for FairLock {}
// SAFETY: as above.
unsafe impl Sync for FairLock {}

impl Lock for FairLock {
    type Guard<'a> = Guard<'a>;

    #[inline]
    fn lock(&self) -> impl Future<Output = Guard<'_>> + Send {
        Turn { lock: self, place: None }
    }

    #[inline]
    fn count(guard: &mut Guard<'_>) {
        guard.0.grants.set(guard.0.grants.get() + 1);
    }

    fn grants(&self) -> Option<u64> {
        (!self.held.get()).then(|| self.grants.get())
    }
}

impl FairLock {
    /// Gives the lock to the next that waits, or to nobody.
    #[inline]
    fn release(&self) {
        let mut waiting = self.waiting.borrow_mut();
        while let Some(next) = waiting.pop_front() {
            self.served.set(self.served.get() + 1);
            if let Some(waker) = next {
                return waker.wake();
            }
        }
        self.held.set(false);
    }
}

/// The lock, held.
pub struct Guard<'a>(&'a FairLock);

impl Drop for Guard<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.release();
    }
}

/// One that wants the lock.
struct Turn<'a> {
    lock: &'a FairLock,
    /// How many were served or wait before it, if it has to wait.
    place: Option<u64>,
}

impl<'a> Future for Turn<'a> {
    type Output = Guard<'a>;

    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Guard<'a>> {
        let lock = self.lock;
        let served = lock.served.get();
        match self.place {
            None if !lock.held.replace(true) => return Poll::Ready(Guard(lock)),
            None => {
                let mut waiting = lock.waiting.borrow_mut();
                self.place = Some(served + waiting.len() as u64);
                waiting.push_back(Some(context.waker().clone()));
            }
            Some(place) if place < served => {
                self.place = None;
                return Poll::Ready(Guard(lock));
            }
            Some(place) => lock.waiting.borrow_mut()[(place - served) as usize] = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

impl Drop for Turn<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(place) = self.place {
            match place.checked_sub(self.lock.served.get()) {
                Some(index) => self.lock.waiting.borrow_mut()[index as usize] = None,
                // It was its turn, and it never knew.
                None => self.lock.release(),
            }
        }
    }
}
