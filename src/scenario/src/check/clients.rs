//! Checks of other clients and their tokens.

use super::Checker;
use crate::client::{RESERVED, is_modelled};
use crate::fault::Calls;
use crate::path::Path;
use std::collections::BTreeSet;

/// The most clients of a scenario.
const MOST: usize = 20;

/// The most calls that one client makes in a run.
const MOST_CALLS: u128 = 1_000_000;

/// A client may not ask more often: beyond it a run would have nothing but such calls.
const LEAST_MICROS_A_CALL: u128 = 1_000;

impl Checker<'_> {
    pub(super) fn clients(&mut self) {
        let scenario = self.scenario;
        self.object_name(Path::default().key("karpenter").key("token"), &scenario.karpenter.token, 63);
        let path = Path::default().key("clients");
        if scenario.clients.len() > MOST {
            self.wrong(path.clone(), format!("found {} clients; expected at most {MOST}", scenario.clients.len()));
        }
        let mut names = BTreeSet::new();
        for (index, client) in scenario.clients.iter().enumerate().take(MOST) {
            let path = path.index(index);
            self.object_name(path.key("name"), &client.name, 63);
            if RESERVED.contains(&client.name.as_str()) {
                self.wrong(path.key("name"), format!("`{}` is the name of another client in reports", client.name));
            }
            if !names.insert(&client.name) {
                let name = crate::decode::shortened(&client.name);
                self.wrong(path.key("name"), format!("the client `{name}` stands twice"));
            }
            self.object_name(path.key("token"), &client.token, 63);
            if let Calls::Of(endpoints) = &client.calls {
                if endpoints.is_empty() {
                    self.wrong(path.key("calls"), "the list is empty; expected names of calls, or `any`");
                }
                for endpoint in endpoints.iter().filter(|endpoint| !is_modelled(**endpoint)) {
                    let does = if endpoint.is_read() { "reads what no design reads" } else { "changes something" };
                    let message = format!(
                        "`{}` {does}, which is not modelled of another client; expected reads alone",
                        endpoint.name()
                    );
                    self.wrong(path.key("calls"), message);
                }
            }
            self.span(path.key("rate"), client.rate.window, false);
            if client.rate.window.get().as_micros() < LEAST_MICROS_A_CALL * u128::from(client.rate.calls) {
                self.wrong(path.key("rate"), format!("{} is too often; expected at most 1000 a second", client.rate));
            }
            let ends = client.until.unwrap_or(scenario.duration).get();
            let micros = ends.saturating_sub(client.from.get()).as_micros();
            let calls = micros * u128::from(client.rate.calls) / client.rate.window.get().as_micros().max(1);
            if calls > MOST_CALLS {
                let message = format!("{} makes {calls} calls; expected at most {MOST_CALLS} in a run", client.rate);
                self.wrong(path.key("rate"), message);
            }
            self.span(path.key("from"), client.from, true);
            if let Some(until) = client.until {
                self.span(path.key("until"), until, true);
                if until <= client.from {
                    let message = format!("{until} is not after `from` ({})", client.from);
                    self.wrong(path.key("until"), message);
                }
            } else if client.from >= scenario.duration {
                let message = format!(
                    "{} is not before the end of `duration` ({}), where a client without `until` stops",
                    client.from, scenario.duration
                );
                self.wrong(path.key("from"), message);
            }
        }
    }
}
