//! Karpenter's core, its NodePools, and the settings of the provider's design.

use crate::chaos::Lease;
use crate::client::{is_usual_token, token};
use crate::value::Span;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Karpenter's core.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings of Karpenter")]
pub struct Karpenter {
    /// The CPUs that the controller asks for; they set how many reconciles run at once.
    pub controller_cpus: u32,
    /// The CPUs of the node that it runs on, as Go counts them; shipped providers have as many locks.
    pub node_cpus: u32,
    /// A NodeClaim that is not launched after this is given up.
    pub launch_timeout: Span,
    /// A NodeClaim whose Node has not registered after this is given up.
    pub registration_timeout: Span,
    /// How many processes there are, of which one leads; the others only wait. Left out, 1, and 2 as in the Helm chart
    /// under the preset `chart`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// How long a process that died takes to start anew.
    #[serde(skip_serializing_if = "is_usual_restart")]
    pub restart: Span,
    /// Leader election.
    #[serde(skip_serializing_if = "Lease::is_usual")]
    pub lease: Lease,
    /// A batch of pods ends after this time without another one (`BATCH_IDLE_DURATION`). Left out, 1s, and 1m as in the
    /// Helm chart under the preset `chart`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_idle_duration: Option<Span>,
    /// A batch of pods ends after this time in any case (`BATCH_MAX_DURATION`). Left out, 10s, and 5m as in the Helm
    /// chart under the preset `chart`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_max_duration: Option<Span>,
    /// Whether pods are batched. `off` is a counterfactual: each pod is a pass of its own that sees it alone.
    #[serde(skip_serializing_if = "Switch::is_on")]
    pub batching: Switch,
    /// Whether a pass keeps disruption from the nodes that it places pods on. `off` is a counterfactual.
    #[serde(skip_serializing_if = "Switch::is_on")]
    pub nomination: Switch,
    /// Which nodes Karpenter takes away that nobody needs. `off` is a counterfactual.
    #[serde(skip_serializing_if = "Disruption::is_off")]
    pub disruption: Disruption,
    /// How long a pass takes to decide.
    #[serde(skip_serializing_if = "ComputeCost::is_zero")]
    pub compute_cost: ComputeCost,
    /// The token that it uses; clients that name the same one share its limits.
    #[serde(skip_serializing_if = "is_usual_token")]
    pub token: String,
}

/// How long a process that died takes to start anew where nothing is set.
const RESTART: Span = Span::secs(20);

fn is_usual_restart(restart: &Span) -> bool {
    *restart == RESTART
}

impl Default for Karpenter {
    fn default() -> Karpenter {
        Karpenter {
            controller_cpus: 1,
            node_cpus: 4,
            launch_timeout: Span::mins(5),
            registration_timeout: Span::mins(15),
            replicas: None,
            restart: RESTART,
            lease: Lease::default(),
            batch_idle_duration: None,
            batch_max_duration: None,
            batching: Switch::On,
            nomination: Switch::On,
            disruption: Disruption::Off,
            compute_cost: ComputeCost::default(),
            token: token(),
        }
    }
}

/// `on` or `off`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Switch {
    /// It is so.
    #[default]
    On,
    /// It is not.
    Off,
}

impl Switch {
    /// Whether it is on.
    pub const fn is_on(&self) -> bool {
        matches!(self, Switch::On)
    }
}

/// Which nodes Karpenter takes away that nobody needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Disruption {
    /// None: they stay, whatever little runs on them.
    #[default]
    Off,
    /// Those of manifests' NodePools on which nothing runs but pods of DaemonSets and static ones, as `spec.disruption` of
    /// their NodePool lets them. Moving pods to fewer or cheaper nodes, drift and expiration are not modelled.
    Emptiness,
}

impl Disruption {
    const fn is_off(&self) -> bool {
        matches!(self, Disruption::Off)
    }
}

/// The time that deciding takes. Core v1.9.0 takes 2.2 ms a pod on one core for 20,000 pods and 400 instance types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of `per_pass` and `per_pod`")]
pub struct ComputeCost {
    /// Each pass.
    pub per_pass: Span,
    /// Each pod of it.
    pub per_pod: Span,
}

