//! The lists of LKE pools, one a cluster. A repeated question costs a look-up and a shared pointer.

use crate::agenda::View;
use crate::lke_pool::Pool;
use crate::pages;
use crate::settings::LkePoolTagFilter;
use lkesim_linode_api::filter::Filterable;
use lkesim_linode_api::{ClusterId, Filter, LkePool, Page, PageRequest};
use std::sync::Arc;

/// The list view's memory: the answers since the last change of a cluster's pools.
#[derive(Default)]
pub(crate) struct LkePoolLists(Vec<(ClusterId, Vec<Answer>)>);

struct Answer {
    filter: Option<Filter>,
    page: PageRequest,
    shown: Page<Arc<LkePool>>,
}

impl LkePoolLists {
    /// Takes note that a pool of the cluster is shown differently.
    pub fn touch(&mut self, cluster: ClusterId) {
        if let Some((_, answers)) = self.0.iter_mut().find(|(id, _)| *id == cluster) {
            answers.clear();
        }
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
        let place = match self.0.iter().position(|(id, _)| *id == cluster) {
            Some(place) => place,
            None => {
                self.0.push((cluster, Vec::new()));
                self.0.len() - 1
            }
        };
        let answers = &mut self.0[place].1;
        let known = answers.iter().find(|known| known.page == page && known.filter.as_ref() == filter);
        if let Some(known) = known {
            return known.shown.clone();
        }
        let shown = make(pools, behaviour, cluster, filter, page);
        answers.push(Answer { filter: filter.cloned(), page, shown: shown.clone() });
        shown
    }
}

fn make(
    pools: &mut [Pool],
    behaviour: LkePoolTagFilter,
    cluster: ClusterId,
    filter: Option<&Filter>,
    page: PageRequest,
) -> Page<Arc<LkePool>> {
    let of_cluster = pools.iter_mut().filter(|pool| pool.truth.cluster == cluster);
    let mut found: Vec<(u64, &Arc<LkePool>)> = of_cluster
        .filter_map(|pool| Some((pool.fixed.rank, pool.shown(View::List)?)))
        .filter(|(_, pool)| filter.is_none_or(|filter| judge(pool, filter, behaviour)))
        .collect();
    found.sort_by_key(|&(rank, pool)| (rank, pool.id));
    pages::slice(&found, page, |&(_, pool)| pool.clone())
}

pub(crate) fn judge(pool: &LkePool, filter: &Filter, behaviour: LkePoolTagFilter) -> bool {
    filter.matches_with(|atom| match (&*atom.field, behaviour) {
        ("tags", LkePoolTagFilter::Ignored) => true,
        ("tags", LkePoolTagFilter::HoldsNever) => false,
        _ => atom.holds(|test| pool.any_value(&atom.field, test)),
    })
}
