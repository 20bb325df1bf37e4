//! Kubernetes' quantities, such as `100m`, `1Gi` and `2e3`, as whole thousandths.
//!
//! The API server rounds what is finer up to thousandths of a core for CPU; here that holds for all resources, so that
//! sums and comparisons are of integers. How a quantity was written is kept, as the messages of Karpenter show it.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Add, AddAssign, Sub, SubAssign};
use std::str::FromStr;

/// How a quantity is written (apimachinery `resource.Format`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// `1k`, `500m`.
    #[default]
    DecimalSi,
    /// `1Ki`.
    BinarySi,
    /// `1e3`.
    DecimalExponent,
}

/// An amount of a resource. Equal amounts are equal however they are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Quantity {
    milli: i64,
    format: Format,
}

/// What is no quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuantityError {
    /// It is not a number with one of Kubernetes' suffixes.
    #[error("a quantity is a number with a suffix of m, k, M, G, T, P, E, Ki, Mi, Gi, Ti, Pi, Ei or an exponent")]
    Malformed,
    /// More than 9.2 × 10^15 of whatever it counts.
    #[error("a quantity above 9.2e15 is not modelled")]
    TooLarge,
}

impl Quantity {
    /// Nothing.
    pub const ZERO: Quantity = Quantity { milli: 0, format: Format::DecimalSi };

    /// So many thousandths.
    pub const fn from_milli(milli: i64) -> Quantity {
        Quantity { milli, format: Format::DecimalSi }
    }

    /// So many whole ones.
    pub const fn from_units(units: i64) -> Quantity {
        Quantity::from_milli(units.saturating_mul(1_000))
    }

    /// The same amount, written otherwise.
    pub const fn written(self, format: Format) -> Quantity {
        Quantity { format, ..self }
    }

    /// Thousandths.
    pub const fn milli(self) -> i64 {
        self.milli
    }

    /// So many times as much.
    pub const fn times(self, times: i64) -> Quantity {
        Quantity { milli: self.milli.saturating_mul(times), ..self }
    }

    /// Whole ones, rounded up as `resource.Quantity.Value` does.
    pub const fn value(self) -> i64 {
        self.milli.div_euclid(1_000) + (self.milli.rem_euclid(1_000) > 0) as i64
    }

    /// Whether it is nothing.
    pub const fn is_zero(self) -> bool {
        self.milli == 0
    }

    /// What was nothing takes over how the other is written.
    fn joined(self, other: Quantity, milli: i64) -> Quantity {
        Quantity { milli, format: if self.is_zero() { other.format } else { self.format } }
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Quantity) -> bool {
        self.milli == other.milli
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Quantity) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Quantity) -> Ordering {
        self.milli.cmp(&other.milli)
    }
}

impl Hash for Quantity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.milli.hash(state);
    }
}

impl Add for Quantity {
    type Output = Quantity;
    fn add(self, other: Quantity) -> Quantity {
        self.joined(other, self.milli.saturating_add(other.milli))
    }
}

impl AddAssign for Quantity {
    fn add_assign(&mut self, other: Quantity) {
        *self = *self + other;
    }
}

impl Sub for Quantity {
    type Output = Quantity;
    fn sub(self, other: Quantity) -> Quantity {
        self.joined(other, self.milli.saturating_sub(other.milli))
    }
}

impl SubAssign for Quantity {
    fn sub_assign(&mut self, other: Quantity) {
        *self = *self - other;
    }
}

const DECIMAL: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
const BINARY: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];

impl FromStr for Quantity {
    type Err = QuantityError;

    fn from_str(text: &str) -> Result<Quantity, QuantityError> {
        let end = text.find(|char: char| char.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, suffix) = text.split_at(end);
        let (scale, format) = scale(suffix)?;
        let (negative, digits) = match number.as_bytes().first() {
            Some(b'-') => (true, &number[1..]),
            Some(b'+') => (false, &number[1..]),
            _ => (false, number),
        };
        let milli = milli(digits, scale)?;
        Ok(Quantity { milli: if negative { -milli } else { milli }, format })
    }
}

/// What one unit of the suffix is in billionths (whole numbers up to the unit's own), as numerator over denominator.
type Scale = (u128, u128);

fn scale(suffix: &str) -> Result<(Scale, Format), QuantityError> {
    let power = |base: u128, exponent: usize| base.checked_pow(exponent as u32).ok_or(QuantityError::TooLarge);
    if let Some(place) = DECIMAL.iter().position(|one| *one == suffix) {
        return Ok(((power(1_000, place)?, 1), Format::DecimalSi));
    }
    if let Some(place) = BINARY.iter().position(|one| *one == suffix) {
        return Ok(((power(1_024, place)?, 1), Format::BinarySi));
    }
    let small = ["m", "u", "n"].iter().position(|one| *one == suffix);
    if let Some(place) = small {
        return Ok(((1, power(1_000, place + 1)?), Format::DecimalSi));
    }
    let exponent = suffix.strip_prefix(['e', 'E']).ok_or(QuantityError::Malformed)?;
    let exponent: i32 = exponent.parse().map_err(|_| QuantityError::Malformed)?;
    let size = power(10, exponent.unsigned_abs() as usize)?;
    Ok((if exponent < 0 { (1, size) } else { (size, 1) }, Format::DecimalExponent))
}

/// Thousandths of `digits` times the scale, rounded up.
fn milli(digits: &str, (times, over): Scale) -> Result<i64, QuantityError> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all: String = [whole, fraction].concat();
    if all.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(QuantityError::Malformed);
    }
    let large = QuantityError::TooLarge;
    let mantissa: u128 = all.parse().map_err(|_| large)?;
    let shift = 10_u128.checked_pow(fraction.len() as u32).and_then(|shift| shift.checked_mul(over)).ok_or(large)?;
    let product = mantissa.checked_mul(times).and_then(|product| product.checked_mul(1_000)).ok_or(large)?;
    i64::try_from(product.div_ceil(shift)).map_err(|_| large)
}

impl fmt::Display for Quantity {
    /// The canonical form: the largest suffix without a fraction.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whole = self.milli % 1_000 == 0;
        let small = self.milli.abs() < 1_024_000;
        match self.format {
            Format::BinarySi if whole && !small => {
                let (value, place) = reduced(self.milli / 1_000, 1_024);
                write!(f, "{value}{}", BINARY[place])
            }
            Format::DecimalExponent if whole => match reduced(self.milli / 1_000, 1_000) {
                (value, 0) => write!(f, "{value}"),
                (value, place) => write!(f, "{value}e{}", place * 3),
            },
            Format::DecimalExponent => write!(f, "{}e-3", self.milli),
            _ if whole => {
                let (value, place) = reduced(self.milli / 1_000, 1_000);
                write!(f, "{value}{}", DECIMAL[place])
            }
            _ => write!(f, "{}m", self.milli),
        }
    }
}

fn reduced(mut value: i64, base: i64) -> (i64, usize) {
    let mut place = 0;
    while value != 0 && value % base == 0 && place < 6 {
        value /= base;
        place += 1;
    }
    (value, place)
}

#[cfg(test)]
mod tests;
