//! Shrinks a list of deviations: delta debugging, then one verb in place of many lines.
//!
//! A task that starves is told by one `last`, where the recorder has a line for each poll that went before it; one that
//! hurries by one `first`. So single verbs are tried before anything is taken apart: they are cheap, and often all it
//! takes.
//!
//! A line names the first in line alone, and who starves may have stood behind it. So those that stand first are also
//! put out of the way: if it then still fails, what is recorded names who stands behind them.

use lkesim_kernel::{Deviation, Deviations, PollKey, Verb};
use std::collections::{BTreeMap, BTreeSet};

/// So many single verbs are tried, those that stand for most lines first.
const SINGLE_VERBS: usize = 64;

/// So many rows of those that stand first are put out of the way.
const ROWS: usize = 16;

/// So many single verbs are tried for each row.
const VERBS_A_ROW: usize = 8;

/// The smallest list that could be found under which it still fails. `deviations` must fail. `fails` gives what was
/// recorded of a run under a list, if that failed.
pub fn shrink(deviations: &Deviations, fails: &mut dyn FnMut(&Deviations) -> Option<Deviations>) -> Deviations {
    let mut shrinker = Shrinker { fails };
    let list = deviations.list.clone();
    if list.is_empty() || shrinker.fails(&[]) {
        return Deviations::default();
    }
    if let Some(only) = shrinker.single_verb(&list, SINGLE_VERBS) {
        return Deviations { list: vec![only] };
    }
    let list = shrinker.minimized(list);
    // Only now do all lines hurry those that have to be.
    let behind = match shrinker.who_stands_behind(&list) {
        Behind::One(verb) => return Deviations { list: vec![verb] },
        Behind::Rows(recorded) if shrinker.fails(&recorded) => shrinker.minimized(recorded),
        Behind::Rows(_) => list.clone(),
    };
    let shorter = [list, behind].map(|list| {
        let list = shrinker.by_verbs(list);
        shrinker.one_by_one(list)
    });
    Deviations { list: shorter.into_iter().min_by_key(Vec::len).unwrap_or_default() }
}

/// Who stands behind those that stand first in line.
enum Behind {
    /// One poll, which this verb alone is enough for.
    One(Deviation),
    /// What was recorded with as many out of the way as could be.
    Rows(Vec<Deviation>),
}

struct Shrinker<'a> {
    fails: &'a mut dyn FnMut(&Deviations) -> Option<Deviations>,
}

impl Shrinker<'_> {
    fn fails(&mut self, list: &[Deviation]) -> bool {
        (self.fails)(&Deviations { list: list.to_vec() }).is_some()
    }

    /// One verb under which alone it fails, among the first of those that could stand for most lines.
    fn single_verb(&mut self, list: &[Deviation], most: usize) -> Option<Deviation> {
        let mut verbs = candidates(list, 1).into_iter().take(most);
        verbs.find(|verb| self.fails(std::slice::from_ref(verb)))
    }

    /// The same with those that stand first in line put out of the way, one row after the other, as long as it then
    /// fails. Who overtook them hurries all the same.
    fn who_stands_behind(&mut self, list: &[Deviation]) -> Behind {
        let first = |key: &PollKey| Deviation { key: key.clone(), verb: Verb::First };
        let hurried: Vec<Deviation> = list.iter().map(|line| first(&line.key)).collect();
        let (mut away, mut recorded) = (Vec::new(), list.to_vec());
        for _ in 0..ROWS {
            let heads: BTreeSet<&PollKey> = recorded.iter().filter_map(head).collect();
            let known = away.len();
            for key in heads {
                if !away.contains(&first(key)) {
                    away.push(first(key));
                }
            }
            if away.len() == known {
                break;
            }
            let together = away.iter().chain(&hurried).cloned().collect();
            match (self.fails)(&Deviations { list: together }) {
                Some(failed) => recorded = failed.list,
                None => break,
            }
            if let Some(verb) = self.single_verb(&recorded, VERBS_A_ROW) {
                return Behind::One(verb);
            }
        }
        Behind::Rows(recorded)
    }

    /// Zeller and Hildebrandt's ddmin: drops halves, quarters and so on, as long as it fails without them.
    fn minimized(&mut self, mut list: Vec<Deviation>) -> Vec<Deviation> {
        let mut parts = 2;
        while list.len() >= 2 {
            let length = list.len().div_ceil(parts);
            let mut dropped = false;
            let mut at = 0;
            while at < list.len() {
                let without: Vec<Deviation> = list
                    .iter()
                    .enumerate()
                    .filter(|(n, _)| !(at..at + length).contains(n))
                    .map(|(_, d)| d.clone())
                    .collect();
                if self.fails(&without) {
                    (list, dropped) = (without, true);
                } else {
                    at += length;
                }
            }
            match (dropped, length) {
                (false, 1) => break,
                (true, _) => parts = 2.max(parts / 2),
                (false, _) => parts = (parts * 2).min(list.len()),
            }
        }
        list
    }

    /// One verb in place of all lines that it could stand for.
    fn by_verbs(&mut self, mut list: Vec<Deviation>) -> Vec<Deviation> {
        for verb in candidates(&list, 2) {
            let mut shorter: Vec<Deviation> = list.iter().filter(|line| !stands_for(&verb, line)).cloned().collect();
            if list.len() <= shorter.len() + 1 {
                continue;
            }
            shorter.push(verb);
            if self.fails(&shorter) {
                list = shorter;
            }
        }
        list
    }

    /// Drops single lines until none can go.
    fn one_by_one(&mut self, mut list: Vec<Deviation>) -> Vec<Deviation> {
        let mut at = 0;
        while at < list.len() {
            let mut without = list.clone();
            without.remove(at);
            match self.fails(&without) {
                true => (list, at) = (without, 0),
                false => at += 1,
            }
        }
        list
    }
}

/// Verbs that could each stand for at least so many lines, those that stand for most first.
fn candidates(list: &[Deviation], at_least: usize) -> Vec<Deviation> {
    let mut lines: BTreeMap<(&PollKey, bool), usize> = BTreeMap::new();
    for line in list {
        if let Some(other) = head(line) {
            *lines.entry((other, true)).or_default() += 1;
            *lines.entry((&line.key, false)).or_default() += 1;
        }
    }
    let mut lines: Vec<_> = lines.into_iter().filter(|(_, count)| *count >= at_least).collect();
    lines.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let verb = |is_last: bool| if is_last { Verb::Last } else { Verb::First };
    lines.into_iter().map(|((key, is_last), _)| Deviation { key: key.clone(), verb: verb(is_last) }).collect()
}

/// The poll that was first in line.
fn head(line: &Deviation) -> Option<&PollKey> {
    match &line.verb {
        Verb::Before(other) => Some(other),
        _ => None,
    }
}

/// Whether a verb says what a line says.
fn stands_for(verb: &Deviation, line: &Deviation) -> bool {
    match (&verb.verb, &line.verb) {
        (Verb::Last, Verb::Before(other)) => *other == verb.key,
        (Verb::First, Verb::Before(_)) => line.key == verb.key,
        _ => false,
    }
}
