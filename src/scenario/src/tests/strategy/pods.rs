//! What is about pods.

use super::{delay, name_of, object, option, span};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Parts of a document.
#[derive(Clone, Debug)]
pub struct Pods {
    pub manifests: Option<Value>,
    pub catalogue: Option<Value>,
    pub steps: Vec<Value>,
}

pub fn pods() -> impl Strategy<Value = Pods> {
    let manifests = option(prop::collection::vec(manifest(), 0..3).prop_map(numbered));
    let steps = prop::collection::vec(step(), 0..4).prop_map(|steps| {
        let named = steps.into_iter().enumerate().flat_map(|(place, step)| named(place, step));
        named.collect()
    });
    (manifests, option(catalogue()), steps).prop_map(|(manifests, catalogue, steps)| Pods {
        manifests,
        catalogue,
        steps,
    })
}

fn amount() -> BoxedStrategy<Value> {
    prop_oneof![
        (1..5_000_u32).prop_map(|milli| json!(format!("{milli}m"))),
        (1..64_u32).prop_map(|gib| json!(format!("{gib}Gi"))),
        (1..99_u32).prop_map(Value::from),
    ]
    .boxed()
}

fn amounts() -> BoxedStrategy<Value> {
    option((0..9_u32).prop_map(Value::from)).prop_map(|amount| object([("nvidia.com/gpu", amount)])).boxed()
}

fn labels() -> BoxedStrategy<Value> {
    prop::collection::btree_map("[a-z]{1,5}", "[a-z]{1,5}", 0..2).prop_map(|labels| json!(labels)).boxed()
}

/// Part of a pod's spec.
fn spec() -> BoxedStrategy<Value> {
    (option(labels()), any::<bool>())
        .prop_map(|(selector, tolerates)| {
            let toleration = tolerates.then(|| json!([{ "operator": "Exists" }]));
            object([("nodeSelector", selector), ("tolerations", toleration)])
        })
        .boxed()
}

/// What a pod is like, in short.
fn short() -> impl Strategy<Value = Value> {
    (option(amount()), option(amount()), option(amounts()), option(labels()), option(spec())).prop_map(
        |(cpu, memory, resources, labels, pod)| {
            object([("cpu", cpu), ("memory", memory), ("resources", resources), ("labels", labels), ("pod", pod)])
        },
    )
}

fn step() -> impl Strategy<Value = Value> {
    let kind = option(name_of(&["Deployment", "ReplicaSet", "StatefulSet", "Job"]));
    let deploy = (short(), kind, option((0..9_u32).prop_map(Value::from)), option(span()));
    let deploy = deploy.prop_map(|(short, kind, replicas, runs_for)| {
        let own = object([("kind", kind), ("replicas", replicas), ("runs_for", runs_for), ("at", Some(json!("1m")))]);
        json!({ "deploy": super::merged([short, own]) })
    });
    let night = (1..60_u32).prop_map(|calls| json!({ "rate": format!("{calls}/1h"), "from": "20h", "until": "8h" }));
    let poisson =
        (1..600_u32, option(night), option((1..99_u32).prop_map(Value::from))).prop_map(|(calls, night, most)| {
            object([("rate", Some(json!(format!("{calls}/10m")))), ("night", night), ("most", most)])
        });
    let times = prop::collection::vec(0..600_u64, 1..4)
        .prop_map(|times| json!({ "times": times.iter().map(|at| format!("{at}s")).collect::<Vec<_>>() }));
    let arrive = (short(), prop_oneof![poisson, times], option(delay()));
    let arrive = arrive.prop_map(
        |(short, when, runs_for)| json!({ "arrive": super::merged([short, when, object([("runs_for", runs_for)])]) }),
    );
    let apply = (labels(), 0..9_u32).prop_map(|(labels, priority)| {
        let pod = json!({ "metadata": { "name": "x", "labels": labels }, "spec": { "priority": priority, "containers": [{ "name": "c" }] } });
        let object = super::merged([json!({ "apiVersion": "v1", "kind": "Pod" }), pod]);
        json!({ "apply": { "at": "2m", "objects": [object] } })
    });
    prop_oneof![deploy, arrive, apply]
}

