//! What the nodes last answered to a shape, so that an attempt asks only those again that changed since.
//!
//! With many nodes and many pods that wait, each pod comes back on each event, and hardly a node differs. Upstream keeps
//! no such memory; what it would find out by asking all nodes is the same. Only shapes to which other pods are nothing
//! but room have one, as a node's answer to them is about the node alone.

use super::cluster::Cluster;
use super::filter::{Answer, Seeker};
use super::reasons::{Reason, Reasons, Tally};
use std::collections::VecDeque;

/// The nodes that changed, in order.
#[derive(Default)]
pub struct Touched {
    nodes: VecDeque<usize>,
    /// How many are forgotten.
    begin: usize,
}

impl Touched {
    /// A node changed. Of old changes so many are kept as there are nodes: a memory that is older asks all.
    pub fn add(&mut self, node: usize, nodes: usize) {
        self.nodes.push_back(node);
        while self.nodes.len() > nodes {
            self.nodes.pop_front();
            self.begin += 1;
        }
    }

    fn end(&self) -> usize {
        self.begin + self.nodes.len()
    }

    /// The nodes that changed since; `None` if that is not known any more.
    fn since(&self, place: usize) -> Option<impl Iterator<Item = usize>> {
        Some(self.nodes.iter().skip(place.checked_sub(self.begin)?).copied())
    }
}

/// The answers to one shape.
#[derive(Default)]
pub struct Standing {
    /// Up to where changes of nodes are in it; `None` before the first look.
    seen: Option<usize>,
    /// By the node's number, the place of its answer.
    of_node: Vec<Option<usize>>,
    /// Answers that differ: a few, whatever the number of nodes.
    answers: Vec<Told>,
}

/// An answer with its reasons.
struct Told {
    answer: Answer,
    reasons: Vec<Reason>,
    /// How many nodes gave it.
    nodes: usize,
}

impl Standing {
    /// Asks the nodes that changed.
    pub fn refresh(&mut self, seeker: &Seeker<'_>, cluster: &Cluster, reasons: &mut Reasons) {
        let touched = &cluster.touched;
        match self.seen.and_then(|place| touched.since(place)) {
            Some(changed) => changed.for_each(|node| self.ask(seeker, cluster, node, reasons)),
            None => {
                *self = Standing::default();
                cluster.order.iter().for_each(|node| self.ask(seeker, cluster, *node, reasons));
            }
        }
        self.seen = Some(touched.end());
    }

    fn ask(&mut self, seeker: &Seeker<'_>, cluster: &Cluster, node: usize, reasons: &mut Reasons) {
        if self.of_node.len() <= node {
            self.of_node.resize(node + 1, None);
        }
        if let Some(before) = self.of_node[node].take() {
            self.answers[before].nodes -= 1;
        }
        if cluster.nodes[node].node.is_none() {
            return;
        }
        let mut told = Vec::new();
        let answer = seeker.ask(cluster, node, reasons, &mut told);
        let known = self.answers.iter().position(|known| known.answer == answer && known.reasons == told);
        let place = known.unwrap_or_else(|| {
            self.answers.push(Told { answer, reasons: told, nodes: 0 });
            self.answers.len() - 1
        });
        self.answers[place].nodes += 1;
        self.of_node[node] = Some(place);
    }

    /// What a node answered.
    pub fn answer(&self, node: usize) -> Option<Answer> {
        let place = self.of_node.get(node).copied().flatten()?;
        Some(self.answers[place].answer)
    }

    /// Whether any node takes such pods.
    pub fn fits_anywhere(&self) -> bool {
        self.answers.iter().any(|told| told.answer == Answer::Fits && told.nodes > 0)
    }

    /// What all nodes answered.
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for told in self.answers.iter().filter(|told| told.nodes > 0) {
            told.reasons.iter().for_each(|reason| tally.add(*reason, told.nodes));
            match told.answer {
                Answer::Fits => {}
                Answer::Refused(by) => drop(tally.by.insert(by)),
                Answer::Unresolvable(by) => {
                    tally.by.insert(by);
                    tally.unresolvable += told.nodes;
                }
            }
        }
        tally
    }
}
