//! Filters by tags that a provider asks by again and again, each made once.

use crate::context::Cluster;
use crate::tags;
use lkesim_linode_api::{Filter, LkePoolId, Tier};
use std::cell::RefCell;

/// The filters of one cluster.
pub struct Filters {
    managed: Filter,
    of_cluster: Filter,
    all: Filter,
    members: RefCell<Vec<(LkePoolId, Filter)>>,
}

impl Filters {
    /// The filters of this cluster.
    pub fn new(cluster: &Cluster) -> Filters {
        let managed = Filter::tag_contains(&tags::tag(tags::MANAGED, "true"));
        let of_cluster = Filter::tag_contains(&format!("lke{}", cluster.id));
        let all = match cluster.tier {
            Tier::Standard => Filter::all([managed.clone()]),
            Tier::Enterprise => Filter::all([managed.clone(), of_cluster.clone()]),
        };
        Filters { managed, of_cluster, all, members: RefCell::default() }
    }

    /// Every Linode that Karpenter manages: by the managed tag, on Enterprise by that of the cluster too.
    pub fn all(&self) -> Filter {
        self.all.clone()
    }

    /// The Linodes of a LKE pool (Enterprise): by the pool's, the cluster's and the managed tag.
    pub fn members(&self, lke_pool: LkePoolId) -> Filter {
        let mut known = self.members.borrow_mut();
        if let Some((_, filter)) = known.iter().find(|(id, _)| *id == lke_pool) {
            return filter.clone();
        }
        let of_pool = Filter::tag_contains(&format!("nodepool={lke_pool}"));
        let filter = Filter::all([of_pool, self.of_cluster.clone(), self.managed.clone()]);
        known.push((lke_pool, filter.clone()));
        filter
    }
}
