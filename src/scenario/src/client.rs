//! Other clients of the account, such as a cluster-autoscaler or a monitoring tool, that use up rate limits.

use crate::fault::Calls;
use crate::value::{Rate, Span};
use lkesim_linode_api::request::Endpoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Whether a scenario's client can make the call: a read that the provider makes too, in some design.
pub(crate) const fn is_modelled(endpoint: Endpoint) -> bool {
    endpoint.is_read() && endpoint.is_provider() && !endpoint.is_wished()
}

/// The name of the token of whoever names none.
pub const TOKEN: &str = "main";

/// The names that reports give to Karpenter and to a person in Linode's console.
pub const RESERVED: [&str; 2] = ["karpenter", "by hand"];

/// A client that reads at a steady rate. Its calls take as long as Karpenter's, and meet the same limits, if it has the
/// same token, and the same faults. It asks for first pages alone, and not again after a refusal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, expecting = "a map with at least `name` and `rate`")]
pub struct Client {
    /// Its name in reports.
    pub name: String,
    /// The token that it uses; whoever names the same one shares its limits.
    #[serde(default = "token", skip_serializing_if = "is_usual_token")]
    pub token: String,
    /// Which calls it makes, in turn: reads alone.
    #[serde(default = "lists")]
    pub calls: Calls,
    /// How many in which time, evenly spread; one HTTP request is one call.
    pub rate: Rate,
    /// From when.
    #[serde(default)]
    pub from: Span,
    /// Until when; to the end of `duration` if left out. A later time goes on into the calm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Span>,
}

impl Client {
    /// The calls that it makes, one after the other.
    pub fn endpoints(&self) -> Vec<Endpoint> {
        match &self.calls {
            Calls::Any => Endpoint::ALL.into_iter().filter(|endpoint| is_modelled(*endpoint)).collect(),
            Calls::Of(endpoints) => endpoints.clone(),
        }
    }
}

/// The token of whoever names none.
pub(crate) fn token() -> String {
    TOKEN.to_owned()
}

pub(crate) fn is_usual_token(token: &str) -> bool {
    token == TOKEN
}

fn lists() -> Calls {
    Calls::Of(vec![Endpoint::ListInstances])
}
