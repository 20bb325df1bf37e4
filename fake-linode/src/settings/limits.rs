//! The rate limits.

use lkesim_linode_api::RateClass;
use std::time::Duration;

/// The rate limits, one a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// `GET` of a paginated collection: 200 a minute. *Documented* (design document, "Relevant rate limits and client
    /// behavior").
    pub list: Limit,
    /// Everything else: 1600 a minute. *Documented*, as above.
    pub other: Limit,
    /// Creating a Linode: 20 in 15 s. *Documented*, as above.
    pub create_instance: Limit,
    /// What a window is kept for. *Documented* as the token.
    pub scope: LimitScope,
    /// The class of a pool's creation. *Unknown* whether it counts as creating a Linode.
    pub create_lke_pool: RateClass,
}

/// A number of calls in a window that opens with the first of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The calls that one window admits.
    pub count: u32,
    /// The window's length.
    pub window: Duration,
    /// What `X-RateLimit-Limit` says, which need not be what is enforced. *Measured*: 1840 since 2025-07, on lists too.
    pub header: u32,
}

/// What a window is kept for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitScope {
    /// Each token and class.
    Token,
    /// Each token and endpoint.
    Endpoint,
}

impl Limits {
    /// The limits as documented.
    pub const fn documented() -> Limits {
        Limits {
            list: Limit::new(200, 60, 1_840),
            other: Limit::new(1_600, 60, 1_840),
            create_instance: Limit::new(20, 15, 20),
            scope: LimitScope::Token,
            create_lke_pool: RateClass::Other,
        }
    }

    /// The limit of a class.
    pub const fn of(&self, class: RateClass) -> &Limit {
        match class {
            RateClass::List => &self.list,
            RateClass::Other => &self.other,
            RateClass::CreateInstance => &self.create_instance,
        }
    }
}

impl Limit {
    const fn new(count: u32, secs: u64, header: u32) -> Limit {
        Limit { count, window: Duration::from_secs(secs), header }
    }
}
