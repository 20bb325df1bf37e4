//! Disruption by emptiness in whole runs, and what nomination keeps it from.

use crate::support::{Run, broken, figure};
use lkesim_judge::trace::{ConditionName, NodeState, TraceEvent};

/// The same run with nomination and without: a pod that a pass has placed on a node finds it there, or finds it gone.
#[test]
fn a_node_that_is_nominated_is_there_when_its_pod_is_bound() {
    let run = |nomination: &str| Run::builtin("pods/nomination-off").set(format!("karpenter.nomination={nomination}"));
    let off = run("off").outcome();
    let on = run("on").outcome();
    let of = |path: &str| (figure(&off, path), figure(&on, path));
    assert_eq!(of("pods.created"), (2, 1), "the pod on the node that is taken away is lost, and made again");
    assert_eq!(of("instances.created"), (1, 0), "and waits for another machine");
    assert_eq!(of("pods.running_at_end"), (1, 1));
    let (without, with) = of("time_to.pod_ready.max_ms");
    assert!(with <= 32_000 && without >= 60_000, "{with} ms with nomination, {without} ms without");
    assert_eq!(of("taints.general.nodes_disrupted"), (1, 0), "the node has a pod from then on");
    assert!(broken(&on).is_empty() && broken(&off).is_empty());
}

/// Without disruption the node stays, and is paid for.
#[test]
fn an_empty_node_that_goes_is_not_paid_for() {
    let run = |disruption: &str| Run::builtin("pods/empty-node-goes").set(format!("karpenter.disruption={disruption}"));
    let (off, on) = (run("off").outcome(), run("emptiness").outcome());
    let of = |path: &str| (figure(&off, path), figure(&on, path));
    assert_eq!(of("nodes.total_at_end"), (1, 0));
    let (stays, goes) = of("cost.total_usd");
    assert_eq!(stays, 5 * goes, "five started hours, or one");
}

/// The story of a NodeClaim has the taint, the reason and who deleted it, in this order.
#[test]
fn the_trace_tells_that_a_node_was_empty() {
    let (_, trace) = Run::builtin("pods/empty-node-goes").traced();
    let told: Vec<String> = trace.events.iter().filter_map(|event| told(&event.what)).collect();
    assert_eq!(told, ["tainted", "DisruptionReason is True: Empty", "deleted by disruption.queue"]);
}

fn told(what: &TraceEvent) -> Option<String> {
    match what {
        TraceEvent::NodeChanged { change: NodeState::Disrupted, .. } => Some("tainted".to_owned()),
        TraceEvent::NodeClaimCondition {
            condition: ConditionName::DisruptionReason,
            status: Some(true),
            reason,
            ..
        } => Some(format!("DisruptionReason is True: {reason}")),
        TraceEvent::NodeClaimDeleting { by, .. } => Some(format!("deleted by {by}")),
        _ => None,
    }
}

#[test]
fn nodes_stay_where_the_node_pool_says_never() {
    let never = "manifests[0].spec.disruption.consolidateAfter=Never";
    let outcome = Run::builtin("pods/empty-node-goes").set(never).outcome();
    assert_eq!(figure(&outcome, "nodes.total_at_end"), 1);
    assert_eq!(figure(&outcome, "taints.general.nodes_disrupted"), 0);
}
