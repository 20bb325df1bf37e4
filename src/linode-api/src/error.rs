//! What can go wrong with a call.

use std::borrow::Cow;
use std::fmt;

/// An error that the API answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// What the body lists; never empty.
    pub reasons: Vec<Reason>,
    /// The `Retry-After` header, in seconds. It rides on every reply and is no sign of throttling.
    pub retry_after_secs: Option<u32>,
    /// Whether the reply carried `X-Maintenance-Mode`, which tells linodego not to retry a 503.
    pub maintenance: bool,
}

/// One entry of an error's body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The text.
    pub reason: Cow<'static, str>,
    /// The field that is at fault, where one is.
    pub field: Option<Cow<'static, str>>,
}

impl ApiError {
    /// An error with one reason and no field.
    pub fn new(status: u16, reason: impl Into<Cow<'static, str>>) -> ApiError {
        let reasons = vec![Reason { reason: reason.into(), field: None }];
        ApiError { status, reasons, retry_after_secs: None, maintenance: false }
    }

    /// A validation error of one field (status 400).
    pub fn field(field: impl Into<Cow<'static, str>>, reason: impl Into<Cow<'static, str>>) -> ApiError {
        let reasons = vec![Reason { reason: reason.into(), field: Some(field.into()) }];
        ApiError { status: 400, reasons, retry_after_secs: None, maintenance: false }
    }

    /// The object is absent, or not yours.
    pub fn not_found() -> ApiError {
        ApiError::new(404, "Not found")
    }

    /// The reasons as linodego joins them: `[field] reason; reason`.
    pub fn text(&self) -> String {
        let texts: Vec<String> = self.reasons.iter().map(ToString::to_string).collect();
        texts.join("; ")
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "[{field}] {}", self.reason),
            None => f.write_str(&self.reason),
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:03}] {}", self.status, self.text())
    }
}

/// Why a call brought no reply.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The API answered with an error.
    #[error("{0}")]
    Api(ApiError),
    /// The HTTP client gave up waiting. The change may have been made.
    #[error("no answer within the client's time limit")]
    Timeout,
    /// The connection broke before the answer came. The change may have been made.
    #[error("the connection was lost")]
    ConnectionLost,
}

impl CallError {
    /// The HTTP status, where there was an answer.
    pub fn status(&self) -> Option<u16> {
        match self {
            CallError::Api(error) => Some(error.status),
            CallError::Timeout | CallError::ConnectionLost => None,
        }
    }

    /// Whether the object is absent.
    pub fn is_not_found(&self) -> bool {
        self.status() == Some(404)
    }
}
