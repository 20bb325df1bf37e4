//! The calls that the design document allows an operation, to lay beside what was counted.
//!
//! Source: design document, "Per-function API call budgets": they exclude retries after 429 or 5xx, which a report
//! shows in a column of their own, and requeues, which are runs of their own.

use crate::object::Tier;
use crate::purpose::Operation;
use crate::request::Endpoint;

/// What an operation did in all its runs, as far as its budget depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Runs of the operation.
    pub runs: u64,
    /// Attempts within its loop.
    pub attempts: u64,
    /// Slots with a Linode in the LKE pools that it read.
    pub nodes_scanned: u64,
    /// Linodes whose tags it wrote.
    pub tag_writes: u64,
    /// Pages of pool lists beyond each list's first.
    pub extra_pool_pages: u64,
    /// Pages of instance lists beyond each list's first.
    pub extra_instance_pages: u64,
}

/// A line of the document's budget.
#[derive(Clone, Copy)]
pub struct Budget {
    /// The operation.
    pub operation: Operation,
    /// The tier, or both.
    pub tier: Option<Tier>,
    /// The call.
    pub endpoint: Endpoint,
    /// A call that may stand in its place: the line then allows one of the two.
    pub or: Option<Endpoint>,
    /// The line in words.
    pub text: &'static str,
    /// The most calls for this work.
    pub calls: fn(&Work) -> u64,
    /// Why there may be fewer; empty where nothing is known to make it.
    pub fewer: &'static str,
    /// Why there may be more; empty where nothing is known to make it.
    pub over: &'static str,
}

impl Budget {
    /// A line for one call.
    pub const fn line(
        operation: Operation,
        tier: Option<Tier>,
        endpoint: Endpoint,
        text: &'static str,
        calls: fn(&Work) -> u64,
    ) -> Budget {
        Budget { operation, tier, endpoint, or: None, text, calls, fewer: "", over: "" }
    }

    /// The same, where another call may stand in its place.
    pub const fn or(self, endpoint: Endpoint) -> Budget {
        Budget { or: Some(endpoint), ..self }
    }

    /// The same, with the reason why there may be fewer.
    pub const fn fewer(self, why: &'static str) -> Budget {
        Budget { fewer: why, ..self }
    }

    /// The same, with the reason why there may be more.
    pub const fn over(self, why: &'static str) -> Budget {
        Budget { over: why, ..self }
    }

    /// Whether the line allows this call of this operation in this tier.
    pub fn allows(&self, operation: Operation, tier: Tier, endpoint: Endpoint) -> bool {
        let of_tier = self.tier.is_none_or(|own| own == tier);
        self.operation == operation && of_tier && (self.endpoint == endpoint || self.or == Some(endpoint))
    }
}
