//! The way of a call from the network to the cloud, where it is another one than a function call: HTTP, in a test that
//! holds both to the same.

use fake_linode::{Handled, TokenId};
use lkesim_linode_api::{Answer, CallNumber, Request};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// An answer on its way.
pub type Carried = Pin<Box<dyn Future<Output = Answer>>>;

/// Carries calls to the run's cloud. No virtual time may pass meanwhile.
pub trait Carrier {
    /// Carries one call, which the run knows by this number.
    fn carry(&self, token: TokenId, number: CallNumber, request: &Request) -> Carried;
}

/// What is known of a call that was carried: its answer alone.
pub(crate) fn handled(answer: Answer) -> Handled {
    Handled { answer, extra_delay: Duration::ZERO, lost: false, truncated: false, fault: None }
}
