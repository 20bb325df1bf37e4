//! Plans, prices and where restricted plans can be had.
//!
//! Read once from `types.json`, whose head tells source and date.

use lkesim_linode_api::{PlanPrice, PlanType, Tier};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

/// The versions of Kubernetes that clusters of a tier can be made with, newest first. `1.35` and `v1.33.6+lke7` are
/// recorded (linodego 676b9dbe), which others there are is *unknown*.
pub const fn k8s_versions(tier: Tier) -> &'static [&'static str] {
    match tier {
        Tier::Standard => &["1.35", "1.34", "1.33"],
        Tier::Enterprise => &["v1.33.6+lke7", "v1.33.6+lke6", "v1.32.9+lke4", "v1.32.9+lke2", "v1.31.9+lke7"],
    }
}

/// What Linode sells.
#[derive(Debug)]
pub struct Catalogue {
    /// Where the data come from.
    pub source: String,
    types: Arc<[Arc<PlanType>]>,
    by_id: BTreeMap<Arc<str>, Arc<PlanType>>,
    regions: Vec<Region>,
    restricted: BTreeMap<String, BTreeSet<String>>,
}

/// A region, as far as it matters to LKE.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Region {
    /// Its id.
    pub id: String,
    /// Whether it has LKE.
    pub kubernetes: bool,
    /// Whether it has LKE Enterprise.
    pub enterprise: bool,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| {
    let file = serde_json::from_str(include_str!("../types.json"));
    Catalogue::from_file(file.unwrap_or_else(|error| unreachable!("types.json is part of the program: {error}")))
});

impl Catalogue {
    /// The recorded catalogue.
    pub fn recorded() -> &'static Catalogue {
        &CATALOGUE
    }

    fn from_file(file: File) -> Catalogue {
        let types: Arc<[Arc<PlanType>]> = file.types.into_iter().map(|plan| Arc::new(plan.into())).collect();
        Catalogue {
            source: file.source,
            by_id: types.iter().map(|plan: &Arc<PlanType>| (plan.id.clone(), plan.clone())).collect(),
            types,
            regions: file.regions,
            restricted: file.restricted,
        }
    }

    /// Every plan, in the API's order.
    pub fn types(&self) -> &Arc<[Arc<PlanType>]> {
        &self.types
    }

    /// The plan with this id.
    pub fn plan(&self, id: &str) -> Option<&Arc<PlanType>> {
        self.by_id.get(id)
    }

    /// Every region.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// The region with this id.
    pub fn region(&self, id: &str) -> Option<&Region> {
        self.regions.iter().find(|region| region.id == id)
    }

    /// Whether the plan is one that only some regions have, such as a GPU plan.
    pub fn is_restricted(&self, plan: &str) -> bool {
        self.restricted.contains_key(plan)
    }

    /// Whether `region` has the plan in principle.
    pub fn is_offered(&self, region: &str, plan: &str) -> bool {
        self.restricted.get(plan).is_none_or(|regions| regions.contains(region))
    }
}

#[derive(Deserialize)]
struct File {
    source: String,
    types: Vec<Plan>,
    regions: Vec<Region>,
    restricted: BTreeMap<String, BTreeSet<String>>,
}

#[derive(Deserialize)]
struct Plan {
    id: String,
    class: String,
    vcpus: u32,
    memory_mib: u64,
    disk_mib: u64,
    gpus: u32,
    price: Price,
    region_prices: Vec<(String, Price)>,
}

#[derive(Deserialize)]
struct Price {
    hourly_micro_usd: u64,
    monthly_micro_usd: u64,
}

impl From<Price> for PlanPrice {
    fn from(price: Price) -> PlanPrice {
        PlanPrice { hourly_micro_usd: price.hourly_micro_usd, monthly_micro_usd: price.monthly_micro_usd }
    }
}

impl From<Plan> for PlanType {
    fn from(plan: Plan) -> PlanType {
        let region_prices = plan.region_prices.into_iter();
        PlanType {
            id: plan.id.into(),
            class: plan.class.into(),
            vcpus: plan.vcpus,
            memory_mib: plan.memory_mib,
            disk_mib: plan.disk_mib,
            gpus: plan.gpus,
            price: plan.price.into(),
            region_prices: region_prices.map(|(region, price)| (region.into(), price.into())).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
