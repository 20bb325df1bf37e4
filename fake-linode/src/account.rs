//! Whose things are, and who sees them.
//!
//! A call sees what the account of its token has: of another account's Linodes, clusters, pools and tags it learns
//! nothing, as if they did not exist. What plans a region has left is shared by all. A person who edits by hand is of
//! whichever account the edit needs.

use crate::agenda::MachineIx;
use crate::settings::AccountId;
use crate::world::World;
use lkesim_linode_api::{ClusterId, InstanceId};
use std::sync::Arc;

/// Where something is and whose.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    pub account: AccountId,
    pub region: Arc<str>,
}

impl World {
    /// Whether the call that is being judged sees what this account has.
    #[inline]
    pub fn sees(&self, account: AccountId) -> bool {
        self.asking.is_none_or(|asking| asking == account)
    }

    /// The account of the call that is being judged; the first where nobody asks.
    pub fn asking(&self) -> AccountId {
        self.asking.unwrap_or_default()
    }

    /// Whether the call that is being judged sees this cluster, if it is there.
    #[inline]
    pub fn sees_cluster(&self, id: ClusterId) -> bool {
        self.clusters.iter().any(|own| own.id() == id && self.sees(own.truth.account))
    }

    /// The place of a Linode that the call which is being judged may know of.
    #[inline]
    pub fn seen_ix(&self, id: InstanceId) -> Option<MachineIx> {
        self.machine_ix(id).filter(|&ix| self.sees(self.machines[ix as usize].truth.account))
    }

    /// Whose a cluster is, and where.
    pub fn home_of(&self, cluster: ClusterId) -> Home {
        let own = self.clusters.iter().find(|own| own.id() == cluster).map(|own| &own.truth);
        Home {
            account: own.map_or_else(AccountId::default, |own| own.account),
            region: own.map_or(&self.settings.region, |own| &own.shown.region).clone(),
        }
    }

    /// What the call that is being judged makes in this region.
    pub fn new_home(&self, region: &Arc<str>) -> Home {
        Home { account: self.asking(), region: region.clone() }
    }
}
