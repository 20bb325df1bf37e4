//! What a design leaves open to whoever runs it.

use std::time::Duration;

/// A design's settings. Where the design document gives a value, that is the default; the rest is as shipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSettings {
    /// How long Create looks for a Linode before it gives up, checked at the top of each attempt.
    /// Design document: `DefaultCreateDeadline`; its value, 10 s, is that of provider e1c5200 lke.go:45.
    pub create_deadline: Duration,
    /// The sleep between attempts, outside the lock. Design document, "Claim-or-scale loop": 2 s (its diagram says 200 ms).
    pub retry_delay: Duration,
    /// How long Create reads a Linode back until it shows the written tag. Design document, diagram: 5 s.
    pub verify_timeout: Duration,
    /// The sleep between two such reads, with the lock held. Design document, diagram: 1 s.
    pub verify_every: Duration,
    /// The age from which a Linode without an owner is an orphan. Design document, "Delete + orphan capacity": 5 min.
    pub orphan_ttl: Duration,
    /// The time between two collections of orphans, for the first [`Self::gc_passes_at_start`]. Provider e1c5200
    /// garbagecollection/controller.go:89: 10 s.
    pub gc_every_at_start: Duration,
    /// How many successful collections follow each other quickly. Same place: 20.
    pub gc_passes_at_start: u32,
    /// The time between two later collections. Same place: 2 min.
    pub gc_every: Duration,
    /// How long Get answers from memory. Provider e1c5200 cache.go:26: 60 s.
    pub instance_cache: Duration,
    /// The time between two refreshes of types and their availability. Design document, "Plan availability": 5 min.
    pub offerings_every: Duration,
    /// How long a plan that LKE refused counts as unavailable. Provider e1c5200 cache.go:29: 3 min.
    pub unavailable_for: Duration,
    /// The status under which a rejected pool creation is read for the words that say "sold out". The design document
    /// speaks of 400 alone ("Plan unavailable on pool creation"); third parties report 403.
    pub sold_out_status: u16,
    /// What Delete reports where its list of LKE pools fails otherwise than by a status that is to be retried: by another
    /// status, or a timeout, which has none.
    pub delete_lookup_failure: LookupFailure,
}

/// What an operation says when it could not look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupFailure {
    /// That the Linode does not exist, as provider e1c5200 does.
    NotFound,
    /// That it failed.
    Error,
}

impl Default for ProviderSettings {
    fn default() -> ProviderSettings {
        ProviderSettings {
            create_deadline: Duration::from_secs(10),
            retry_delay: Duration::from_secs(2),
            verify_timeout: Duration::from_secs(5),
            verify_every: Duration::from_secs(1),
            orphan_ttl: Duration::from_secs(5 * 60),
            gc_every_at_start: Duration::from_secs(10),
            gc_passes_at_start: 20,
            gc_every: Duration::from_secs(2 * 60),
            instance_cache: Duration::from_secs(60),
            offerings_every: Duration::from_secs(5 * 60),
            unavailable_for: Duration::from_secs(3 * 60),
            sold_out_status: 400,
            delete_lookup_failure: LookupFailure::NotFound,
        }
    }
}
