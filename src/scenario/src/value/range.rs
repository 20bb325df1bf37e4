//! From here to there, both ends included: `2..5`, `3`, `10s..60s`, `2..`.

use super::{Malformed, Span, text_value};
use std::fmt;
use std::str::FromStr;

/// A range with both ends included. A missing end is open; at least one end is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range<T> {
    /// The least value, if bounded.
    pub low: Option<T>,
    /// The greatest value, if bounded.
    pub high: Option<T>,
}

impl<T: Copy + PartialOrd> Range<T> {
    /// This value alone.
    pub const fn exactly(value: T) -> Range<T> {
        Range { low: Some(value), high: Some(value) }
    }

    /// Whether the value lies in the range.
    pub fn contains(&self, value: T) -> bool {
        self.low.is_none_or(|low| low <= value) && self.high.is_none_or(|high| value <= high)
    }
}

impl<T: FromStr + Copy + PartialOrd> FromStr for Range<T> {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Range<T>, Malformed> {
        let end = |text: &str| match text.trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| Malformed::Form),
        };
        let range = match text.split_once("..") {
            Some((low, high)) => Range { low: end(low)?, high: end(high)? },
            None => Range { low: end(text)?, high: end(text)? },
        };
        match (range.low, range.high) {
            (None, None) => Err(Malformed::Form),
            (Some(low), Some(high)) if low > high => Err(Malformed::Form),
            _ => Ok(range),
        }
    }
}

impl<T: fmt::Display + PartialEq> fmt::Display for Range<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.low, &self.high) {
            (Some(low), Some(high)) if low == high => low.fmt(f),
            (low, high) => {
                low.iter().try_for_each(|low| low.fmt(f))?;
                f.write_str("..")?;
                high.iter().try_for_each(|high| high.fmt(f))
            }
        }
    }
}

text_value!(
    Range<u64>,
    "Count",
    "a count or a rising range of counts, such as `3`, `2..5` or `2..`",
    r"^\s*([0-9]+\s*(\.\.\s*[0-9]*)?|\.\.\s*[0-9]+)\s*$",
    number: Range::exactly
);
text_value!(
    Range<Span>,
    "DurationRange",
    "a duration or a rising range of durations, such as `10s..60s`",
    r"^.*[0-9](ns|us|ms|s|m|h|d).*$"
);