/// The step under a name of its own, and what happens to what it made.
fn named(place: usize, mut step: Value) -> Vec<Value> {
    let name = format!("n{place}");
    if let Some(deploy) = step.get_mut("deploy") {
        deploy["name"] = json!(name);
        let kind = deploy["kind"].as_str().unwrap_or("Deployment").to_owned();
        let of = format!("{kind}/{name}");
        let mut steps = vec![step];
        if kind != "Job" {
            steps.push(json!({ "scale": { "of": of, "to": 3, "at": "3m" } }));
        }
        steps.push(
            json!({ "patch": { "of": of, "with": { "metadata": { "labels": { "a": "b", "c": null } } }, "at": "4m" } }),
        );
        steps.push(json!({ "delete": { "of": of, "at": "5m" } }));
        return steps;
    }
    if let Some(arrive) = step.get_mut("arrive") {
        arrive["name"] = json!(name);
    }
    if let Some(apply) = step.get_mut("apply") {
        apply["objects"][0]["metadata"]["name"] = json!(name);
    }
    vec![step]
}

fn manifest() -> impl Strategy<Value = Value> {
    let namespace = labels()
        .prop_map(|labels| json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "labels": labels } }));
    let limits = option(amounts());
    let node_pool = (limits, option((1..100_u32).prop_map(Value::from))).prop_map(|(limits, weight)| {
        let class = json!({ "group": "karpenter.k8s.linode", "kind": "LinodeNodeClass", "name": "default" });
        let template = json!({ "spec": { "requirements": [], "nodeClassRef": class } });
        let spec = object([("template", Some(template)), ("limits", limits), ("weight", weight)]);
        json!({ "apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {}, "spec": spec })
    });
    prop_oneof![namespace, node_pool]
}

/// The objects, each with a name of its own: some as they are, the others as those of a file.
fn numbered(mut objects: Vec<Value>) -> Value {
    for (place, object) in objects.iter_mut().enumerate() {
        object["metadata"]["name"] = json!(format!("m{place}"));
    }
    let rest = objects.split_off(objects.len() / 2);
    objects.push(json!({ "file": "some.yaml", "objects": rest }));
    Value::Array(objects)
}

fn catalogue() -> impl Strategy<Value = Value> {
    let price = (0..99_u32, 0..999_999_u32).prop_map(|(dollars, micro)| json!(format!("${dollars}.{micro:06}")));
    let reservation = (0..9_u32, option(name_of(&["open", "targeted"])))
        .prop_map(|(count, by)| object([("id", Some(json!("r"))), ("count", Some(json!(count))), ("filled_by", by)]));
    let offering = (price, option(name_of(&["on-demand", "spot", "reserved"])), any::<bool>(), option(reservation));
    let offering = offering.prop_map(|(price, kind, available, reservation)| {
        let kind = if reservation.is_some() { Some(json!("reserved")) } else { kind.filter(|kind| kind != "reserved") };
        object([
            ("zone", Some(json!("a"))),
            ("price", Some(price)),
            ("capacity_type", kind),
            ("available", (!available).then(|| json!(false))),
            ("reservation", reservation),
        ])
    });
    let one = (amount(), amount(), option(amounts()), option(labels()), prop::collection::vec(offering, 1..3));
    let one = one.prop_map(|(cpu, memory, resources, labels, offerings)| {
        object([
            ("cpu", Some(cpu)),
            ("memory", Some(memory)),
            ("resources", resources),
            ("labels", labels),
            ("offerings", Some(json!(offerings))),
        ])
    });
    prop::collection::vec(one, 1..3).prop_map(|mut types| {
        for (place, one) in types.iter_mut().enumerate() {
            one["name"] = json!(format!("t{place}"));
        }
        Value::Array(types)
    })
}
