//! Karpenter and the provider's settings of a drawn scenario.

use crate::dice::Dice;
use lkesim_lke::Design;
use lkesim_scenario::{Scenario, Span};

pub fn draw(dice: Dice, scenario: &mut Scenario, design: &Design) {
    let karpenter = &mut scenario.karpenter;
    karpenter.controller_cpus = dice.of("cpus", &[1, 1, 2, 4]);
    karpenter.node_cpus = dice.of("node_cpus", &[1, 4, 4, 8]);
    karpenter.restart = Span::secs(dice.of("restart", &[2, 20, 20, 60]));
    if dice.one_in("launch_timeout", 6) {
        karpenter.launch_timeout = Span::secs(dice.of("launch", &[30, 90, 150]));
    }
    if dice.one_in("registration_timeout", 6) {
        karpenter.registration_timeout = Span::secs(dice.of("registration", &[120, 180, 300]));
    }
    for n in 0..dice.weighted("settings", &[(6, 0), (2, 1), (1, 2)]) {
        setting(dice.part("setting", n), scenario, design);
    }
}

/// One of the settings that the design has, shorter or longer than usual.
fn setting(dice: Dice, scenario: &mut Scenario, design: &Design) {
    let provider = &mut scenario.provider;
    let span = |seconds: &[u64]| Some(Span::secs(dice.of("length", seconds)));
    let name = dice.of(
        "name",
        &[
            "create_deadline",
            "retry_delay",
            "verify_timeout",
            "verify_every",
            "orphan_ttl",
            "gc_every",
            "instance_cache",
        ],
    );
    if !design.settings.iter().any(|fact| fact.name == name && !fact.fixed) {
        return;
    }
    match name {
        "create_deadline" => provider.create_deadline = span(&[3, 20, 40]),
        "retry_delay" => provider.retry_delay = span(&[1, 4]),
        "verify_timeout" => provider.verify_timeout = span(&[1, 3, 12]),
        "verify_every" => provider.verify_every = span(&[2, 4]),
        "orphan_ttl" => provider.orphan_ttl = span(&[60, 600]),
        "gc_every" => provider.gc_every = span(&[15, 60, 300]),
        _ => provider.instance_cache = span(&[5, 60]),
    }
}
