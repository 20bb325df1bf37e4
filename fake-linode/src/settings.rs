//! Every knob of the fake, each with its mark and its source.
//!
//! Marks: *measured* on the live API, *documented* by the vendor or by the design document, *unknown* where no source
//! tells and a guess stands. "Recorded" means linodego 676b9dbe's recordings of the live API.

mod lags;
mod limits;

pub use lags::Lags;
pub use limits::{Limit, LimitScope, Limits};

use crate::catalogue::Catalogue;
use crate::fault::Fault;
use lkesim_linode_api::{ClusterId, PlanType, Tags, Tier, UnixSeconds};
use lkesim_runtime::Time;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the cloud is like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The tier of every cluster that has none of its own.
    pub tier: Tier,
    /// The region of all but the clusters that have one of their own.
    pub region: Arc<str>,
    /// The clusters, by ascending id.
    pub clusters: Vec<ClusterSettings>,
    /// The tokens; a call names one by its place here, and sees what its account has.
    pub tokens: Vec<TokenSettings>,
    /// Which view sees what how late.
    pub lags: Lags,
    /// The rate limits.
    pub limits: Limits,
    /// The most nodes of a LKE pool. *Documented* by the cloud manager (PR 11516): 100 Standard, 500 Enterprise.
    pub nodes_per_lke_pool: u32,
    /// The most nodes of a cluster. *Documented* by the cloud manager (PR 12046): 250 Standard; Enterprise *unknown*.
    pub nodes_per_cluster: Option<u32>,
    /// What `+contains` means on tags. *Unknown*; the provider (e1c5200) works under `Contains` alone.
    pub tag_match: TagMatch,
    /// How lists of Linodes read a filter's `+contains` of an array. *Unknown*.
    pub contains_list: ContainsList,
    /// What the pool list does with a filter on tags. *Documented* as unreliable (design document, "Core model and
    /// invariants"); how is *unknown*.
    pub lke_pool_tag_filter: LkePoolTagFilter,
    /// The order of lists of Linodes and of LKE pools. *Unknown*; ascending id is the safe choice.
    pub list_order: ListOrder,
    /// Which nodes a lower count removes. *Documented* as random by the cluster-autoscaler's Linode notes.
    pub victims: Victims,
    /// Whether LKE replaces a node whose Linode was deleted by itself, after the lag `heal`; the count stays.
    /// *Reported* by a user (linode-cli 185). Until then the pool goes on to list the node (*unknown*). Where its plan
    /// is sold out or the account has no room, LKE tries again each minute (*unknown*).
    pub heals: bool,
    /// What a change of a LKE pool does to the tags of Linodes that it has (Enterprise alone). *Unknown*.
    pub lke_pool_tag_resync: TagResync,
    /// What a change of a Linode's tags meets while the Linode is deleted but visible. *Unknown*.
    pub dying_update: DyingUpdate,
    /// What a deletion of a Linode meets while the Linode is deleted but visible. *Unknown*.
    pub dying_delete: DyingUpdate,
    /// Whether a LKE pool may have no nodes.
    pub empty_lke_pools: EmptyLkePools,
    /// What a pool of a Standard cluster makes of fields that Enterprise pools have: a firewall, a version, an update
    /// strategy. That Enterprise alone has them is *documented* (OpenAPI of 2026-03), the rest *unknown*.
    pub enterprise_fields: EnterpriseFields,
    /// Versions of Kubernetes that can be had beside [`k8s_versions`](crate::catalogue::k8s_versions), whatever the
    /// tier. Which there are is *unknown*.
    pub more_versions: Vec<Arc<str>>,
    /// The characters of a cluster's label. Sources disagree.
    pub cluster_labels: ClusterLabels,
    /// The most tags of a Linode, a pool or a cluster. *Unknown*: no source names a bound.
    pub tags_allowed: Option<u32>,
    /// Whether a count that is set moves the bounds of an autoscaler that is off. *Unknown*; the bounds are stored and
    /// not made of the count, as the deletion of a node leaves them alone (recorded).
    pub count_moves_autoscaler: bool,
    /// Whether a cluster's last LKE pool may be deleted. *Unknown*: the cloud manager's own form refuses it.
    pub last_lke_pool: bool,
    /// How many Linodes of a plan, of all accounts, can live at once in a region: by `region/plan`, or by plan for each
    /// region that is not named with it; others have no bound. *Unknown*, and changing with what others buy. A count beyond it is refused at once; whether LKE accepts it in truth, and leaves
    /// nodes without a Linode, is *unknown*.
    pub capacity: BTreeMap<Arc<str>, u32>,
    /// How many Linodes an account may have, of all kinds. *Unknown*: each account has its own.
    pub account_limit: Option<u32>,
    /// Which plans have rows in a region's availability. *Measured*: only restricted plans; *documented* (design
    /// document, "Plan availability"): read as if all had.
    pub availability_rows: AvailabilityRows,
    /// Plans beside the recorded ones, which all regions have. *Counterfactual*: for scenarios with a catalogue of their own.
    pub more_plans: Vec<Arc<PlanType>>,
    /// Plans that can't be had for a time.
    pub sold_out: Vec<SoldOut>,
    /// The status of the reply to a plan that is sold out: 403 as third parties report it, or 400. *Unknown* which.
    pub sold_out_status: u16,
    /// What goes wrong on purpose, the first that matches a call first.
    pub faults: Vec<Fault>,
    /// When the run begins.
    pub epoch: UnixSeconds,
    /// The version of Kubernetes of every cluster.
    pub k8s_version: Arc<str>,
    /// The id of the first Linode. Ids rise by one.
    pub first_instance: u64,
    /// The id of the first LKE pool that has none in `lke_pool_ids`. Ids rise by one.
    pub first_lke_pool: u64,
    /// The ids of the first LKE pools, base pools first: 12 and 123 show what `+contains` on `nodepool=12` does. Ids
    /// are of all Linode's customers (*unknown* how they rise).
    pub lke_pool_ids: Vec<u64>,
}

