//! What a scenario may ask for and nothing here plays yet: it ends the run with its name, and is never left out in
//! silence.

use crate::RunError;
use fake_linode::Catalogue;
use lkesim_scenario::Scenario;

/// Refuses a scenario that asks for one of them.
pub fn refuse(scenario: &Scenario) -> Result<(), RunError> {
    let asked = [("a cluster in a region whose prices are not those of `cloud.region`", has_other_prices(scenario))];
    match asked.into_iter().find(|(_, is_asked)| *is_asked) {
        Some((what, _)) => Err(RunError::NotModelled(what.to_owned())),
        None => Ok(()),
    }
}

/// What Linodes cost is counted by plan, so that a plan has one price in a run.
fn has_other_prices(scenario: &Scenario) -> bool {
    let regions = scenario.clusters.iter().filter_map(|cluster| cluster.region.as_deref());
    let differs = |region: &str| {
        let mut plans = Catalogue::recorded().types().iter();
        plans.any(|plan| plan.price_in(region) != plan.price_in(&scenario.cloud.region))
    };
    regions.into_iter().any(differs)
}
