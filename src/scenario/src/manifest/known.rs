//! What objects may name: each other, and what machines here are like.
//!
//! A name that is nowhere is no mistake of form, so that a cluster takes it, and what names it does not work. It is told
//! with the nearest name that there is.

use super::kinds::Manifested;
use super::reader::Reader;
use super::timeline;
use crate::catalogue::CapacityType;
use crate::decode::{list_names, shortened};
use crate::karpenter::Disruption;
use crate::path::Segment;
use crate::suggest::nearest;
use crate::{Names, Scenario};
use lkesim_kube::object::{Operator, Requirement, labels};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The API group of the provider, and the domain of its labels.
pub const PROVIDER: &str = "karpenter.k8s.linode";

/// Karpenter's own domain.
const KARPENTER: &str = "karpenter.sh";

/// The provider's NodeClass.
pub const NODE_CLASS: &str = "LinodeNodeClass";

/// What a node of Karpenter's says of itself in labels of its domain, besides what machines are like (core v1.9.0
/// `pkg/apis/v1/labels.go`).
const OF_NODES: [&str; 3] = [labels::NODE_INITIALIZED, labels::NODE_REGISTERED, labels::NODE_DO_NOT_SYNC_TAINTS];

/// The same of the provider (provider e1c5200 `pkg/apis/v1alpha1/labels.go`).
const OF_PROVIDER: [&str; 2] = ["karpenter.k8s.linode/lke-managed", "karpenter.k8s.linode/linodenodeclass"];

/// Labels whose values are not looked up where nothing tells of them.
const SHOWN: usize = 12;

/// All that is there at some time, and what machines are like.
#[derive(Default)]
pub struct Known {
    there: BTreeMap<Manifested, BTreeSet<(String, String)>>,
    /// By label, the values that machines have.
    machines: BTreeMap<String, BTreeSet<String>>,
    /// Whether all labels of the provider are known.
    has_labels: bool,
    regions: BTreeSet<String>,
    region: String,
    /// Whether nodes are disrupted.
    pub disrupts: bool,
}

