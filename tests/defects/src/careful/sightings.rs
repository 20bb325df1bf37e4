//! Which LKE pools answers told of, each with the key that its tags name.
//!
//! A hand may take a pool's tags. Who saw them before knows the pool still, whatever it was asked for, and notes it in the
//! ledger before anything else is done: the process may die with the next request.

use super::collection::served;
use super::{Careful, Trouble};
use lkesim_linode_api::{Cause, LkePool, LkePoolId};
use lkesim_lke::ledger::Recorded;
use lkesim_lke::locks::PoolKey;
use lkesim_lke::run::Run;

impl Careful {
    /// Remembers these, and notes those of keys of which the ledger knows nothing.
    pub async fn sight(&self, recorded: &Recorded, shown: impl IntoIterator<Item = &LkePool>) -> Result<(), Trouble> {
        for lke_pool in shown {
            let Some(key) = served(lke_pool) else { continue };
            if self.sighted.borrow_mut().entry(key.clone()).or_insert(lke_pool.id) != &lke_pool.id
                || recorded.lke_pools.iter().any(|record| record.key == key)
            {
                continue;
            }
            match self.kept()?.ledger.adopt_pool(&key, lke_pool.id).await {
                Err(error) if error.is_already_exists() => {}
                adopted => _ = adopted?,
            }
        }
        Ok(())
    }

    /// The pool of a key that was seen before, if it is there still, whatever its tags.
    pub async fn sighted(&self, run: &Run, key: &PoolKey) -> Result<Option<LkePoolId>, Trouble> {
        let Some(id) = self.sighted.borrow().get(key).copied() else { return Ok(None) };
        match self.api.get_pool(&run.purpose(Cause::Claim), self.cx.cluster.id, id).await {
            Ok(_) => Ok(Some(id)),
            Err(error) if error.is_not_found() => {
                self.forget_sighting(id);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The pool is gone.
    pub fn forget_sighting(&self, id: LkePoolId) {
        self.sighted.borrow_mut().retain(|_, sighted| *sighted != id);
    }
}
