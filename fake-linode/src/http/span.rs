//! Spans of time as the administration interface takes them: `30s`, `1m30s`, `500ms`.

use std::time::Duration;

const UNITS: [(&str, u64); 6] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// Reads a span; none where the text is none. `0` needs no unit.
pub(super) fn parse(text: &str) -> Option<Duration> {
    if text == "0" {
        return Some(Duration::ZERO);
    }
    let (mut nanos, mut rest) = (0u64, text);
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|char: char| char.is_ascii_digit()).len();
        let (number, behind) = rest.split_at(digits);
        let letters = behind.len() - behind.trim_start_matches(|char: char| char.is_ascii_alphabetic()).len();
        let (unit, behind) = behind.split_at(letters);
        let (_, length) = UNITS.iter().find(|(name, _)| *name == unit)?;
        nanos = nanos.checked_add(number.parse::<u64>().ok()?.checked_mul(*length)?)?;
        rest = behind;
    }
    (!text.is_empty()).then(|| Duration::from_nanos(nanos))
}
