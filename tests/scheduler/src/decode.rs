//! From JSON of Kubernetes objects to what our scheduling simulation sees.
//!
//! It reads what the generator writes. A field that it does not know is not looked for.

use lkesim_kube::object::affinity::{
    NodeAffinity, NodeInclusionPolicy, NodeSelectorTerm, PodAffinity, PodAffinityTerm, TopologySpreadConstraint,
    Weighted, WhenUnsatisfiable,
};
use lkesim_kube::object::label_selector::{LabelSelector, SelectorExpression, SelectorOperator};
use lkesim_kube::object::node_claim::NodeClassRef;
use lkesim_kube::object::pod::{Container, HostPort, Protocol, Volume};
use lkesim_kube::object::{
    Operator, Pod, PodOwner, PodSpec, Requirement, ResourceList, StringMap, Taint, TaintEffect, Toleration,
    TolerationOperator, Uid,
};
use lkesim_runtime::Time;
use lkesim_scheduling::input::{NodeClaimView, NodeView};
use lkesim_scheduling::volumes::{Claim, PersistentVolume, PodVolumes, Source, StorageClass};
use lkesim_scheduling::{
    DaemonSetPod, InstanceType, MinValuesPolicy, NodePool, Offering, Options, PreferencePolicy, Price, Problem,
    Requirements, ReservedOfferingMode, StateNode, WellKnownLabels,
};
use serde_json::Value;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A problem and how it is set.
pub fn problem(json: &Value) -> (Problem, Options) {
    let mut problem = Problem {
        node_pools: all(&json["nodePools"], node_pool),
        instance_types: types(&json["instanceTypes"]),
        pods: all(&json["pods"], |pod| Rc::new(self::pod(pod))),
        daemon_set_pods: all(&json["daemonSets"], daemon),
        namespaces: all(&json["namespaces"], |one| (text(&one["metadata"]["name"]), map(&one["metadata"]["labels"])))
            .into_iter()
            .collect(),
        ..Problem::default()
    };
    let bound: Vec<Rc<Pod>> = all(&json["boundPods"], |pod| Rc::new(self::pod(pod)));
    problem.nodes = nodes(json, &bound);
    let leaving = problem.nodes.iter().filter(|node| node.is_marked_for_deletion).flat_map(|node| &node.pods);
    problem.pods.extend(leaving.filter(|pod| pod.owner != PodOwner::DaemonSet).cloned());
    for pod in problem.pods.iter().chain(&bound).filter(|pod| !pod.spec.volumes.is_empty()) {
        let claims: Vec<Claim> = pod.spec.volumes.iter().filter_map(|one| claim(json, pod, one)).collect();
        problem.volumes.insert(pod.metadata.uid, PodVolumes::of(&claims));
    }
    let is = |key: &str| json[key].as_bool().unwrap_or(false);
    let options = Options {
        reserved_offering_mode: if is("fallbackToOtherCapacity") {
            ReservedOfferingMode::Fallback
        } else {
            ReservedOfferingMode::Strict
        },
        preference_policy: if is("ignorePreferences") { PreferencePolicy::Ignore } else { PreferencePolicy::Respect },
        min_values_policy: if is("bestEffortMinValues") {
            MinValuesPolicy::BestEffort
        } else {
            MinValuesPolicy::Strict
        },
        well_known_labels: WellKnownLabels::default().with([
            "karpenter.sh/reservation-id",
            "example.com/family",
            "example.com/generation",
        ]),
        ..Options::default()
    };
    (problem, options)
}

fn all<T>(json: &Value, read: impl FnMut(&Value) -> T) -> Vec<T> {
    json.as_array().into_iter().flatten().map(read).collect()
}

fn text(json: &Value) -> Rc<str> {
    json.as_str().unwrap_or_default().into()
}

fn number(json: &Value) -> i64 {
    json.as_i64().unwrap_or_default()
}

fn map(json: &Value) -> StringMap {
    json.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), text(value))).collect()
}

fn resources(json: &Value) -> ResourceList {
    let entries = json.as_object().into_iter().flatten();
    entries.map(|(name, value)| (name.as_str(), text(value).parse().expect("a quantity"))).collect()
}

