//! Takes the API down: 503 with the header `X-Maintenance-Mode`, at which linodego does not ask again.
//!
//! The header's form and words are those that Linode's cloud manager uses in its own tests (linode/manager aab5b227).

use super::Effect;
use lkesim_linode_api::{Answer, ApiError, CallError, Headers};

/// What the API says during maintenance.
pub const DOWN: &str = "All endpoints are temporarily unavailable.";

pub(super) fn effect(headers: Headers) -> Effect {
    let error = ApiError {
        maintenance: true,
        retry_after_secs: Some(headers.retry_after_secs).filter(|&secs| secs > 0),
        ..ApiError::new(503, DOWN)
    };
    Effect::Instead(Answer { result: Err(CallError::Api(error)), headers })
}
