//! The case files, as `tests/conformance/karpenter-provider-linode/cases/README.md` describes them.

use lkesim_linode_api::Tier;
use lkesim_scenario::{Names, Scenario};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The designs that are held to a release of the provider.
pub const DESIGNS: [&str; 2] = ["shipped", "v0.1.3"];

/// A case.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// What it shows.
    pub about: String,
    /// The tiers that it is run on. Left out, both.
    #[serde(default = "both_tiers")]
    pub tiers: Vec<Tier>,
    /// The designs that it is for. Left out, all.
    #[serde(default)]
    pub designs: Vec<String>,
    /// Whether the order of calls counts.
    #[serde(default)]
    pub compare: Comparison,
    /// Whether the order of tags in written lists counts.
    #[serde(default)]
    pub tag_order: TagOrder,
    /// How often the SDK asks again. Left out, as often as it does.
    #[serde(default)]
    pub retries: Option<u32>,
    /// Parts of a scenario: `cloud`, `clusters`, `start`, `faults`.
    #[serde(default)]
    pub fake: Map<String, Value>,
    /// The spec of the LinodeNodeClass.
    #[serde(default)]
    pub node_class: NodeClass,
    /// The names of the NodePools. Left out, `default`.
    #[serde(default = "default_node_pools")]
    pub node_pools: Vec<String>,
    /// What is done.
    pub steps: Vec<Step>,
}

/// How calls are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Comparison {
    /// In their order.
    #[default]
    Sequence,
    /// As a set, in which NodeClaims that differ by their number count as one: who came first is luck.
    Set,
}

/// Whether the order of tags counts. That of a map's walk in Go is luck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TagOrder {
    /// It does not.
    #[default]
    Any,
    /// It does in changes of Linodes.
    Exact,
}

/// What of a LinodeNodeClass the LKE provider reads.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct NodeClass {
    /// User tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The firewall.
    #[serde(default, rename = "firewallID")]
    pub firewall_id: Option<u64>,
    /// The version of Kubernetes.
    #[serde(default, rename = "lkeK8sVersion")]
    pub lke_k8s_version: Option<String>,
    /// Labels of pools, which v0.1.3 reads.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The update strategy of pools, which v0.1.3 reads.
    #[serde(default, rename = "lkeUpdateStrategy")]
    pub lke_update_strategy: Option<String>,
}

/// What is done, and how long after the step's beginning: one member is set beside `after`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Step {
    /// The time before it.
    pub after: Option<String>,
    /// Create.
    pub create: Option<Claim>,
    /// Get.
    pub get: Option<Target>,
    /// List.
    pub list: Option<Nothing>,
    /// Delete.
    pub delete: Option<Target>,
    /// CreateTags.
    pub create_tags: Option<CreateTags>,
    /// A pass of the garbage collection.
    pub collect: Option<Nothing>,
    /// The tagging of a NodeClaim's Linode, until nothing is left to do.
    pub tag: Option<Claim>,
    /// Objects that Kubernetes has from then on.
    pub store: Option<Store>,
    /// Time passes.
    pub wait: Option<String>,
    /// What somebody does past the provider.
    pub hand: Option<Hand>,
    /// All of these at once.
    pub parallel: Vec<Step>,
}

impl Step {
    /// Refuses a step that says nothing, or more than one thing.
    fn check(&self, at: &str) -> Result<(), String> {
        let said = [
            self.create.is_some(),
            self.get.is_some(),
            self.list.is_some(),
            self.delete.is_some(),
            self.create_tags.is_some(),
            self.collect.is_some(),
            self.tag.is_some(),
            self.store.is_some(),
            self.wait.is_some(),
            self.hand.is_some(),
            !self.parallel.is_empty(),
        ];
        match said.iter().filter(|said| **said).count() {
            1 => {}
            0 => return Err(format!("{at}: it says nothing to do")),
            _ => return Err(format!("{at}: it says more than one thing to do")),
        }
        for (field, text) in [("after", &self.after), ("wait", &self.wait)] {
            if let Some(text) = text {
                span(text).map_err(|error| format!("{at}.{field}: {error}"))?;
            }
        }
        for (n, part) in self.parallel.iter().enumerate() {
            let at = format!("{at}.parallel[{n}]");
            let together = part.collect.is_some() || part.tag.is_some() || part.store.is_some() || part.wait.is_some();
            if together || !part.parallel.is_empty() {
                return Err(format!("{at}: expected one operation of the provider, or `hand`"));
            }
            part.check(&at)?;
        }
        Ok(())
    }
}

/// `{}`.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// A NodeClaim.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Claim {
    /// Its name.
    pub claim: String,
    /// The types that it allows. Left out, `g6-standard-2`.
    pub types: Vec<String>,
    /// Its NodePool. Left out, `default`.
    pub node_pool: Option<String>,
    /// Its NodeClass. Left out, `default`.
    pub node_class: Option<String>,
    /// Labels beside its NodePool's.
    pub labels: BTreeMap<String, String>,
    /// Taints.
    pub taints: Vec<Taint>,
    /// Taints that go once the node works.
    pub startup_taints: Vec<Taint>,
    /// The Linode in its providerID.
    pub id: Option<u64>,
    /// The providerID as a text.
    pub provider_id: Option<String>,
    /// Its Node.
    pub node: Option<String>,
    /// Whether its deletion was asked for.
    pub deleting: bool,
}

