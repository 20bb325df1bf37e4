//! Calls on LKE pools and their nodes.

mod labels;
mod options;

use super::{Refused, Served, check_filter, check_page, not_found};
use crate::agenda::{MachineIx, View};
use crate::capacity;
use crate::change::{ChangeKind, DeletedBy};
use crate::life::{NewMachine, joined};
use crate::lke_pool::{Fixed, LkePoolTruth, Pool};
use crate::settings::{EmptyLkePools, EnterpriseFields, Victims};
use crate::world::World;
use lkesim_linode_api::{
    ApiError, ClusterId, Endpoint, Filter, LkePool, LkePoolCreate, LkePoolId, LkePoolUpdate, PageRequest, PoolNodeId,
    Reply, Tags, Tier, UpdateStrategy,
};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

/// The reply to a pool of no nodes, where that is refused. Its real text is *unknown*.
pub const NO_NODES: &str = "A node pool must have at least one node.";

/// The reply to the deletion of a cluster's last pool, where that is refused: the words of the cloud manager's form.
/// The API's own are *unknown*.
pub const NO_LKE_POOLS: &str = "Clusters must contain at least one node pool.";

/// The reply to a field of Enterprise pools that a Standard pool is given, where that is refused. Its real text is
/// *unknown*.
pub const ENTERPRISE_ONLY: &str = "Only available for LKE Enterprise clusters";

/// Where a count comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CountOf {
    /// A body sets it.
    Body,
    /// A node is deleted.
    Deletion,
}

impl World {
    pub(super) fn list_lke_pools(&mut self, cluster: ClusterId, filter: Option<&Filter>, page: PageRequest) -> Served {
        check_page(page)?;
        check_filter::<LkePool>(Endpoint::ListPools, filter)?;
        self.check_cluster(cluster)?;
        let behaviour = self.settings.lke_pool_tag_filter;
        let lists = &mut self.lke_pool_lists;
        Ok(Reply::Pools(lists.page(&mut self.lke_pools, behaviour, cluster, filter, page)))
    }

    pub(super) fn check_cluster(&self, cluster: ClusterId) -> Result<(), Refused> {
        match self.live_cluster(cluster) {
            Some(_) => Ok(()),
            None => not_found(),
        }
    }

    #[inline]
    pub(super) fn get_lke_pool(&mut self, cluster: ClusterId, id: LkePoolId) -> Served {
        let is_seen = self.sees_cluster(cluster);
        let pool = self.lke_pool_ix(id).map(|ix| &mut self.lke_pools[ix]);
        let own = pool.filter(|pool| is_seen && pool.truth.cluster == cluster);
        match own.and_then(|pool| pool.shown(View::Get)) {
            Some(shown) => Ok(Reply::Pool(shown.clone())),
            None => not_found(),
        }
    }

    pub(super) fn create_lke_pool(&mut self, cluster: ClusterId, body: &LkePoolCreate) -> Served {
        self.check_cluster(cluster)?;
        let body = &*self.as_read(self.settings.tier_of(cluster), body);
        self.check_lke_pool_body(self.settings.tier_of(cluster), body)?;
        let nodes = self.nodes_of(cluster).saturating_add(body.count);
        capacity::check_nodes(self.settings.nodes_allowed(cluster), body.count, nodes)?;
        self.check_plan(&self.home_of(cluster), &body.plan, body.count)?;
        let ix = self.fill_lke_pool(cluster, body);
        // Recorded: Standard lists the nodes at once, Enterprise none.
        self.written(ix, self.settings.tier_of(cluster) == Tier::Standard)
    }

    /// A pool with its nodes.
    pub(super) fn fill_lke_pool(&mut self, cluster: ClusterId, body: &LkePoolCreate) -> usize {
        let ix = self.open_lke_pool(cluster, body);
        self.grow(ix, body.count, false);
        self.show_lke_pool(ix, false);
        ix
    }

