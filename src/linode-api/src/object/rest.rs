//! What the modelled provider neither reads nor writes of an object, though other clients do.

use std::sync::Arc;

/// The bounds between which a LKE pool's autoscaler moves its count. The model stores them; nothing scales by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Autoscaler {
    /// Whether it is on.
    pub enabled: bool,
    /// The fewest nodes.
    pub min: u32,
    /// The most nodes.
    pub max: u32,
}

/// A disk of a LKE pool's nodes beside that of the system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolDisk {
    /// Its size in MB.
    pub size_mb: u32,
    /// `raw` or `ext4`.
    pub kind: Arc<str>,
}

/// When the nodes of a LKE pool take a change of it (Enterprise).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpdateStrategy {
    /// When they are recycled.
    #[default]
    OnRecycle,
    /// At once, one after the other.
    RollingUpdate,
}

impl UpdateStrategy {
    /// The API's name.
    pub const fn name(self) -> &'static str {
        match self {
            UpdateStrategy::OnRecycle => "on_recycle",
            UpdateStrategy::RollingUpdate => "rolling_update",
        }
    }

    /// The strategy of this name.
    pub fn named(name: &str) -> Option<UpdateStrategy> {
        [UpdateStrategy::OnRecycle, UpdateStrategy::RollingUpdate].into_iter().find(|own| own.name() == name)
    }
}

/// The rest of a LKE pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LkePoolRest {
    /// The label; empty where it has none.
    pub label: Arc<str>,
    /// The autoscaler's bounds.
    pub autoscaler: Autoscaler,
    /// Its disks.
    pub disks: Vec<PoolDisk>,
    /// Whether its disks are encrypted, where somebody said.
    pub disk_encryption: Option<bool>,
    /// When its nodes take a change (Enterprise).
    pub update_strategy: UpdateStrategy,
}

/// From which use on the account's owner is told. What is absent is as the plan has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Alerts {
    /// Percent of one CPU, summed over all.
    pub cpu: Option<u32>,
    /// Mbit/s inwards.
    pub network_in: Option<u32>,
    /// Mbit/s outwards.
    pub network_out: Option<u32>,
    /// Percent of the traffic of a month.
    pub transfer_quota: Option<u32>,
    /// Operations a second.
    pub io: Option<u32>,
}

impl Alerts {
    /// These, and what they lack from `before`.
    pub fn over(self, before: Alerts) -> Alerts {
        Alerts {
            cpu: self.cpu.or(before.cpu),
            network_in: self.network_in.or(before.network_in),
            network_out: self.network_out.or(before.network_out),
            transfer_quota: self.transfer_quota.or(before.transfer_quota),
            io: self.io.or(before.io),
        }
    }
}

/// The rest of a Linode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceRest {
    /// The image that it was made with.
    pub image: Option<Arc<str>>,
    /// The display group of old, which tags replace.
    pub group: Arc<str>,
    /// Whether Linode boots it again when it powers off by itself.
    pub watchdog_enabled: bool,
    /// From which use on the account's owner is told.
    pub alerts: Alerts,
    /// Whether it has user data for the metadata service.
    pub has_user_data: bool,
    /// Whether its disks are encrypted, where somebody said.
    pub disk_encryption: Option<bool>,
    /// What Linode does with it when its host is maintained, where somebody said.
    pub maintenance_policy: Option<Arc<str>>,
}

impl Default for InstanceRest {
    fn default() -> InstanceRest {
        InstanceRest {
            image: None,
            group: "".into(),
            watchdog_enabled: true,
            alerts: Alerts::default(),
            has_user_data: false,
            disk_encryption: None,
            maintenance_policy: None,
        }
    }
}

/// Who may reach a cluster's control plane. In a change, what is absent stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acl {
    /// Whether the rules count.
    pub enabled: Option<bool>,
    /// A text that tells one state of the rules from another.
    pub revision_id: Option<Arc<str>>,
    /// Ranges of IPv4.
    pub ipv4: Option<Vec<Arc<str>>>,
    /// Ranges of IPv6.
    pub ipv6: Option<Vec<Arc<str>>>,
}

impl Acl {
    /// These rules, and what they lack from `before`.
    pub fn over(self, before: Acl) -> Acl {
        Acl {
            enabled: self.enabled.or(before.enabled),
            revision_id: self.revision_id.or(before.revision_id),
            ipv4: self.ipv4.or(before.ipv4),
            ipv6: self.ipv6.or(before.ipv6),
        }
    }
}