/// 2026-01-01T00:00:00Z.
pub const EPOCH: UnixSeconds = UnixSeconds(1_767_225_600);

impl Settings {
    /// A cloud without lag or fault, with the limits as documented, one cluster, its base pool and one token.
    pub fn quiet(tier: Tier) -> Settings {
        let enterprise = tier == Tier::Enterprise;
        Settings {
            tier,
            region: "us-ord".into(),
            clusters: vec![ClusterSettings::new(ClusterId(1), "cluster-1")],
            tokens: vec![TokenSettings::new("karpenter")],
            lags: Lags::zero(),
            limits: Limits::documented(),
            nodes_per_lke_pool: if enterprise { 500 } else { 100 },
            nodes_per_cluster: (!enterprise).then_some(250),
            tag_match: TagMatch::Contains,
            contains_list: ContainsList::Each,
            lke_pool_tag_filter: LkePoolTagFilter::Ignored,
            list_order: ListOrder::Id,
            victims: Victims::Random,
            heals: true,
            lke_pool_tag_resync: TagResync::Never,
            dying_update: DyingUpdate::Accepted,
            dying_delete: DyingUpdate::NotFound,
            empty_lke_pools: EmptyLkePools::Documented,
            enterprise_fields: EnterpriseFields::Refused,
            more_versions: Vec::new(),
            cluster_labels: ClusterLabels::Plain,
            tags_allowed: Some(100),
            count_moves_autoscaler: false,
            last_lke_pool: true,
            capacity: BTreeMap::new(),
            account_limit: None,
            availability_rows: AvailabilityRows::All,
            more_plans: Vec::new(),
            sold_out: Vec::new(),
            sold_out_status: 403,
            faults: Vec::new(),
            epoch: EPOCH,
            k8s_version: if enterprise { "v1.33.6+lke7" } else { "1.35" }.into(),
            first_instance: 1_001,
            first_lke_pool: 101,
            lke_pool_ids: Vec::new(),
        }
    }