fn requirement(json: &Value) -> Requirement {
    let operator = match &*text(&json["operator"]) {
        "In" => Operator::In,
        "NotIn" => Operator::NotIn,
        "Exists" => Operator::Exists,
        "DoesNotExist" => Operator::DoesNotExist,
        "Gt" => Operator::Gt,
        "Lt" => Operator::Lt,
        "Gte" => Operator::Gte,
        "Lte" => Operator::Lte,
        other => panic!("operator {other}"),
    };
    let min_values = json["minValues"].as_u64().map(|count| u32::try_from(count).expect("small"));
    Requirement { min_values, ..Requirement::new(text(&json["key"]), operator, all(&json["values"], text)) }
}

fn effect(json: &Value) -> TaintEffect {
    match &*text(json) {
        "NoSchedule" => TaintEffect::NoSchedule,
        "PreferNoSchedule" => TaintEffect::PreferNoSchedule,
        "NoExecute" => TaintEffect::NoExecute,
        other => panic!("effect {other}"),
    }
}

fn taint(json: &Value) -> Taint {
    let value = json["value"].as_str().map(Rc::from);
    Taint { key: text(&json["key"]), value, effect: effect(&json["effect"]) }
}

fn node_pool(json: &Value) -> NodePool {
    let template = &json["spec"]["template"];
    let class = &template["spec"]["nodeClassRef"];
    NodePool {
        name: text(&json["metadata"]["name"]),
        weight: u32::try_from(number(&json["spec"]["weight"])).expect("a weight"),
        labels: map(&template["metadata"]["labels"]),
        annotations: StringMap::EMPTY,
        requirements: all(&template["spec"]["requirements"], requirement),
        taints: all(&template["spec"]["taints"], taint),
        startup_taints: all(&template["spec"]["startupTaints"], taint),
        limits: resources(&json["spec"]["limits"]),
        node_class_ref: Some(NodeClassRef {
            group: text(&class["group"]),
            kind: text(&class["kind"]),
            name: text(&class["name"]),
        }),
    }
}

fn types(json: &Value) -> BTreeMap<Rc<str>, Rc<[Rc<InstanceType>]>> {
    let pools = json.as_object().into_iter().flatten();
    pools.map(|(pool, types)| (pool.as_str().into(), all(types, |one| Rc::new(instance_type(one))).into())).collect()
}

fn requirements(json: &Value) -> Requirements {
    Requirements::of_selectors(&all(json, requirement))
}

fn instance_type(json: &Value) -> InstanceType {
    let capacity = resources(&json["capacity"]);
    let offering = |one: &Value| Offering {
        requirements: requirements(&one["requirements"]),
        price: Price(one["priceUnits"].as_u64().unwrap_or_default()),
        available: one["available"].as_bool().unwrap_or_default(),
        reservation_capacity: u32::try_from(number(&one["reservationCapacity"])).expect("a count"),
    };
    InstanceType {
        name: text(&json["name"]),
        requirements: requirements(&json["requirements"]),
        offerings: all(&json["offerings"], offering),
        allocatable: lkesim_scheduling::instance_type::allocatable(&capacity, &resources(&json["overhead"])),
        capacity,
    }
}

fn nodes(json: &Value, bound: &[Rc<Pod>]) -> Vec<StateNode> {
    let claims = all(&json["nodeClaims"], |one| {
        let (spec, status) = (&one["spec"], &one["status"]);
        let view = NodeClaimView {
            name: text(&one["metadata"]["name"]),
            labels: map(&one["metadata"]["labels"]),
            taints: all(&spec["taints"], taint),
            startup_taints: all(&spec["startupTaints"], taint),
            capacity: resources(&status["capacity"]),
            allocatable: resources(&status["allocatable"]),
        };
        (text(&status["providerID"]), view)
    });
    let mut by_machine: BTreeMap<Rc<str>, StateNode> = claims
        .into_iter()
        .map(|(id, claim)| (id, StateNode { node_claim: Some(claim), ..StateNode::default() }))
        .collect();
    for one in all(&json["nodes"], Value::clone) {
        let name = text(&one["metadata"]["name"]);
        let state = by_machine.entry(text(&one["spec"]["providerID"])).or_default();
        state.pods = bound.iter().filter(|pod| pod.node_name.as_ref() == Some(&name)).cloned().collect();
        let limits =
            all(&json["csiNodes"], Value::clone).into_iter().filter(|csi| text(&csi["metadata"]["name"]) == name);
        let drivers = limits.flat_map(|csi| all(&csi["spec"]["drivers"], Value::clone));
        let limit = |driver: Value| (text(&driver["name"]), number(&driver["allocatable"]["count"]) as usize);
        state.volume_limits = drivers.map(limit).collect();
        state.node = Some(NodeView {
            name,
            labels: map(&one["metadata"]["labels"]),
            taints: all(&one["spec"]["taints"], taint),
            capacity: resources(&one["status"]["capacity"]),
            allocatable: resources(&one["status"]["allocatable"]),
        });
    }
    let deleting = all(&json["deleting"], text);
    for (id, state) in &mut by_machine {
        state.is_marked_for_deletion = deleting.contains(id);
    }
    by_machine.into_values().collect()
}

