use super::RetryPolicy;
use crate::error::{ApiError, CallError};
use proptest::prelude::*;
use std::time::Duration;

const POLICY: RetryPolicy = RetryPolicy::LINODEGO;

fn wait(error: ApiError) -> Option<u64> {
    POLICY.wait_after(&CallError::Api(error)).map(|wait| wait.as_secs())
}

#[test]
fn throttles_timeouts_and_busy_linodes_are_asked_again() {
    assert_eq!(wait(ApiError::new(429, "Too many requests")), Some(3));
    assert_eq!(wait(ApiError::new(408, "Request timeout")), Some(3));
    assert_eq!(wait(ApiError::new(503, "Service unavailable")), Some(3));
    assert_eq!(wait(ApiError::new(400, "Linode busy.")), Some(3));
}

#[test]
fn other_errors_are_not() {
    for status in [400, 401, 403, 404, 500, 502, 504] {
        assert_eq!(wait(ApiError::new(status, "no")), None, "{status}");
    }
    assert_eq!(wait(ApiError::field("linode_id", "Linode busy.")), None);
    assert_eq!(POLICY.wait_after(&CallError::Timeout), None);
    assert_eq!(POLICY.wait_after(&CallError::ConnectionLost), None);
}

#[test]
fn maintenance_is_not_waited_for() {
    let mut error = ApiError::new(503, "All endpoints are temporarily unavailable.");
    error.maintenance = true;
    assert_eq!(wait(error), None);
}

proptest! {
    /// A wait asked for is kept between 3 and 30 seconds; zero asks for nothing.
    #[test]
    fn the_wait_is_what_is_asked_within_bounds(asked in prop::option::of(0u32..200)) {
        let mut error = ApiError::new(429, "Too many requests");
        error.retry_after_secs = asked;
        let secs = u64::from(asked.unwrap_or(0)).clamp(3, 30);
        prop_assert_eq!(POLICY.wait_after(&CallError::Api(error)), Some(Duration::from_secs(secs)));
    }
}
