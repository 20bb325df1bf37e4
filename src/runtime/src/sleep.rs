//! Futures on the driver's timers.

use crate::{Driver, Time, TimerId};
use pin_project_lite::pin_project;
use std::fmt;
use std::future::Future;
use std::num::NonZeroU64;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// The timer of a sleep that is over.
const OVER: TimerId = TimerId(NonZeroU64::MAX);

/// Waits until a point in time. Made by [`crate::Runtime::sleep`].
pub struct Sleep {
    driver: Rc<dyn Driver>,
    deadline: Time,
    /// None before the first poll, then the driver's, then [`OVER`].
    timer: Option<TimerId>,
}

impl Sleep {
    #[inline]
    pub(crate) fn new(driver: Rc<dyn Driver>, deadline: Time) -> Sleep {
        Sleep { driver, deadline, timer: None }
    }
}

impl Future for Sleep {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.timer == Some(OVER) {
            return Poll::Ready(());
        }
        let waker = context.waker();
        let timer = match self.timer {
            None => Some(self.driver.register(self.deadline, waker)),
            Some(timer) => self.driver.poll_timer(timer, self.deadline, waker),
        };
        match timer {
            Some(timer) => {
                self.timer = Some(timer);
                Poll::Pending
            }
            None => {
                self.timer = Some(OVER);
                Poll::Ready(())
            }
        }
    }
}

impl Drop for Sleep {
    #[inline]
    fn drop(&mut self) {
        if let Some(timer) = self.timer.filter(|&timer| timer != OVER) {
            self.driver.cancel(timer);
        }
    }
}

/// The time given to a future ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Elapsed;

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the time ran out")
    }
}

impl std::error::Error for Elapsed {}

pin_project! {
    /// A future with a time limit. Made by [`crate::Runtime::timeout`].
    pub struct Timeout<F> {
        // Pinned in place: a box would cost as much as all the rest of a timeout.
        #[pin]
        future: F,
        #[pin]
        sleep: Sleep,
    }
}

impl<F> Timeout<F> {
    #[inline]
    pub(crate) fn new(future: F, sleep: Sleep) -> Timeout<F> {
        Timeout { future, sleep }
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        if let Poll::Ready(output) = this.future.poll(context) {
            return Poll::Ready(Ok(output));
        }
        this.sleep.poll(context).map(|()| Err(Elapsed))
    }
}
