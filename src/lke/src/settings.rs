//! What a design leaves open to whoever runs it, and where each value comes from.

mod fact;

pub use fact::{SettingFact, SettingValue};

use std::time::Duration;

/// The settings of all designs. Each design reads those that its table of [`SettingFact`]s lists, and has its own
/// defaults; a scenario that sets another one is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderSettings {
    /// How long Create looks for a Linode before it gives up, checked at the top of each attempt.
    pub create_deadline: Duration,
    /// The sleep between attempts, outside the lock.
    pub retry_delay: Duration,
    /// How long Create reads a Linode back until it shows the written tag.
    pub verify_timeout: Duration,
    /// The sleep between two such reads, with the lock held.
    pub verify_every: Duration,
    /// The age from which a Linode without an owner is an orphan.
    pub orphan_ttl: Duration,
    /// The time between two collections of orphans, for the first [`Self::gc_passes_at_start`].
    pub gc_every_at_start: Duration,
    /// How many successful collections follow each other quickly.
    pub gc_passes_at_start: u32,
    /// The time between two later collections.
    pub gc_every: Duration,
    /// How long Get answers from memory.
    pub instance_cache: Duration,
    /// The time between two refreshes of types and their availability.
    pub offerings_every: Duration,
    /// How long a plan that LKE refused counts as unavailable.
    pub unavailable_for: Duration,
    /// The time between two looks for marks of unavailability whose time is over. Until then types keep them.
    pub unavailable_swept_every: Duration,
    /// How long the list of types, whose order Go's maps leave to chance, and each type's offerings are kept.
    pub types_cache: Duration,
    /// For how many regions the offerings of a type are made where they are not remembered, with one GetType each; 0
    /// where prices come from the list of types.
    pub offering_regions: u32,
    /// The status under which a rejected pool creation is read for the words that say "sold out".
    pub sold_out_status: u16,
    /// What Delete reports where its list of LKE pools fails otherwise than by a status that is to be retried: by
    /// another status, or a timeout, which has none.
    pub delete_lookup_failure: LookupFailure,
    /// Where garbage collection looks for orphans.
    pub orphans_by: OrphansBy,
    /// Which of several nodeclaim tags of one Linode name its owner to the collection of orphans.
    pub owner_tags: OwnerTags,
}

/// Where garbage collection looks for orphans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrphansBy {
    /// In what List shows, as provider e1c5200 does: a Linode without the managed tag is overlooked.
    List,
    /// Among the nodes of each managed LKE pool, each of which is read.
    Pool,
}

/// What an operation says when it could not look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupFailure {
    /// That the Linode does not exist, as provider e1c5200 does.
    NotFound,
    /// That it failed.
    Error,
}

/// Which of a Linode's nodeclaim tags name its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnerTags {
    /// The first in the list of its tags.
    First,
    /// Any of them.
    Any,
}

impl ProviderSettings {
    /// The values of provider e1c5200, which are those of v0.1.3; designs begin with them. Where they stand is in the
    /// designs' tables.
    pub const UPSTREAM: ProviderSettings = ProviderSettings {
        create_deadline: Duration::from_secs(10),
        retry_delay: Duration::from_secs(2),
        verify_timeout: Duration::from_secs(4),
        verify_every: Duration::from_secs(2),
        orphan_ttl: Duration::from_secs(30),
        gc_every_at_start: Duration::from_secs(10),
        gc_passes_at_start: 20,
        gc_every: Duration::from_secs(2 * 60),
        instance_cache: Duration::from_secs(60),
        offerings_every: Duration::from_secs(12 * 60 * 60),
        unavailable_for: Duration::from_secs(3 * 60),
        unavailable_swept_every: Duration::from_secs(10),
        types_cache: Duration::from_secs(5 * 60),
        offering_regions: 0,
        sold_out_status: 400,
        delete_lookup_failure: LookupFailure::NotFound,
        orphans_by: OrphansBy::List,
        owner_tags: OwnerTags::First,
    };
}
