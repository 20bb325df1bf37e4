//! Around a scenario: it as it is, or with a few things changed.
//!
//! What it is about stays: its steps, its tier, its design. Lags, faults, numbers and moments are what varies, as in
//! the palette `general`. A variation that would not be valid is left out.

use super::{Drawn, faults, trouble};
use crate::dice::Dice;
use lkesim_lke::Design;
use lkesim_scenario::{Expect, Names, Scenario, Span, Step};

/// The scenario of a seed.
pub fn draw(seed: u64, scenarios: &[(String, Scenario)], design: &Design) -> Drawn {
    let dice = Dice::new(seed, "explore.around");
    let (name, scenario) = &scenarios[dice.below("scenario", scenarios.len() as u64) as usize];
    let mut scenario = scenario.clone();
    scenario.expect = Expect::default();
    let changes = dice.weighted("changes", &[(4, 0), (3, 1), (2, 2), (1, 3)]);
    for n in 0..changes {
        let mut changed = scenario.clone();
        change(dice.part("change", n), &mut changed, design);
        if changed.mistakes(&Names::default()).is_empty() {
            scenario = changed;
        }
    }
    Drawn { name: name.clone(), scenario }
}

fn change(dice: Dice, scenario: &mut Scenario, design: &Design) {
    match dice.weighted("kind", &[(4, 0), (3, 1), (2, 2), (3, 3), (2, 4), (1, 5)]) {
        0 => super::cloud::vary(dice, scenario),
        1 => trouble::add(dice.part("trouble", 0), scenario),
        2 if !scenario.faults.is_empty() => {
            let at = dice.below("fault", scenario.faults.len() as u64) as usize;
            match dice.one_in("off", 2) {
                true => drop(scenario.faults.remove(at)),
                false => scenario.faults[at] = faults::draw(dice.part("fault", 0), scenario.duration),
            }
        }
        3 => steps(dice, scenario),
        4 => super::karpenter::draw(dice, scenario, design),
        _ => scenario.cloud.list_order = dice.of("order", &lkesim_scenario::cloud::ListOrder::ALL),
    }
}

/// Fewer or more NodeClaims, sooner or later.
fn steps(dice: Dice, scenario: &mut Scenario) {
    for (n, step) in scenario.workload.iter_mut().enumerate() {
        let dice = dice.part("step", n as u64);
        match step {
            Step::Create(create) => {
                let claims = match dice.below("claims", 4) {
                    0 => 1,
                    1 => create.claims.div_ceil(2),
                    2 => create.claims + 1,
                    _ => create.claims,
                };
                create.claims = claims;
                if dice.one_in("every", 2) {
                    create.every = Span::millis(dice.of("gap", &[0, 10, 1_000, 5_000]));
                }
            }
            Step::Delete(delete) if dice.one_in("at", 2) => delete.at = trouble::moment(dice, scenario.duration),
            _ => {}
        }
    }
}
