//! What goes wrong with calls of Linode's API.

mod calls;
mod retry_after;

pub use calls::{CALL_NAMES, Calls};
pub use retry_after::RetryAfter;

use crate::value::{Delay, Percent, Range, Span};
use lkesim_linode_api::request::Endpoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// When a fault applies: the call, the time, the count and the chance must all agree.
#[derive(Clone, Copy, Debug)]
pub struct When<'a> {
    /// Which calls.
    pub calls: &'a Calls,
    /// How likely a matching call meets it.
    pub chance: Percent,
    /// Which of the matching calls within its time, counted from 1; all if left out.
    pub nth: Option<Range<u64>>,
    /// From when.
    pub from: Span,
    /// Until when, exclusive; to the end of `duration` if left out.
    pub until: Option<Span>,
}

/// The kinds of faults. Each is a struct of its own fields and of those that say when it applies: flattened ones would
/// let unknown fields pass.
macro_rules! faults {
    ($(
        $(#[$doc:meta])*
        $kind:ident $name:literal: $type:ident as $expecting:literal, calls $($call:literal)? {
            $($(#[$own:meta])* $field:ident: $field_type:ty,)*
        }
    )*) => {
        /// A fault. A call that the rate limit lets pass meets the first fault that matches it.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "snake_case")]
        pub enum Fault {
            $($(#[$doc])* $kind($type),)*
        }

        impl Fault {
            /// The names of all kinds.
            pub const KINDS: &'static [&'static str] = &[$($name),*];

            /// When it applies.
            pub const fn when(&self) -> When<'_> {
                match self {
                    $(Fault::$kind(fault) => When {
                        calls: &fault.call,
                        chance: fault.chance,
                        nth: fault.nth,
                        from: fault.from,
                        until: fault.until,
                    },)*
                }
            }

            /// The name of its kind, as the file writes it.
            pub const fn kind(&self) -> &'static str {
                match self {
                    $(Fault::$kind(_) => $name,)*
                }
            }
        }

        $(
            $(#[$doc])*
            #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
            #[serde(deny_unknown_fields, expecting = $expecting)]
            pub struct $type {
                /// Which calls.
                $(#[serde(default = $call)])?
                pub call: Calls,
                $($(#[$own])* pub $field: $field_type,)*
                /// How likely a matching call meets it.
                #[serde(default = "always")]
                pub chance: Percent,
                /// Which of the matching calls, counted from 1: `3`, `2..5`.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub nth: Option<Range<u64>>,
                /// From when.
                #[serde(default)]
                pub from: Span,
                /// Until when; to the end of `duration` if left out.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub until: Option<Span>,
            }
        )*
    };
}

faults! {
    /// The call is answered with an error and changes nothing.
    Refuse "refuse": Refuse as "a map with at least `call`", calls {
        /// The HTTP status, 400 to 599.
        #[serde(default = "unavailable")]
        status: u16,
        /// The text of the error. With status 400, `Linode busy.` is what the SDK asks again after.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The header `Retry-After`: whole seconds, `none`, or a `date`, which the SDK can't read; left out, the time
        /// to the end of the rate limit's window.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        retry_after: Option<RetryAfter>,
        /// The body; left out, a list with the one reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        body: Option<Body>,
        /// Whether the header `X-Maintenance-Mode` is there, which keeps the SDK from retrying a 503.
        #[serde(default)]
        maintenance: bool,
    }
    /// The change is made at once, and its answer comes later. One that comes after the SDK's limit of 10 s is lost.
    Delay "delay": Slow as "a map with at least `call` and `by`", calls {
        /// How much later.
        by: Delay,
    }
    /// The change is made, and its answer is lost.
    Lose "lose": Lose as "a map with at least `call`", calls {}
    /// The call is carried out twice, as when a proxy sends it again, and answered as the second time.
    Twice "twice": Twice as "a map with at least `call`", calls {}
    /// A read is answered as it would have been some time ago.
    Stale "stale": Stale as "a map with at least `call` and `age`", calls {
        /// How long ago.
        age: Span,
    }
    /// A list lacks entries that it should show.
    Partial "partial": Partial as "a map with at least `call`", calls {
        /// How likely each entry is missing. Left out, `50%`, unless `keep` says what is missing.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missing: Option<Percent>,
        /// The list breaks off after so many entries, in place of `missing`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        keep: Option<u32>,
    }
    /// A list shows an entry twice: the last of a page again on the next, or the first of a single page at its end.
    Double "double": Double as "a map with at least `call`", calls {}
    /// The API is down for maintenance: 503 with the header `X-Maintenance-Mode`, at which the SDK does not ask again.
    Maintenance "maintenance": Maintenance as "a map, which may be empty", calls "any" {}
    /// The change is made, and the body of its answer breaks off: the SDK returns an error without a status.
    Garble "garble": Garble as "a map with at least `call`", calls {}
}

/// The body of an error that names no reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Body {
    /// JSON that lists no reason, which linodego takes for a success: an empty list, a Linode without id.
    Empty,
    /// The HTML page of the nginx before the API. linodego asks again after one of status 400.
    NginxPage,
    /// What can't be read, so that the status is lost.
    Garbled,
}

impl Fault {
    /// Whether a call of this endpoint can meet it.
    pub const fn bears(&self, endpoint: Endpoint) -> bool {
        match self {
            Fault::Stale(_) => endpoint.is_read(),
            Fault::Partial(_) | Fault::Double(_) => endpoint.is_list(),
            _ => true,
        }
    }
}

fn always() -> Percent {
    Percent::ALWAYS
}

impl Partial {
    /// How likely each entry is missing where the list does not break off.
    pub fn missing(&self) -> Percent {
        self.missing.unwrap_or(Percent::from_ppm(500_000))
    }
}

fn any() -> Calls {
    Calls::Any
}

fn unavailable() -> u16 {
    503
}
