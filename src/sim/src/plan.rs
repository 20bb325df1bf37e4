//! A checked scenario, turned into the settings of each part: made once, run many times.

use fake_linode::TokenId;
use fake_linode::fault::{Action, Body, Cut, Fault, Refusal, RetryAfter};
use fake_linode::settings::{
    AccountId, AvailabilityRows, BaseLkePool, ClusterLabels, ClusterSettings, ContainsList, DyingUpdate, EmptyLkePools,
    EnterpriseFields, Lags, Limit, LimitScope, ListOrder, LkePoolTagFilter, OwnTier, Settings, SoldOut, TagMatch,
    TagResync, TokenSettings, Victims,
};
use lkesim_linode_api::retry::RetryPolicy;
use lkesim_linode_api::{ClusterId, RateClass, Tier};
use lkesim_runtime::{Quantiles, Time};
use lkesim_scenario::cloud::{self, Limits};
use lkesim_scenario::cluster::{USUAL_NAME, usual_id};
use lkesim_scenario::{Resolved, Scenario, resolved};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The name of Karpenter's client.
pub const CLIENT: &str = "karpenter";

/// Everything that a run needs and that does not depend on its seed.
pub struct Plan {
    /// The scenario.
    pub scenario: Scenario,
    /// Its delays, and the NodeClaims and NodePools of each cluster.
    pub resolved: Resolved,
    /// The clusters, in the scenario's order.
    pub clusters: Vec<ClusterPlan>,
    /// The cloud.
    pub cloud: Settings,
    /// How long the SDK waits for one answer.
    pub request_timeout: Duration,
    /// Whether there are pods: without any, nothing that serves them runs, and they are not judged.
    pub has_pods: bool,
    /// The types, as runs before have learnt them.
    pub(crate) memory: lkesim_lke::instance_types::Memory,
}

impl Plan {
    /// The plan of a checked scenario.
    pub fn new(scenario: &Scenario) -> Plan {
        let resolved = scenario.resolved();
        let clusters = cluster_plans(scenario, &resolved);
        Plan {
            cloud: cloud_settings(scenario, &resolved, &clusters),
            request_timeout: request_timeout(scenario),
            has_pods: scenario.has_pods(),
            clusters,
            memory: Default::default(),
            resolved,
            scenario: scenario.clone(),
        }
    }

    /// Whether a cluster has to be named.
    pub fn has_several_clusters(&self) -> bool {
        self.clusters.len() > 1
    }

    /// The place of the cluster that something names, or the first; none for a name that the check refuses.
    pub(crate) fn place(&self, named: &Option<String>) -> Option<usize> {
        self.scenario.cluster_place(named.as_deref())
    }

    /// The token of this name.
    ///
    /// # Panics
    /// When no client of the scenario has it.
    pub(crate) fn token(&self, name: &str) -> TokenId {
        let place = tokens(&self.scenario).iter().position(|known| *known == name);
        TokenId(place.expect("a client names each token").try_into().expect("a scenario has few clients"))
    }

    /// The token of a cluster's Karpenter.
    pub(crate) fn token_of(&self, place: usize) -> TokenId {
        let own = self.scenario.clusters.get(place).and_then(|cluster| cluster.token.as_deref());
        self.token(own.unwrap_or(&self.scenario.karpenter.token))
    }

    /// When trouble ends and the calm begins.
    pub fn calm_from(&self) -> Time {
        Time::ZERO + self.scenario.duration.get()
    }

    /// When the run ends at the latest.
    pub fn horizon(&self) -> Time {
        self.calm_from() + self.scenario.calm.get()
    }
}

/// The names of all tokens, Karpenter's first.
fn tokens(scenario: &Scenario) -> Vec<&str> {
    let mut names = vec![&*scenario.karpenter.token];
    let of_clusters = scenario.clusters.iter().filter_map(|cluster| cluster.token.as_deref());
    for token in of_clusters.chain(scenario.clients.iter().map(|client| &*client.token)) {
        if !names.contains(&token) {
            names.push(token);
        }
    }
    names
}

/// A cluster, as far as it does not depend on the seed.
pub struct ClusterPlan {
    /// Its id at LKE.
    pub id: ClusterId,
    /// Its label at LKE.
    pub label: Arc<str>,
    /// Its tier.
    pub tier: Tier,
    /// Its region.
    pub region: Arc<str>,
    /// The design that it names.
    pub design: Option<String>,
    /// The NodeClaims, shared with the objects made of them.
    pub(crate) claims: Rc<[crate::workload::Planned]>,
    /// The pods, and what makes them.
    pub(crate) pods: crate::pods::PodsPlan,
}

