//! Pods of a drawn scenario: what makes them, what becomes of it, and how Karpenter batches them.
//!
//! One seed in [`ONE_IN`] has pods. Whether one has is a draw of its own, so that all other seeds draw what they would
//! draw if there were no pods. Troubles are the same with pods and without.
//!
//! Few and small: one to a dozen pods, on machines of two to six cores, so that a second machine is near and a third one
//! is seldom. Settings are those that Karpenter has; what it can't do is for studies.

mod node_pools;
mod specs;

use super::cast;
use crate::dice::Dice;
use lkesim_scenario::kubernetes::{JoinLabels, JoinTaint};
use lkesim_scenario::manifest::Tree;
use lkesim_scenario::pods::DeployKind;
use lkesim_scenario::{Delay, Scenario, Span, Step};
use serde_json::{Value, json};

/// One seed in so many has pods.
const ONE_IN: u64 = 8;

/// Whether a seed has pods.
pub fn are_drawn(seed: u64) -> bool {
    Dice::new(seed, "explore.pods").one_in("pods", ONE_IN)
}

/// Who takes part where there are pods: mostly no NodeClaims but those that pods need.
pub fn draw(dice: Dice, cast: Dice, scenario: &mut Scenario) {
    cast::around(cast, scenario);
    if !scenario.clusters.is_empty() || dice.one_in("beside", 5) {
        cast::claims(cast, scenario);
    }
    let offered = node_pools::draw(dice.part("node_pools", 0), scenario);
    for n in 0..dice.weighted("workloads", &[(4, 1), (4, 2), (2, 3)]) {
        workload(dice.part("workload", n), scenario, n as usize, &offered);
    }
    if offered.has_limits && dice.one_in("limits", 4) {
        let at = moment(dice.part("limits", 0), Span::ZERO, scenario.duration);
        let to = dice.of("cpu", &[1, 4, 6, 12]);
        let limits = json!({ "of": "NodePool/default", "with": { "spec": { "limits": { "cpu": to } } }, "at": at });
        scenario.workload.push(step("patch", limits));
    }
    karpenter(dice.part("karpenter", 0), scenario);
}

/// What the NodePools offer, which pods may ask for.
#[derive(Clone, Copy, Debug, Default)]
struct Offered {
    /// A taint that pods need a toleration of.
    is_tainted: bool,
    /// A label of nodes.
    is_labelled: bool,
    /// Limits, which may change.
    has_limits: bool,
    /// A node that goes waits for its pods so long and no longer.
    has_grace: bool,
}

/// An object as Kubernetes writes it.
fn tree(object: Value) -> Tree {
    serde_json::from_value(object).expect("any value can be written")
}

/// A step as a scenario has it.
fn step(kind: &str, of: Value) -> Step {
    serde_json::from_value(json!({ kind: of })).expect("a step as the language has it")
}

/// What is called so, by its place.
const NAMES: [&str; 3] = ["web", "api", "job"];

/// Something that makes pods, and what becomes of it.
fn workload(dice: Dice, scenario: &mut Scenario, place: usize, offered: &Offered) {
    let name = NAMES[place];
    let later = dice.weighted("at", &[(3, 0), (2, 2_000), (2, 11_000), (2, 40_000), (1, 90_000)]);
    let at = Span::millis(if place == 0 { later / 20 } else { later });
    let pods = dice.weighted("pods", &[(4, 1), (4, 2), (3, 3), (1, 4)]);
    let kinds = [(7, "Deployment"), (2, "Job"), (1, "StatefulSet"), (1, "DaemonSet"), (3, "Pod")];
    let kind = dice.weighted("kind", &kinds);
    let asks = specs::asks(dice.part("asks", 0), kind == "DaemonSet");
    let spec = specs::spec(dice.part("spec", 0), name, offered, scenario);
    let runs = Span::secs(dice.of("runs", &[5, 40, 150]));
    let mut made = json!({ "name": name });
    let fields = made.as_object_mut().expect("it is a map");
    fields.extend(asks);
    if let Some(spec) = spec {
        fields.insert("pod".to_owned(), spec);
    }
    let ends = kind == "Job" || (kind == "Pod" && dice.one_in("ends", 2));
    if ends {
        fields.insert("runs_for".to_owned(), json!(runs));
    }
    if kind == "Pod" {
        let gap = dice.weighted("gap", &[(3, 0), (3, 1_000), (2, 5_000), (1, 30_000)]);
        let times: Vec<Span> = (0..pods).map(|n| Span::from(at.get() + Span::millis(n * gap).get())).collect();
        fields.insert("times".to_owned(), json!(times));
        scenario.workload.push(step("arrive", made));
        return;
    }
    fields.insert("kind".to_owned(), json!(kind));
    if kind != "DaemonSet" {
        fields.insert("replicas".to_owned(), json!(pods));
    }
    fields.insert("at".to_owned(), json!(at));
    scenario.workload.push(step("deploy", made));
    becomes(dice.part("becomes", 0), scenario, (kind, name), at);
}