fn daemon(json: &Value) -> DaemonSetPod {
    let mut spec = spec(&json["spec"]["template"]["spec"]);
    spec.default_requests();
    DaemonSetPod { spec: Rc::new(spec), is_template: true }
}

fn pod(json: &Value) -> Pod {
    let metadata = &json["metadata"];
    let mut pod = Pod::new(text(&metadata["name"]), spec(&json["spec"]));
    pod.namespace = text(&metadata["namespace"]);
    pod.metadata.labels = map(&metadata["labels"]);
    pod.metadata.uid = Uid(u64::from_str_radix(&text(&metadata["uid"]), 16).expect("a hexadecimal uid"));
    let second = text(&metadata["creationTimestamp"]);
    // The generator's times differ in their seconds alone.
    let second = second.get(17..19).map_or(0, |second| second.parse().expect("seconds"));
    pod.metadata.creation_timestamp = Time::from_secs(second);
    pod.node_name = json["spec"]["nodeName"].as_str().map(Rc::from);
    if text(&metadata["ownerReferences"][0]["kind"]) == "DaemonSet".into() {
        pod.owner = PodOwner::DaemonSet;
    }
    pod
}

fn spec(json: &Value) -> PodSpec {
    let affinity = &json["affinity"];
    PodSpec {
        node_selector: map(&json["nodeSelector"]),
        node_affinity: some(&affinity["nodeAffinity"], node_affinity),
        pod_affinity: some(&affinity["podAffinity"], pod_affinity),
        pod_anti_affinity: some(&affinity["podAntiAffinity"], pod_affinity),
        topology_spread_constraints: all(&json["topologySpreadConstraints"], spread),
        tolerations: all(&json["tolerations"], toleration),
        containers: all(&json["containers"], container),
        init_containers: all(&json["initContainers"], container),
        overhead: resources(&json["overhead"]),
        requests: ResourceList::EMPTY,
        volumes: all(&json["volumes"], |one| Volume::Claim(text(&one["persistentVolumeClaim"]["claimName"]))),
        ..PodSpec::default()
    }
}

fn some<T>(json: &Value, read: impl FnOnce(&Value) -> T) -> Option<T> {
    (!json.is_null()).then(|| read(json))
}

fn node_affinity(json: &Value) -> NodeAffinity {
    let term = |json: &Value| NodeSelectorTerm {
        match_expressions: all(&json["matchExpressions"], requirement),
        has_match_fields: false,
    };
    let required = &json["requiredDuringSchedulingIgnoredDuringExecution"];
    let preferred = |json: &Value| Weighted { weight: number(&json["weight"]) as i32, term: term(&json["preference"]) };
    NodeAffinity {
        required: all(&required["nodeSelectorTerms"], term),
        has_required: !required.is_null(),
        preferred: all(&json["preferredDuringSchedulingIgnoredDuringExecution"], preferred),
    }
}

fn pod_affinity(json: &Value) -> PodAffinity {
    let term = |json: &Value| PodAffinityTerm {
        label_selector: some(&json["labelSelector"], selector),
        namespaces: all(&json["namespaces"], text),
        namespace_selector: some(&json["namespaceSelector"], selector),
        topology_key: text(&json["topologyKey"]),
        match_label_keys: Vec::new(),
        mismatch_label_keys: Vec::new(),
    };
    let weighted =
        |json: &Value| Weighted { weight: number(&json["weight"]) as i32, term: term(&json["podAffinityTerm"]) };
    PodAffinity {
        required: all(&json["requiredDuringSchedulingIgnoredDuringExecution"], term),
        preferred: all(&json["preferredDuringSchedulingIgnoredDuringExecution"], weighted),
    }
}

