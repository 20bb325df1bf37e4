//! Every lag and every latency matters: changed alone, it changes a figure, and which one is written here.

use crate::support::{Run, figure};
use lkesim_judge::Outcome;
use lkesim_judge::trace::{NodeState, TraceEvent};
use std::collections::{BTreeMap, BTreeSet};

/// What a figure does when the knob is turned up from no time at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    Rises,
    Falls,
}
use Then::{Falls, Rises};

/// The knob, its value, the tier, and the figure that changes.
const TABLE: &[(&str, &str, &str, &str, Then)] = &[
    ("cloud.latency.get", "1s", STANDARD, "time_to.launch.p50_ms", Rises),
    ("cloud.latency.get", "1s", ENTERPRISE, "time_to.launch.p50_ms", Rises),
    ("cloud.latency.list", "1s", STANDARD, "time_to.launch.p50_ms", Rises),
    ("cloud.latency.list", "1s", ENTERPRISE, "time_to.launch.p50_ms", Rises),
    ("cloud.latency.list", "1s", ENTERPRISE, "api.by_cause.wait", Falls),
    ("cloud.latency.put", "1s", ENTERPRISE, "time_to.launch.p50_ms", Rises),
    ("cloud.latency.delete", "3s", ENTERPRISE, "virtual_ms", Rises),
    ("cloud.latency.create_pool", "1s", ENTERPRISE, "time_to.launch.p50_ms", Rises),
    ("cloud.lags.pool_list", "30s", STANDARD, "api.by_endpoint.CreateLKENodePool.calls", Rises),
    ("cloud.lags.pool_get", "30s", STANDARD, "api.by_endpoint.GetLKENodePool.errors", Rises),
    ("cloud.lags.members", "30s", STANDARD, "instances.created", Rises),
    ("cloud.lags.slot_id", "30s", STANDARD, "sometimes.slot_without_id", Rises),
    ("cloud.lags.instance_seen", "30s", ENTERPRISE, "instances.created_per_100_launched", Rises),
    ("cloud.lags.instance_get", "30s", STANDARD, "api.by_endpoint.GetInstance.errors", Rises),
    ("cloud.lags.instance_get", "30s", ENTERPRISE, "sometimes.verify_needed_again", Rises),
    ("cloud.lags.instance_list", "30s", ENTERPRISE, "instances.created", Rises),
    ("cloud.lags.tag_to_get", "30s", ENTERPRISE, "sometimes.verify_needed_again", Rises),
    ("cloud.lags.tag_to_list", "30s", ENTERPRISE, "invariants.one-claim-per-instance.count", Rises),
    ("cloud.lags.tag_to_list", "30s", ENTERPRISE, "instances.created", Falls),
    ("cloud.lags.propagation", "30s", ENTERPRISE, "instances.created", Rises),
    ("cloud.lags.boot", "90s", ENTERPRISE, "time_to.register.p50_ms", Rises),
    ("cloud.lags.deletion", "30s", ENTERPRISE, "api.by_cause.termination", Rises),
    ("kubernetes.call", "1s", ENTERPRISE, "time_to.launch.p50_ms", Rises),
    ("kubernetes.watch", "30s", ENTERPRISE, "time_to.launch.p50_ms", Rises),
    ("kubernetes.join", "90s", ENTERPRISE, "time_to.register.p50_ms", Rises),
    ("kubernetes.ready", "30s", ENTERPRISE, "time_to.ready.p50_ms", Rises),
];

/// A test of its own says what these do.
const ELSEWHERE: &[&str] = &["cloud.latency.post", "kubernetes.cloud_controller"];

const STANDARD: &str = "standard";
const ENTERPRISE: &str = "enterprise";

/// Nothing takes time but boot and join. The claims that are deleted go at the very end, so that the run waits for them.
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
    for (knob, value, tier, path, then) in TABLE {
        let turned = scenario(tier).set(format!("{knob}={value}")).outcome();
        let (before, after) = (figure(&base[tier], path), figure(&turned, path));
        let came = match then {
            Rises => after > before,
            Falls => after < before,
        };
        if !came {
            wrong.push(format!("{knob}={value} on {tier}: {path} {before} -> {after}, not {then:?}"));
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
    let in_table = TABLE.iter().map(|row| row.0).chain(ELSEWHERE.iter().copied());
    let in_table: BTreeSet<String> = in_table.map(str::to_owned).collect();
    assert_eq!(in_table, knobs);
}

/// `documented` makes Linodes through pools and tags with PUT: it sends no other POST.
#[test]
fn no_design_sends_another_post_than_that_of_a_pool() {
    for tier in [STANDARD, ENTERPRISE] {
        let turned = scenario(tier).set("cloud.latency.post=1s").outcome();
        assert_eq!(scenario(tier).outcome(), turned);
    }
}

/// A node without a NodeClaim stays until the cloud controller removes it. Linodes that are seen late leave such nodes.
#[test]
fn the_cloud_controller_removes_the_nodes_of_collected_orphans() {
    for seconds in [0, 45] {
        let run = scenario(ENTERPRISE)
            .set("cloud.lags.instance_seen=30s")
            .set(format!("kubernetes.cloud_controller={seconds}s"));
        let (mut deleted_at, mut waits) = (BTreeMap::new(), BTreeSet::new());
        for line in run.traced().1.events {
            match line.what {
                TraceEvent::LinodeDeleted { linode, .. } => {
                    deleted_at.insert(linode, line.at_ms);
                }
                TraceEvent::NodeChanged { linode: Some(linode), change: NodeState::Gone, .. } => {
                    let at = deleted_at.get(&linode).copied().unwrap_or(line.at_ms);
                    waits.insert(line.at_ms - at);
                }
                _ => {}
            }
        }
        assert_eq!(waits.last(), Some(&(seconds * 1_000)), "{waits:?}");
    }
}
