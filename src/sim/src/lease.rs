//! The lease that makes one process the leader.
//!
//! A leader renews it every retry period, counted from when it took it; one that dies or stands still leaves it to run out.
//! Another process tries as often, so that it notices a free lease up to one period late: how late is drawn.

use lkesim_runtime::{Entity, Key, Runtime, Time};
use std::cell::Cell;
use std::time::Duration;
use tokio::sync::Notify;

/// The lease of one cluster.
pub(crate) struct Lease {
    pub duration: Duration,
    pub retry: Duration,
    luck: Key,
    holder: Cell<Option<Held>>,
    changed: Notify,
    taken: Cell<u64>,
}

#[derive(Clone, Copy)]
struct Held {
    by: u32,
    since: Time,
    /// When it runs out; none while its holder renews it.
    ends: Option<Time>,
}

impl Lease {
    pub fn new(duration: Duration, retry: Duration, luck: Key) -> Lease {
        Lease { duration, retry, luck, holder: Cell::new(None), changed: Notify::new(), taken: Cell::new(0) }
    }

    /// Waits until the process may lead. One that finds the lease free has it at once.
    pub async fn take(&self, runtime: &Runtime, process: u32) {
        if !self.is_free(runtime.now()) {
            loop {
                self.free(runtime).await;
                let late = self.luck.draw(Entity::numbered(process.into()), self.taken.get()).0;
                let late = late % (self.retry.as_nanos() as u64 + 1);
                runtime.sleep(Duration::from_nanos(late)).await;
                if self.is_free(runtime.now()) {
                    break;
                }
            }
        }
        self.hand(runtime.now(), process);
    }

    /// Gives the lease to a process, whoever had it.
    fn hand(&self, now: Time, process: u32) {
        self.taken.set(self.taken.get() + 1);
        self.holder.set(Some(Held { by: process, since: now, ends: None }));
    }

    /// Waits until nobody has the lease.
    async fn free(&self, runtime: &Runtime) {
        while !self.is_free(runtime.now()) {
            let changed = self.changed.notified();
            match self.holder.get().and_then(|held| held.ends) {
                Some(ends) => _ = runtime.timeout(ends.since(runtime.now()), changed).await,
                None => changed.await,
            }
        }
    }

    fn is_free(&self, now: Time) -> bool {
        self.holder.get().is_none_or(|held| held.ends.is_some_and(|ends| ends <= now))
    }

    /// Whether this process has it, or could renew what nobody took.
    pub fn is_held_by(&self, process: u32) -> bool {
        self.holder.get().is_some_and(|held| held.by == process)
    }

    /// Its holder gives it up.
    pub fn release(&self, process: u32) {
        if self.is_held_by(process) {
            self.holder.set(None);
            self.changed.notify_waiters();
        }
    }

    /// Its holder renews it no more: it runs out after its last renewal, which a second loss does not put off.
    pub fn abandon(&self, now: Time, process: u32) {
        if let Some(held) = self.holder.get().filter(|held| held.by == process && held.ends.is_none()) {
            let since = now.since(held.since).as_nanos();
            let renewals = since / self.retry.as_nanos().max(1);
            let renewed = held.since + Duration::from_nanos((renewals * self.retry.as_nanos()) as u64);
            self.holder.set(Some(Held { ends: Some(renewed + self.duration), ..held }));
            self.changed.notify_waiters();
        }
    }

    /// Its holder renews it again, if nobody took it meanwhile. Tells whether it has it.
    pub fn renew(&self, now: Time, process: u32) -> bool {
        let has = self.is_held_by(process);
        if has {
            self.holder.set(Some(Held { by: process, since: now, ends: None }));
        }
        has
    }
}

#[cfg(test)]
mod tests;
