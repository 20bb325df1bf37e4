//! Why nodes are refused: each text once, and the sentence that counts them.

use super::amounts::{COUNT, PODS};
use super::filter::Filter;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A text's number.
pub type Reason = usize;

/// All texts.
#[derive(Default)]
pub struct Reasons {
    texts: Vec<Rc<str>>,
    numbers: BTreeMap<Rc<str>, Reason>,
    /// Those of resources that nodes have: the most frequent.
    of_resources: [Option<Reason>; COUNT],
}

impl Reasons {
    /// The number of a text.
    pub fn number(&mut self, text: &str) -> Reason {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let text: Rc<str> = text.into();
        self.numbers.insert(text.clone(), self.texts.len());
        self.texts.push(text);
        self.texts.len() - 1
    }

    /// The number of the words on a resource of which there is too little.
    pub fn of_shortage(&mut self, place: Option<usize>, name: &str) -> Reason {
        if let Some(known) = place.and_then(|place| self.of_resources[place]) {
            return known;
        }
        let number = match place {
            Some(PODS) => self.number("Too many pods"),
            _ => self.number(&format!("Insufficient {name}")),
        };
        if let Some(place) = place {
            self.of_resources[place] = Some(number);
        }
        number
    }

    fn text(&self, number: Reason) -> &str {
        &self.texts[number]
    }
}

/// How many nodes are refused for what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    counts: Vec<usize>,
    /// How many no eviction could help.
    pub unresolvable: usize,
    /// The filters that refused some.
    pub by: BTreeSet<Filter>,
}

impl Tally {
    /// One more node with this reason.
    pub fn add(&mut self, reason: Reason, nodes: usize) {
        if self.counts.len() <= reason {
            self.counts.resize(reason + 1, 0);
        }
        self.counts[reason] += nodes;
    }

    /// `<count> <reason>`, sorted as texts and joined by commas (Kubernetes v1.33 `pkg/scheduler/framework/types.go`
    /// FitError).
    pub fn listed(&self, reasons: &Reasons) -> String {
        let counts = self.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let mut texts: Vec<String> =
            counts.map(|(reason, count)| format!("{count} {}", reasons.text(reason))).collect();
        texts.sort();
        texts.join(", ")
    }
}

/// What is said where there is no node at all.
pub const NO_NODES: &str = "no nodes available to schedule pods";
/// The word on a node that no eviction makes fit.
pub const NOT_HELPFUL: &str = "Preemption is not helpful for scheduling";
/// The word on a node without pods that could be evicted.
pub const NO_VICTIMS: &str = "No preemption victims found for incoming pod";

/// The whole sentence: why no node is available, and why no eviction helps.
pub fn sentence(nodes: usize, listed: &str, preemption: &str) -> String {
    let begin = format!("0/{nodes} nodes are available");
    let about = if listed.is_empty() { format!("{begin}:") } else { format!("{begin}: {listed}.") };
    if preemption.is_empty() { about } else { format!("{about} preemption: {preemption}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_articles_sentence() {
        let (mut reasons, mut tally) = (Reasons::default(), Tally::default());
        let (cpu, gpu) = (reasons.number("Insufficient cpu"), reasons.number("Insufficient nvidia.com/gpu"));
        tally.add(cpu, 8);
        tally.add(gpu, 4);
        let expected = "0/8 nodes are available: 4 Insufficient nvidia.com/gpu, 8 Insufficient cpu.";
        assert_eq!(sentence(8, &tally.listed(&reasons), ""), expected);
    }

    proptest! {
        /// Reasons are sorted as texts, counts included: 10 comes before 9.
        #[test]
        fn the_sentence_counts_what_was_added(added in prop::collection::vec((0usize..5, 1usize..40), 0..12)) {
            let names = ["a", "b", "c", "d", "e"];
            let (mut reasons, mut tally) = (Reasons::default(), Tally::default());
            let mut model: BTreeMap<&str, usize> = BTreeMap::new();
            for (name, nodes) in added {
                let number = reasons.number(names[name]);
                tally.add(number, nodes);
                *model.entry(names[name]).or_default() += nodes;
            }
            let mut texts: Vec<String> = model.iter().map(|(name, count)| format!("{count} {name}")).collect();
            texts.sort();
            prop_assert_eq!(tally.listed(&reasons), texts.join(", "));
        }
    }
}
