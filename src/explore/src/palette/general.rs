//! The palette `general`: all that the model has, most of it seldom at once.

use super::{cast, cloud, karpenter, pods, trouble};
use crate::dice::Dice;
use lkesim_lke::Design;
use lkesim_scenario::{Scenario, Span};

/// Hard cases that a search of [`ENOUGH`] runs meets under every design.
pub const HARD_CASES: &[&str] = &[
    "throttled",
    "answer_lost",
    "call_refused_by_fault",
    "call_made_twice",
    "answer_stale",
    "maintenance_met",
    "list_cut",
    "list_entry_doubled",
    "edited_by_hand",
    "create_repeated",
    "create_interrupted",
    "creates_overlapped",
    "claim_deleted_in_create",
    "claim_timed_out",
    "linode_unclaimed",
    "orphan_deleted",
    "process_restarted",
    "pool_deleted",
];

/// Hard cases of the seeds that have pods.
pub const HARD_CASES_OF_PODS: &[&str] = &["pod_bound", "pod_had_no_room"];

/// So many runs are enough to meet each of them.
pub const ENOUGH: u64 = 1_000;

/// The scenario of a seed.
pub fn draw(seed: u64, design: &Design) -> Scenario {
    drawn(seed, design, pods::are_drawn(seed))
}

/// The same without pods, which is what most seeds draw in any case.
pub fn without_pods(seed: u64, design: &Design) -> Scenario {
    drawn(seed, design, false)
}

fn drawn(seed: u64, design: &Design, has_pods: bool) -> Scenario {
    let dice = Dice::new(seed, "explore.general");
    let mut scenario = Scenario::new(&format!("What seed {seed} draws from the palette `general`."));
    scenario.duration = Span::mins(dice.weighted("duration", &[(4, 2), (4, 4), (2, 8), (1, 15)]));
    cloud::draw(dice.part("cloud", 0), &mut scenario);
    match has_pods {
        true => pods::draw(dice.part("pods", 0), dice.part("cast", 0), &mut scenario),
        false => cast::draw(dice.part("cast", 0), &mut scenario),
    }
    karpenter::draw(dice.part("karpenter", 0), &mut scenario, design);
    let troubles = dice.weighted("troubles", &[(25, 0), (35, 1), (25, 2), (15, 3)]);
    for n in 0..troubles {
        trouble::add(dice.part("trouble", n), &mut scenario);
    }
    pods::wait_for_machines(&mut scenario);
    scenario
}