impl ComputeCost {
    fn is_zero(&self) -> bool {
        *self == ComputeCost::default()
    }
}

/// Settings of the provider's design. What is left out is the design's own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields, expecting = "a map of settings of the provider")]
pub struct Provider {
    /// How long one Create() goes on trying; checked at the start of each attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub create_deadline: Option<Span>,
    /// The sleep between two attempts of one Create().
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_delay: Option<Span>,
    /// How long a claim's tag is looked for after it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_timeout: Option<Span>,
    /// The sleep between two such looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verify_every: Option<Span>,
    /// How old a Linode without a NodeClaim must be before garbage collection deletes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orphan_ttl: Option<Span>,
    /// The pause between two passes of garbage collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_every: Option<Span>,
    /// The same for the first passes after the process started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_every_at_start: Option<Span>,
    /// How many passes count as the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gc_passes_at_start: Option<u32>,
    /// How long Get() may answer from its cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_cache: Option<Span>,
    /// The pause between two refreshes of instance types and their availability.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offerings_every: Option<Span>,
    /// How long an instance type that LKE refused counts as unavailable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unavailable_for: Option<Span>,
    /// For how many regions the offerings of a type are made where they are not remembered, with one GetType each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offering_regions: Option<u32>,
    /// The status under which a refused pool creation is read for the words that say "sold out".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sold_out_status: Option<u16>,
    /// What Delete() says where its list of pools fails for good.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delete_lookup_failure: Option<LookupFailure>,
    /// Where garbage collection looks for orphans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub orphans_by: Option<OrphansBy>,
    /// Which of several nodeclaim tags of one Linode name its owner to garbage collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner_tags: Option<OwnerTags>,
    /// How long one HTTP request may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_timeout: Option<Span>,
}

impl Provider {
    /// The settings that are named, in the order of the language.
    pub fn named(&self) -> Vec<&'static str> {
        // Taken apart, so that a field that is added is not forgotten here.
        let Provider {
            create_deadline,
            retry_delay,
            verify_timeout,
            verify_every,
            orphan_ttl,
            gc_every,
            gc_every_at_start,
            gc_passes_at_start,
            instance_cache,
            offerings_every,
            unavailable_for,
            offering_regions,
            sold_out_status,
            delete_lookup_failure,
            orphans_by,
            owner_tags,
            request_timeout,
        } = self;
        let all = [
            ("create_deadline", create_deadline.is_some()),
            ("retry_delay", retry_delay.is_some()),
            ("verify_timeout", verify_timeout.is_some()),
            ("verify_every", verify_every.is_some()),
            ("orphan_ttl", orphan_ttl.is_some()),
            ("gc_every", gc_every.is_some()),
            ("gc_every_at_start", gc_every_at_start.is_some()),
            ("gc_passes_at_start", gc_passes_at_start.is_some()),
            ("instance_cache", instance_cache.is_some()),
            ("offerings_every", offerings_every.is_some()),
            ("unavailable_for", unavailable_for.is_some()),
            ("offering_regions", offering_regions.is_some()),
            ("sold_out_status", sold_out_status.is_some()),
            ("delete_lookup_failure", delete_lookup_failure.is_some()),
            ("orphans_by", orphans_by.is_some()),
            ("owner_tags", owner_tags.is_some()),
            ("request_timeout", request_timeout.is_some()),
        ];
        all.into_iter().filter(|(_, set)| *set).map(|(name, _)| name).collect()
    }
}

/// What an operation says when it could not look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LookupFailure {
    /// That the Linode does not exist.
    NotFound,
    /// That it failed.
    Error,
}

/// Where garbage collection looks for orphans.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrphansBy {
    /// In what List() shows, which finds Linodes by their tags.
    List,
    /// Among the nodes of each managed pool, whatever their tags.
    Pool,
}

/// Which of a Linode's nodeclaim tags name its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OwnerTags {
    /// The first in the list of its tags.
    First,
    /// Any of them.
    Any,
}

/// A NodePool of Karpenter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map of `name` and `types`")]
pub struct NodePool {
    /// Its name.
    pub name: String,
    /// The instance types that its NodeClaims may have. Left out, those that the workload names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub types: Vec<String>,
    /// The cluster that it is an object of. Left out, the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
}