fn cluster_plans(scenario: &Scenario, resolved: &Resolved) -> Vec<ClusterPlan> {
    let plan = |(place, of): (usize, &resolved::OfCluster)| {
        let listed = scenario.clusters.get(place);
        ClusterPlan {
            id: ClusterId(listed.map_or(usual_id(place), |cluster| cluster.id(place)).into()),
            label: listed.map_or(USUAL_NAME, |cluster| &cluster.name).into(),
            tier: of.tier,
            region: listed.and_then(|cluster| cluster.region.as_deref()).unwrap_or(&scenario.cloud.region).into(),
            design: listed.and_then(|cluster| cluster.design.clone()),
            claims: crate::workload::planned(of),
            pods: crate::pods::PodsPlan::of(scenario, place),
        }
    };
    resolved.clusters.iter().enumerate().map(plan).collect()
}

/// The clusters as the cloud has them, by ascending id.
fn clusters(scenario: &Scenario, resolved: &Resolved, plans: &[ClusterPlan]) -> Vec<ClusterSettings> {
    let settings = |(place, plan): (usize, &ClusterPlan)| {
        let base = scenario.base_pool(place);
        let base_lke_pool = BaseLkePool { plan: (&*base.plan).into(), count: base.count, tags: Default::default() };
        let base_lke_pool = (base.count > 0).then_some(base_lke_pool);
        let of = &resolved.clusters[place];
        let own = (of.tier != scenario.cloud.tier).then(|| OwnTier {
            tier: of.tier,
            lags: lags(&of.lags),
            nodes_per_lke_pool: nodes_per_lke_pool(scenario, of.tier),
            nodes_per_cluster: nodes_per_cluster(scenario, of.tier),
        });
        let account = scenario.clusters.get(place).and_then(|cluster| cluster.account.as_deref());
        ClusterSettings {
            base_lke_pool,
            own,
            region: Some(plan.region.clone()),
            account: account_id(scenario, account),
            ..ClusterSettings::new(plan.id, &plan.label)
        }
    };
    let mut clusters: Vec<_> = plans.iter().enumerate().map(settings).collect();
    clusters.sort_by_key(|cluster| cluster.id);
    clusters
}

fn token_settings(scenario: &Scenario, name: &str) -> TokenSettings {
    TokenSettings { account: account_id(scenario, scenario.account_of(name)), ..TokenSettings::new(name) }
}

/// A checked scenario has as many accounts as clusters at most, and one more.
fn account_id(scenario: &Scenario, name: Option<&str>) -> AccountId {
    let place = scenario.accounts().iter().position(|account| *account == name);
    AccountId(place.unwrap_or_default() as u16)
}