/// It grows, shrinks or goes.
fn becomes(dice: Dice, scenario: &mut Scenario, (kind, name): (&str, &str), made: Span) {
    let of = format!("{kind}/{name}");
    let mut last = made;
    if matches!(kind, "Deployment" | "StatefulSet") && dice.one_in("scaled", 3) {
        last = moment(dice.part("scaled", 0), made, scenario.duration);
        let to = dice.of("to", &[0, 1, 2, 4, 5]);
        scenario.workload.push(step("scale", json!({ "of": of, "to": to, "at": last })));
    }
    if dice.one_in("deleted", 6) {
        let at = moment(dice.part("deleted", 0), last, scenario.duration);
        scenario.workload.push(step("delete", json!({ "of": of, "at": at })));
    }
}

/// When something changes: mostly while machines are made or join.
fn moment(dice: Dice, from: Span, end: Span) -> Span {
    let after = Span::millis(dice.weighted("after", &[(3, 2_000), (3, 20_000), (3, 100_000), (1, 300_000)]));
    let part = dice.below("part", 10) + 1;
    Span::from(from.get() + after.get() * part as u32 / 10).min(end)
}

/// The longest that a machine takes to boot, and to join then, where there are pods.
const SLOWEST: Span = Span::mins(12);

/// Karpenter waits for the slowest machine and the latest view of it where there are pods. For these it makes NodeClaims
/// anew as often as it gives one up: where machines are always later than it waits, nothing settles under any design.
pub fn wait_for_machines(scenario: &mut Scenario) {
    if !scenario.has_pods() {
        return;
    }
    let bounded = |delay: &mut Option<Delay>| {
        if delay.as_ref().is_some_and(|delay| delay.quantiles().max() > SLOWEST.get()) {
            *delay = Some(super::cloud::up_to(SLOWEST.nanos() / 1_000_000));
        }
    };
    bounded(&mut scenario.cloud.lags.boot);
    bounded(&mut scenario.kubernetes.join);
    let set = scenario.resolved().kubernetes;
    let longest = scenario.lags().boot.max() + set.join.max() + set.provider_id.max();
    let minutes = longest.as_secs() / 60 + 3;
    let lags = scenario.lags();
    let of_tags = lags.tag_to_get.max().max(lags.tag_to_list.max());
    let of_linode = lags.instance_get.max().max(lags.instance_list.max());
    let seen =
        lags.pool_list.max().max(lags.pool_get.max()) + lags.members.max() + lags.slot_id.max() + of_linode + of_tags;
    let minutes_to_launch = seen.as_secs() / 60 + 2;
    let karpenter = &mut scenario.karpenter;
    karpenter.registration_timeout = karpenter.registration_timeout.max(Span::mins(minutes));
    karpenter.launch_timeout = karpenter.launch_timeout.max(Span::mins(minutes_to_launch));
    // A StatefulSet makes its next pod when the last one is ready. Of what is lost Karpenter hears when it no longer waits.
    let in_turn = in_turn(scenario);
    if in_turn > 1 {
        let each = longest + seen + Span::mins(1).get();
        let all = scenario.karpenter.registration_timeout.get() + each * in_turn;
        scenario.calm = scenario.calm.max(Span::mins(all.as_secs().div_ceil(60)));
    }
}

/// The most pods that come one after the other.
fn in_turn(scenario: &Scenario) -> u32 {
    let is_in_turn = |of: &str| of.starts_with("StatefulSet/");
    let pods = scenario.workload.iter().filter_map(|step| match step {
        Step::Deploy(made) if made.kind == DeployKind::StatefulSet => made.replicas,
        Step::Scale(scaled) if is_in_turn(&scaled.of) => Some(scaled.to),
        _ => None,
    });
    pods.max().unwrap_or(0)
}

/// How Karpenter batches and what nodes join with.
fn karpenter(dice: Dice, scenario: &mut Scenario) {
    let (karpenter, kubernetes) = (&mut scenario.karpenter, &mut scenario.kubernetes);
    if dice.one_in("batches", 4) {
        let (idle, most) = dice.of("windows", &[(0, 10), (5, 10), (10, 30), (60, 300)]);
        let idle = if idle == 0 { Span::millis(100) } else { Span::secs(idle) };
        (karpenter.batch_idle_duration, karpenter.batch_max_duration) = (Some(idle), Some(Span::secs(most)));
    }
    if dice.one_in("cost", 8) {
        karpenter.compute_cost.per_pass = Span::millis(dice.of("per_pass", &[100, 1_000]));
    }
    if dice.one_in("join_taint", 6) {
        kubernetes.join_taint = dice.of("taint", &[JoinTaint::NoExecute, JoinTaint::NoSchedule]);
    }
    if dice.one_in("join_labels", 6) {
        kubernetes.join_labels = JoinLabels::Kubelet;
    }
    if dice.one_in("provider_id", 8) {
        kubernetes.provider_id = Some(Delay::constant(Span::secs(dice.of("late", &[5, 60]))));
    }
}
