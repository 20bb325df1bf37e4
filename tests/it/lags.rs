//! Every lag and every latency matters: changed alone, it changes a figure, and which one is written here.

use crate::support::{Run, design, figure};
use fake_linode::Lags;
use lkesim_judge::Outcome;
use lkesim_judge::trace::{NodeState, TraceEvent};
use lkesim_linode_api::Tier;
use lkesim_sim::Plan;
use std::collections::{BTreeMap, BTreeSet};

/// A knob, its value where the base has none, the tier, and the figure that then rises or falls.
const TABLE: &str = "
cloud.latency.get          1s   standard    time_to.launch.p50_ms                      rises
cloud.latency.get          1s   enterprise  time_to.launch.p50_ms                      rises
cloud.latency.list         1s   standard    time_to.launch.p50_ms                      rises
cloud.latency.list         1s   enterprise  time_to.launch.p50_ms                      rises
cloud.latency.list         1s   enterprise  api.by_cause.wait                          falls
cloud.latency.put          1s   enterprise  time_to.launch.p50_ms                      rises
cloud.latency.delete       3s   enterprise  virtual_ms                                 rises
cloud.latency.create_pool  1s   enterprise  time_to.launch.p50_ms                      rises
cloud.lags.pool_list       30s  standard    api.by_endpoint.CreateLKENodePool.calls    rises
cloud.lags.pool_get        30s  standard    api.by_endpoint.GetLKENodePool.errors      rises
cloud.lags.members         30s  standard    instances.created                          rises
cloud.lags.slot_id         30s  standard    sometimes.slot_without_id                  rises
cloud.lags.instance_seen   30s  enterprise  instances.created_per_100_launched         rises
cloud.lags.instance_get    30s  standard    api.by_endpoint.GetInstance.errors         rises
cloud.lags.instance_get    30s  enterprise  sometimes.verify_needed_again              rises
cloud.lags.instance_list   30s  enterprise  instances.created                          rises
cloud.lags.tag_to_get      30s  enterprise  sometimes.verify_needed_again              rises
cloud.lags.tag_to_list     30s  enterprise  invariants.one-claim-per-instance.count    rises
cloud.lags.tag_to_list     30s  enterprise  instances.created                          falls
cloud.lags.propagation     30s  enterprise  instances.created                          rises
cloud.lags.boot            90s  enterprise  time_to.register.p50_ms                    rises
cloud.lags.deletion        30s  enterprise  api.by_cause.termination                   rises
kubernetes.call            1s   enterprise  time_to.launch.p50_ms                      rises
kubernetes.watch           30s  enterprise  time_to.launch.p50_ms                      rises
kubernetes.join            90s  enterprise  time_to.register.p50_ms                    rises
kubernetes.ready           30s  enterprise  time_to.ready.p50_ms                       rises
";

fn rows() -> impl Iterator<Item = [&'static str; 5]> {
    let row = |line: &'static str| {
        let mut words = line.split_whitespace();
        std::array::from_fn(|_| words.next().expect("five words a row"))
    };
    TABLE.trim().lines().map(row)
}

/// A test of its own says what these do.
const ELSEWHERE: &[&str] =
    &["cloud.latency.post", "cloud.lags.heal", "kubernetes.silence", "kubernetes.cloud_controller"];

/// These change something where there are pods alone.
const OF_PODS: &[(&str, &str)] = &[
    ("kubernetes.binding", "time_to.bind.p50_ms"),
    ("kubernetes.pod_start", "time_to.pod_ready.p50_ms"),
    ("kubernetes.provider_id", "time_to.register.p50_ms"),
    ("kubernetes.startup_taints", "time_to.ready.p50_ms"),
];

/// No delays, whose rows are in `knobs/table.txt`; and that of devices, which no type of the provider has: a test of the
/// kubelet shows it.
const NO_DELAYS: &[&str] = &["kubernetes.join_taint", "kubernetes.join_labels", "kubernetes.devices"];

/// No simulated client makes, deletes or shuts down what these are about; a test of the served cloud does, in
/// `src/cli/tests/serve.rs`.
const SERVED: &[&str] =
    &["cloud.lags.shutdown", "cloud.lags.kubeconfig", "cloud.lags.api_endpoints", "cloud.lags.cluster_deletion"];

const STANDARD: &str = "standard";
const ENTERPRISE: &str = "enterprise";

/// Nothing takes time but boot and join. The claims that are deleted go at the very end: the run waits for them.
fn scenario(tier: &str) -> Run {
    let text = format!(
        "about: Claims come in two groups, and two go.
preset: zero
duration: 5m
cloud: {{tier: {tier}, lags: {{boot: 60s}}}}
kubernetes: {{join: 60s}}
workload:
  - create: {{claims: 3}}
  - create: {{claims: 2, at: 1m, name: late}}
  - delete: {{claims: 2, at: 299s}}
"
    );
    Run::yaml("lags", &text)
}

