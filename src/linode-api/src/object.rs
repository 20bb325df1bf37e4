//! Linode's objects, with the fields that a provider reads.
//!
//! Objects are shared (`Arc`), never copied: an answer of a hundred instances is a hundred pointers. They are `Send`,
//! as the fake cloud is a value that may live in a server.

mod rest;

pub use rest::{Acl, Alerts, Autoscaler, InstanceRest, LkePoolRest, PoolDisk, UpdateStrategy};

use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A Linode's id.
    InstanceId
);
id!(
    /// The id of a LKE cluster.
    ClusterId
);
id!(
    /// The id of a LKE node pool.
    LkePoolId
);

/// The id of a slot in a LKE pool: `<pool id>-<8 hex>0000`, as recorded from the live API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PoolNodeId {
    /// The pool that the node belongs to.
    pub lke_pool: LkePoolId,
    /// The eight hexadecimal digits.
    pub suffix: u32,
}

impl fmt::Display for PoolNodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:08x}0000", self.lke_pool, self.suffix)
    }
}

/// LKE's tiers. They differ in tags, in the lag of a pool's nodes, and in limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    /// Pool tags stay on the pool; members are read from the pool.
    Standard,
    /// Pool tags reach the Linodes, beside `nodepool=<pool id>` and `lke<cluster id>`; the pool's nodes come late.
    Enterprise,
}

impl Tier {
    /// Its name in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Tier::Standard => "standard",
            Tier::Enterprise => "enterprise",
        }
    }

    /// The tier of this name.
    pub fn named(name: &str) -> Option<Tier> {
        [Tier::Standard, Tier::Enterprise].into_iter().find(|tier| tier.name() == name)
    }
}

/// Seconds since 1970, the resolution of the API's times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnixSeconds(pub u64);

/// A list of tags in the order that the API gives. Shared, never copied.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tags(Arc<[Arc<str>]>);

impl Default for Tags {
    fn default() -> Tags {
        Tags(Arc::new([]))
    }
}

impl Tags {
    /// The tags in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.0.iter()
    }

    /// Whether this very tag is there.
    pub fn has(&self, tag: &str) -> bool {
        // Lists are made of each other's tags: most often it is the same text in the same place.
        self.0.iter().any(|other| std::ptr::eq(&**other, tag)) || self.0.iter().any(|other| **other == *tag)
    }

    /// The first value of a `key=value` tag with this key; none where the value is empty.
    pub fn value(&self, key: &str) -> Option<&str> {
        self.values(key).find(|value| !value.is_empty())
    }

    /// All values of `key=value` tags with this key.
    pub fn values<'a, 'k>(&'a self, key: &'k str) -> impl Iterator<Item = &'a str> + use<'a, 'k> {
        // Few tags have a `=` just there: most texts need not be compared.
        let has_key = move |tag: &str| tag.as_bytes().get(key.len()) == Some(&b'=') && tag.starts_with(key);
        self.0.iter().filter(move |tag| has_key(tag)).filter_map(move |tag| tag.get(key.len() + 1..))
    }

    /// Whether both share one allocation, which is quicker to ask than whether they are equal.
    pub fn is_same(&self, other: &Tags) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromIterator<Arc<str>> for Tags {
    fn from_iter<I: IntoIterator<Item = Arc<str>>>(tags: I) -> Tags {
        Tags(tags.into_iter().collect())
    }
}

impl<'a> FromIterator<&'a str> for Tags {
    fn from_iter<I: IntoIterator<Item = &'a str>>(tags: I) -> Tags {
        Tags(tags.into_iter().map(Arc::from).collect())
    }
}

/// What a Linode does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstanceStatus {
    /// Being made.
    Provisioning,
    /// Starting.
    Booting,
    /// Up.
    Running,
    /// Going off.
    ShuttingDown,
    /// Off.
    Offline,
    /// Going off to start again.
    Rebooting,
    /// Its deletion was accepted; it is gone, though a lagging view may still show it.
    Deleting,
}

impl InstanceStatus {
    const ALL: [InstanceStatus; 7] = [
        InstanceStatus::Provisioning,
        InstanceStatus::Booting,
        InstanceStatus::Running,
        InstanceStatus::ShuttingDown,
        InstanceStatus::Offline,
        InstanceStatus::Rebooting,
        InstanceStatus::Deleting,
    ];