fn cloud_settings(scenario: &Scenario, resolved: &Resolved, plans: &[ClusterPlan]) -> Settings {
    let cloud = &scenario.cloud;
    let usual = Settings::quiet(cloud.tier);
    Settings {
        region: (&*cloud.region).into(),
        clusters: clusters(scenario, resolved, plans),
        tokens: tokens(scenario).into_iter().map(|name| token_settings(scenario, name)).collect(),
        lags: lags(&resolved.lags),
        limits: limits(&cloud.limits),
        tag_match: match cloud.tag_match {
            cloud::TagMatch::Contains => TagMatch::Contains,
            cloud::TagMatch::Equal => TagMatch::Equal,
        },
        contains_list: match cloud.contains_list {
            cloud::ContainsList::Each => ContainsList::Each,
            cloud::ContainsList::Any => ContainsList::Any,
            cloud::ContainsList::Ignored => ContainsList::Ignored,
            cloud::ContainsList::Refused => ContainsList::Refused,
        },
        lke_pool_tag_filter: match cloud.pool_tag_filter {
            cloud::PoolTagFilter::Ignored => LkePoolTagFilter::Ignored,
            cloud::PoolTagFilter::Applied => LkePoolTagFilter::Honoured,
            cloud::PoolTagFilter::Empty => LkePoolTagFilter::HoldsNever,
        },
        list_order: match cloud.list_order {
            cloud::ListOrder::Id => ListOrder::Id,
            cloud::ListOrder::Newest => ListOrder::Newest,
            cloud::ListOrder::Shuffled => ListOrder::Shuffled,
        },
        victims: match cloud.shrink_victim {
            cloud::ShrinkVictim::Random => Victims::Random,
            cloud::ShrinkVictim::Newest => Victims::Newest,
            cloud::ShrinkVictim::Oldest => Victims::Oldest,
        },
        dying_update: match cloud.dying_update {
            cloud::DyingUpdate::Accepted => DyingUpdate::Accepted,
            cloud::DyingUpdate::NotFound => DyingUpdate::NotFound,
            cloud::DyingUpdate::Busy => DyingUpdate::Busy,
        },
        lke_pool_tag_resync: match cloud.pool_tag_resync {
            cloud::PoolTagResync::Never => TagResync::Never,
            cloud::PoolTagResync::Merge => TagResync::Merge,
            cloud::PoolTagResync::Replace => TagResync::Replace,
        },
        heals: cloud.self_heal == cloud::SelfHeal::Replace,
        dying_delete: match cloud.dying_delete {
            cloud::DyingDelete::Accepted => DyingUpdate::Accepted,
            cloud::DyingDelete::NotFound => DyingUpdate::NotFound,
            cloud::DyingDelete::Busy => DyingUpdate::Busy,
        },
        empty_lke_pools: match cloud.empty_pools {
            cloud::EmptyPools::Documented => EmptyLkePools::Documented,
            cloud::EmptyPools::Accepted => EmptyLkePools::Accepted,
            cloud::EmptyPools::Refused => EmptyLkePools::Refused,
        },
        enterprise_fields: match cloud.enterprise_fields {
            cloud::EnterpriseFields::Refused => EnterpriseFields::Refused,
            cloud::EnterpriseFields::Ignored => EnterpriseFields::Ignored,
            cloud::EnterpriseFields::Accepted => EnterpriseFields::Accepted,
        },
        more_versions: cloud.more_versions.iter().map(|version| (&**version).into()).collect(),
        cluster_labels: match cloud.cluster_labels {
            cloud::ClusterLabels::Plain => ClusterLabels::Plain,
            cloud::ClusterLabels::Any => ClusterLabels::Any,
        },
        tags_allowed: cloud.tags_allowed.bound(),
        count_moves_autoscaler: cloud.autoscaler_bounds == cloud::AutoscalerBounds::Moved,
        last_lke_pool: cloud.last_pool == cloud::Accepts::Accepted,
        nodes_per_lke_pool: nodes_per_lke_pool(scenario, cloud.tier),
        nodes_per_cluster: nodes_per_cluster(scenario, cloud.tier),
        lke_pool_ids: cloud.pool_ids.iter().map(|&id| id.into()).collect(),
        account_limit: cloud.account_limit.bound(),
        capacity: cloud.capacity.iter().map(|(plan, most)| ((&**plan).into(), *most)).collect(),
        more_plans: crate::catalogue::plans(scenario),
        sold_out: cloud.sold_out.iter().map(sold_out).collect(),
        sold_out_status: cloud.sold_out_status,
        availability_rows: match cloud.availability_rows {
            cloud::AvailabilityRows::All => AvailabilityRows::All,
            cloud::AvailabilityRows::RestrictedOnly => AvailabilityRows::RestrictedOnly,
        },
        faults: scenario.faults.iter().enumerate().map(|(place, fault)| self::fault(place, fault)).collect(),
        ..usual
    }
}

fn nodes_per_lke_pool(scenario: &Scenario, tier: Tier) -> u32 {
    match scenario.cloud.nodes_per_pool {
        Some(most) => most.bound().unwrap_or(u32::MAX),
        None => Settings::quiet(tier).nodes_per_lke_pool,
    }
}

fn nodes_per_cluster(scenario: &Scenario, tier: Tier) -> Option<u32> {
    match scenario.cloud.nodes_per_cluster {
        Some(most) => most.bound(),
        None => Settings::quiet(tier).nodes_per_cluster,
    }
}

fn sold_out(written: &cloud::SoldOut) -> SoldOut {
    SoldOut {
        plan: (&*written.plan).into(),
        region: written.region.as_deref().map(Into::into),
        from: Time::ZERO + written.from.get(),
        until: written.until.map_or(Time::MAX, |until| Time::ZERO + until.get()),
        status: written.status,
    }
}

fn lags(lags: &resolved::Lags) -> Lags {
    Lags {
        lke_pool_list: lags.pool_list.clone(),
        lke_pool_get: lags.pool_get.clone(),
        members: lags.members.clone(),
        slot_id: lags.slot_id.clone(),
        instance_get: lags.instance_get.clone(),
        instance_list: lags.instance_list.clone(),
        tag_get: lags.tag_to_get.clone(),
        tag_list: lags.tag_to_list.clone(),
        propagation: lags.propagation.clone(),
        boot: lags.boot.clone(),
        deletion: lags.deletion.clone(),
        heal: lags.heal.clone(),
        shutdown: lags.shutdown.clone(),
        kubeconfig: lags.kubeconfig.clone(),
        api_endpoints: lags.api_endpoints.clone(),
        cluster_deletion: lags.cluster_deletion.clone(),
    }
}

