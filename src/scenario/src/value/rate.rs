//! So many calls in a window: `200/1m`.

use super::{Malformed, Span, text_value};
use std::fmt;
use std::str::FromStr;

/// At most this many calls in each window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many calls a window has; at least one.
    pub calls: u32,
    /// The window's length; never zero.
    pub window: Span,
}

impl Rate {
    /// `calls` in each `window`.
    pub const fn new(calls: u32, window: Span) -> Rate {
        Rate { calls, window }
    }
}

impl FromStr for Rate {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Rate, Malformed> {
        let (calls, window) = text.split_once('/').ok_or(Malformed::Form)?;
        if !calls.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Malformed::Form);
        }
        if calls.is_empty() {
            return Err(Malformed::Form);
        }
        let calls = calls.parse().map_err(|_| Malformed::Bound("at most 4294967295 in a window"))?;
        let rate = Rate::new(calls, window.parse()?);
        match rate {
            Rate { calls: 0, .. } => Err(Malformed::Bound("at least one in a window")),
            Rate { window: Span::ZERO, .. } => Err(Malformed::Bound("a window longer than no time")),
            rate => Ok(rate),
        }
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.calls, self.window)
    }
}

text_value!(
    Rate,
    "Rate",
    "so many in a window, such as `200/1m` or `20/15s`",
    r"^[0-9]+/([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h|d))+$"
);
