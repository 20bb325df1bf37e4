//! Shrinks a list of deviations: delta debugging, then one verb in place of many lines.
//!
//! A task that starves is told by one `last`, where the recorder has a line for each poll that went before it; one that
//! hurries by one `first`. So single verbs are tried before anything is taken apart: they are cheap, and often all it takes.

use lkesim_kernel::{Deviation, Deviations, PollKey, Verb};
use std::collections::BTreeMap;

/// So many single verbs are tried, those that stand for most lines first.
const SINGLE_VERBS: usize = 24;

/// The smallest list that could be found under which `fails` says that it still fails. `deviations` must fail.
pub fn shrink(deviations: &Deviations, fails: &mut dyn FnMut(&Deviations) -> bool) -> Deviations {
    let mut shrinker = Shrinker { fails };
    let list = deviations.list.clone();
    if list.is_empty() || shrinker.fails(&[]) {
        return Deviations::default();
    }
    let verbs = candidates(&list, 2);
    if let Some(only) = verbs.iter().take(SINGLE_VERBS).find(|verb| shrinker.fails(std::slice::from_ref(verb))) {
        return Deviations { list: vec![only.clone()] };
    }
    let list = shrinker.minimized(list);
    let list = shrinker.by_verbs(list);
    Deviations { list: shrinker.one_by_one(list) }
}

struct Shrinker<'a> {
    fails: &'a mut dyn FnMut(&Deviations) -> bool,
}

impl Shrinker<'_> {
    fn fails(&mut self, list: &[Deviation]) -> bool {
        (self.fails)(&Deviations { list: list.to_vec() })
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
        if let Verb::Before(other) = &line.verb {
            *lines.entry((other, true)).or_default() += 1;
            *lines.entry((&line.key, false)).or_default() += 1;
        }
    }
    let mut lines: Vec<_> = lines.into_iter().filter(|(_, count)| *count >= at_least).collect();
    lines.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let verb = |is_last: bool| if is_last { Verb::Last } else { Verb::First };
    lines.into_iter().map(|((key, is_last), _)| Deviation { key: key.clone(), verb: verb(is_last) }).collect()
}

/// Whether a verb says what a line says.
fn stands_for(verb: &Deviation, line: &Deviation) -> bool {
    match (&verb.verb, &line.verb) {
        (Verb::Last, Verb::Before(other)) => *other == verb.key,
        (Verb::First, Verb::Before(_)) => line.key == verb.key,
        _ => false,
    }
}
