//! Scenarios for a served cloud: what [`fake_linode::http::Server`] asks of who knows them.

use crate::catalogue;

use fake_linode::Fault;
use fake_linode::http::{Beginning, Latency, Source};
use fake_linode::settings::TokenSettings;
use lkesim_lke::Design;
use lkesim_runtime::Seed;
use lkesim_scenario::client::TOKEN;
use lkesim_scenario::{Diagnostics, Scenario};
use lkesim_sim::Plan;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

/// The token where none is named.
pub const USUAL_TOKEN: &str = "fake-token";

/// The design whose tags claimed Linodes of `start` bear, where the scenario names none.
const USUAL_DESIGN: &str = "documented";

/// The scenario of a server that is given none. What it asks for is not played.
pub const NO_SCENARIO: &str = "about: A cloud that is served\nworkload: [create: {claims: 1, type: g6-standard-1}]\n";

/// A scenario that is served, and what the command line sets beside it.
pub struct Served {
    scenario: RefCell<Scenario>,
    /// Laid over a scenario that takes the place of the first, too.
    sets: Vec<String>,
    tokens: Vec<String>,
    seed: u64,
    epoch: Option<u64>,
    /// Whether calls take as long as the scenario says.
    with_latency: bool,
    /// Where snapshots are kept.
    snapshot: Option<PathBuf>,
}

impl Served {
    /// Serves this scenario, over which `sets` were laid already, to the holders of these tokens, or of the scenario's
    /// own.
    pub fn new(scenario: Scenario, sets: Vec<String>, tokens: Vec<String>, seed: u64) -> Served {
        Served {
            scenario: RefCell::new(scenario),
            sets,
            tokens,
            seed,
            epoch: None,
            with_latency: false,
            snapshot: None,
        }
    }

    /// The same, with a file for snapshots.
    pub fn with_snapshot(self, snapshot: Option<PathBuf>) -> Served {
        Served { snapshot, ..self }
    }

    /// The same with calls that take as long as the scenario says.
    pub fn with_latency(self, with_latency: bool) -> Served {
        Served { with_latency, ..self }
    }

    /// The same with virtual time that begins at this date.
    pub fn from_epoch(self, epoch: Option<u64>) -> Served {
        Served { epoch, ..self }
    }
}

/// The first second of the year 9000. The API writes years of four digits, and the clock goes on from here.
const LAST_DATE: u64 = 221_845_392_000;

/// Reads a date: seconds since 1970, or `now`.
///
/// # Errors
/// What is wrong with it.
#[allow(clippy::disallowed_types, reason = "a client that reckons by the real clock asks for it")]
pub fn epoch(text: &str) -> Result<u64, String> {
    if text == "now" {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        return since.map(|since| since.as_secs()).map_err(|error| error.to_string());
    }
    let seconds = text.parse().ok().filter(|seconds| *seconds <= LAST_DATE);
    seconds.ok_or_else(|| format!("expected seconds since 1970, {LAST_DATE} at the most, or `now`"))
}

fn load(source: &str, text: &str, sets: &[String]) -> Result<Scenario, Diagnostics> {
    lkesim_scenario::load(source, text, sets, &catalogue::known().names())
}

fn told(mistakes: &Diagnostics) -> String {
    mistakes.render(false).trim_end().to_owned()
}

/// The scenario of a server that is given none.
///
/// # Errors
/// Where the overrides make none of it.
pub fn without_scenario(sets: &[String]) -> Result<Scenario, Diagnostics> {
    load("the cloud without a scenario", NO_SCENARIO, sets)
}

/// The design that a scenario names, or the usual one.
fn design(scenario: &Scenario) -> Result<&'static Design, String> {
    let name = scenario.design.as_deref().unwrap_or(USUAL_DESIGN);
    lkesim_lke::design(name).ok_or_else(|| format!("there is no design `{name}`"))
}

fn latency(scenario: &Scenario, seed: Seed) -> Latency {
    let latency = scenario.latency();
    Latency {
        get: latency.get,
        list: latency.list,
        put: latency.put,
        delete: latency.delete,
        create_pool: latency.create_pool,
        post: latency.post,
        seed,
    }
}

impl Source for Served {
    fn begin(&self, text: Option<&str>, seed: Option<u64>) -> Result<Beginning, String> {
        if let Some(text) = text {
            let scenario = load("the scenario", text, &self.sets).map_err(|mistakes| told(&mistakes))?;
            *self.scenario.borrow_mut() = scenario;
        }
        let scenario = self.scenario.borrow();
        if !scenario.catalogue.is_empty() {
            return Err("a `catalogue` is the simulator's alone: the served API has Linode's plans".to_owned());
        }
        let mut plan = Plan::new(&scenario);
        plan.cloud.epoch.0 = self.epoch.unwrap_or(plan.cloud.epoch.0);
        let own = plan
            .cloud
            .tokens
            .iter()
            .map(|token| if &*token.client == TOKEN { USUAL_TOKEN.into() } else { token.client.clone() });
        let tokens: Vec<Arc<str>> = match &self.tokens[..] {
            [] => own.collect(),
            named => named.iter().map(|token| (&**token).into()).collect(),
        };
        let nobody: Arc<str> = "nobody".into();
        plan.cloud.tokens = tokens.iter().chain([&nobody]).map(|token| TokenSettings::new(token.clone())).collect();
        let seed = Seed(seed.unwrap_or(self.seed));
        let cloud = plan.cloud_at_start(seed, design(&scenario)?);
        let latency = self.with_latency.then(|| latency(&scenario, seed));
        Ok(Beginning { cloud, tokens, latency })
    }

    fn keep(&self, snapshot: &[u8]) -> Result<(), String> {
        let path = self.snapshot.as_deref().ok_or("there is no file for it: start the server with --snapshot FILE")?;
        crate::output::write_whole(path, snapshot).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    fn fault(&self, written: &serde_json::Value) -> Result<Fault, String> {
        // JSON is YAML: the fault is read and checked in a scenario that has nothing else.
        let text = format!("{NO_SCENARIO}faults:\n- {written}\n");
        let scenario = load("the fault", &text, &[]).map_err(|mistakes| told(&mistakes))?;
        let fault = scenario.faults.first().ok_or("expected one fault")?;
        Ok(lkesim_sim::fault(0, fault))
    }
}
