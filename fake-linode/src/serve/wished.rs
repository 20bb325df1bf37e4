//! Calls that the design document wishes for, and that Linode's real API does not have: an atomic "claim next unclaimed
//! node in pool", and a pool's members with their claims ("Why this may not scale").
//!
//! A cluster is offered them for the design that it runs; to all others they do not exist. They cost what other calls
//! cost, and meet the same faults. What they answer is the truth at that moment: that is what is wished for.

use super::{Served, not_found};
use crate::agenda::MachineIx;
use crate::world::World;
use lkesim_linode_api::request::NO_UNCLAIMED_NODE;
use lkesim_linode_api::{ApiError, ClusterId, Endpoint, LkePoolId, Page, Reply, Tags};
use std::sync::Arc;

impl World {
    /// Offers these calls to a cluster.
    pub fn offer(&mut self, cluster: ClusterId, calls: &'static [Endpoint]) {
        self.wished.push((cluster, calls));
    }

    /// The pool, if the cluster is offered the call.
    fn offered(&self, cluster: ClusterId, lke_pool: LkePoolId, call: Endpoint) -> Option<usize> {
        let is_offered = self.wished.iter().any(|(own, calls)| *own == cluster && calls.contains(&call));
        self.live_lke_pool(cluster, lke_pool).filter(|_| is_offered)
    }

    /// The live Linodes of a pool, in the order of its slots.
    fn live_members(&self, ix: usize) -> Vec<MachineIx> {
        let open = self.lke_pools[ix].open_slots().map(|slot| slot.machine);
        open.filter(|machine| self.machines[*machine as usize].truth.is_live()).collect()
    }

    pub(super) fn list_members(&self, cluster: ClusterId, lke_pool: LkePoolId) -> Served {
        let Some(ix) = self.offered(cluster, lke_pool, Endpoint::ListMembers) else {
            return not_found();
        };
        let members = self.live_members(ix);
        let data: Arc<[_]> = members.iter().map(|machine| self.machines[*machine as usize].as_written()).collect();
        let results = data.len() as u32;
        Ok(Reply::Instances(Page { data, page: 1, pages: 1, results }))
    }

    /// Claims the Linode that bears the tag, so that a claim whose answer was lost can be made again, or else the first
    /// that bears none with the tag's key. It gets the pool's tags as well: on Standard as a claim writes them, on Enterprise
    /// what it inherits, which may not have reached it.
    pub(super) fn claim_node(&mut self, cluster: ClusterId, lke_pool: LkePoolId, tag: &Arc<str>) -> Served {
        let Some(ix) = self.offered(cluster, lke_pool, Endpoint::ClaimNode) else {
            return not_found();
        };
        self.check_tags(&Tags::from_iter([tag.clone()]))?;
        let key = tag.split('=').next().unwrap_or_default();
        let tags_of = |machine: &MachineIx| &self.machines[*machine as usize].truth.tags;
        let members = self.live_members(ix);
        let own = members.iter().find(|machine| tags_of(machine).has(tag)).copied();
        let Some(machine) = own.or_else(|| members.into_iter().find(|machine| tags_of(machine).value(key).is_none()))
        else {
            return Err(ApiError::new(409, NO_UNCLAIMED_NODE).into());
        };
        if own.is_none() {
            let before = &self.machines[machine as usize].truth.tags;
            let pool = &self.lke_pools[ix];
            let of_pool = pool.fixed.inherited.as_ref().unwrap_or(&pool.truth.tags);
            let mut tags: Vec<Arc<str>> = before.iter().chain(of_pool.iter()).cloned().collect();
            tags.push(tag.clone());
            tags.sort_unstable();
            tags.dedup();
            self.tag_machine(machine, tags.into_iter().collect());
        }
        Ok(Reply::Instance(self.machines[machine as usize].as_written()))
    }
}