fn limits(limits: &Limits) -> fake_linode::Limits {
    let documented = fake_linode::Limits::documented();
    let Limits::Limited(limits) = limits else {
        // A window that no run can fill is no limit.
        let none = Limit { count: u32::MAX, window: Duration::from_secs(60), header: u32::MAX };
        return fake_linode::Limits { list: none, other: none, create_instance: none, ..documented };
    };
    let limit =
        |rate: &lkesim_scenario::Rate| Limit { count: rate.calls, window: rate.window.get(), header: limits.header };
    fake_linode::Limits {
        list: limit(&limits.list),
        other: limit(&limits.other),
        // Recorded: of these, the header shows what is enforced.
        create_instance: Limit { header: limits.create_instance.calls, ..limit(&limits.create_instance) },
        create_lke_pool: match limits.create_pool {
            cloud::PoolLimit::Other => RateClass::Other,
            cloud::PoolLimit::CreateInstance => RateClass::CreateInstance,
        },
        scope: match limits.scope {
            cloud::LimitScope::Class => LimitScope::Token,
            cloud::LimitScope::Endpoint => LimitScope::Endpoint,
        },
    }
}

/// A scenario's fault as the cloud has it; `place` is its place in the scenario.
pub fn fault(place: usize, fault: &lkesim_scenario::Fault) -> Fault {
    use lkesim_scenario::fault::{Body as WrittenBody, Calls, Fault as Written, RetryAfter as Header};
    let when = fault.when();
    let action = match fault {
        Written::Refuse(refuse) => Action::Refuse(Refusal {
            status: refuse.status,
            reason: refuse.reason.as_deref().map(Into::into),
            body: refuse.body.map(|body| match body {
                WrittenBody::Empty => Body::Empty,
                WrittenBody::NginxPage => Body::NginxPage,
                WrittenBody::Garbled => Body::Garbled,
            }),
            retry_after: match refuse.retry_after {
                Some(Header::After(after)) => RetryAfter::Seconds(after.get().as_secs() as u32),
                Some(Header::None) => RetryAfter::Absent,
                Some(Header::Date) => RetryAfter::Date,
                None => RetryAfter::Window,
            },
            maintenance: refuse.maintenance,
        }),
        Written::Delay(slow) => Action::Delay(slow.by.quantiles().clone()),
        Written::Lose(_) => Action::Lose,
        Written::Twice(_) => Action::Twice,
        Written::Stale(stale) => Action::Stale(stale.age.get()),
        Written::Partial(partial) => Action::Partial(match partial.keep {
            Some(keep) => Cut::After(keep),
            None => Cut::Each(partial.missing().ppm()),
        }),
        Written::Double(_) => Action::Double,
        Written::Maintenance(_) => Action::Maintenance,
        Written::Garble(_) => Action::Garble,
    };
    Fault {
        name: format!("faults[{place}].{}", fault.kind()).into(),
        endpoints: match when.calls {
            Calls::Any => Vec::new(),
            Calls::Of(endpoints) => endpoints.clone(),
        },
        token: None,
        from: Time::ZERO + when.from.get(),
        until: when.until.map_or(Time::MAX, |until| Time::ZERO + until.get()),
        first_call: when.nth.and_then(|nth| nth.low).unwrap_or(1),
        last_call: when.nth.and_then(|nth| nth.high).unwrap_or(u64::MAX),
        chance: when.chance.ppm(),
        action,
    }
}

fn request_timeout(scenario: &Scenario) -> Duration {
    scenario.provider.request_timeout.map_or(RetryPolicy::LINODEGO.request_timeout, |set| set.get())
}

/// The delay of a call, there and back.
pub(crate) fn latency_of(endpoint: lkesim_linode_api::Endpoint, latency: &resolved::Latency) -> &Quantiles {
    use lkesim_linode_api::Endpoint;
    match endpoint {
        Endpoint::UpdatePool | Endpoint::UpdateInstance => &latency.put,
        Endpoint::DeletePool | Endpoint::DeleteNode | Endpoint::DeleteInstance => &latency.delete,
        Endpoint::CreatePool => &latency.create_pool,
        list if list.is_list() => &latency.list,
        read if read.is_read() => &latency.get,
        // No simulated client makes any other call than these.
        _ => &latency.post,
    }
}
