//! What a seed draws its scenario from.
//!
//! The palette [`general`] covers what the model has; one around a scenario of the user's keeps to it and varies it.
//! Both draw small: few NodeClaims and pods, few troubles, minutes of time. A small run shows more for its time than a large
//! one, and what it shows needs less shrinking.

mod around;
mod cast;
mod cloud;
mod faults;
mod general;
mod karpenter;
mod pods;
mod trouble;
mod twist;

pub use self::twist::{First, Twist};
use lkesim_lke::Design;
use lkesim_runtime::Entity;
use lkesim_scenario::Scenario;
use std::sync::Arc;

/// The name of the built-in palette.
pub const GENERAL: &str = "general";

/// What it is called where no seed has pods.
const WITHOUT_PODS: &str = "general without pods";

/// What scenarios are drawn from.
#[derive(Clone, Debug)]
pub enum Palette {
    /// All that the model has.
    General,
    /// The same without pods: most seeds draw the same of both.
    WithoutPods,
    /// These scenarios, each with its name, and what is near them.
    Around(Arc<[(String, Scenario)]>),
    /// Those of another palette, each changed alike.
    Twisted(Arc<Palette>, Twist),
}

/// What a seed drew.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The palette, or the scenario that was varied.
    pub name: String,
    /// The scenario. It is valid, and expects nothing.
    pub scenario: Scenario,
}

impl Palette {
    /// What this one draws, changed.
    pub fn twisted(self, twist: Twist) -> Palette {
        if twist.is_none() { self } else { Palette::Twisted(Arc::new(self), twist) }
    }

    /// The scenario of a seed. Settings of the provider are drawn among those that the design has.
    ///
    /// # Panics
    /// When there are no scenarios to vary.
    pub fn draw(&self, seed: u64, design: &Design) -> Drawn {
        match self {
            Palette::General => Drawn { name: GENERAL.to_owned(), scenario: general::draw(seed, design) },
            Palette::WithoutPods => {
                Drawn { name: WITHOUT_PODS.to_owned(), scenario: general::without_pods(seed, design) }
            }
            Palette::Around(scenarios) => around::draw(seed, scenarios, design),
            Palette::Twisted(palette, twist) => {
                let mut drawn = palette.draw(seed, design);
                twist.apply(&mut drawn.scenario);
                drawn
            }
        }
    }

    /// The names of what is drawn from.
    pub fn names(&self) -> Vec<String> {
        match self {
            Palette::General => vec![GENERAL.to_owned()],
            Palette::WithoutPods => vec![WITHOUT_PODS.to_owned()],
            Palette::Around(scenarios) => scenarios.iter().map(|(name, _)| name.clone()).collect(),
            Palette::Twisted(palette, twist) => {
                palette.names().into_iter().map(|name| format!("{name}, {twist}")).collect()
            }
        }
    }

    /// A hash of the scenarios that are varied; of the built-in palette, which the program's version tells, one of none.
    pub fn hash(&self) -> String {
        let scenarios: &[(String, Scenario)] = match self {
            Palette::General | Palette::WithoutPods => &[],
            Palette::Around(scenarios) => scenarios,
            Palette::Twisted(palette, twist) => {
                let hash = Entity::named("palette").and_name(&palette.hash()).and_name(&twist.to_string());
                return format!("{:016x}", hash.as_u64());
            }
        };
        let of = |hash: Entity, scenario: &Scenario| hash.and_name(&lkesim_scenario::to_yaml(scenario));
        let hash = scenarios.iter().fold(Entity::named("palette"), |hash, (_, scenario)| of(hash, scenario));
        format!("{:016x}", hash.as_u64())
    }

    /// The hard cases that a search with this palette has to meet, and from how many runs on that is judged.
    pub fn declared(&self, design: &str) -> (Vec<String>, u64) {
        match self {
            Palette::General => declared(general::HARD_CASES.iter().chain(general::HARD_CASES_OF_PODS)),
            Palette::WithoutPods => declared(general::HARD_CASES.iter()),
            Palette::Around(scenarios) => {
                let of = |scenario: &Scenario| {
                    let wanted = scenario.expect.sometimes(design).filter(|(_, expected)| !expected.holds(0));
                    wanted.map(|(case, _)| case.to_owned()).collect::<Vec<_>>()
                };
                let mut declared: Vec<String> = scenarios.iter().flat_map(|(_, scenario)| of(scenario)).collect();
                declared.sort_unstable();
                declared.dedup();
                (declared, 1)
            }
            Palette::Twisted(palette, _) => palette.declared(design),
        }
    }
}

/// Hard cases of the built-in palette.
fn declared<'a>(cases: impl Iterator<Item = &'a &'a str>) -> (Vec<String>, u64) {
    (cases.map(|case| (*case).to_owned()).collect(), general::ENOUGH)
}

#[cfg(test)]
mod tests;
