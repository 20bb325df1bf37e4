//! The served cloud's clock: real time at a speed, or moved by hand alone.

use lkesim_runtime::Time;
use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

/// How fast virtual time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// It stands still until it is moved.
    ByHand,
    /// It runs, and can be moved on.
    Running(Speed),
}

/// Virtual seconds in a real one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Speed {
    millionths: u64,
}

impl Speed {
    /// The most virtual seconds in a real one.
    pub const MOST: u64 = 1_000_000;

    /// Reads a decimal above 0, such as `20` or `0.5`; none where the text is none, or too much.
    pub fn parse(text: &str) -> Option<Speed> {
        let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(part) || part.len() > 6 {
            return None;
        }
        let whole: u64 = whole.parse().ok().filter(|whole| *whole <= Speed::MOST)?;
        let millionths = whole * 1_000_000 + part.parse::<u64>().ok()? * 10u64.pow(6 - part.len() as u32);
        (millionths > 0).then_some(Speed { millionths })
    }
}

/// What a driven clock shows.
type Shown = Rc<dyn Fn() -> Time>;

/// The clock.
pub(super) struct Clock {
    pace: Pace,
    /// Who drives it, if another one does.
    driver: Option<Shown>,
    /// The time that it showed at an instant.
    set: Cell<(Time, Instant)>,
    moved: Notify,
}

impl Clock {
    pub fn new(pace: Pace) -> Clock {
        Clock { pace, driver: None, set: Cell::new((Time::ZERO, Instant::now())), moved: Notify::new() }
    }

    /// A clock that shows what another one does. Nothing waits for it.
    pub fn driven(driver: Shown) -> Clock {
        Clock { driver: Some(driver), ..Clock::new(Pace::ByHand) }
    }

    /// The time that it shows.
    pub fn now(&self) -> Time {
        if let Some(driver) = &self.driver {
            return driver();
        }
        let (shown, at) = self.set.get();
        match self.pace {
            Pace::ByHand => shown,
            Pace::Running(speed) => {
                let nanos = at.elapsed().as_nanos() * u128::from(speed.millionths) / 1_000_000;
                shown + Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
            }
        }
    }

    /// Sets it, and wakes who waits.
    pub fn set(&self, to: Time) {
        self.set.set((to, Instant::now()));
        self.moved.notify_waiters();
    }

    /// Waits until it shows `at` or later, or there is nothing to wait for any more.
    pub async fn reach(&self, at: Time, is_over: impl Fn() -> bool) {
        loop {
            // Heard from here on, so that no move falls between the look and the wait.
            let mut moved = pin!(self.moved.notified());
            moved.as_mut().enable();
            let now = self.now();
            if now >= at || is_over() {
                return;
            }
            let Pace::Running(speed) = self.pace else {
                moved.await;
                continue;
            };
            let nanos = at.since(now).as_nanos() * 1_000_000 / u128::from(speed.millionths) + 1;
            // Longer than a tokio timer lasts is as good as for ever; it is looked at anew then.
            let real = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)).min(Duration::from_secs(86_400));
            let mut due = pin!(sleep_until(Instant::now() + real));
            poll_fn(|context| match (moved.as_mut().poll(context), due.as_mut().poll(context)) {
                (Poll::Pending, Poll::Pending) => Poll::Pending,
                _ => Poll::Ready(()),
            })
            .await;
        }
    }
}

#[cfg(test)]
mod tests;
