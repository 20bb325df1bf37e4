//! A write without an answer may arrive later, after what is written next: a count over a newer one, a deletion between
//! a count's reading and its writing. Until it must have arrived, nothing else is written to the key's LKE pools.

use super::{Recommended, Trouble};
use crate::locks::PoolKey;
use lkesim_linode_api::CallError;
use std::time::Duration;

/// How long a write may be on its way after its sender gave up waiting.
const UNTIL_IT_ARRIVED: Duration = Duration::from_secs(10);

impl Recommended {
    /// The result of a write to a LKE pool of the key. One without an answer keeps the next ones back; after one that a
    /// rate limit refused, Linodes are collected one at a time.
    pub(super) fn written<T>(&self, key: &PoolKey, result: Result<T, CallError>) -> Result<T, CallError> {
        if let Err(CallError::Timeout | CallError::ConnectionLost) = result {
            let until = self.cx.runtime.now() + UNTIL_IT_ARRIVED;
            self.state.borrow_mut().quiet.insert(key.clone(), until);
        }
        if let Err(CallError::Api(error)) = &result {
            self.state.borrow_mut().is_throttled |= error.status == 429;
        }
        result
    }

    /// Whether a write to a LKE pool of the key may still be on its way.
    pub(super) fn is_quiet(&self, key: &PoolKey) -> bool {
        let now = self.cx.runtime.now();
        self.state.borrow().quiet.get(key).is_some_and(|until| now < *until)
    }

    /// Holds the lease still, and no write to the key's LKE pools is on its way.
    pub(super) async fn keep_for(&self, key: &PoolKey) -> Result<(), Trouble> {
        if self.is_quiet(key) {
            return Err(Trouble::Unanswered);
        }
        self.keep().await
    }
}
