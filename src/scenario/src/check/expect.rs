//! Checks of what is expected.

use super::Checker;
use crate::expect::ALL_DESIGNS;
use crate::path::Path;
use crate::value::Expected;
use std::collections::{BTreeMap, BTreeSet};

impl Checker<'_> {
    pub(super) fn expect(&mut self) {
        let expect = &self.scenario.expect;
        let path = Path::default().key("expect");
        let violates = path.key("violates");
        for (design, violations) in &expect.violates {
            let path = violates.key(design);
            self.design_key(path.clone(), design);
            let mut seen = BTreeSet::new();
            for (index, violation) in violations.iter().enumerate() {
                let path = path.index(index);
                let name = &violation.invariant;
                self.known(path.clone(), "invariant", name, self.names.invariants);
                if !seen.insert(name) {
                    self.wrong(path.clone(), format!("the invariant `{name}` stands twice"));
                }
                if violation.detail.count.is_some_and(|count| count.high == Some(0)) {
                    let message = "a count of 0 means that it holds; leave the entry out";
                    self.wrong(path.key(name).key("count"), message);
                }
            }
        }
        let near_miss = path.key("near_miss");
        let listed: BTreeSet<&String> =
            expect.violates.values().flatten().map(|violation| &violation.invariant).collect();
        let mut seen = BTreeSet::new();
        for (index, name) in expect.near_miss.iter().enumerate() {
            let path = near_miss.index(index);
            self.known(path.clone(), "invariant", name, self.names.invariants);
            if !seen.insert(name) {
                self.wrong(path.clone(), format!("the invariant `{name}` stands twice"));
            }
            if listed.contains(name) {
                self.wrong(path, format!("`{name}` is also one that must break"));
            }
        }
        self.figures(&path.key("figures"), &expect.figures, "figure", self.names.figures);
        self.figures(&path.key("sometimes"), &expect.sometimes, "hard case", self.names.sometimes);
    }

    fn figures(
        &mut self,
        path: &Path,
        by_design: &BTreeMap<String, BTreeMap<String, Expected>>,
        kind: &str,
        known: &[&str],
    ) {
        for (design, figures) in by_design {
            let path = path.key(design);
            self.design_key(path.clone(), design);
            for (name, expected) in figures {
                let path = path.key(name);
                let below_one = |known: &&str| {
                    known.strip_suffix('*').is_some_and(|start| name.len() > start.len() && name.starts_with(start))
                };
                if !known.is_empty() && !known.contains(&name.as_str()) && !known.iter().any(below_one) {
                    self.unknown(path.clone(), kind, name, known, true);
                }
                if expected.is_length() && !name.ends_with("_ms") {
                    let message =
                        format!("`{name}` is no time; expected a number, as only figures that end in `_ms` are times");
                    self.wrong(path, message);
                }
            }
        }
    }

    fn design_key(&mut self, path: Path, design: &str) {
        let known = self.names.designs;
        if !known.is_empty() && design != ALL_DESIGNS && !known.contains(&design) {
            let known: Vec<_> = known.iter().copied().chain([ALL_DESIGNS]).collect();
            self.unknown(path, "design", design, &known, true);
        }
    }
}