    /// The plan with this id.
    pub fn plan(&self, id: &str) -> Option<&Arc<PlanType>> {
        let more = self.more_plans.iter().find(|plan| *plan.id == *id);
        more.or_else(|| Catalogue::recorded().plan(id))
    }

    /// Every plan, in the API's order, those of the settings last.
    pub fn plans(&self) -> Arc<[Arc<PlanType>]> {
        let recorded = Catalogue::recorded().types();
        match self.more_plans.is_empty() {
            true => recorded.clone(),
            false => recorded.iter().chain(&self.more_plans).cloned().collect(),
        }
    }

    fn own_of(&self, cluster: ClusterId) -> Option<&OwnTier> {
        self.clusters.iter().find(|known| known.id == cluster)?.own.as_ref()
    }

    /// The region of a cluster, or of what belongs to none.
    pub fn region_of(&self, cluster: Option<ClusterId>) -> &Arc<str> {
        let own = self.clusters.iter().find(|known| Some(known.id) == cluster);
        own.and_then(|own| own.region.as_ref()).unwrap_or(&self.region)
    }

    /// Whether anything may be in the region.
    pub fn has_region(&self, region: &str) -> bool {
        *self.region == *region || self.clusters.iter().any(|own| own.region.as_deref() == Some(region))
    }

    /// How many accounts there are.
    pub fn accounts(&self) -> u16 {
        let all = self.tokens.iter().map(|token| token.account).chain(self.clusters.iter().map(|own| own.account));
        all.max().map_or(1, |last| last.0 + 1)
    }

    /// The tier of a cluster.
    pub fn tier_of(&self, cluster: ClusterId) -> Tier {
        self.own_of(cluster).map_or(self.tier, |own| own.tier)
    }

    /// The lags of a cluster's pools and Linodes, or of a Linode that is no LKE node.
    pub fn lags_of(&self, cluster: Option<ClusterId>) -> &Lags {
        cluster.and_then(|cluster| self.own_of(cluster)).map_or(&self.lags, |own| &own.lags)
    }

    /// The most nodes of a LKE pool of a cluster, and of the cluster.
    pub fn nodes_allowed(&self, cluster: ClusterId) -> (u32, Option<u32>) {
        let usual = (self.nodes_per_lke_pool, self.nodes_per_cluster);
        self.own_of(cluster).map_or(usual, |own| (own.nodes_per_lke_pool, own.nodes_per_cluster))
    }

    /// [`Settings::quiet`] with the lags that are usual for the tier.
    pub fn usual(tier: Tier) -> Settings {
        Settings { lags: Lags::usual(tier), ..Settings::quiet(tier) }
    }
}

/// A LKE cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterSettings {
    /// Its id.
    pub id: ClusterId,
    /// Its label, by which the operator finds it.
    pub label: Arc<str>,
    /// The pool that it has from the start, unknown to Karpenter.
    pub base_lke_pool: Option<BaseLkePool>,
    /// What is its own, where it is of another tier than [`Settings::tier`].
    pub own: Option<OwnTier>,
    /// Its region, where that is not [`Settings::region`].
    pub region: Option<Arc<str>>,
    /// Whose it is.
    pub account: AccountId,
}

/// A cluster's own tier, with what differs between tiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnTier {
    /// The tier.
    pub tier: Tier,
    /// In place of [`Settings::lags`].
    pub lags: Lags,
    /// In place of [`Settings::nodes_per_lke_pool`].
    pub nodes_per_lke_pool: u32,
    /// In place of [`Settings::nodes_per_cluster`].
    pub nodes_per_cluster: Option<u32>,
}

impl ClusterSettings {
    /// A cluster with a base pool of three g6-standard-2.
    pub fn new(id: ClusterId, label: &str) -> ClusterSettings {
        ClusterSettings {
            id,
            label: label.into(),
            base_lke_pool: Some(BaseLkePool { plan: "g6-standard-2".into(), count: 3, tags: Tags::default() }),
            own: None,
            region: None,
            account: AccountId::default(),
        }
    }
}

