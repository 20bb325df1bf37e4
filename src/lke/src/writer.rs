//! One writer at a time, known by its own clock.
//!
//! Leader election lets a process that stood still go on for a while beside the next leader, with what it knew before.
//! A lease of the design's own, renewed as it works and kept in the Kubernetes API, rules that out: who writes to
//! Linode looks at its clock first, and stops a margin before others may begin. The margin is what a request may take
//! to arrive. How long the others must wait is written by the clock on the wall: it holds as far as the clocks of their
//! machines agree.

use lkesim_kube::ApiError;
use lkesim_kube::client::Client;
use lkesim_kube::object::StringMap;
use lkesim_kube::object::config_map::ConfigMap;
use lkesim_kube::store::Lock;
use lkesim_runtime::{Runtime, Time};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Mutex;

const NAME: &str = "lke-writer";
const HOLDER: &str = "holder";
const UNTIL: &str = "until-ms";

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
        Writer { runtime, client, token, held: RefCell::default(), renewing: Mutex::new(()) }
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
                let made = self.client.create(ConfigMap::new(NAME, self.data())).await?;
                *self.held.borrow_mut() = Some((made, until));
                return Ok(Hold::Anew);
            }
            Err(error) => return Err(error),
        };
        let until_ms = stored.data.get(UNTIL).and_then(|ms| ms.parse().ok()).unwrap_or(0);
        let is_free = self.runtime.wall_clock().as_millis() >= until_ms;
        if !is_free && !stored.data.has(HOLDER, &self.token) {
            return Err(ApiError::Conflict { kind: lkesim_kube::object::Kind::ConfigMap, name: NAME.into() });
        }
        self.write(&stored, self.runtime.now() + LASTS).await?;
        Ok(Hold::Anew)
    }

    async fn write(&self, stored: &Rc<ConfigMap>, until: Time) -> Result<(), ApiError> {
        let changed = ConfigMap { data: self.data(), ..ConfigMap::clone(stored) };
        let written = self.client.patch(&**stored, &changed, Lock::Optimistic).await?;
        *self.held.borrow_mut() = Some((written, until));
        Ok(())
    }

    fn data(&self) -> StringMap {
        let until = self.runtime.wall_clock() + LASTS;
        [(HOLDER, self.token.clone()), (UNTIL, until.as_millis().to_string())].into_iter().collect()
    }
}