fn selector(json: &Value) -> LabelSelector {
    let expression = |json: &Value| SelectorExpression {
        key: text(&json["key"]),
        operator: match &*text(&json["operator"]) {
            "In" => SelectorOperator::In,
            "NotIn" => SelectorOperator::NotIn,
            "Exists" => SelectorOperator::Exists,
            _ => SelectorOperator::DoesNotExist,
        },
        values: all(&json["values"], text),
    };
    LabelSelector {
        match_labels: map(&json["matchLabels"]),
        match_expressions: all(&json["matchExpressions"], expression),
    }
}

fn spread(json: &Value) -> TopologySpreadConstraint {
    let policy = |json: &Value| {
        json.as_str().map(|text| match text {
            "Honor" => NodeInclusionPolicy::Honor,
            _ => NodeInclusionPolicy::Ignore,
        })
    };
    TopologySpreadConstraint {
        max_skew: number(&json["maxSkew"]) as i32,
        topology_key: text(&json["topologyKey"]),
        when_unsatisfiable: match &*text(&json["whenUnsatisfiable"]) {
            "DoNotSchedule" => WhenUnsatisfiable::DoNotSchedule,
            _ => WhenUnsatisfiable::ScheduleAnyway,
        },
        label_selector: some(&json["labelSelector"], selector),
        min_domains: json["minDomains"].as_i64().map(|count| count as i32),
        node_affinity_policy: policy(&json["nodeAffinityPolicy"]),
        node_taints_policy: policy(&json["nodeTaintsPolicy"]),
        match_label_keys: all(&json["matchLabelKeys"], text),
    }
}

fn toleration(json: &Value) -> Toleration {
    Toleration {
        key: text(&json["key"]),
        operator: match &*text(&json["operator"]) {
            "Exists" => TolerationOperator::Exists,
            _ => TolerationOperator::Equal,
        },
        value: text(&json["value"]),
        effect: some(&json["effect"], effect),
        toleration_seconds: None,
    }
}

fn container(json: &Value) -> Container {
    let port = |json: &Value| HostPort {
        ip: json["hostIP"].as_str().unwrap_or("0.0.0.0").parse().expect("an address"),
        port: number(&json["hostPort"]) as u16,
        protocol: if text(&json["protocol"]) == "UDP".into() { Protocol::Udp } else { Protocol::Tcp },
    };
    Container {
        requests: resources(&json["resources"]["requests"]),
        limits: resources(&json["resources"]["limits"]),
        host_ports: all(&json["ports"], port),
        restarts_always: text(&json["restartPolicy"]) == "Always".into(),
        has_resource_claims: false,
    }
}

fn named<'a>(list: &'a Value, name: &str) -> Option<&'a Value> {
    list.as_array()?.iter().find(|one| one["metadata"]["name"] == *name)
}

fn claim(json: &Value, pod: &Pod, volume: &Volume) -> Option<Claim> {
    let name = volume.claim_name(pod);
    let of = named(&json["persistentVolumeClaims"], &name)?;
    let source = match of["spec"]["volumeName"].as_str() {
        Some(volume_name) => Source::Bound {
            volume_name: volume_name.into(),
            is_complete: true,
            volume: named(&json["persistentVolumes"], volume_name).map(|one| PersistentVolume {
                driver: one["spec"]["csi"]["driver"].as_str().map(Rc::from),
                node_affinity: all(
                    &one["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"][0]["matchExpressions"],
                    requirement,
                ),
                is_local: !one["spec"]["local"].is_null(),
            }),
        },
        None => Source::Unbound {
            class_name: text(&of["spec"]["storageClassName"]),
            class: named(&json["storageClasses"], &text(&of["spec"]["storageClassName"])).map(|one| StorageClass {
                provisioner: text(&one["provisioner"]),
                is_immediate: false,
                allowed_topology: all(&one["allowedTopologies"][0]["matchLabelExpressions"], |one| {
                    (text(&one["key"]), all(&one["values"], text))
                }),
            }),
        },
    };
    Some(Claim { name: format!("{}/{name}", pod.namespace).into(), is_deleting: false, is_lost: false, source })
}
