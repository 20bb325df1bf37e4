//! What a NodePool says of disruption: `spec.disruption`, with what the API server puts there where it is left out.
//!
//! Core v1.9.0 `pkg/apis/crds/karpenter.sh_nodepools.yaml`: `consolidateAfter: 0s`, `consolidationPolicy:
//! WhenEmptyOrUnderutilized`, and one budget of 10 %. What of it runs is a setting, `karpenter.disruption`.

use super::reader::{Fields, Reader};
use crate::path::Segment;
use crate::tree::Node;
use lkesim_kube::object::node_pool::{DisruptionBudget, DisruptionReason};
use lkesim_kube::object::pod_disruption_budget::Share;
use std::time::Duration;

/// When and how many nodes of a NodePool may be disrupted.
pub struct Disruption {
    /// How long a node must be without pod changes; none is never.
    pub consolidate_after: Option<Duration>,
    /// How many at once.
    pub budgets: Vec<DisruptionBudget>,
}

/// What is said where nothing disrupts.
const OFF: &str = "`karpenter.disruption` is off: nodes stay, whatever little runs on them";

/// What is said where only empty nodes are.
const EMPTY_ALONE: &str =
    "consolidation of nodes that are not empty is not modelled: they stay, whatever little runs on them";

const POLICIES: [(&str, Policy); 2] =
    [("WhenEmpty", Policy::WhenEmpty), ("WhenEmptyOrUnderutilized", Policy::WhenEmptyOrUnderutilized)];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Policy {
    WhenEmpty,
    WhenEmptyOrUnderutilized,
}

const REASONS: [(&str, DisruptionReason); 3] = [
    (DisruptionReason::Empty.name(), DisruptionReason::Empty),
    (DisruptionReason::Underutilized.name(), DisruptionReason::Underutilized),
    (DisruptionReason::Drifted.name(), DisruptionReason::Drifted),
];

/// Reads it out of a NodePool's spec.
pub fn disruption(reader: &mut Reader, spec: &mut Fields<'_>) -> Disruption {
    match spec.get("disruption") {
        Some(node) => reader.below(Segment::Key("disruption".to_owned()), |reader| given(reader, node)),
        None => {
            if is_on(reader) {
                only_empty_ones(reader);
            }
            Disruption { consolidate_after: Some(Duration::ZERO), budgets: vec![DisruptionBudget::DEFAULT] }
        }
    }
}

fn given(reader: &mut Reader, node: &Node) -> Disruption {
    let mut found = Disruption { consolidate_after: None, budgets: vec![DisruptionBudget::DEFAULT] };
    let Some(mut fields) = reader.fields(node) else { return found };
    let after = fields.must(reader, "consolidateAfter", Reader::duration_or_never);
    found.consolidate_after = after.flatten();
    let policy = fields.read(reader, "consolidationPolicy", |reader, node| reader.one_of(node, &POLICIES));
    if let Some(budgets) = fields.read(reader, "budgets", |reader, node| reader.list(node, budget)) {
        found.budgets = budgets;
    }
    fields.end(reader);
    if found.consolidate_after.is_some() {
        match is_on(reader) {
            true if policy != Some(Policy::WhenEmpty) => only_empty_ones(reader),
            false if reader.is_news("consolidation") => {
                reader.unmodelled(format!("{OFF}; `consolidateAfter: Never` says so, here and of all NodePools"));
            }
            _ => {}
        }
    }
    found
}

fn is_on(reader: &Reader) -> bool {
    reader.known.as_ref().is_some_and(|known| known.disrupts)
}

fn only_empty_ones(reader: &mut Reader) {
    if reader.is_news("consolidation") {
        let help = "`disruption: {consolidationPolicy: WhenEmpty}` says so, here and of all NodePools";
        reader.unmodelled(format!("{EMPTY_ALONE}; {help}"));
    }
}

/// How many nodes may be disrupted at once. One that holds at times alone is taken to hold always.
fn budget(reader: &mut Reader, node: &Node) -> Option<DisruptionBudget> {
    let mut fields = reader.fields(node)?;
    let nodes = fields.must(reader, "nodes", nodes);
    let reasons =
        fields.read(reader, "reasons", |reader, node| reader.list(node, |reader, node| reader.one_of(node, &REASONS)));
    match is_on(reader) {
        true => fields.unmodelled(reader, "schedule", "the budget is taken to hold at all times", |_| false),
        false => fields.ignore(&["schedule"]),
    }
    fields.ignore(&["duration"]);
    fields.end(reader);
    Some(DisruptionBudget { nodes: nodes?, reasons })
}

fn nodes(reader: &mut Reader, node: &Node) -> Option<Share> {
    let text = reader.text(node)?;
    // The CRD's pattern is of digits alone, and of two at most before a `%` that is not 100.
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let share = text.strip_suffix('%').map_or_else(
        || text.parse().ok().filter(|_| is_number(text)).map(Share::Pods),
        |share| {
            let is_short = is_number(share) && (share.len() <= 2 || share == "100");
            share.parse().ok().filter(|_| is_short).map(Share::Percent)
        },
    );
    if share.is_none() {
        let found = crate::decode::shortened(text);
        reader.wrong(format!("found `{found}`; expected a number of nodes in quotes, or a share up to `100%`"));
    }
    share
}
