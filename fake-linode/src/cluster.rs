//! A LKE cluster: what is true of it, and what the API shows.

use crate::agenda::Event;
use crate::luck;
use crate::settings::AccountId;
use crate::world::World;
use lkesim_linode_api::{Acl, ClusterId, LkeCluster, Tier, UnixSeconds};
use lkesim_runtime::{Entity, Time};
use std::sync::Arc;

/// What is true of a LKE cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterTruth {
    /// What the API shows of it.
    pub shown: Arc<LkeCluster>,
    /// Whose it is.
    pub account: AccountId,
    /// When its creation was accepted; the beginning of the run for what was there before.
    pub created: Time,
    /// When its deletion was accepted.
    pub deleted: Option<Time>,
    /// When the API forgot it.
    pub vanished: Option<Time>,
}

impl ClusterTruth {
    /// Whether its deletion was not accepted.
    pub const fn is_live(&self) -> bool {
        self.deleted.is_none()
    }
}

/// A LKE cluster and its control plane.
pub(crate) struct Cluster {
    pub truth: ClusterTruth,
    /// From when on there is a kubeconfig.
    pub kubeconfig_from: Time,
    /// From when on the control plane has an address.
    pub endpoints_from: Time,
    /// How often its kubeconfig was made anew.
    pub kubeconfigs: u64,
    /// Who may reach its control plane.
    pub acl: Acl,
    /// How often that changed.
    pub acl_revision: u64,
}

impl Cluster {
    /// A cluster that is there from the start.
    pub fn settled(shown: LkeCluster, account: AccountId) -> Cluster {
        let acl = default_acl(shown.tier.unwrap_or(Tier::Standard));
        let (created, deleted, vanished) = (Time::ZERO, None, None);
        let truth = ClusterTruth { shown: Arc::new(shown), account, created, deleted, vanished };
        Cluster { truth, kubeconfig_from: Time::ZERO, endpoints_from: Time::ZERO, kubeconfigs: 0, acl, acl_revision: 0 }
    }

    pub fn id(&self) -> ClusterId {
        self.truth.shown.id
    }
}

/// On Enterprise the rules are on (*documented*); what they allow where nobody said is *unknown*.
pub(crate) fn default_acl(tier: Tier) -> Acl {
    Acl { enabled: Some(tier == Tier::Enterprise), revision_id: None, ipv4: Some(Vec::new()), ipv6: Some(Vec::new()) }
}

impl World {
    /// The cluster, if the API shows it: a deleted one stays visible for a time.
    pub fn visible_cluster(&self, id: ClusterId) -> Option<&Cluster> {
        let visible = self.clusters.iter().find(|own| own.id() == id && own.truth.vanished.is_none());
        visible.filter(|own| self.sees(own.truth.account))
    }

    /// The place of the cluster, if the account has it and its deletion was not accepted.
    pub fn live_cluster(&self, id: ClusterId) -> Option<usize> {
        let live = self.clusters.iter().position(|own| own.id() == id && own.truth.is_live());
        live.filter(|&ix| self.sees(self.clusters[ix].truth.account))
    }

    /// Ids rise by one from the highest that there ever was. How they rise in truth is *unknown*.
    pub fn next_cluster_id(&self) -> ClusterId {
        ClusterId(self.clusters.iter().map(|own| own.id().0).max().unwrap_or(0) + 1)
    }

    /// A cluster begins to exist. Its control plane is ready later.
    pub fn open_cluster(&mut self, shown: LkeCluster) -> usize {
        let entity = cluster_entity(shown.id);
        let (lags, now) = (&self.settings.lags, self.now);
        let mut cluster = Cluster::settled(shown, self.asking());
        cluster.truth.created = now;
        cluster.kubeconfig_from = now + luck::delay(self.luck.kubeconfig, &lags.kubeconfig, entity, 0);
        cluster.endpoints_from = now + luck::delay(self.luck.api_endpoints, &lags.api_endpoints, entity, 0);
        self.clusters.push(cluster);
        self.clusters.len() - 1
    }

    /// A cluster's deletion is accepted: it stays visible for a time.
    pub fn close_cluster(&mut self, ix: usize) {
        let (now, id) = (self.now, self.clusters[ix].id());
        self.clusters[ix].truth.deleted = Some(now);
        let stays = luck::delay(self.luck.deletion, &self.settings.lags.cluster_deletion, cluster_entity(id), 0);
        self.plan(now + stays, Event::ClusterVanish(id));
    }

    pub fn vanish_cluster(&mut self, id: ClusterId) {
        let now = self.now;
        if let Some(cluster) = self.clusters.iter_mut().find(|own| own.id() == id) {
            cluster.truth.vanished = Some(now);
        }
    }

    /// Changes what the API shows of a cluster.
    pub fn change_cluster(&mut self, ix: usize, change: impl FnOnce(&mut LkeCluster)) {
        let updated = self.wall_clock_now();
        let shown = Arc::make_mut(&mut self.clusters[ix].truth.shown);
        change(shown);
        shown.updated = updated;
    }

    /// The present as the API shows times.
    pub fn wall_clock_now(&self) -> UnixSeconds {
        UnixSeconds(self.settings.epoch.0 + self.now.as_secs())
    }
}

fn cluster_entity(id: ClusterId) -> Entity {
    Entity::named("cluster").and(id.0)
}
