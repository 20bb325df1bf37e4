//! Reads as of an earlier time.

use super::{Refused, Served, check_filter, check_page, not_found};
use crate::agenda::View;
use crate::judge::Judge;
use crate::world::World;
use crate::{lke_pool_list, pages};
use lkesim_linode_api::{Endpoint, Filter, Instance, LkePool, PageRequest, Reply, Request};
use lkesim_runtime::Time;
use std::sync::Arc;
use std::time::Duration;

impl World {
    /// The answer of so long ago; none to calls whose answer never changes, and to writes.
    pub fn serve_as_of(&self, age: Duration, request: &Request) -> Option<Served> {
        let at = Time::ZERO + self.now.since(Time::ZERO).saturating_sub(age);
        let history = self.history.as_ref()?;
        Some(match request {
            Request::GetInstance { instance } => {
                let shown = self.seen_ix(*instance).and_then(|ix| history.machine(ix, View::Get, at));
                shown.map_or_else(not_found, |shown| Ok(Reply::Instance(shown.clone())))
            }
            Request::GetPool { cluster, lke_pool } => {
                let own = self.lke_pool_ix(*lke_pool).filter(|&ix| self.lke_pools[ix].truth.cluster == *cluster);
                let own = own.filter(|_| self.sees_cluster(*cluster));
                let shown = own.and_then(|ix| history.lke_pool(ix, View::Get, at));
                shown.map_or_else(not_found, |shown| Ok(Reply::Pool(shown.clone())))
            }
            Request::ListInstances { filter, page } => self.old_instances(at, filter.as_ref(), *page),
            Request::ListPools { cluster, filter, page } => {
                if let Err(refused) = self.check_cluster(*cluster) {
                    return Some(Err(refused));
                }
                let of_cluster = |ix: &usize| self.lke_pools[*ix].truth.cluster == *cluster;
                let own: Vec<usize> = (0..self.lke_pools.len()).filter(of_cluster).collect();
                self.old_lke_pools(at, &own, filter.as_ref(), *page)
            }
            Request::ListRegionAvailability { filter, page } => self.list_availability(filter.as_ref(), *page, at),
            Request::RegionAvailability { region } if self.settings.has_region(region) => {
                Ok(Reply::Availability(self.availability(region, at)))
            }
            _ => return None,
        })
    }

    fn old_instances(&self, at: Time, filter: Option<&Filter>, page: PageRequest) -> Served {
        check_page(page)?;
        self.check_instance_filter(filter)?;
        refuse_order(filter)?;
        let Some(history) = &self.history else { return not_found() };
        let mut judge = Judge::new(filter, self.settings.tag_match, self.settings.contains_list);
        let machines = (0..).zip(&self.machines).filter(|(_, machine)| self.sees(machine.truth.account));
        let seen = machines.filter_map(|(ix, machine)| Some((machine.rank, history.machine(ix, View::List, at)?)));
        let mut found: Vec<(u64, &Arc<Instance>)> = seen.filter(|(_, shown)| judge.finds(shown)).collect();
        found.sort_by_key(|&(rank, shown)| (rank, shown.id));
        Ok(Reply::Instances(pages::slice(&found, page, |&(_, shown)| shown.clone())))
    }

    fn old_lke_pools(&self, at: Time, own: &[usize], filter: Option<&Filter>, page: PageRequest) -> Served {
        check_page(page)?;
        check_filter::<LkePool>(Endpoint::ListPools, filter)?;
        let Some(history) = &self.history else { return not_found() };
        let behaviour = self.settings.lke_pool_tag_filter;
        let seen =
            own.iter().filter_map(|&ix| Some((self.lke_pools[ix].fixed.rank, history.lke_pool(ix, View::List, at)?)));
        let finds = |pool: &LkePool| filter.is_none_or(|filter| lke_pool_list::judge(pool, filter, behaviour));
        let mut found: Vec<(u64, &Arc<LkePool>)> = seen.filter(|(_, shown)| finds(shown)).collect();
        found.sort_by_key(|&(rank, shown)| (rank, shown.id));
        Ok(Reply::Pools(pages::slice(&found, page, |&(_, shown)| shown.clone())))
    }
}

/// Lists in an order of the client's choice have no old view.
fn refuse_order(filter: Option<&Filter>) -> Result<(), Refused> {
    match filter.and_then(Filter::order_by) {
        Some(_) => super::not_modelled("a stale list in an order of the client's choice"),
        None => Ok(()),
    }
}