    /// The body without what a cluster of this tier ignores.
    pub(super) fn as_read<'a>(&self, tier: Tier, body: &'a LkePoolCreate) -> Cow<'a, LkePoolCreate> {
        match self.ignores(tier) {
            true => Cow::Owned(options::create_of_standard(body)),
            false => Cow::Borrowed(body),
        }
    }

    fn ignores(&self, tier: Tier) -> bool {
        tier == Tier::Standard && self.settings.enterprise_fields == EnterpriseFields::Ignored
    }

    /// Refuses a body whose values the API does not take.
    pub(super) fn check_lke_pool_body(&self, tier: Tier, body: &LkePoolCreate) -> Result<(), ApiError> {
        self.check_tags(&body.tags)?;
        self.check_count(tier, body.count, CountOf::Body)?;
        let strategy = body.more.as_ref().and_then(|more| more.update_strategy);
        self.check_enterprise(tier, body.firewall, body.k8s_version.as_ref(), strategy)?;
        labels::check(&body.labels, &body.taints)?;
        match &body.more {
            Some(more) => options::check(more, self.settings.plan(&body.plan).map(|plan| &**plan)),
            None => Ok(()),
        }
    }

    /// Refuses what Standard pools do not have, and versions that are not to be had.
    fn check_enterprise(
        &self,
        tier: Tier,
        firewall: Option<u64>,
        version: Option<&Arc<str>>,
        strategy: Option<UpdateStrategy>,
    ) -> Result<(), ApiError> {
        let own = [
            ("firewall_id", firewall.is_some()),
            ("k8s_version", version.is_some()),
            ("update_strategy", strategy.is_some()),
        ];
        let foreign = tier == Tier::Standard && self.settings.enterprise_fields == EnterpriseFields::Refused;
        if let Some((field, _)) = own.into_iter().find(|(_, given)| *given && foreign) {
            return Err(ApiError::field(field, ENTERPRISE_ONLY));
        }
        version.map_or(Ok(()), |version| self.check_version(tier, version))
    }

    /// A pool without nodes, unseen as yet.
    pub fn open_lke_pool(&mut self, cluster: ClusterId, body: &LkePoolCreate) -> usize {
        let ix = self.lke_pools.len();
        let id = self.lke_pool_id(ix);
        let truth = LkePoolTruth {
            id,
            cluster,
            plan: body.plan.clone(),
            count: body.count,
            tags: body.tags.clone(),
            k8s_version: body.k8s_version.clone().or_else(|| self.version_of_lke_pools(cluster)),
            config: Arc::new(options::config_of(body)),
            created: self.now,
            deleted: None,
        };
        let fixed = Fixed {
            rank: self.rank(id.0),
            entity: self.luck.next_lke_pool(cluster, &body.plan, &body.tags),
            inherited: self.inherited(cluster, id, &body.tags),
            label: format!("lke{cluster}-{id}").into(),
        };
        self.record(ChangeKind::LkePoolCreated {
            cluster,
            lke_pool: id,
            plan: body.plan.clone(),
            tags: body.tags.clone(),
            count: body.count,
        });
        self.lke_pools.push(Pool::new(truth, fixed));
        ix
    }

    /// Enterprise pools have a version, the cluster's where none is asked for.
    fn version_of_lke_pools(&self, cluster: ClusterId) -> Option<Arc<str>> {
        if self.settings.tier_of(cluster) == Tier::Standard {
            return None;
        }
        let own = self.live_cluster(cluster).map(|ix| &self.clusters[ix].truth.shown.k8s_version);
        Some(own.unwrap_or(&self.settings.k8s_version).clone())
    }

    /// What a Linode gets of its pool: on Enterprise the pool's tags and two automatic ones (design document,
    /// "Tier-specific assumptions"), on Standard nothing.
    fn inherited(&self, cluster: ClusterId, lke_pool: LkePoolId, tags: &Tags) -> Option<Tags> {
        let automatic = || -> Tags {
            let (by_pool, by_cluster) = (format!("nodepool={lke_pool}"), format!("lke{cluster}"));
            [&*by_pool, &*by_cluster].into_iter().collect()
        };
        (self.settings.tier_of(cluster) == Tier::Enterprise).then(|| joined(tags, &automatic()))
    }

    fn check_count(&self, tier: Tier, count: u32, of: CountOf) -> Result<(), ApiError> {
        let may_be_empty = match self.settings.empty_lke_pools {
            EmptyLkePools::Accepted => true,
            EmptyLkePools::Documented => tier == Tier::Enterprise || of == CountOf::Deletion,
            EmptyLkePools::Refused => false,
        };
        match count == 0 && !may_be_empty {
            true => Err(ApiError::field("count", NO_NODES)),
            false => Ok(()),
        }
    }

    /// Adds nodes; those that are there stay (recorded).
    pub fn grow(&mut self, ix: usize, nodes: u32, settled: bool) {
        for _ in 0..nodes {
            self.add_node(ix, Tags::default(), Duration::ZERO, settled);
        }
    }

    pub fn add_node(&mut self, ix: usize, tags: Tags, age: Duration, settled: bool) -> MachineIx {
        let truth = &self.lke_pools[ix].truth;
        self.create_machine(NewMachine {
            label: None,
            home: self.home_of(truth.cluster),
            cluster: Some(truth.cluster),
            lke_pool: Some(truth.id),
            plan: truth.plan.clone(),
            tags,
            age,
            settled,
            stays_off: false,
        })
    }

    fn written(&self, ix: usize, with_nodes: bool) -> Served {
        match self.lke_pools[ix].as_written(with_nodes) {
            Some(pool) => Ok(Reply::Pool(pool)),
            None => not_found(),
        }
    }

    pub(super) fn update_lke_pool(&mut self, cluster: ClusterId, id: LkePoolId, body: &LkePoolUpdate) -> Served {
        let Some(ix) = self.live_lke_pool(cluster, id) else {
            return not_found();
        };
        let tier = self.settings.tier_of(cluster);
        let stripped = self.ignores(tier).then(|| options::update_of_standard(body));
        let body = stripped.as_ref().unwrap_or(body);
        let from = self.lke_pools[ix].truth.count;
        let to = body.count.unwrap_or(from);
        if let Some(tags) = &body.tags {
            self.check_tags(tags)?;
        }
        if body.count.is_some() {
            self.check_count(tier, to, CountOf::Body)?;
        }
        let more = body.more.as_deref();
        let (firewall, strategy) = more.map_or((None, None), |more| (more.firewall, more.update_strategy));
        self.check_enterprise(tier, firewall, body.k8s_version.as_ref(), strategy)?;
        more.map_or(Ok(()), options::check_change)?;
        if to > from {
            let nodes = self.nodes_of(cluster).saturating_add(to - from);
            capacity::check_nodes(self.settings.nodes_allowed(cluster), to, nodes)?;
            let plan = self.lke_pools[ix].truth.plan.clone();
            self.check_plan(&self.home_of(cluster), &plan, to - from)?;
        }
        self.lke_pools[ix].begin();
        self.set_lke_pool(ix, body);
        if body.count.is_some() {
            self.set_count(ix, to, false);
        }
        if to > from {
            self.grow(ix, to - from, false);
        } else {
            self.shrink(ix, from - to);
        }
        self.lke_pools[ix].commit();
        self.show_lke_pool(ix, false);
        self.plan_resync(ix);
        self.written(ix, true)
    }

    /// What a change sets beside the count.
    fn set_lke_pool(&mut self, ix: usize, body: &LkePoolUpdate) {
        let truth = &mut self.lke_pools[ix].truth;
        if let Some(version) = &body.k8s_version {
            truth.k8s_version = Some(version.clone());
        }
        if let Some(more) = &body.more {
            options::change(Arc::make_mut(&mut truth.config), more);
        }
        if let (Some(count), true) = (body.count, self.settings.count_moves_autoscaler) {
            options::follow(&mut truth.config, count);
        }
        if let Some(after) = body.tags.clone() {
            let before = std::mem::replace(&mut truth.tags, after.clone());
            let (cluster, lke_pool) = (truth.cluster, truth.id);
            self.lke_pools[ix].fixed.inherited = self.inherited(cluster, lke_pool, &after);
            self.record(ChangeKind::LkePoolTagged { lke_pool, before, after });
        }
    }

    fn set_count(&mut self, ix: usize, to: u32, by_node: bool) {
        let truth = &mut self.lke_pools[ix].truth;
        let (lke_pool, from) = (truth.id, std::mem::replace(&mut truth.count, to));
        // The same request carried out again changes no count.
        if self.repeats && from == to {
            return;
        }
        self.record(ChangeKind::LkePoolCountChanged { lke_pool, from, to, by_node });
    }

    /// Removes nodes; which, the API chooses.
    fn shrink(&mut self, ix: usize, nodes: u32) {
        let mut open: Vec<MachineIx> = self.lke_pools[ix].open_slots().map(|slot| slot.machine).collect();
        // The cluster-autoscaler's notes: usually a dead node goes before a live one.
        let dead_first = |machine: &MachineIx| self.machines[*machine as usize].truth.is_live();
        let drawn = |machine: &MachineIx| {
            let entity = self.machines[*machine as usize].entity;
            self.luck.victims.draw(entity, 0).0
        };
        match self.settings.victims {
            Victims::Random => open.sort_by_key(|machine| (drawn(machine), *machine)),
            Victims::Newest => open.sort_by_key(|&machine| Reverse(machine)),
            Victims::Oldest => open.sort_unstable(),
        }
        open.sort_by_key(dead_first);
        for &machine in open.iter().take(nodes as usize) {
            self.close_slot(ix, machine, DeletedBy::Count);
        }
    }

    /// Removes one node and lowers the count at once; it is not replaced (recorded).
    pub(crate) fn delete_node(&mut self, cluster: ClusterId, node: PoolNodeId) -> Served {
        let Some(ix) = self.live_lke_pool(cluster, node.lke_pool) else {
            return not_found();
        };
        let pool = &self.lke_pools[ix];
        let Some(machine) = pool.open_slots().find(|slot| slot.id == node).map(|slot| slot.machine) else {
            return not_found();
        };
        let count = pool.truth.count - 1;
        self.check_count(self.settings.tier_of(cluster), count, CountOf::Deletion)?;
        self.lke_pools[ix].begin();
        self.set_count(ix, count, true);
        self.close_slot(ix, machine, DeletedBy::Node);
        self.lke_pools[ix].commit();
        self.show_lke_pool(ix, false);
        Ok(Reply::Empty)
    }

    /// Takes a node out of its pool, with its Linode if that still lives.
    pub fn close_slot(&mut self, ix: usize, machine: MachineIx, why: DeletedBy) {
        self.lke_pools[ix].close(machine);
        if self.machines[machine as usize].truth.is_live() {
            self.delete_machine(machine, why);
        }
    }

    /// Removes a pool and all its Linodes.
    pub(super) fn delete_lke_pool(&mut self, cluster: ClusterId, id: LkePoolId) -> Served {
        let Some(ix) = self.live_lke_pool(cluster, id) else {
            return not_found();
        };
        let of_cluster = |pool: &&Pool| pool.truth.cluster == cluster && pool.truth.is_live();
        if !self.settings.last_lke_pool && self.lke_pools.iter().filter(of_cluster).count() == 1 {
            return Err(ApiError::new(400, NO_LKE_POOLS).into());
        }
        self.remove_lke_pool(ix);
        Ok(Reply::Empty)
    }

    pub(super) fn remove_lke_pool(&mut self, ix: usize) {
        let truth = &self.lke_pools[ix].truth;
        let (cluster, lke_pool) = (truth.cluster, truth.id);
        self.lke_pools[ix].begin();
        self.lke_pools[ix].truth.deleted = Some(self.now);
        self.record(ChangeKind::LkePoolDeleted { cluster, lke_pool });
        let machines: Vec<MachineIx> = self.lke_pools[ix].open_slots().map(|slot| slot.machine).collect();
        for machine in machines {
            self.close_slot(ix, machine, DeletedBy::LkePool);
        }
        self.lke_pools[ix].truth.count = 0;
        self.lke_pools[ix].commit();
        self.show_lke_pool(ix, false);
    }
}
