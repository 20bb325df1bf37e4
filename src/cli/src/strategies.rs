//! Scenarios for property tests with proptest.
//!
//! A value is drawn from one number, which is what proptest keeps of a failure. It does not shrink: a smaller number
//! draws another scenario, not a smaller one. [`crate::check`] makes its failures small itself.

use lkesim_explore::Palette;
use lkesim_lke::Design;
use lkesim_scenario::Scenario;
use proptest::prelude::{Strategy, any};

/// Scenarios of all that is modelled, with settings that the design has. All are valid.
pub fn scenarios(design: &'static Design) -> impl Strategy<Value = Scenario> {
    drawn(Palette::General, design)
}

/// This scenario and what is near it.
pub fn around(name: &str, scenario: &Scenario, design: &'static Design) -> impl Strategy<Value = Scenario> + use<> {
    drawn(Palette::Around([(name.to_owned(), scenario.clone())].into()), design)
}

/// Seeds of all luck.
pub fn seeds() -> impl Strategy<Value = u64> {
    any::<u64>()
}

fn drawn(palette: Palette, design: &'static Design) -> impl Strategy<Value = Scenario> + use<> {
    any::<u64>().no_shrink().prop_map(move |seed| palette.draw(seed, design).scenario)
}
