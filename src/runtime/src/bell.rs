//! A bell for one listener: what a semaphore across threads does with atomics, in two cells of one thread.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Rings for one task. What rang while nobody listened is heard by the next who does, once.
#[derive(Default)]
pub struct Bell {
    rung: Cell<bool>,
    listener: Cell<Option<Waker>>,
}

impl Bell {
    /// A bell that has not rung.
    pub fn new() -> Bell {
        Bell::default()
    }

    /// Wakes the listener, if there is one.
    pub fn ring(&self) {
        self.rung.set(true);
        if let Some(listener) = self.listener.take() {
            listener.wake();
        }
    }

    /// Waits until it rings, or not at all if it rang since it was last heard.
    ///
    /// For one listener at a time: a second one takes the place of the first, and whoever of them lets go silences
    /// both. A listener that lets go leaves the ring to the next.
    pub fn heard(&self) -> Heard<'_> {
        Heard(self)
    }
}

/// Listens to a [`Bell`].
pub struct Heard<'a>(&'a Bell);

impl Future for Heard<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0.rung.take() {
            return Poll::Ready(());
        }
        self.0.listener.set(Some(context.waker().clone()));
        Poll::Pending
    }
}

/// Who has let go is not woken: its task would be polled for nothing.
impl Drop for Heard<'_> {
    fn drop(&mut self) {
        self.0.listener.take();
    }
}

#[cfg(test)]
mod tests {
    use super::Bell;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    /// Whether somebody who begins to listen hears it at once.
    fn is_heard(bell: &Bell) -> bool {
        pin!(bell.heard()).poll(&mut Context::from_waker(Waker::noop())).is_ready()
    }

    #[test]
    fn a_ring_is_heard_once_whoever_listens_first() {
        let bell = Bell::new();
        assert!(!is_heard(&bell));
        bell.ring();
        bell.ring();
        assert!(is_heard(&bell));
        assert!(!is_heard(&bell));
    }
}
