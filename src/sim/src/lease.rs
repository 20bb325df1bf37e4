//! The lease that makes one process the leader, as client-go v0.35.1 `tools/leaderelection` elects one.
//!
//! A leader renews it every retry period, counted from when it took it; one that dies or stands still leaves it to run
//! out. Every other process looks at it once, and then again after 1 to 2.2 retry periods each time. To it the lease
//! lasts its duration from the look at which it first saw the last renewal, not from that renewal: a process that has
//! just started waits for all of it, however long the holder is dead. One that was released is free at the next look.

use lkesim_runtime::{Entity, Key, Runtime, Time};
use std::cell::Cell;
use std::time::Duration;

/// By how much of the retry period a look comes later at most, in tenths. client-go `JitterFactor` is 1.2.
const JITTER_TENTHS: u64 = 12;

/// The lease of one cluster.
pub(crate) struct Lease {
    pub duration: Duration,
    pub retry: Duration,
    luck: Key,
    holder: Cell<Option<Held>>,
}

#[derive(Clone, Copy)]
struct Held {
    by: u32,
    since: Time,
    /// When it was renewed last; none while its holder renews it.
    last_renewal: Option<Time>,
}

/// What a look at the lease shows: who has it, and its last renewal.
type Record = (u32, Time);

impl Lease {
    pub fn new(duration: Duration, retry: Duration, luck: Key) -> Lease {
        Lease { duration, retry, luck, holder: Cell::new(None) }
    }

    /// Waits until the process may lead. One that finds the lease free has it at once.
    pub async fn take(&self, runtime: &Runtime, process: u32) {
        let mut seen: Option<(Record, Time)> = None;
        for look in 0.. {
            let now = runtime.now();
            if self.is_free_to(now, &mut seen) {
                break;
            }
            runtime.sleep(self.pause(process, look)).await;
        }
        self.hand(runtime.now(), process);
    }

    /// From one look to the next.
    fn pause(&self, process: u32, look: u64) -> Duration {
        let most = self.retry.as_nanos() as u64 / 10 * JITTER_TENTHS;
        let word = self.luck.draw(Entity::numbered(process.into()), look).0;
        self.retry + Duration::from_nanos(word % (most + 1))
    }

    /// Whether one who last saw the lease so may take it, as it looks again.
    fn is_free_to(&self, now: Time, seen: &mut Option<(Record, Time)>) -> bool {
        let Some(record) = self.record(now) else {
            return true;
        };
        match seen {
            Some((known, at)) if *known == record => *at + self.duration <= now,
            _ => {
                *seen = Some((record, now));
                false
            }
        }
    }

    fn record(&self, now: Time) -> Option<Record> {
        let held = self.holder.get()?;
        Some((held.by, held.last_renewal.unwrap_or_else(|| self.renewal_before(held, now))))
    }

    fn renewal_before(&self, held: Held, now: Time) -> Time {
        let retry = self.retry.as_nanos().max(1);
        let renewals = now.since(held.since).as_nanos() / retry;
        held.since + Duration::from_nanos((renewals * retry) as u64)
    }

    /// Gives the lease to a process, whoever had it.
    fn hand(&self, now: Time, process: u32) {
        self.holder.set(Some(Held { by: process, since: now, last_renewal: None }));
    }

    /// Whether this process has it, or could renew what nobody took.
    pub fn is_held_by(&self, process: u32) -> bool {
        self.holder.get().is_some_and(|held| held.by == process)
    }

    /// Its holder gives it up.
    pub fn release(&self, process: u32) {
        if self.is_held_by(process) {
            self.holder.set(None);
        }
    }

    /// Its holder renews it no more: it runs out after its last renewal, which a second loss does not put off.
    pub fn abandon(&self, now: Time, process: u32) {
        if let Some(held) = self.holder.get().filter(|held| held.by == process && held.last_renewal.is_none()) {
            let renewed = self.renewal_before(held, now);
            self.holder.set(Some(Held { last_renewal: Some(renewed), ..held }));
        }
    }

    /// Its holder renews it again, if nobody took it meanwhile. Tells whether it has it.
    pub fn renew(&self, now: Time, process: u32) -> bool {
        let has = self.is_held_by(process);
        if has {
            self.hand(now, process);
        }
        has
    }
}

#[cfg(test)]
mod tests;