/// A taint.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Taint {
    /// The key.
    pub key: String,
    /// The value.
    #[serde(default)]
    pub value: Option<String>,
    /// The effect.
    pub effect: String,
}

/// A Linode, by its id or by the whole text of a providerID.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Target {
    /// The id.
    pub id: Option<u64>,
    /// The text.
    pub provider_id: Option<String>,
}

/// Tags that are added to a Linode.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateTags {
    /// The Linode.
    pub id: u64,
    /// The tags by their keys.
    pub tags: BTreeMap<String, String>,
}

/// Objects that Kubernetes has.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Store {
    /// NodeClaims, without Nodes: one with a Node would be tagged at once.
    pub claims: Vec<Claim>,
    /// Nodes.
    pub nodes: Vec<Node>,
}

/// A Node.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// Its name.
    pub node: String,
    /// Its Linode.
    pub id: u64,
}

/// What somebody does past the provider: one of `delete_linode`, `delete_pool`, `pool` with `count`, `linode` with
/// `tags`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Hand {
    /// Deletes a Linode by itself.
    pub delete_linode: Option<u64>,
    /// Deletes a LKE pool.
    pub delete_pool: Option<u64>,
    /// Sets the `count` of this LKE pool.
    pub pool: Option<u64>,
    /// The count.
    pub count: u32,
    /// Sets the `tags` of this Linode.
    pub linode: Option<u64>,
    /// The tags.
    pub tags: Vec<String>,
}

fn both_tiers() -> Vec<Tier> {
    vec![Tier::Standard, Tier::Enterprise]
}

fn default_node_pools() -> Vec<String> {
    vec!["default".to_owned()]
}

/// A case on one tier.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name of the case's file, without its end.
    pub name: String,
    /// The tier.
    pub tier: Tier,
    /// The case.
    pub case: Case,
}

impl Job {
    /// `name.tier`.
    pub fn id(&self) -> String {
        format!("{}.{}", self.name, self.tier.name())
    }

    /// Whether the case is for this design.
    pub fn is_for(&self, design: &str) -> bool {
        self.case.designs.is_empty() || self.case.designs.iter().any(|one| one == design)
    }

    /// Whether something goes wrong in it on purpose.
    pub fn has_faults(&self) -> bool {
        self.case.fake.contains_key("faults")
    }

    /// Its cloud in the language of scenarios. No delay but those that the case names; the workload is for simulated
    /// runs alone, and nobody here makes its NodeClaim.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn scenario(&self) -> Result<Scenario, String> {
        let mut parts = self.case.fake.clone();
        let cloud = parts.entry("cloud").or_insert_with(|| json!({}));
        let Value::Object(cloud) = cloud else {
            return Err("`cloud` is no map".to_owned());
        };
        cloud.insert("tier".into(), serde_json::to_value(self.tier).map_err(|error| error.to_string())?);
        parts.insert("about".into(), json!(self.case.about));
        parts.insert("preset".into(), json!("zero"));
        parts.insert("workload".into(), json!([{"create": {"claims": 1}}]));
        // JSON is YAML.
        let text = Value::Object(parts).to_string();
        let names = Names { designs: &DESIGNS, ..Names::default() };
        lkesim_scenario::load(&self.id(), &text, &[], &names).map_err(|mistakes| mistakes.render(false))
    }
}

/// All cases of a folder, on each of their tiers, by name.
///
/// # Errors
/// The first file that is no case.
pub fn cases(folder: &Path) -> Result<Vec<Job>, String> {
    let listed = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = listed.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    let mut jobs = Vec::new();
    for path in paths {
        let wrong = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(&error))?;
        let case: Case = serde_yaml::from_str(&text).map_err(|error| wrong(&error))?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let names: Vec<_> = case.steps.iter().enumerate().map(|(n, step)| (format!("steps[{n}]"), step)).collect();
        names.iter().try_for_each(|(at, step)| step.check(at)).map_err(|error| wrong(&error))?;
        let on = |&tier: &Tier| Job { name: name.clone(), tier, case: case.clone() };
        jobs.extend(case.tiers.iter().map(on));
    }
    Ok(jobs)
}

/// A span of time as cases write it, such as `1500ms`, `2s`, `3m`.
///
/// # Errors
/// What is wrong with it.
pub fn span(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is no time such as `2s`");
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?);
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    match unit {
        "ms" => Ok(Duration::from_millis(number)),
        "s" => Ok(Duration::from_secs(number)),
        "m" => Ok(Duration::from_secs(60 * number)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::cases;

    #[test]
    fn a_mistake_in_a_case_names_file_and_field() {
        let folder = std::env::temp_dir().join(format!("lkesim-cases-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for (step, told) in [
            ("{}", "steps[0]: it says nothing to do"),
            ("{list: {}, wait: 2s}", "steps[0]: it says more than one thing to do"),
            ("{wait: soon}", "steps[0].wait: \"soon\""),
            ("{parallel: [{list: {}}, {collect: {}}]}", "steps[0].parallel[1]: expected one operation"),
            ("{parallel: [{list: {}}, {}]}", "steps[0].parallel[1]: it says nothing to do"),
        ] {
            std::fs::write(folder.join("wrong.yaml"), format!("about: x\nsteps: [{step}]\n")).expect("it is written");
            let error = cases(&folder).expect_err("it is wrong");
            assert!(error.contains("wrong.yaml") && error.contains(told), "{error}");
        }
        std::fs::remove_dir_all(&folder).expect("it is there");
    }
}
