//! One writer at a time, known by its own clock.
//!
//! Leader election lets a process that stood still go on for a while beside the next leader, with what it knew before.
//! A lease of the design's own, renewed as it works and kept in the Kubernetes API, rules that out: who writes to
//! Linode looks at its clock first, and stops a margin before others may begin. The margin is what a request may take
//! to arrive.
//!
//! No two clocks are compared, as in client-go's leader election (`tools/leaderelection`): the holder counts from before
//! it sent its renewal, and another process from when it first saw the record as it stands, which is later.

use lkesim_kube::ApiError;
use lkesim_kube::client::Client;
use lkesim_kube::object::StringMap;
use lkesim_kube::object::config_map::ConfigMap;
use lkesim_kube::store::Lock;
use lkesim_runtime::{Runtime, Time};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Mutex;

const NAME: &str = "lke-writer";
const HOLDER: &str = "holder";
const LASTS_MS: &str = "lasts-ms";
/// Grows with each renewal, so that each one makes a new version of the record.
const RENEWALS: &str = "renewals";

/// How long the lease lasts from its last renewal.
pub const LASTS: Duration = Duration::from_secs(12);
/// How long before its end its holder stops writing.
pub const MARGIN: Duration = Duration::from_secs(6);
/// What must be left of it for a holder not to renew it.
const ENOUGH: Duration = Duration::from_secs(9);

/// A process's hold on the lease.
pub struct Writer {
    runtime: Runtime,
    client: Client,
    /// The process's name, unlike any other's.
    token: String,
    held: RefCell<Option<(Rc<ConfigMap>, Time)>>,
    /// The version of another process's record that was seen last, and when it was seen first.
    observed: Cell<Option<(u64, Time)>>,
    renewing: Mutex<()>,
}

/// How the lease came to be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// Nobody else had it since it was held before.
    Still,
    /// Somebody else may have written meanwhile.
    Anew,
}

impl Writer {
    /// A process without the lease.
    pub fn new(runtime: Runtime, client: Client, token: String) -> Writer {
        Writer { runtime, client, token, held: RefCell::default(), observed: Cell::default(), renewing: Mutex::new(()) }
    }

    /// Whether the process may write at this moment.
    pub fn may_write(&self) -> bool {
        self.has_left(MARGIN)
    }

    /// Whether nobody else can have the lease at this moment.
    pub fn is_held(&self) -> bool {
        self.has_left(Duration::ZERO)
    }

    fn has_left(&self, least: Duration) -> bool {
        self.held.borrow().as_ref().is_some_and(|(_, until)| self.runtime.now() + least <= *until)
    }

    /// Renews the lease if it is time to, or takes it if it is free.
    ///
    /// # Errors
    /// None but those of the Kubernetes API: a conflict where another process has it.
    pub async fn hold(&self) -> Result<Hold, ApiError> {
        let _one = self.renewing.lock().await;
        if self.has_left(ENOUGH) {
            return Ok(Hold::Still);
        }
        let held = self.held.borrow().as_ref().map(|(stored, _)| stored.clone());
        let until = self.runtime.now() + LASTS;
        if let Some(stored) = held {
            match self.write(&stored, until).await {
                Ok(()) => return Ok(Hold::Still),
                Err(error) => {
                    *self.held.borrow_mut() = None;
                    return Err(error);
                }
            }
        }
        let stored = match self.client.get::<ConfigMap>(NAME).await {
            Ok(stored) => stored,
            Err(error) if error.is_not_found() => {
                let until = self.runtime.now() + LASTS;
                let made = self.client.create(ConfigMap::new(NAME, self.data(0))).await?;
                *self.held.borrow_mut() = Some((made, until));
                return Ok(Hold::Anew);
            }
            Err(error) => return Err(error),
        };
        if !stored.data.has(HOLDER, &self.token) && !self.is_over(&stored) {
            return Err(ApiError::Conflict { kind: lkesim_kube::object::Kind::ConfigMap, name: NAME.into() });
        }
        self.write(&stored, self.runtime.now() + LASTS).await?;
        Ok(Hold::Anew)
    }

    /// Whether another process's lease has ended. Its last renewal came before the answer that showed it first.
    fn is_over(&self, stored: &ConfigMap) -> bool {
        let now = self.runtime.now();
        let version = stored.metadata.resource_version;
        let first_seen = match self.observed.get() {
            Some((known, at)) if known == version => at,
            _ => now,
        };
        self.observed.set(Some((version, first_seen)));
        let lasts = number(stored, LASTS_MS).map_or(LASTS, Duration::from_millis);
        first_seen + lasts <= now
    }

    async fn write(&self, stored: &Rc<ConfigMap>, until: Time) -> Result<(), ApiError> {
        let renewals = number(stored, RENEWALS).unwrap_or(0).wrapping_add(1);
        let changed = ConfigMap { data: self.data(renewals), ..ConfigMap::clone(stored) };
        let written = self.client.patch(&**stored, &changed, Lock::Optimistic).await?;
        *self.held.borrow_mut() = Some((written, until));
        Ok(())
    }

    fn data(&self, renewals: u64) -> StringMap {
        let lasts = LASTS.as_millis().to_string();
        [(HOLDER, self.token.clone()), (LASTS_MS, lasts), (RENEWALS, renewals.to_string())].into_iter().collect()
    }
}

fn number(stored: &ConfigMap, key: &str) -> Option<u64> {
    stored.data.get(key)?.parse().ok()
}

#[cfg(test)]
mod tests;
