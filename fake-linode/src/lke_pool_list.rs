//! The lists of LKE pools, one a cluster.
//!
//! A repeated question costs a look-up and a shared pointer. Which pools a list shows, in its order, is kept from
//! question to question: the next one looks at those alone that changed, so that a thousand pools cost no more than the
//! page asked for.

use crate::agenda::View;
use crate::lke_pool::Pool;
use crate::pages;
use crate::settings::LkePoolTagFilter;
use lkesim_linode_api::filter::Filterable;
use lkesim_linode_api::{ClusterId, Filter, LkePool, Page, PageRequest};
use std::sync::Arc;

/// The list view's memory.
#[derive(Default)]
pub(crate) struct LkePoolLists(Vec<(ClusterId, List)>);

/// A pool's place in its cluster's list: its rank, and its place among all pools, which are numbered by age.
type Place = (u64, usize);

#[derive(Default)]
struct List {
    shown: Vec<Place>,
    /// Pools that may be shown differently since the last question.
    changed: Vec<usize>,
    answers: Vec<Answer>,
}

struct Answer {
    filter: Option<Filter>,
    page: PageRequest,
    shown: Page<Arc<LkePool>>,
}

impl LkePoolLists {
    /// Takes note that a pool of the cluster may be shown differently.
    pub fn touch(&mut self, cluster: ClusterId, pool: usize) {
        let list = self.list(cluster);
        if list.changed.last() != Some(&pool) {
            list.changed.push(pool);
        }
    }

    fn list(&mut self, cluster: ClusterId) -> &mut List {
        let place = match self.0.iter().position(|(id, _)| *id == cluster) {
            Some(place) => place,
            None => {
                self.0.push((cluster, List::default()));
                self.0.len() - 1
            }
        };
        &mut self.0[place].1
    }

    /// The asked page.
    #[inline]
    pub fn page(
        &mut self,
        pools: &mut [Pool],
        behaviour: LkePoolTagFilter,
        cluster: ClusterId,
        filter: Option<&Filter>,
        page: PageRequest,
    ) -> Page<Arc<LkePool>> {
        let list = self.list(cluster);
        if !list.changed.is_empty() {
            list.catch_up(pools);
        }
        let known = list.answers.iter().find(|known| known.page == page && known.filter.as_ref() == filter);
        if let Some(known) = known {
            return known.shown.clone();
        }
        let shown = list.make(pools, behaviour, filter, page);
        list.answers.push(Answer { filter: filter.cloned(), page, shown: shown.clone() });
        shown
    }
}

impl List {
    /// Looks at the pools that changed.
    fn catch_up(&mut self, pools: &mut [Pool]) {
        for pool in self.changed.drain(..) {
            let subject = &mut pools[pool];
            let place = (subject.fixed.rank, pool);
            let wanted = subject.shown(View::List).is_some();
            match (self.shown.binary_search(&place), wanted) {
                (Err(at), true) => self.shown.insert(at, place),
                (Ok(at), false) => drop(self.shown.remove(at)),
                _ => {}
            }
        }
        self.answers.clear();
    }

    fn make(
        &self,
        pools: &[Pool],
        behaviour: LkePoolTagFilter,
        filter: Option<&Filter>,
        page: PageRequest,
    ) -> Page<Arc<LkePool>> {
        let show = |pool: usize| match pools[pool].shown_by_list() {
            Some(shown) => shown,
            None => unreachable!("a place is kept as long as the list shows its pool"),
        };
        let Some(filter) = filter else {
            return pages::slice(&self.shown, page, |&(_, pool)| show(pool).clone());
        };
        let all = self.shown.iter().map(|&(_, pool)| show(pool));
        let found: Vec<&Arc<LkePool>> = all.filter(|pool| judge(pool, filter, behaviour)).collect();
        pages::slice(&found, page, |pool| Arc::clone(pool))
    }
}

pub(crate) fn judge(pool: &LkePool, filter: &Filter, behaviour: LkePoolTagFilter) -> bool {
    filter.matches_with(|atom| match (&*atom.field, behaviour) {
        ("tags", LkePoolTagFilter::Ignored) => true,
        ("tags", LkePoolTagFilter::HoldsNever) => false,
        _ => atom.holds(|test| pool.any_value(&atom.field, test)),
    })
}
