//! Holding: the stored providerID, and what the latest Create returned while its process lives.

use super::{Claim, ClaimLife, Fact, Linode, Truth};
use crate::event::Returned;
use lkesim_linode_api::{ClusterId, InstanceId, Operation};

impl Truth {
    pub(super) fn stored(&mut self, uid: u64, instance: Option<InstanceId>) {
        self.change_holdings(uid, |claim| claim.stored = instance);
    }

    pub(super) fn operation_returned(&mut self, run: u64, result: &Returned) {
        self.calls.returned(run);
        let Some(operation) = self.calls.operation(run) else {
            return;
        };
        if operation.operation != Operation::Create {
            return;
        }
        if let (Some(uid), Returned::Instance(instance)) = (operation.claim, result) {
            let (instance, process) = (*instance, operation.process);
            self.change_holdings(uid, |claim| (claim.returned, claim.returned_by) = (Some(instance), process));
        }
    }

    /// The process died: what its Create calls returned and did not store is forgotten.
    pub(super) fn forget_returned(&mut self, cluster: ClusterId, process: u32) {
        let by_it = |claim: &Claim| claim.returned.is_some() && claim.returned_by == process;
        let hers = |claim: &&Claim| claim.cluster == cluster && by_it(claim);
        let uids: Vec<u64> = self.claims.values().filter(hers).map(Claim::uid).collect();
        for uid in uids {
            self.change_holdings(uid, |claim| claim.returned = None);
        }
    }

    fn change_holdings(&mut self, uid: u64, change: impl FnOnce(&mut Claim)) {
        let Some(claim) = self.claims.get_mut(uid).filter(|claim| claim.life != ClaimLife::Gone) else {
            return;
        };
        let before = claim.clone_holdings();
        let waited = claim.waits_at();
        change(claim);
        let after = claim.clone_holdings();
        self.keys.moved(waited, claim.waits_at());
        for instance in before.into_iter().flatten().filter(|id| !after.contains(&Some(*id))) {
            self.release(uid, instance);
        }
        for instance in after.into_iter().flatten().filter(|id| !before.contains(&Some(*id))) {
            self.hold(uid, instance);
        }
    }

    fn hold(&mut self, uid: u64, instance: InstanceId) {
        let linode = self.linodes.get_or_insert_with(instance.0, Linode::unknown);
        linode.holders.push(uid);
        if let Some(claim) = self.claims.get_mut(uid) {
            claim.indexed.push(instance);
        }
        self.count_holder(uid, instance, 1);
        if self.claims.get(uid).is_some_and(Claim::is_live) {
            self.count_live_holder(instance, 1);
        }
        self.facts.push(Fact::Held { claim: uid, instance });
    }

    pub(super) fn release(&mut self, uid: u64, instance: InstanceId) {
        self.count_holder(uid, instance, -1);
        if let Some(linode) = self.linodes.get_mut(instance.0) {
            linode.holders.retain(|holder| *holder != uid);
        }
        if let Some(claim) = self.claims.get_mut(uid) {
            claim.indexed.retain(|held| *held != instance);
        }
        if self.claims.get(uid).is_some_and(Claim::is_live) {
            self.count_live_holder(instance, -1);
        }
        self.facts.push(Fact::Released { claim: uid, instance });
    }

    pub(super) fn count_live_holder(&mut self, instance: InstanceId, change: i32) {
        if let Some(linode) = self.linodes.get_mut(instance.0) {
            linode.live_holders = moved(linode.live_holders, change);
        }
        self.watch_orphan(instance);
    }

    /// A claim came to or left a live Linode: it counts as a holder of the LKE pool unless it also holds another there.
    pub(super) fn count_holder(&mut self, uid: u64, instance: InstanceId, change: i32) {
        let Some(linode) = self.linodes.get(instance.0).filter(|linode| linode.is_live()) else {
            return;
        };
        let Some(lke_pool) = linode.lke_pool else { return };
        let in_pool =
            |id: &InstanceId| self.linode(*id).is_some_and(|other| other.is_live() && other.lke_pool == Some(lke_pool));
        let held = self.claims.get(uid).map_or(&[][..], |claim| &claim.indexed);
        let another = held.iter().any(|other| *other != instance && in_pool(other));
        if let Some(lke_pool) = self.lke_pools.get_mut(lke_pool.0).filter(|_| !another) {
            lke_pool.holders = moved(lke_pool.holders, change);
        }
    }
}

impl Claim {
    fn clone_holdings(&self) -> [Option<InstanceId>; 2] {
        [self.stored, self.returned.filter(|returned| Some(*returned) != self.stored)]
    }
}

fn moved(count: u32, change: i32) -> u32 {
    count.checked_add_signed(change).expect("a holder that leaves had come")
}
