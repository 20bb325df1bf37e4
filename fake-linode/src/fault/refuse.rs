//! Refuses a call with an error. Nothing is changed.

use super::Effect;
use lkesim_linode_api::{Answer, ApiError, CallError, ErrorBody, Headers};
use std::sync::Arc;

/// The error that a call is refused with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub status: u16,
    /// The text; where there is none, the one that goes with the status.
    pub reason: Option<Arc<str>>,
    /// The body; without one, the list of this one reason.
    pub body: Option<Body>,
    /// The `Retry-After` header.
    pub retry_after: RetryAfter,
    /// Whether the reply carries `X-Maintenance-Mode`.
    pub maintenance: bool,
}

/// The body of a refusal that names no reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// JSON that lists no reason.
    Empty,
    /// The HTML page of a nginx.
    NginxPage,
    /// What can't be read.
    Garbled,
}

/// The `Retry-After` header of a refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetryAfter {
    /// What is left of the window, as on every reply of the API.
    #[default]
    Window,
    /// These seconds.
    Seconds(u32),
    /// None, as from a proxy before the API.
    Absent,
    /// A date, which HTTP allows and linodego does not read.
    Date,
}

impl Refusal {
    /// A refusal with this status and its usual text.
    pub const fn status(status: u16) -> Refusal {
        Refusal { status, reason: None, body: None, retry_after: RetryAfter::Window, maintenance: false }
    }
}

pub(super) fn effect(refusal: &Refusal, headers: Headers) -> Effect {
    let text = refusal.reason.as_ref().map(|text| text.to_string());
    let mut error = match text {
        Some(text) => ApiError::new(refusal.status, text),
        None => ApiError::new(refusal.status, usual_reason(refusal.status)),
    };
    if let Some(body) = refusal.body {
        error.reasons.clear();
        error.body = match body {
            Body::Empty => ErrorBody::Reasons,
            Body::NginxPage => ErrorBody::NginxPage,
            Body::Garbled => ErrorBody::Garbled,
        };
    }
    error.maintenance = refusal.maintenance;
    error.retry_after_text =
        (refusal.retry_after == RetryAfter::Date).then_some("Thu, 01 Jan 2026 00:01:00 GMT".into());
    error.retry_after_secs = match refusal.retry_after {
        RetryAfter::Window => Some(headers.retry_after_secs),
        RetryAfter::Seconds(secs) => Some(secs),
        RetryAfter::Absent | RetryAfter::Date => None,
    };
    Effect::Instead(Answer { result: Err(CallError::Api(error)), headers })
}

/// The texts of 400, 401, 404 and 429 are as recorded; those of the others are *unknown* and nobody reads them.
const fn usual_reason(status: u16) -> &'static str {
    match status {
        400 => "Linode busy.",
        401 => "Invalid Token",
        403 => "Unauthorized",
        404 => "Not found",
        408 => "Request timeout",
        429 => "Too many requests",
        503 => "Service unavailable",
        _ => "Internal server error",
    }
}
