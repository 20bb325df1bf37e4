//! Futures on the driver's timers.

use crate::{Driver, Time, TimerId};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

/// Waits until a point in time. Made by [`crate::Runtime::sleep`].
pub struct Sleep {
    driver: Rc<dyn Driver>,
    deadline: Time,
    timer: Option<TimerId>,
    done: bool,
}

impl Sleep {
    #[inline]
    pub(crate) fn new(driver: Rc<dyn Driver>, deadline: Time) -> Sleep {
        Sleep {
            driver,
            deadline,
            timer: None,
            done: false,
        }
    }
}

impl Future for Sleep {
    type Output = ();

    #[inline]
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.done {
            return Poll::Ready(());
        }
        match self.timer {
            // A task may poll a sleep for another reason before its time, and with another waker.
            Some(timer) if self.driver.now() < self.deadline => {
                self.timer = Some(self.driver.renew(timer, self.deadline, context.waker()));
                Poll::Pending
            }
            Some(timer) => {
                self.driver.cancel(timer);
                self.timer = None;
                self.done = true;
                Poll::Ready(())
            }
            None => {
                self.timer = Some(self.driver.register(self.deadline, context.waker()));
                Poll::Pending
            }
        }
    }
}

impl Drop for Sleep {
    #[inline]
    fn drop(&mut self) {
        if let Some(timer) = self.timer.take() {
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

/// A future with a time limit. Made by [`crate::Runtime::timeout`].
pub struct Timeout<F> {
    future: Pin<Box<F>>,
    sleep: Sleep,
}

impl<F> Timeout<F> {
    pub(crate) fn new(future: F, sleep: Sleep) -> Timeout<F> {
        // Boxed: it pins the future without unsafe code.
        Timeout {
            future: Box::pin(future),
            sleep,
        }
    }
}

impl<F: Future> Future for Timeout<F> {
    type Output = Result<F::Output, Elapsed>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Poll::Ready(output) = self.future.as_mut().poll(context) {
            return Poll::Ready(Ok(output));
        }
        Pin::new(&mut self.sleep)
            .poll(context)
            .map(|()| Err(Elapsed))
    }
}