/// The pool that a cluster has from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseLkePool {
    /// The plan of its Linodes.
    pub plan: Arc<str>,
    /// How many.
    pub count: u32,
    /// Its tags.
    pub tags: Tags,
}

/// Who asks: the token's place in [`Settings::tokens`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenId(pub u16);

/// An account at Linode. It sees its own clusters, Linodes and tags, and no others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccountId(pub u16);

/// An API token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenSettings {
    /// The client that holds it, by name.
    pub client: Arc<str>,
    /// The account whose objects it is for.
    pub account: AccountId,
}

impl TokenSettings {
    /// A token of the first account.
    pub fn new(client: impl Into<Arc<str>>) -> TokenSettings {
        TokenSettings { client: client.into(), account: AccountId::default() }
    }
}

/// What `+contains` means on tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagMatch {
    /// Some tag has the text in it, so that `nodepool=12` also finds `nodepool=123`.
    Contains,
    /// Some tag is the text.
    Equal,
}

/// How a list of Linodes reads a filter that has an array of strings below `+contains`, which provider e1c5200 sends
/// (`pkg/providers/instance/instance.go`, `List`). No source tells; the provider's own fake filters nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContainsList {
    /// Each text is in some tag, as the provider means it.
    Each,
    /// Some text is in some tag.
    Any,
    /// The test always holds.
    Ignored,
    /// Status 400.
    Refused,
}

/// What the pool list does with a filter on tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LkePoolTagFilter {
    /// A test of tags always holds.
    Ignored,
    /// It is judged.
    Honoured,
    /// It never holds.
    HoldsNever,
}

/// The order of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOrder {
    /// By ascending id.
    Id,
    /// By descending id.
    Newest,
    /// By a drawn number that each object keeps: an order that says nothing, yet holds from call to call.
    Shuffled,
}

/// Which nodes a lower count removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Victims {
    /// Any.
    Random,
    /// The ones created last.
    Newest,
    /// The ones created first.
    Oldest,
}

/// What a change of a LKE pool does to the tags of its Linodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagResync {
    /// Nothing: a pool's tags reach a Linode once, after its creation.
    Never,
    /// The pool's tags that a Linode lacks are added.
    Merge,
    /// A Linode's tags become those of its pool: what was written to the Linode itself is lost.
    Replace,
}

/// Whether a LKE pool may have no nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyLkePools {
    /// A count of 0 is accepted on Enterprise alone: *documented* for it "in certain situations" (Terraform provider,
    /// PR 2417), and as at least 1 for Standard (OpenAPI 4.189.0). The last node can be deleted on both, which is
    /// *unknown*.
    Documented,
    /// Always.
    Accepted,
    /// Never: the last node's removal is refused too.
    Refused,
}

/// What a Standard pool makes of fields that Enterprise pools have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnterpriseFields {
    /// 400, with the field's name.
    Refused,
    /// They are as absent.
    Ignored,
    /// They are taken and shown, as on Enterprise.
    Accepted,
}

/// The characters of a cluster's label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterLabels {
    /// Letters, digits and `-`, as the cloud manager's form has it.
    Plain,
    /// Any of at most three bytes in UTF-8, as OpenAPI 4.176.0 has it.
    Any,
}

/// What a change of a dying Linode meets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DyingUpdate {
    /// It is accepted, and lost with the Linode.
    Accepted,
    /// 404, as if it were out of sight.
    NotFound,
    /// 400 `Linode busy.`, which linodego retries.
    Busy,
}

/// Which plans have rows in a region's availability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AvailabilityRows {
    /// Every plan.
    All,
    /// The restricted ones: premium and GPU plans.
    RestrictedOnly,
}

/// A plan that can't be had for a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoldOut {
    /// The plan.
    pub plan: Arc<str>,
    /// The region, or all of them.
    pub region: Option<Arc<str>>,
    /// From then on.
    pub from: Time,
    /// Until just before then.
    pub until: Time,
    /// The status of the reply, where it is not [`Settings::sold_out_status`].
    pub status: Option<u16>,
}
