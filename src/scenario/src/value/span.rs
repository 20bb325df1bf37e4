//! A length of time with its unit, as Go and Kubernetes write it: `30s`, `1m30s`, `1.5h`.

use super::{Malformed, text_value};
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// A length of time, in whole nanoseconds. Its unit is never left out: `30s`, `1m30s`, `200ms`, `1.5h`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(Duration);

/// Units and their nanoseconds; where one begins another, the longer stands first.
const UNITS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];

impl Span {
    /// No time at all.
    pub const ZERO: Span = Span(Duration::ZERO);

    /// So many seconds.
    pub const fn secs(secs: u64) -> Span {
        Span(Duration::from_secs(secs))
    }

    /// So many milliseconds.
    pub const fn millis(millis: u64) -> Span {
        Span(Duration::from_millis(millis))
    }

    /// So many minutes.
    pub const fn mins(mins: u64) -> Span {
        Span(Duration::from_secs(mins * 60))
    }

    /// As the standard library's type.
    pub const fn get(self) -> Duration {
        self.0
    }

    /// Whole nanoseconds. A span never exceeds 64 bits of them.
    pub const fn nanos(self) -> u64 {
        self.0.as_nanos() as u64
    }
}

impl From<Duration> for Span {
    fn from(length: Duration) -> Span {
        let nanos = u64::try_from(length.as_nanos()).unwrap_or(u64::MAX);
        Span(Duration::from_nanos(nanos))
    }
}

impl From<Span> for Duration {
    fn from(span: Span) -> Duration {
        span.0
    }
}

impl FromStr for Span {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Span, Malformed> {
        if text.is_empty() || text.len() > 64 {
            return Err(Malformed::Form);
        }
        let (mut rest, mut total) = (text, 0_u64);
        while !rest.is_empty() {
            let (part, after) = one_part(rest)?;
            total = total.checked_add(part).ok_or(TOO_LONG)?;
            rest = after;
        }
        Ok(Span(Duration::from_nanos(total)))
    }
}

/// Reads one number with its unit; gives its nanoseconds and what follows.
fn one_part(text: &str) -> Result<(u64, &str), Malformed> {
    let (whole, rest) = digits(text);
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("", rest),
    };
    if whole.is_empty() || fraction.len() > 9 || (fraction.is_empty() && text[whole.len()..].starts_with('.')) {
        return Err(Malformed::Form);
    }
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (unit, rest) = rest.split_at(letters);
    let (_, nanos) = UNITS.iter().find(|(name, _)| *name == unit).ok_or(Malformed::Form)?;
    let whole = whole.parse::<u64>().ok().and_then(|whole| whole.checked_mul(*nanos)).ok_or(TOO_LONG)?;
    let scale = 10_u128.pow(fraction.len() as u32);
    let part = match fraction {
        "" => 0,
        fraction => fraction.parse::<u128>().map_err(|_| Malformed::Form)? * u128::from(*nanos),
    };
    // A part of a nanosecond would be lost.
    if part % scale != 0 {
        return Err(Malformed::Form);
    }
    let part = u64::try_from(part / scale).map_err(|_| TOO_LONG)?;
    Ok((whole.checked_add(part).ok_or(TOO_LONG)?, rest))
}

/// What 64 bits of nanoseconds do not hold; checks of a scenario allow far less.
const TOO_LONG: Malformed = Malformed::Bound("at most 30 days");

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanos = self.nanos();
        if nanos == 0 {
            return f.write_str("0s");
        }
        if nanos < 1_000_000_000 {
            return match nanos {
                _ if nanos.is_multiple_of(1_000_000) => write!(f, "{}ms", nanos / 1_000_000),
                _ if nanos.is_multiple_of(1_000) => write!(f, "{}us", nanos / 1_000),
                _ => write!(f, "{nanos}ns"),
            };
        }
        let (hours, nanos) = (nanos / 3_600_000_000_000, nanos % 3_600_000_000_000);
        let (minutes, nanos) = (nanos / 60_000_000_000, nanos % 60_000_000_000);
        let (seconds, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        if hours > 0 {
            write!(f, "{hours}h")?;
        }
        if minutes > 0 {
            write!(f, "{minutes}m")?;
        }
        match (seconds, nanos) {
            (0, 0) => Ok(()),
            (_, 0) => write!(f, "{seconds}s"),
            _ => write!(f, "{seconds}.{}s", format!("{nanos:09}").trim_end_matches('0')),
        }
    }
}

pub(crate) const EXPECTED: &str = "a duration with its unit, such as `30s`, `1m30s` or `200ms`";

text_value!(Span, "Duration", EXPECTED, r"^([0-9]+(\.[0-9]+)?(ns|us|ms|s|m|h|d))+$");
