//! The ways to Kubernetes: ledger, lease, NodeClaims; and what can go wrong.

use super::Careful;
use lkesim_karpenter::cloud_provider::{CreateError, ProviderError};
use lkesim_kube::ApiError;
use lkesim_kube::object::NodeClaim;
use lkesim_linode_api::CallError;
use lkesim_lke::ledger::{Ledger, Recorded};
use lkesim_lke::writer::{Hold, Writer};
use lkesim_lke::{Context, Kube};
use lkesim_runtime::Time;
use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

/// How long nothing is written after a write that was not answered: it may still arrive.
const UNTIL_IT_ARRIVED: Duration = Duration::from_secs(10);

/// How long until a limit that is given by the minute counts anew.
const UNTIL_IT_COUNTS_ANEW: Duration = Duration::from_secs(60);

/// What a process holds in Kubernetes, from when its controllers start.
pub(crate) struct Kept {
    pub kube: Kube,
    pub ledger: Ledger,
    pub writer: Writer,
    /// How often another process may have written since the start.
    epoch: Cell<u64>,
}

/// Between two of them another process may have written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Epoch(u64);

/// Why something can't be done at this moment.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("{0}")]
    Linode(#[from] CallError),
    #[error("{0}")]
    Kubernetes(#[from] ApiError),
    #[error("another process writes, or may")]
    NotTheWriter,
    #[error("{0}")]
    NotYet(&'static str),
    #[error("{0}")]
    Refused(CreateError),
}

impl Trouble {
    /// How long to wait before the next try.
    pub fn pause(&self) -> Duration {
        let asked = match self {
            Trouble::Linode(CallError::Api(error)) if error.status == 429 => error.retry_after_secs,
            _ => None,
        };
        Duration::from_secs(u64::from(asked.unwrap_or(2)).clamp(1, 60))
    }

    /// The limit refused a request.
    pub fn is_crowd(&self) -> bool {
        matches!(self, Trouble::Linode(error) if error.status() == Some(429))
    }

    /// What became of the request is not known.
    pub fn is_open(&self) -> bool {
        matches!(self, Trouble::Linode(error) if error.status().is_none())
    }
}

impl From<Trouble> for ProviderError {
    fn from(trouble: Trouble) -> ProviderError {
        ProviderError::Other(trouble.to_string())
    }
}

impl Kept {
    pub fn new(cx: &Context, kube: &Kube) -> Kept {
        let client = kube.client.named("lke-ledger");
        let token = format!("process-{}", cx.ties.process());
        let writer = Writer::new(cx.runtime.clone(), client.clone(), token);
        Kept { kube: kube.clone(), ledger: Ledger::new(client), writer, epoch: Cell::new(0) }
    }
}

impl Careful {
    pub fn kept(&self) -> Result<&Kept, Trouble> {
        self.kept.get().ok_or(Trouble::NotYet("the provider has not started"))
    }

    /// Takes or renews the lease, before anything is read that a write is based on.
    pub async fn hold(&self) -> Result<Epoch, Trouble> {
        let kept = self.kept()?;
        match kept.writer.hold().await {
            Ok(Hold::Still) => {}
            Ok(Hold::Anew) => kept.epoch.set(kept.epoch.get() + 1),
            Err(error) if error.is_conflict() => return Err(Trouble::NotTheWriter),
            Err(error) => return Err(error.into()),
        }
        Ok(Epoch(kept.epoch.get()))
    }

    /// What `hold` gave is held still, and no write is under way of which nobody knows.
    pub async fn still_holds(&self, epoch: Epoch) -> Result<(), Trouble> {
        if self.now() < self.quiet_until.get() {
            return Err(Trouble::NotYet("a write was not answered"));
        }
        let held = self.hold().await?;
        match held == epoch && self.kept()?.writer.may_write() {
            true => Ok(()),
            false => Err(Trouble::NotTheWriter),
        }
    }

    /// What `hold` gave is held at this very moment, by the clock: nobody else can have written.
    pub fn is_held_yet(&self, epoch: Epoch) -> Result<(), Trouble> {
        let kept = self.kept()?;
        match kept.epoch.get() == epoch.0 && kept.writer.is_held() {
            true => Ok(()),
            false => Err(Trouble::NotTheWriter),
        }
    }

    /// The result of a write. One without an answer keeps all others back for a while.
    pub fn written<T>(&self, result: Result<T, CallError>) -> Result<T, Trouble> {
        let result = result.map_err(Trouble::from);
        if result.as_ref().is_err_and(Trouble::is_open) {
            self.quiet_until.set(self.now() + UNTIL_IT_ARRIVED);
        }
        result
    }

    /// Where the limit refused something, garbage collection waits until it counts anew.
    pub fn mind_the_limit(&self, trouble: &Trouble) {
        if trouble.is_crowd() {
            self.crowded_until.set(self.now() + UNTIL_IT_COUNTS_ANEW);
        }
    }

    /// Whether the limit has refused something of late.
    pub fn is_tight(&self) -> bool {
        let until = self.crowded_until.get();
        until > Time::ZERO && self.now() < until + Duration::from_secs(300)
    }

    /// The ledger, as the Kubernetes API has it.
    pub async fn ledger(&self) -> Result<Recorded, Trouble> {
        Ok(self.kept()?.ledger.all().await?)
    }

    /// All NodeClaims, as the Kubernetes API has them.
    pub async fn claims(&self) -> Result<Vec<Rc<NodeClaim>>, Trouble> {
        Ok(self.kept()?.kube.client.list::<NodeClaim>().await?)
    }
}
