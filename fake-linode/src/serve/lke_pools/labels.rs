//! The form of the labels and taints that a LKE pool gives its nodes.
//!
//! Source: OpenAPI 4.189.0, `labels` and `taints` of a pool's creation. What the API says of others is *unknown*: it is
//! answered in the form of recorded refusals, `labels is not valid`.

use lkesim_linode_api::{ApiError, Taint};
use std::sync::Arc;

/// The longest name behind a prefix of a label's key, and the longest key with its prefix.
const LABEL: Key = Key { name: 62, all: 128 };

/// Of a taint's key two bounds are documented: 63 for all of it, and 253 for the prefix alone. The wider one counts.
const TAINT: Key = Key { name: 63, all: 253 + 1 + 63 };

/// The longest value, and the longest key without a prefix.
const LONGEST: usize = 63;

/// How long a key with a prefix can be.
struct Key {
    name: usize,
    all: usize,
}

impl Key {
    fn fits(&self, key: &str) -> bool {
        match key.split_once('/') {
            Some((prefix, name)) => is_subdomain(prefix) && is_name(name, self.name) && key.len() <= self.all,
            None => is_name(key, LONGEST),
        }
    }
}

/// Refuses labels and taints that are none.
pub(super) fn check(labels: &[(Arc<str>, Arc<str>)], taints: &[Taint]) -> Result<(), ApiError> {
    let refused = |field: &'static str| Err(ApiError::field(field, format!("{field} is not valid")));
    if !labels.iter().all(|(key, value)| LABEL.fits(key) && is_value(value)) {
        return refused("labels");
    }
    match taints.iter().all(|taint| TAINT.fits(&taint.key) && is_value(&taint.value)) {
        true => Ok(()),
        false => refused("taints"),
    }
}

fn is_value(value: &str) -> bool {
    value.is_empty() || is_name(value, LONGEST)
}

/// Letters and digits at both ends, `-`, `_` and `.` between.
fn is_name(name: &str, most: usize) -> bool {
    let plain = |char: char| char.is_ascii_alphanumeric();
    name.len() <= most
        && name.starts_with(plain)
        && name.ends_with(plain)
        && name.chars().all(|char| plain(char) || matches!(char, '-' | '_' | '.'))
}

/// As RFC 1123 has it: labels of small letters, digits and `-`, with dots between.
fn is_subdomain(prefix: &str) -> bool {
    let plain = |char: char| char.is_ascii_lowercase() || char.is_ascii_digit();
    let fits = |label: &str| {
        label.len() <= 63
            && label.starts_with(plain)
            && label.ends_with(plain)
            && label.chars().all(|char| plain(char) || char == '-')
    };
    prefix.len() <= 253 && prefix.split('.').all(fits)
}
