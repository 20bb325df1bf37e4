//! A chance, written as a percentage: `10%`, `0.5%`.

use super::{Malformed, text_value};
use lkesim_runtime::Ppm;
use std::fmt;
use std::str::FromStr;

/// A chance from `0%` to `100%`, in steps of a ten-thousandth of a percent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Percent(Ppm);

impl Percent {
    /// Always.
    pub const ALWAYS: Percent = Percent(Ppm::ALWAYS);

    /// A chance given in parts per million; more than always is always.
    pub fn from_ppm(ppm: u32) -> Percent {
        Percent(Ppm(ppm.min(Ppm::ALWAYS.0)))
    }

    /// As parts per million.
    pub const fn ppm(self) -> Ppm {
        self.0
    }
}

impl FromStr for Percent {
    type Err = Malformed;

    fn from_str(text: &str) -> Result<Percent, Malformed> {
        let number = text.strip_suffix('%').ok_or(Malformed::Form)?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        if !all_digits(whole) || !all_digits(fraction) || whole.len() > 3 || fraction.len() > 4 {
            return Err(Malformed::Form);
        }
        let whole: u32 = whole.parse().map_err(|_| Malformed::Form)?;
        let fraction: u32 = format!("{fraction:0<4}").parse().map_err(|_| Malformed::Form)?;
        let ppm = whole * 10_000 + fraction;
        if ppm > Ppm::ALWAYS.0 {
            return Err(Malformed::Form);
        }
        Ok(Percent(Ppm(ppm)))
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0.0 / 10_000, self.0.0 % 10_000);
        match fraction {
            0 => write!(f, "{whole}%"),
            _ => write!(f, "{whole}.{}%", format!("{fraction:04}").trim_end_matches('0')),
        }
    }
}

text_value!(
    Percent,
    "Percent",
    "a percentage from `0%` to `100%`, such as `10%` or `0.5%`",
    r"^[0-9]{1,3}(\.[0-9]{1,4})?%$"
);
