//! What can go wrong with a call.

use crate::retry::Sdk;
use std::borrow::Cow;
use std::fmt;

/// linodego's code of an error that came of another one: `ErrorFromError`.
pub const FROM_ERROR: u16 = 2;

/// An error that the API answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// What the body lists. A body that lists nothing is taken for a success by linodego.
    pub reasons: Vec<Reason>,
    /// What the body is.
    pub body: ErrorBody,
    /// The `Retry-After` header, in seconds. It rides on every reply and is no sign of throttling.
    pub retry_after_secs: Option<u32>,
    /// A `Retry-After` header that is no whole number, such as a date. It then stands in place of the seconds.
    pub retry_after_text: Option<Cow<'static, str>>,
    /// Whether the reply carried `X-Maintenance-Mode`, which tells linodego not to retry a 503.
    pub maintenance: bool,
}

/// What the body of an error is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorBody {
    /// JSON with the list of reasons.
    #[default]
    Reasons,
    /// A HTML page of the nginx before the API.
    NginxPage,
    /// Said to be JSON, and not readable as such.
    Garbled,
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
        ApiError::with(status, vec![Reason { reason: reason.into(), field: None }])
    }

    /// A validation error of one field (status 400).
    pub fn field(field: impl Into<Cow<'static, str>>, reason: impl Into<Cow<'static, str>>) -> ApiError {
        ApiError::with(400, vec![Reason { reason: reason.into(), field: Some(field.into()) }])
    }

    /// An error whose body lists nothing.
    pub fn empty(status: u16) -> ApiError {
        ApiError::with(status, Vec::new())
    }

    fn with(status: u16, reasons: Vec<Reason>) -> ApiError {
        let body = ErrorBody::Reasons;
        ApiError { status, reasons, body, retry_after_secs: None, retry_after_text: None, maintenance: false }
    }

    /// Whether the body can be read and lists no reason.
    pub fn lists_nothing(&self) -> bool {
        self.body == ErrorBody::Reasons && self.reasons.is_empty()
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
        match self.body {
            ErrorBody::Reasons => write!(f, "[{:03}] {}", self.status, self.text()),
            ErrorBody::NginxPage if self.status == 502 => f.write_str("[502] Bad Gateway"),
            ErrorBody::NginxPage => write!(f, "[{:03}] Unexpected Content-Type: text/html", self.status),
            ErrorBody::Garbled => f.write_str("[002] failed to decode response body"),
        }
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
    /// The API asked to come back at a time that the SDK can't read, which it returns in place of the API's error.
    #[error("strconv.Atoi: parsing {0:?}: invalid syntax")]
    RetryAfter(Cow<'static, str>),
    /// The API accepted the call, and the body of its answer can't be read. The change was made.
    #[error("the answer can't be read: {0}")]
    Unreadable(&'static str),
}

impl CallError {
    /// The HTTP status, where there was an answer.
    pub fn status(&self) -> Option<u16> {
        match self {
            CallError::Api(error) => Some(error.status),
            CallError::Timeout | CallError::ConnectionLost | CallError::RetryAfter(_) | CallError::Unreadable(_) => {
                None
            }
        }
    }

    /// The code of linodego's error, by which the provider tells what to retry: the HTTP status, or
    /// [`FROM_ERROR`] where linodego wraps an error of another origin. None where the error is not linodego's own.
    ///
    /// Source: linodego v2.3.0 and v1.62.0 `errors.go`. The older line wraps what its HTTP client returns, so that a
    /// time limit is an error to retry there; and it gives the error of a nginx page by value (`errors.go:78, 89`),
    /// where its own look at codes asks for a pointer (`errors.go:225`), so that such an error has no code that anyone
    /// finds.
    pub fn code(&self, sdk: Sdk) -> Option<u16> {
        match (self, sdk) {
            (CallError::Api(error), _) if error.body == ErrorBody::Garbled => Some(FROM_ERROR),
            (CallError::Api(error), Sdk::Linodego1_62) if error.body == ErrorBody::NginxPage => None,
            (CallError::Api(error), _) => Some(error.status),
            (_, Sdk::Linodego1_62) => Some(FROM_ERROR),
            (_, Sdk::Linodego2_3) => None,
        }
    }

    /// Whether the API answered that the object is absent.
    pub fn is_not_found(&self) -> bool {
        self.status() == Some(404)
    }

    /// Whether a provider over this release line takes the object for absent: linodego's `IsNotFound`.
    pub fn is_absence_to(&self, sdk: Sdk) -> bool {
        self.code(sdk) == Some(404)
    }
}
