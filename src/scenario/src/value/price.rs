//! A price: dollars an hour, in whole millionths.

use super::{Malformed, text_value};
use std::fmt;
use std::str::FromStr;

/// Dollars an hour, such as `$0.036`, in whole millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Price(u64);

impl Price {
    /// So many millionths of a dollar.
    pub const fn from_micro_dollars(micro: u64) -> Price {
        Price(micro)
    }

    /// In millionths of a dollar.
    pub const fn micro_dollars(self) -> u64 {
        self.0
    }
}

impl FromStr for Price {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Price, Malformed> {
        let number = text.strip_prefix('$').unwrap_or(text);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(whole) || !all_digits(fraction) {
            return Err(Malformed::Form);
        }
        if whole.len() > 9 || fraction.len() > 6 {
            return Err(Malformed::Bound("less than $1000000000 with at most 6 digits after the point"));
        }
        let whole: u64 = whole.parse().map_err(|_| Malformed::Form)?;
        let fraction: u64 = format!("{fraction:0<6}").parse().map_err(|_| Malformed::Form)?;
        Ok(Price(whole * 1_000_000 + fraction))
    }
}

impl fmt::Display for Price {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / 1_000_000, self.0 % 1_000_000);
        match fraction {
            0 => write!(f, "${whole}"),
            _ => write!(f, "${whole}.{}", format!("{fraction:06}").trim_end_matches('0')),
        }
    }
}

text_value!(Price, "Price", "dollars an hour, such as `$0.036`", r"^\$?[0-9]{1,9}(\.[0-9]{1,6})?$");
