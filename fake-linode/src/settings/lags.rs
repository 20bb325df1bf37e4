//! Which view sees what how late.

use lkesim_linode_api::Tier;
use lkesim_runtime::Quantiles;
use std::time::Duration;

/// The lags. All but those of tags count from the accepted change, from which a Linode is billed too; those of tags
/// count from the accepted PUT. Each is drawn for its object alone, so that a design can't change another's luck.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lags {
    /// A change of a LKE pool, until the pool list shows it. *Unknown*, zero by default.
    pub lke_pool_list: Quantiles,
    /// A change of a LKE pool, until its GET shows it. *Unknown*, zero by default.
    pub lke_pool_get: Quantiles,
    /// A node, until its pool's `nodes` list it. Enterprise: *documented*, 30 to 60 s (design document, "Tier-specific
    /// assumptions"). Standard: *measured* zero, the reply to the pool's creation lists them.
    pub members: Quantiles,
    /// A node, until its entry has the Linode's id in place of `null`. Standard: *measured*, half at once and the rest
    /// within 2 s (recorded).
    pub slot_id: Quantiles,
    /// A Linode, until its GET finds it. *Unknown*.
    pub instance_get: Quantiles,
    /// A Linode, until lists have it. *Unknown*. Drawn with the luck of `instance_get`: equal settings are one lag.
    pub instance_list: Quantiles,
    /// A change of tags, until the Linode's GET shows it. *Unknown*; the provider (e1c5200) polls up to 4 s for it.
    pub tag_get: Quantiles,
    /// A change of tags, until lists and their filters show it. *Unknown*.
    pub tag_list: Quantiles,
    /// The pool's tags, until they reach a Linode (Enterprise alone). That they do is *documented* (design document,
    /// "Tier-specific assumptions"), when is *unknown*.
    pub propagation: Quantiles,
    /// A Linode, until it runs. *Measured* on plain Linodes: 45 to 105 s, mostly 61 s (recorded).
    pub boot: Quantiles,
    /// A deleted Linode, until GET and lists forget it. That it stays for a time is *documented* by what Terraform's
    /// provider waits for, how long is *unknown*.
    pub deletion: Quantiles,
    /// A node whose Linode was deleted by itself, until LKE replaces it. *Reported* as minutes (linode-cli 185).
    pub heal: Quantiles,
    /// A Linode that is shut down, until it is off. *Measured* once: 28 s (recorded).
    pub shutdown: Quantiles,
    /// A cluster, until it has a kubeconfig. *Measured* on Standard: 129, 130, 140 and 254 s (recorded); Enterprise
    /// *unknown*.
    pub kubeconfig: Quantiles,
    /// A cluster, until its control plane has an address. *Measured* on Standard: about 10 s (recorded).
    pub api_endpoints: Quantiles,
    /// A deleted cluster, until GET and lists forget it. That it stays for a time is *documented* by what Terraform's
    /// provider waits for, how long is *unknown*.
    pub cluster_deletion: Quantiles,
}

impl Lags {
    /// No lag at all.
    pub fn zero() -> Lags {
        let zero = Quantiles::zero;
        Lags {
            lke_pool_list: zero(),
            lke_pool_get: zero(),
            members: zero(),
            slot_id: zero(),
            instance_get: zero(),
            instance_list: zero(),
            tag_get: zero(),
            tag_list: zero(),
            propagation: zero(),
            boot: zero(),
            deletion: zero(),
            heal: zero(),
            shutdown: zero(),
            kubeconfig: zero(),
            api_endpoints: zero(),
            cluster_deletion: zero(),
        }
    }

    /// The defaults for `tier`.
    pub fn usual(tier: Tier) -> Lags {
        let both = Lags {
            tag_get: seconds(&[(50, 0), (99, 2)]),
            tag_list: seconds(&[(50, 1), (99, 5)]),
            boot: seconds(&[(0, 45), (50, 61), (99, 105)]),
            deletion: seconds(&[(50, 15), (99, 60)]),
            heal: seconds(&[(0, 60), (50, 180), (99, 600)]),
            shutdown: seconds(&[(0, 28)]),
            kubeconfig: seconds(&[(0, 129), (50, 140), (99, 254)]),
            api_endpoints: seconds(&[(0, 10)]),
            cluster_deletion: seconds(&[(50, 15), (99, 60)]),
            ..Lags::zero()
        };
        match tier {
            Tier::Standard => Lags { slot_id: seconds(&[(50, 0), (90, 1), (99, 2)]), ..both },
            Tier::Enterprise => Lags {
                members: seconds(&[(0, 30), (50, 45), (99, 60)]),
                instance_get: seconds(&[(0, 5), (50, 15), (99, 45)]),
                instance_list: seconds(&[(0, 5), (50, 15), (99, 45)]),
                propagation: seconds(&[(50, 1), (99, 10)]),
                ..both
            },
        }
    }
}

/// A distribution through points of (percentile, seconds).
fn seconds(points: &[(u32, u64)]) -> Quantiles {
    let points: Vec<_> = points.iter().map(|&(percent, secs)| (percent * 10_000, Duration::from_secs(secs))).collect();
    Quantiles::through(&points).unwrap_or_else(|error| unreachable!("the points of a preset rise: {error:?}"))
}
