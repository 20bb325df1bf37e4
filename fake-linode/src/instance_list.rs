//! The list of Linodes, by filter and page.
//!
//! A repeated question costs a look-up and a shared pointer. Each filter that was asked keeps its matches; of what the
//! list view came to show differently since, a log is kept, and the next question of a filter judges those Linodes
//! alone.

use crate::agenda::MachineIx;
use crate::judge::Judge;
use crate::machine::Machine;
use crate::pages;
use crate::settings::{ContainsList, Settings, TagMatch};
use lkesim_linode_api::filter::Filterable;
use lkesim_linode_api::filter::{Order, Value};
use lkesim_linode_api::{Filter, Instance, Page, PageRequest};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A Linode's place in lists.
type Place = (u64, MachineIx);

/// More changes than this are forgotten; a filter that was not asked since judges every Linode again.
const LOG: usize = 4_096;

/// The list view's memory.
pub(crate) struct InstanceList {
    tag_match: TagMatch,
    contains_list: ContainsList,
    /// Every Linode that the list shows, in order.
    shown: Vec<Place>,
    log: Vec<MachineIx>,
    /// How many changes were forgotten.
    forgotten: u64,
    answers: BTreeMap<u64, Matches>,
}

/// The Linodes that one filter finds.
struct Matches {
    judge: Judge,
    /// How many changes it knows of; none where it was never judged.
    known: Option<u64>,
    places: Vec<Place>,
    pages: Vec<(PageRequest, Page<Arc<Instance>>)>,
}

impl InstanceList {
    /// One for each account, as each sees its own Linodes alone.
    pub fn of_each_account(settings: &Settings) -> Vec<InstanceList> {
        (0..settings.accounts()).map(|_| InstanceList::new(settings.tag_match, settings.contains_list)).collect()
    }

    fn new(tag_match: TagMatch, contains_list: ContainsList) -> InstanceList {
        let (shown, log, answers) = (Vec::new(), Vec::new(), BTreeMap::new());
        InstanceList { tag_match, contains_list, shown, log, forgotten: 0, answers }
    }

    /// Takes note that the list view shows this Linode differently.
    pub fn touch(&mut self, machines: &[Machine], machine: MachineIx) {
        let subject = &machines[machine as usize];
        set(&mut self.shown, (subject.rank, machine), subject.shown_by_list().is_some());
        if self.log.len() == LOG {
            self.log.drain(..LOG / 2);
            self.forgotten += LOG as u64 / 2;
        }
        self.log.push(machine);
    }

    /// Whether this filter was asked before, and so was found to be one that can be judged.
    #[inline]
    pub fn knows(&self, filter: &Filter) -> bool {
        let answer = self.answers.get(&filter.lookup_hash());
        answer.is_some_and(|matches| matches.judge.filter() == Some(filter))
    }

    /// The asked page.
    #[inline]
    pub fn page(&mut self, machines: &[Machine], filter: Option<&Filter>, page: PageRequest) -> Page<Arc<Instance>> {
        let present = self.forgotten + self.log.len() as u64;
        let new = || Matches::new(Judge::new(filter, self.tag_match, self.contains_list));
        let hash = filter.map_or(0, Filter::lookup_hash);
        let matches = self.answers.entry(hash).or_insert_with(new);
        if matches.judge.filter() != filter {
            *matches = new();
        }
        if matches.known != Some(present) {
            matches.catch_up(machines, &self.shown, &self.log, self.forgotten);
            matches.known = Some(present);
        }
        matches.page(machines, page)
    }
}

impl Matches {
    const fn new(judge: Judge) -> Matches {
        Matches { judge, known: None, places: Vec::new(), pages: Vec::new() }
    }

    /// Judges what changed, or all where that is less work.
    fn catch_up(&mut self, machines: &[Machine], shown: &[Place], log: &[MachineIx], forgotten: u64) {
        let judge = &mut self.judge;
        let mut finds = |machine: &Machine| machine.shown_by_list().is_some_and(|shown| judge.finds(shown));
        let news = self.known.and_then(|known| known.checked_sub(forgotten));
        match news.map(|known| &log[known as usize..]) {
            Some(news) if news.len() < shown.len() => {
                for &machine in news {
                    let subject = &machines[machine as usize];
                    let found = finds(subject);
                    let was = set(&mut self.places, (subject.rank, machine), found);
                    if was || found {
                        self.pages.clear();
                    }
                }
            }
            _ => {
                let found = shown.iter().filter(|&&(_, machine)| finds(&machines[machine as usize]));
                self.places = found.copied().collect();
                self.pages.clear();
            }
        }
    }

    fn page(&mut self, machines: &[Machine], page: PageRequest) -> Page<Arc<Instance>> {
        if let Some((_, known)) = self.pages.iter().find(|(asked, _)| *asked == page) {
            return known.clone();
        }
        let pick = |&(_, machine): &Place| match machines[machine as usize].shown_by_list() {
            Some(shown) => shown.clone(),
            None => unreachable!("a place is kept as long as the list shows its Linode"),
        };
        let order = self.judge.filter().and_then(|filter| Some((filter.order_by()?, filter.order())));
        let shown = match order {
            None => pages::slice(&self.places, page, pick),
            Some((field, order)) => pages::slice(&sorted(machines, &self.places, field, order), page, pick),
        };
        self.pages.push((page, shown.clone()));
        shown
    }
}

/// Makes `place` be in the list or not; whether it was.
fn set(list: &mut Vec<Place>, place: Place, wanted: bool) -> bool {
    match (list.binary_search(&place), wanted) {
        (Err(at), true) => list.insert(at, place),
        (Ok(at), false) => {
            list.remove(at);
            return true;
        }
        (found, _) => return found.is_ok(),
    }
    false
}

/// The places by a field's first value; Linodes without one come first, equal ones stay in order.
fn sorted(machines: &[Machine], places: &[Place], field: &str, order: Option<Order>) -> Vec<Place> {
    let key = |&(_, machine): &Place| {
        let mut first = None;
        if let Some(instance) = machines[machine as usize].shown_by_list() {
            instance.any_value(field, &mut |value| {
                first = Some(owned(value));
                true
            });
        }
        first
    };
    let mut places = places.to_vec();
    match order {
        Some(Order::Descending) => places.sort_by_key(|place| std::cmp::Reverse(key(place))),
        _ => places.sort_by_key(key),
    }
    places
}

fn owned(value: Value<'_>) -> (i128, String) {
    match value {
        Value::Null => (i128::MIN, String::new()),
        Value::Bool(truth) => (truth.into(), String::new()),
        Value::Number(number) => (number, String::new()),
        Value::Text(text) => (0, text.into()),
    }
}