    /// Its name at the API.
    pub const fn name(self) -> &'static str {
        match self {
            InstanceStatus::Provisioning => "provisioning",
            InstanceStatus::Booting => "booting",
            InstanceStatus::Running => "running",
            InstanceStatus::ShuttingDown => "shutting_down",
            InstanceStatus::Offline => "offline",
            InstanceStatus::Rebooting => "rebooting",
            InstanceStatus::Deleting => "deleting",
        }
    }

    /// The status of this name, if it is one that is modelled.
    pub fn named(name: &str) -> Option<InstanceStatus> {
        InstanceStatus::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// A Linode, as the API shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The Linode's id.
    pub id: InstanceId,
    /// The label. Of an Enterprise node it is also the Kubernetes node's name.
    pub label: Arc<str>,
    /// What it does.
    pub status: InstanceStatus,
    /// When its creation was accepted.
    pub created: UnixSeconds,
    /// The plan, such as `g6-standard-4`.
    pub plan: Arc<str>,
    /// The region, such as `us-ord`.
    pub region: Arc<str>,
    /// The tags.
    pub tags: Tags,
    /// The LKE cluster that it is a node of, on both tiers.
    pub lke_cluster: Option<ClusterId>,
    /// What a client set of the rest; none where all is as it was made.
    pub rest: Option<Arc<InstanceRest>>,
}

/// Whether a pool's slot counts as ready. It is not Kubernetes' Ready condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeStatus {
    /// Not yet.
    NotReady,
    /// Yes.
    Ready,
}

/// A slot in a LKE pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolNode {
    /// The slot's id.
    pub id: PoolNodeId,
    /// The Linode in it; `null` (0 in Go) while it is made.
    pub instance: Option<InstanceId>,
    /// Whether it is ready.
    pub status: NodeStatus,
}

/// A Kubernetes taint, as a LKE pool carries it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Taint {
    /// The key.
    pub key: Arc<str>,
    /// The value, which may be empty.
    pub value: Arc<str>,
    /// `NoSchedule`, `PreferNoSchedule` or `NoExecute`.
    pub effect: Arc<str>,
}

/// A LKE node pool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LkePool {
    /// The pool's id.
    pub id: LkePoolId,
    /// The plan of its Linodes.
    pub plan: Arc<str>,
    /// How many nodes it is to have.
    pub count: u32,
    /// Its slots, sorted by id. On Enterprise they come 30 to 60 s late.
    pub nodes: Arc<[PoolNode]>,
    /// Its tags.
    pub tags: Tags,
    /// Labels that its nodes get in Kubernetes.
    pub labels: Arc<[(Arc<str>, Arc<str>)]>,
    /// Taints that its nodes get in Kubernetes.
    pub taints: Arc<[Taint]>,
    /// The version of Kubernetes (Enterprise).
    pub k8s_version: Option<Arc<str>>,
    /// The firewall (Enterprise).
    pub firewall: Option<u64>,
    /// What the modelled provider never reads.
    pub rest: Arc<LkePoolRest>,
}

/// A LKE cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LkeCluster {
    /// The cluster's id.
    pub id: ClusterId,
    /// Its label, by which the operator finds it.
    pub label: Arc<str>,
    /// Its region.
    pub region: Arc<str>,
    /// Its tier. None where an answer has none, which Go reads as the empty text: one of a version of the API that shows
    /// no tiers, or one without fields.
    pub tier: Option<Tier>,
    /// The version of Kubernetes.
    pub k8s_version: Arc<str>,
    /// Its tags.
    pub tags: Tags,
    /// When its creation was accepted.
    pub created: UnixSeconds,
    /// When it was last changed.
    pub updated: UnixSeconds,
    /// Whether its control plane is highly available: always on Enterprise.
    pub high_availability: bool,
    /// Whether its control plane writes an audit log (Enterprise).
    pub audit_logs_enabled: bool,
}

/// What a plan costs, in millionths of a US dollar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlanPrice {
    /// For each started hour.
    pub hourly_micro_usd: u64,
    /// At most this in a month.
    pub monthly_micro_usd: u64,
}

/// A plan ("instance type").
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanType {
    /// Such as `g6-standard-4`.
    pub id: Arc<str>,
    /// Such as `standard`, `dedicated`, `gpu`.
    pub class: Arc<str>,
    /// Virtual CPUs.
    pub vcpus: u32,
    /// Memory in MiB.
    pub memory_mib: u64,
    /// Disk in MiB.
    pub disk_mib: u64,
    /// GPUs.
    pub gpus: u32,
    /// The price where no region has its own.
    pub price: PlanPrice,
    /// The prices of dearer regions.
    pub region_prices: Vec<(Arc<str>, PlanPrice)>,
}

impl PlanType {
    /// The price in `region`.
    pub fn price_in(&self, region: &str) -> PlanPrice {
        let own = self.region_prices.iter().find(|(id, _)| &**id == region);
        own.map_or(self.price, |&(_, price)| price)
    }
}

/// Whether a region has a plan to sell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionAvailability {
    /// The region.
    pub region: Arc<str>,
    /// The plan.
    pub plan: Arc<str>,
    /// Whether it can be had.
    pub available: bool,
}
