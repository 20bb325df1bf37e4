//! Checks of labels and taints of NodeClaims: Kubernetes takes them, and nobody else sets them.

use super::Checker;
use crate::decode::shortened;
use crate::path::Path;
use crate::workload::{Taint, is_reserved};
use std::collections::{BTreeMap, BTreeSet};

/// The most labels, and the most taints, of a step.
const MOST: u64 = 50;

impl Checker<'_> {
    pub(super) fn labels(&mut self, path: &Path, labels: &BTreeMap<String, String>) {
        self.at_most(path.clone(), labels.len() as u64, 0, MOST);
        for (key, value) in labels {
            self.label_key(path.key(key), key);
            self.label_value(path.key(key), value);
        }
    }

    pub(super) fn taints(&mut self, path: &Path, taints: &[Taint]) {
        self.at_most(path.clone(), taints.len() as u64, 0, MOST);
        let mut seen = BTreeSet::new();
        for (index, taint) in taints.iter().enumerate() {
            let path = path.index(index);
            self.label_key(path.key("key"), &taint.key);
            self.label_value(path.key("value"), &taint.value);
            if !seen.insert((&taint.key, taint.effect)) {
                self.wrong(path, "a taint of this key and effect stands twice");
            }
        }
    }

    /// `name`, or `domain/name`.
    fn label_key(&mut self, path: Path, key: &str) {
        let (domain, name) = key.split_once('/').map_or((None, key), |(domain, name)| (Some(domain), name));
        let in_domain = |domain: &str| {
            let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            let is_part = |part: &str| {
                !part.is_empty() && part.bytes().all(inner) && !part.starts_with('-') && !part.ends_with('-')
            };
            domain.len() <= 253 && domain.split('.').all(is_part)
        };
        if name.is_empty() || !is_name(name) || !domain.is_none_or(in_domain) {
            self.wrong(path, format!("found the key `{}`; expected `name` or `domain/name`", shortened(key)));
        } else if is_reserved(key) {
            let message =
                format!("`{}` is set by Kubernetes, Karpenter or the provider; expected another key", shortened(key));
            self.wrong(path, message);
        }
    }

    fn label_value(&mut self, path: Path, value: &str) {
        if !is_name(value) {
            let message = format!(
                "found `{}`; expected at most 63 letters, digits and inner hyphens, underscores and dots",
                shortened(value)
            );
            self.wrong(path, message);
        }
    }
}

/// At most 63 letters, digits, hyphens, underscores and dots, with a letter or digit at each end. It may be empty.
fn is_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let ends_well = |byte: Option<u8>| byte.is_none_or(|byte| byte.is_ascii_alphanumeric());
    text.len() <= 63 && text.bytes().all(inner) && ends_well(text.bytes().next()) && ends_well(text.bytes().next_back())
}