impl Known {
    /// What the cluster at `place` has, by the objects that it begins with and by its steps.
    pub fn of(scenario: &Scenario, place: usize, written: &[super::read::Written<'_>], names: &Names<'_>) -> Known {
        let mut known = Known {
            has_labels: !names.labels.is_empty(),
            disrupts: scenario.karpenter.disruption != Disruption::Off,
            regions: names.regions.iter().map(|name| (*name).to_owned()).collect(),
            ..Known::default()
        };
        for (kind, namespace, name) in timeline::all_names(scenario, place, written) {
            known.there.entry(kind).or_default().insert((namespace, name));
        }
        let of_scenario = scenario.part(place).scenario.node_pools();
        let has_own = !of_scenario.is_empty();
        let node_pools = known.there.entry(Manifested::NodePool).or_default();
        node_pools.extend(of_scenario.into_iter().map(|node_pool| (String::new(), node_pool.name)));
        if node_pools.is_empty() {
            node_pools.insert((String::new(), "default".to_owned()));
        }
        let classes = known.there.entry(Manifested::NodeClass).or_default();
        if has_own && !classes.is_empty() {
            // NodeClaims of the workload's own are of it.
            classes.insert((String::new(), "default".to_owned()));
        }
        let own = scenario.clusters.get(place).and_then(|cluster| cluster.region.clone());
        known.region = own.unwrap_or_else(|| scenario.cloud.region.clone());
        match scenario.catalogue.is_empty() {
            true => known.linodes(names),
            false => known.catalogue(scenario),
        }
        known
    }

    fn value(&mut self, key: &str, value: &str) {
        self.machines.entry(key.to_owned()).or_default().insert(value.to_owned());
    }

    fn linodes(&mut self, names: &Names<'_>) {
        for (key, values) in names.labels {
            self.machines.entry(key.clone()).or_default().extend(values.iter().cloned());
        }
        names.types.iter().for_each(|name| self.value(labels::INSTANCE_TYPE, name));
        if self.has_labels {
            self.value(labels::CAPACITY_TYPE, CapacityType::OnDemand.name());
        }
        if !names.regions.is_empty() {
            let region = self.region.clone();
            [labels::REGION, labels::ZONE].iter().for_each(|key| self.value(key, &region));
        }
    }

    fn catalogue(&mut self, scenario: &Scenario) {
        for one in &scenario.catalogue {
            self.value(labels::INSTANCE_TYPE, &one.name);
            for offering in &one.offerings {
                self.value(labels::ZONE, &offering.zone);
                self.value(labels::CAPACITY_TYPE, offering.capacity_type.name());
            }
            one.labels.iter().for_each(|(key, value)| self.value(key, value));
        }
        self.has_labels = false;
    }

    /// Whether an object of this kind and name is there at some time.
    pub fn has(&self, kind: Manifested, namespace: &str, name: &str) -> bool {
        let found = self.there.get(&kind);
        found.is_some_and(|names| names.contains(&(namespace.to_owned(), name.to_owned())))
    }

    /// Whether there is one of this kind at all.
    pub fn has_some(&self, kind: Manifested) -> bool {
        self.there.get(&kind).is_some_and(|names| !names.is_empty())
    }

    /// The names of a kind in a namespace.
    pub fn names(&self, kind: Manifested, namespace: &str) -> Vec<&str> {
        let all = self.there.get(&kind).into_iter().flatten();
        all.filter(|(of, _)| of == namespace).map(|(_, name)| name.as_str()).collect()
    }
}

/// What follows from naming what is not there: `what` is not among the manifests, and `therefore`.
pub fn look_up(reader: &mut Reader, (kind, called): (Manifested, &str), namespace: &str, name: &str, therefore: &str) {
    let Some(known) = reader.known.clone() else { return };
    if name.is_empty() || known.has(kind, namespace, name) {
        return;
    }
    let within =
        if namespace.is_empty() { String::new() } else { format!(" in the namespace `{}`", shortened(namespace)) };
    let message = format!("the {called} `{}`{within} is not among the manifests{therefore}", shortened(name));
    reader.missing(message, near(name, &known.names(kind, namespace)));
}

fn near(name: &str, known: &[&str]) -> Option<String> {
    nearest(name, known.iter().copied()).map(|near| format!("did you mean `{near}`?"))
}

/// Whether machines can be as a requirement wants. The reader stands at the requirement.
pub fn requirement(reader: &mut Reader, one: &Requirement) {
    let Some(known) = reader.known.clone() else { return };
    if !reader.at(&[Segment::Key("key".to_owned())], |reader| self::key(reader, &known, &one.key)) {
        return;
    }
    if !matches!(one.operator, Operator::In | Operator::NotIn) {
        return;
    }
    // A NodePool that takes spot capacity too does so in vain, and no harm.
    let has = |value: &Rc<str>| known.machines.get(&*one.key).is_some_and(|values| values.contains(&**value));
    if *one.key == *labels::CAPACITY_TYPE && one.values.iter().any(has) {
        return;
    }
    for (place, value) in one.values.iter().enumerate() {
        let path = [Segment::Key("values".to_owned()), Segment::Index(place)];
        let is_wanted = one.operator == Operator::In;
        reader.at(&path, |reader| self::value(reader, &known, &one.key, value, is_wanted));
    }
}

/// The same of a label that a pod selects by. The reader stands at its value.
pub fn label(reader: &mut Reader, key: &str, value: &str) {
    let Some(known) = reader.known.clone() else { return };
    if self::key(reader, &known, key) {
        self::value(reader, &known, key, value, true);
    }
}

/// Whether the run is in the region that a Node of the manifests is in, which is told once.
pub fn region(reader: &mut Reader, region: &str) {
    let Some(known) = reader.known.clone() else { return };
    if *known.region != *region && reader.is_news("region") {
        let message = format!("the Node is in `{}`, and this run is in `{}`", shortened(region), known.region);
        let help = known.regions.contains(region).then(|| format!("`--set cloud.region={region}` runs it there"));
        reader.missing(message, help);
    }
}

/// Whether a label may be there; those of other domains may.
fn key(reader: &mut Reader, known: &Known, key: &str) -> bool {
    let of_machines = || known.machines.keys().map(String::as_str);
    let domain = key.split_once('/').map_or("", |(domain, _)| domain);
    let own: Vec<&str> = match domain {
        KARPENTER => {
            OF_NODES.into_iter().chain([labels::NODE_POOL, labels::CAPACITY_TYPE, labels::RESERVATION_ID]).collect()
        }
        PROVIDER if known.has_labels => {
            of_machines().filter(|key| key.starts_with(PROVIDER)).chain(OF_PROVIDER).collect()
        }
        _ => return true,
    };
    if own.contains(&key) {
        return true;
    }
    let message = format!("there is no label `{}`, so that no machine has it", shortened(key));
    reader.missing(message, near(key, &own));
    false
}

/// Whether machines can have this value of a label.
fn value(reader: &mut Reader, known: &Known, key: &str, value: &str, is_wanted: bool) {
    let node_pools;
    let values: Vec<&str> = match known.machines.get(key) {
        Some(values) => values.iter().map(String::as_str).collect(),
        None if key == labels::NODE_POOL => {
            node_pools = known.names(Manifested::NodePool, "");
            node_pools.clone()
        }
        None => return,
    };
    if values.contains(&value) {
        return;
    }
    let is_region = key == labels::REGION && known.regions.contains(value);
    let help = match is_region {
        true => Some(format!("`--set cloud.region={value}` runs it there")),
        false if key == labels::REGION => near(value, &known.regions.iter().map(String::as_str).collect::<Vec<_>>()),
        false => near(value, &values),
    };
    // What is to be avoided and is not there does no harm, unless another name was meant.
    if !is_wanted && (help.is_none() || is_region) {
        return;
    }
    let has = match values.len() {
        0 => String::new(),
        1..=SHOWN => format!("; there is {}", list_names(&values)),
        _ => String::new(),
    };
    reader.missing(format!("no machine here has `{}: {}`{has}", shortened(key), shortened(value)), help);
}

/// Asks as [`look_up`] does where the class of machines is named: by group, kind and name.
pub fn node_class_ref(reader: &mut Reader, group: &str, kind: &str, name: &str) {
    let Some(known) = reader.known.clone() else { return };
    let therefore = "so that Karpenter leaves alone what names it";
    let wrong = |reader: &mut Reader, field: &str, found: &str, expected: &str| {
        let message = format!("the provider has no NodeClass of the {field} `{}`, {therefore}", shortened(found));
        let field = Segment::Key(field.to_owned());
        reader.below(field, |reader| reader.missing(message, Some(format!("expected `{expected}`"))));
    };
    match (group == PROVIDER, kind == NODE_CLASS) {
        (false, _) => wrong(reader, "group", group, PROVIDER),
        (true, false) => wrong(reader, "kind", kind, NODE_CLASS),
        (true, true) if known.has_some(Manifested::NodeClass) => {
            let field = Segment::Key("name".to_owned());
            let therefore = ": the NodePool is not ready, and is not used";
            reader.below(field, |reader| look_up(reader, (Manifested::NodeClass, NODE_CLASS), "", name, therefore));
        }
        (true, true) => {}
    }
}

/// A reader's knowledge, shared.
pub type Shared = Option<Rc<Known>>;
