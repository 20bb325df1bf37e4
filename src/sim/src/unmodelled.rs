//! What a scenario may ask for and nothing here plays yet: it ends the run with its name, and is never left out in
//! silence.

use crate::RunError;
use lkesim_scenario::Scenario;

/// Refuses a scenario that asks for one of them.
pub fn refuse(scenario: &Scenario) -> Result<(), RunError> {
    let asked = [("`catalogue`", !scenario.catalogue.is_empty())];
    match asked.into_iter().find(|(_, is_asked)| *is_asked) {
        Some((what, _)) => Err(RunError::NotModelled(what.to_owned())),
        None => Ok(()),
    }
}
