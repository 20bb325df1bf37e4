//! Any pod spec, written as Kubernetes writes it, is read as it was.

use super::objects;
use lkesim_kube::object::affinity::{
    NodeAffinity, NodeInclusionPolicy, NodeSelectorTerm, PodAffinity, PodAffinityTerm, TopologySpreadConstraint,
    Weighted, WhenUnsatisfiable,
};
use lkesim_kube::object::label_selector::{SelectorExpression, SelectorOperator};
use lkesim_kube::object::pod::{Container, HostPort, PodSpec, Protocol, Volume};
use lkesim_kube::object::{
    LabelSelector, Operator, Quantity, Requirement, ResourceList, StringMap, TaintEffect, Toleration,
    TolerationOperator,
};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};
use std::rc::Rc;
use std::time::Duration;

fn word() -> impl Strategy<Value = Rc<str>> {
    "[a-z]{1,6}".prop_map(|text| text.into())
}

fn key() -> impl Strategy<Value = Rc<str>> {
    "([a-z]{1,5}\\.example/)?[a-z]{1,5}".prop_map(|text| text.into())
}

fn labels() -> impl Strategy<Value = StringMap> {
    vec((key(), word()), 0..3).prop_map(|entries| entries.into_iter().collect())
}

fn resources() -> impl Strategy<Value = ResourceList> {
    let name = select(vec!["cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "hugepages-2Mi"]);
    vec((name, 0..10_000_000_i64), 0..4)
        .prop_map(|entries| entries.into_iter().map(|(name, milli)| (name, Quantity::from_milli(milli))).collect())
}

fn requirement() -> impl Strategy<Value = Requirement> {
    let listed = (key(), select(vec![Operator::In, Operator::NotIn]), vec(word(), 1..3))
        .prop_map(|(key, operator, values)| Requirement::new(key, operator, values));
    let bare = (key(), select(vec![Operator::Exists, Operator::DoesNotExist]))
        .prop_map(|(key, operator)| Requirement::new(key, operator, Vec::<Rc<str>>::new()));
    let bound = (key(), select(vec![Operator::Gt, Operator::Lt]), 0..99_i64)
        .prop_map(|(key, operator, bound)| Requirement::new(key, operator, [bound.to_string()]));
    prop_oneof![listed, bare, bound]
}

fn term() -> impl Strategy<Value = NodeSelectorTerm> {
    vec(requirement(), 0..3)
        .prop_map(|match_expressions| NodeSelectorTerm { match_expressions, has_match_fields: false })
}

fn weighted<T: std::fmt::Debug + Clone>(term: impl Strategy<Value = T>) -> impl Strategy<Value = Weighted<T>> {
    (1..=100_i32, term).prop_map(|(weight, term)| Weighted { weight, term })
}

fn node_affinity() -> impl Strategy<Value = NodeAffinity> {
    (of(vec(term(), 1..3)), vec(weighted(term()), 0..2)).prop_map(|(required, preferred)| NodeAffinity {
        has_required: required.is_some(),
        required: required.unwrap_or_default(),
        preferred,
    })
}

fn selector() -> impl Strategy<Value = LabelSelector> {
    let listed = (key(), select(vec![SelectorOperator::In, SelectorOperator::NotIn]), vec(word(), 1..3));
    let bare = (key(), select(vec![SelectorOperator::Exists, SelectorOperator::DoesNotExist]), vec(word(), 0..1));
    let expression = prop_oneof![listed, bare];
    let expression = expression.prop_map(|(key, operator, values)| SelectorExpression { key, operator, values });
    (labels(), vec(expression, 0..2))
        .prop_map(|(match_labels, match_expressions)| LabelSelector { match_labels, match_expressions })
}

fn affinity_term() -> impl Strategy<Value = PodAffinityTerm> {
    (of(selector()), vec(word(), 0..2), of(selector()), key(), vec(key(), 0..2), vec(key(), 0..2)).prop_map(
        |(label_selector, namespaces, namespace_selector, topology_key, match_label_keys, mismatch_label_keys)| {
            PodAffinityTerm {
                label_selector,
                namespaces,
                namespace_selector,
                topology_key,
                match_label_keys,
                mismatch_label_keys,
            }
        },
    )
}

fn pod_affinity() -> impl Strategy<Value = PodAffinity> {
    (vec(affinity_term(), 0..2), vec(weighted(affinity_term()), 0..2))
        .prop_map(|(required, preferred)| PodAffinity { required, preferred })
}

fn spread() -> impl Strategy<Value = TopologySpreadConstraint> {
    let policy = || of(select(vec![NodeInclusionPolicy::Honor, NodeInclusionPolicy::Ignore]));
    let own = (1..5_i32, key(), of(selector()), of(1..5_i32), any::<bool>());
    (own, policy(), policy(), vec(key(), 0..2)).prop_map(
        |((max_skew, topology_key, label_selector, least, anyway), affinity, taints, match_label_keys)| {
            let when = [WhenUnsatisfiable::DoNotSchedule, WhenUnsatisfiable::ScheduleAnyway][usize::from(anyway)];
            TopologySpreadConstraint {
                max_skew,
                topology_key,
                when_unsatisfiable: when,
                label_selector,
                min_domains: least.filter(|_| !anyway),
                node_affinity_policy: affinity,
                node_taints_policy: taints,
                match_label_keys,
            }
        },
    )
}

fn toleration() -> impl Strategy<Value = Toleration> {
    let equal = (key(), word(), of(select(vec![TaintEffect::NoSchedule, TaintEffect::PreferNoSchedule])))
        .prop_map(|(key, value, effect)| Toleration { key, value, effect, ..Toleration::default() });
    let exists = of(0..999_i64).prop_map(|toleration_seconds| Toleration {
        operator: TolerationOperator::Exists,
        effect: Some(TaintEffect::NoExecute),
        toleration_seconds,
        ..Toleration::default()
    });
    prop_oneof![equal, exists]
}

fn container() -> impl Strategy<Value = Container> {
    let protocol = select(vec![Protocol::Tcp, Protocol::Udp, Protocol::Sctp]);
    let ip = select(vec!["0.0.0.0", "127.0.0.1", "::1"]).prop_map(|ip| ip.parse().expect("an address"));
    let port = (ip, 1..=u16::MAX, protocol).prop_map(|(ip, port, protocol)| HostPort { ip, port, protocol });
    (resources(), resources(), vec(port, 0..2), any::<bool>()).prop_map(
        |(requests, more, host_ports, has_resource_claims)| {
            // No limit is below what is requested.
            let mut limits = requests.clone();
            limits.add(&more);
            // What can't be shared is limited by what is asked for, in whole devices.
            let mut requests = requests;
            for name in ["nvidia.com/gpu", "hugepages-2Mi"] {
                let amount = limits.get(name).map(|amount| Quantity::from_units(amount.milli() / 1_000));
                if let Some(amount) = amount {
                    requests.set(name, amount);
                    limits.set(name, amount);
                }
            }
            Container { requests, limits, host_ports, restarts_always: false, has_resource_claims }
        },
    )
}

fn pod_spec() -> impl Strategy<Value = PodSpec> {
    let placed = (labels(), of(node_affinity()), of(pod_affinity()), of(pod_affinity()), vec(spread(), 0..2));
    let init = (container(), any::<bool>());
    let init = init.prop_map(|(container, restarts_always)| Container { restarts_always, ..container });
    let needs = (vec(container(), 1..3), vec(init, 0..2), resources(), resources(), vec(word(), 0..2));
    let rest = (vec(toleration(), 0..3), any::<i32>(), any::<bool>(), vec(word(), 0..2), of(0..600_u64));
    (placed, needs, rest).prop_map(|(placed, needs, rest)| {
        let (node_selector, node_affinity, pod_affinity, pod_anti_affinity, topology_spread_constraints) = placed;
        let (containers, init_containers, overhead, requests, volumes) = needs;
        let (tolerations, priority, never_preempts, scheduling_gates, grace) = rest;
        PodSpec {
            node_selector,
            node_affinity,
            pod_affinity,
            pod_anti_affinity,
            topology_spread_constraints,
            tolerations,
            containers,
            init_containers,
            overhead,
            requests,
            volumes: volumes.into_iter().map(Volume::Claim).collect(),
            priority,
            never_preempts,
            scheduling_gates,
            termination_grace_period: grace.map(Duration::from_secs),
        }
    })
}

/// A map without what is nothing or empty: fields that are left out.
fn map<const N: usize>(entries: [(&str, Value); N]) -> Value {
    let says = |value: &Value| match value {
        Value::Null => false,
        Value::Array(entries) => !entries.is_empty(),
        _ => true,
    };
    let present = entries.into_iter().filter(|(_, value)| says(value));
    Value::Object(present.map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>())
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a Rc<str>>) -> Value {
    texts.into_iter().map(|text| json!(**text)).collect()
}

fn written_labels(labels: &StringMap) -> Value {
    Value::Object(labels.iter().map(|(key, value)| (key.to_string(), json!(**value))).collect())
}

fn written_resources(list: &ResourceList) -> Value {
    Value::Object(list.iter().map(|(name, quantity)| (name.to_string(), json!(quantity.to_string()))).collect())
}

fn written_term(term: &NodeSelectorTerm) -> Value {
    let one = |one: &Requirement| {
        map([
            ("key", json!(*one.key)),
            ("operator", json!(format!("{:?}", one.operator))),
            ("values", texts(one.values.iter())),
        ])
    };
    map([("matchExpressions", term.match_expressions.iter().map(one).collect())])
}

fn written_selector(selector: &LabelSelector) -> Value {
    let one = |one: &SelectorExpression| {
        map([
            ("key", json!(*one.key)),
            ("operator", json!(format!("{:?}", one.operator))),
            ("values", texts(&one.values)),
        ])
    };
    map([
        ("matchLabels", written_labels(&selector.match_labels)),
        ("matchExpressions", selector.match_expressions.iter().map(one).collect()),
    ])
}

fn written_affinity_term(term: &PodAffinityTerm) -> Value {
    map([
        ("labelSelector", term.label_selector.as_ref().map(written_selector).into()),
        ("namespaces", texts(&term.namespaces)),
        ("namespaceSelector", term.namespace_selector.as_ref().map(written_selector).into()),
        ("topologyKey", json!(*term.topology_key)),
        ("matchLabelKeys", texts(&term.match_label_keys)),
        ("mismatchLabelKeys", texts(&term.mismatch_label_keys)),
    ])
}

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

fn written_pod_affinity(affinity: &PodAffinity) -> Value {
    let preferred = |one: &Weighted<PodAffinityTerm>| json!({ "weight": one.weight, "podAffinityTerm": written_affinity_term(&one.term) });
    map([
        (REQUIRED, affinity.required.iter().map(written_affinity_term).collect()),
        (PREFERRED, affinity.preferred.iter().map(preferred).collect()),
    ])
}

fn written_node_affinity(affinity: &NodeAffinity) -> Value {
    let preferred =
        |one: &Weighted<NodeSelectorTerm>| json!({ "weight": one.weight, "preference": written_term(&one.term) });
    let terms: Value = affinity.required.iter().map(written_term).collect();
    map([
        (REQUIRED, affinity.has_required.then(|| json!({ "nodeSelectorTerms": terms })).into()),
        (PREFERRED, affinity.preferred.iter().map(preferred).collect()),
    ])
}

fn written_spread(one: &TopologySpreadConstraint) -> Value {
    map([
        ("maxSkew", json!(one.max_skew)),
        ("topologyKey", json!(*one.topology_key)),
        ("whenUnsatisfiable", json!(format!("{:?}", one.when_unsatisfiable))),
        ("labelSelector", one.label_selector.as_ref().map(written_selector).into()),
        ("minDomains", json!(one.min_domains)),
        ("nodeAffinityPolicy", one.node_affinity_policy.map(|policy| format!("{policy:?}")).into()),
        ("nodeTaintsPolicy", one.node_taints_policy.map(|policy| format!("{policy:?}")).into()),
        ("matchLabelKeys", texts(&one.match_label_keys)),
    ])
}

fn written_toleration(one: &Toleration) -> Value {
    map([
        ("key", json!(*one.key)),
        ("operator", json!(format!("{:?}", one.operator))),
        ("value", json!(*one.value)),
        ("effect", one.effect.map(TaintEffect::name).into()),
        ("tolerationSeconds", json!(one.toleration_seconds)),
    ])
}

fn written_container(name: &str, one: &Container) -> Value {
    let port = |port: &HostPort| json!({ "containerPort": 1, "hostPort": port.port, "hostIP": port.ip.to_string(), "protocol": port.protocol.name() });
    let claims = one.has_resource_claims.then(|| json!([{ "name": "x" }]));
    let resources = map([
        ("requests", written_resources(&one.requests)),
        ("limits", written_resources(&one.limits)),
        ("claims", claims.into()),
    ]);
    map([
        ("name", json!(name)),
        ("image", json!("x")),
        ("resources", resources),
        ("ports", one.host_ports.iter().map(port).collect()),
        ("restartPolicy", one.restarts_always.then_some("Always").into()),
    ])
}

/// The pod, as Kubernetes writes it.
fn written(spec: &PodSpec, runs_for: Option<Duration>) -> Value {
    let affinity = map([
        ("nodeAffinity", spec.node_affinity.as_ref().map(written_node_affinity).into()),
        ("podAffinity", spec.pod_affinity.as_ref().map(written_pod_affinity).into()),
        ("podAntiAffinity", spec.pod_anti_affinity.as_ref().map(written_pod_affinity).into()),
    ]);
    let volume = |volume: &Volume| match volume {
        Volume::Claim(name) => json!({ "name": "v", "persistentVolumeClaim": { "claimName": **name } }),
        Volume::Ephemeral(name) => json!({ "name": **name, "ephemeral": {} }),
    };
    let containers = |name: &str, all: &[Container]| {
        let all = all.iter().enumerate();
        all.map(|(place, one)| written_container(&format!("{name}{place}"), one)).collect::<Value>()
    };
    let written = map([
        ("nodeSelector", written_labels(&spec.node_selector)),
        ("affinity", affinity),
        ("topologySpreadConstraints", spec.topology_spread_constraints.iter().map(written_spread).collect()),
        ("tolerations", spec.tolerations.iter().map(written_toleration).collect()),
        ("containers", containers("c", &spec.containers)),
        ("initContainers", containers("i", &spec.init_containers)),
        ("overhead", written_resources(&spec.overhead)),
        ("resources", json!({ "requests": written_resources(&spec.requests) })),
        ("volumes", spec.volumes.iter().map(volume).collect()),
        ("priority", json!(spec.priority)),
        ("preemptionPolicy", json!(if spec.never_preempts { "Never" } else { "PreemptLowerPriority" })),
        ("schedulingGates", spec.scheduling_gates.iter().map(|gate| json!({ "name": **gate })).collect()),
        ("terminationGracePeriodSeconds", json!(spec.termination_grace_period.map(|grace| grace.as_secs()))),
        ("imagePullSecrets", json!([{ "name": "x" }])),
    ]);
    let runs_for = runs_for.map(|length| format!("{}s", length.as_secs()));
    let annotations = map([(crate::manifest::RUNS_FOR, runs_for.into())]);
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "p", "annotations": annotations }, "spec": written })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_pod_spec_is_read_as_it_was_written(spec in pod_spec(), runs_for in of(1..600_u64)) {
        let runs_for = runs_for.map(Duration::from_secs);
        let document = written(&spec, runs_for);
        let yaml = serde_yaml::to_string(&document).unwrap();
        let read = objects(&yaml);
        prop_assert_eq!(&*read.pods[0].spec, &spec, "{}", yaml);
        prop_assert_eq!(read.pods[0].runs_for, runs_for);
        // JSON is YAML, in a list of several documents too.
        let read = objects(&format!("---\n{}\n---\n{{apiVersion: v1, kind: List, items: []}}\n", document));
        prop_assert_eq!(&*read.pods[0].spec, &spec);
    }
}
