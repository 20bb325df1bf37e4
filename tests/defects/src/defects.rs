//! The defects, one decision each, and designs that differ and are right.

mod absence;
mod collection;
mod counts;
mod locks;
mod pools;
mod removal;
mod tagging;
mod taking;
mod variants;

use crate::careful::{self, Process, Right};
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_lke::{Context, Design, Provider, tags};
use std::rc::Rc;

/// A design of the suite.
pub struct Entry {
    /// The design.
    pub design: Design,
    /// Whether it is right.
    pub is_right: bool,
    /// Of a defect: a seed of `general` that breaks this invariant.
    pub pinned: Option<(u64, &'static str)>,
}

/// The careful design with these steps.
const fn with(name: &'static str, about: &'static str, build: fn(Rc<Context>) -> Rc<dyn Provider>) -> Design {
    Design {
        summary: about,
        about,
        settings: careful::SETTINGS,
        defaults: careful::DEFAULTS,
        build,
        budgets: &[],
        facts: DesignFacts {
            name,
            not_promised: &[],
            sdk: careful::SDK,
            wished: &[],
            claim_tag_prefix: "karpenter.sh/nodeclaim=",
            claim_tag: |name| tags::of_node_claim(name).to_string(),
            owned_tags: |owned| vec![tags::of_node_claim(owned.claim_name).to_string()],
        },
    }
}

macro_rules! entries {
    (
        right { $($right:literal: $right_steps:ty, $right_about:literal;)* }
        defects { $($name:literal: $steps:ty, $about:literal, $pinned:expr;)* }
    ) => {
        /// All of them: the careful design, its variants, the defects.
        pub static ENTRIES: &[Entry] = &[
            $(Entry { design: with($right, $right_about, |cx| Process::build(cx, Rc::new(<$right_steps>::default()))), is_right: true, pinned: None },)*
            $(Entry { design: with($name, $about, |cx| Process::build(cx, Rc::new(<$steps>::default()))), is_right: false, pinned: $pinned },)*
        ];
    };
}

entries! {
    right {
        "careful": Right, "the careful design";
        "newest-first": variants::NewestFirst, "takes the newest of the Linodes that are nobody's";
        "one-lock": variants::OneLock, "has one lock for all keys";
        "two-looks": variants::TwoLooks, "believes that a Linode is there where two looks agree";
    }
    defects {
        "no-lock": locks::NoLock, "Create takes no lock", None;
        "lock-of-claim": locks::LockOfClaim, "each NodeClaim has a lock of its own", None;
        "lock-too-late": locks::LockTooLate, "the ledger is read before the lock is had", None;
        "delete-without-lock": locks::DeleteWithoutLock, "Delete takes no lock", None;
        "lease-not-asked": locks::LeaseNotAsked, "a write does not ask whether the lease is held and the last write answered", None;
        "count-from-get": counts::CountFromGet, "the count that is raised comes from a GET, which may lag", None;
        "count-from-list": counts::CountFromList, "the count that is raised comes from the list of pools", None;
        "count-of-nodes": counts::CountOfNodes, "the count that is raised is the number of nodes shown", None;
        "count-remembered": counts::CountRemembered, "the count that is raised is remembered for 10 s", None;
        "flag-reset": counts::FlagReset, "each attempt asks for a node, whatever was asked for", None;
        "the-gone-count": counts::TheGoneCount, "who went while it waited is still counted", None;
        "blind-retry": pools::BlindRetry, "a pool that was asked for without an answer is asked for again", None;
        "noted-afterwards": pools::NotedAfterwards, "that a pool is asked for is noted once it is there", None;
        "wrong-clock-of-requests": pools::WrongClockOfRequests, "the age of a request is told by another clock than its time", None;
        "one-list-is-believed": pools::OneListIsBelieved, "one list decides that there is no pool", None;
        "tag-by-prefix": pools::TagByPrefix, "the NodePool's tag is compared by its beginning", None;
        "any-plan": pools::AnyPlan, "a pool of any type serves a key", None;
        "status-unread": taking::StatusUnread, "a dying Linode is taken for a living one", None;
        "look-remembered": taking::LookRemembered, "a Linode that was seen is not looked at again for 30 s", None;
        "ledger-remembered": taking::LedgerRemembered, "the ledger is remembered for 5 s", None;
        "claims-from-the-cache": taking::ClaimsFromTheCache, "NodeClaims are read from the informer's cache", None;
        "members-by-tag": taking::MembersByTag, "a pool's members are those whose tags contain its number", None;
        "filter-too-wide": taking::FilterTooWide, "any managed Linode of the type is a member", None;
        "lost-at-one-look": taking::LostAtOneLook, "one look that does not show a Linode ends its record", None;
        "own-record-unread": taking::OwnRecordUnread, "Create does not look for what an earlier one recorded", None;
        "tag-error-ignored": tagging::TagErrorIgnored, "whether the nodeclaim tag was written does not matter", None;
        "tags-of-an-old-reading": tagging::TagsOfAnOldReading, "tags are added to those that a lagging GET showed", None;
        "other-names-kept": tagging::OtherNamesKept, "another NodeClaim's tag is kept", None;
        "tag-on-the-pool": tagging::TagOnThePool, "a new pool bears a NodeClaim's tag", None;
        "label-for-id": tagging::LabelForId, "the providerID has the label in place of the id", None;
        "error-is-absence": absence::ErrorIsAbsence, "any error of a GET says that a Linode is absent", None;
        "list-leaves-out": absence::ListLeavesOut, "List leaves out what could not be read", None;
        "list-for-get": absence::ListForGet, "List answers with a list, where each Linode ought to be asked for", None;
        "asked-is-gone": removal::AskedIsGone, "a deletion that was asked for counts as accepted", None;
        "one-question": removal::OneQuestion, "a Linode that no pool shows is gone", None;
        "by-count": removal::ByCount, "Delete lowers the count by one", None;
        "last-of-an-old-reading": removal::LastOfAnOldReading, "the last node of an old reading takes the pool with it", None;
        "never-gone": removal::NeverGone, "that a Linode is gone is never believed", None;
        "no-second-look": collection::NoSecondLook, "an orphan is deleted without another look", None;
        "spares-the-tagged": collection::SparesTheTagged, "a Linode with a nodeclaim tag is never an orphan", None;
        "wrong-clock-of-orphans": collection::WrongClockOfOrphans, "the age of an orphan is told by another clock than its creation", None;
        "ledgers-pools-alone": collection::LedgersPoolsAlone, "garbage collection looks into the ledger's pools alone", None;
        "tagged-pools-alone": collection::TaggedPoolsAlone, "garbage collection looks into pools with Karpenter's tags alone", None;
        "never-sweeps": collection::NeverSweeps, "a node whose Linode is gone stays", None;
    }
}

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.design.facts.name == name)
}