#[test]
fn every_lag_and_every_latency_changes_its_figure() {
    let base: BTreeMap<&str, Outcome> =
        [STANDARD, ENTERPRISE].into_iter().map(|tier| (tier, scenario(tier).outcome())).collect();
    let mut wrong = Vec::new();
    for [knob, value, tier, path, then] in rows() {
        let turned = scenario(tier).set(format!("{knob}={value}")).outcome();
        let (before, after) = (figure(&base[tier], path), figure(&turned, path));
        let came = match then {
            "rises" => after > before,
            _ => after < before,
        };
        if !came {
            wrong.push(format!("{knob}={value} on {tier}: {path} {before} -> {after}, and not: it {then}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_delay_of_a_scenario_is_in_the_table() {
    let schema = lkesim_scenario::schema();
    let fields = |definition: &str| -> Vec<String> {
        let properties = schema["definitions"][definition]["properties"].as_object();
        properties.expect("a map of fields").keys().cloned().collect()
    };
    let of = |path: &str, definition: &str| -> Vec<String> {
        fields(definition).iter().map(|field| format!("{path}.{field}")).collect()
    };
    let mut knobs: BTreeSet<String> = of("cloud.lags", "Lags").into_iter().collect();
    knobs.extend(of("cloud.latency", "Latency"));
    knobs.extend(of("kubernetes", "Kubernetes"));
    let others = ELSEWHERE.iter().chain(SERVED).chain(NO_DELAYS).copied().chain(OF_PODS.iter().map(|(knob, _)| *knob));
    let in_table = rows().map(|row| row[0]).chain(others);
    let in_table: BTreeSet<String> = in_table.map(str::to_owned).collect();
    assert_eq!(in_table, knobs);
}

/// `documented` makes Linodes through pools and tags with PUT: it sends no other POST.
#[test]
fn documented_sends_no_other_post_than_that_of_a_pool() {
    for tier in [STANDARD, ENTERPRISE] {
        let turned = scenario(tier).set("cloud.latency.post=1s").outcome();
        assert_eq!(scenario(tier).outcome(), turned);
    }
}

#[test]
fn every_delay_of_pods_changes_its_figure() {
    let text = "about: Pods come, and nodes with a startup taint.
cloud: {tier: standard}
manifests:
- apiVersion: karpenter.sh/v1
  kind: NodePool
  metadata: {name: general}
  spec:
    template:
      spec:
        nodeClassRef: {group: karpenter.k8s.linode, kind: LinodeNodeClass, name: default}
        requirements: []
        startupTaints: [{key: network, effect: NoSchedule}]
workload: [deploy: {name: web, replicas: 3, cpu: 1}]
";
    let of = |knob: &str, value: &str, path: &str| {
        figure(&Run::yaml("pods", text).set(format!("{knob}={value}")).outcome(), path)
    };
    for (knob, path) in OF_PODS {
        let (soon, late) = (of(knob, "1s", path), of(knob, "90s", path));
        assert!(late > soon, "{knob}: {path} is {soon}, and {late} where it takes 90 s");
    }
}

#[test]
fn a_linode_that_is_made_by_itself_takes_as_long_as_its_post() {
    let launched = |post: &str| {
        let run = Run::builtin("one-claim-standard").design(design("direct-instances"));
        figure(&run.set(format!("cloud.latency.post={post}")).outcome(), "time_to.launch.p50_ms")
    };
    let (at_once, late) = (launched("0s"), launched("5s"));
    assert!(late >= at_once + 4_900, "{at_once} ms, and {late} ms where each POST takes 5 s");
}

/// A Linode that is deleted by itself is replaced before Karpenter lets go of its node, or not at all.
#[test]
fn lke_replaces_a_linode_after_its_lag() {
    let created = |heal: &str| {
        let outcome = Run::builtin("hand-deleted").set(format!("cloud.lags.heal={heal}")).outcome();
        figure(&outcome, "instances.created")
    };
    assert_eq!((created("20s"), created("3m")), (4, 3));
}

/// The fake has the usual lags for its own tests, and the presets have them for scenarios: they must not part.
#[test]
fn the_default_preset_has_the_usual_lags_of_the_fake() {
    for (name, tier) in [(STANDARD, Tier::Standard), (ENTERPRISE, Tier::Enterprise)] {
        let text = format!("about: x\ncloud: {{tier: {name}}}\nworkload: [create: {{}}]\n");
        let plan = Plan::new(&Run::yaml("lags", &text).scenario());
        assert_eq!(plan.cloud.lags, Lags::usual(tier), "{name}");
    }
}

/// No figure counts nodes, so the trace tells. Karpenter deletes the node of every Linode that it deletes; the one left
/// to the cloud controller is of a Linode that went with its pool before the pool showed it.
#[test]
fn the_cloud_controller_removes_silent_nodes_that_karpenter_does_not_know() {
    for (silence, look) in [(0, 0), (0, 45), (20, 5)] {
        let text = format!(
            "about: The pool's last node is deleted while another is not shown yet.
preset: zero
cloud: {{tier: standard, lags: {{members: 8s}}}}
kubernetes: {{silence: {silence}s, cloud_controller: {look}s}}
workload:
  - create: {{claims: 1}}
  - create: {{claims: 1, at: 3m, name: late}}
  - delete: {{claims: [claim-1], at: 183s}}
"
        );
        let (mut deleted_at, mut waits) = (BTreeMap::new(), BTreeSet::new());
        for line in Run::yaml("lags", &text).traced().1.events {
            match line.what {
                TraceEvent::LinodeDeleted { linode, .. } => {
                    deleted_at.insert(linode, line.at_ms);
                }
                TraceEvent::NodeChanged { linode: Some(linode), change: NodeState::Gone, .. } => {
                    let at = deleted_at.get(&linode).copied();
                    waits.insert(line.at_ms - at.unwrap_or(line.at_ms));
                }
                _ => {}
            }
        }
        assert_eq!(waits.last(), Some(&((silence + look) * 1_000)), "{waits:?}");
    }
}
