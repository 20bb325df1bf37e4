//! The defects, one decision each, and designs that differ and are right.

mod absence;
mod collection;
mod counts;
mod locks;
mod pods;
mod pools;
mod removal;
mod tagging;
mod taking;
mod variants;

use crate::careful::{self, Process, Right};
use lkesim_linode_api::design_facts::DesignFacts;
use lkesim_lke::{Care, Context, Design, Provider, tags};
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
        node_classes: Care::AS_SHIPPED,
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
        "longer-doubt": variants::LongerDoubt, "waits twice as long for a pool whose request was not answered";
    }
    defects {
        "no-lock": locks::NoLock, "Create takes no lock", Some((6, "no-lost-scale"));
        "lock-of-claim": locks::LockOfClaim,
            "each NodeClaim has a lock of its own",
            Some((6, "no-lost-scale"));
        "lock-too-late": locks::LockTooLate,
            "ledger and pool are read before the lock is had",
            Some((6, "scale-up-never-shrinks"));
        "delete-without-lock": locks::DeleteWithoutLock,
            "Delete takes no lock",
            Some((74, "gc-spares-the-claimed"));
        "lease-not-asked": locks::LeaseNotAsked,
            "a write does not ask whether the lease is held and the last write answered",
            Some((4836, "no-lost-scale"));
        "count-from-get": counts::CountFromGet,
            "the count that is raised comes from a GET, which may lag",
            Some((18, "no-lost-scale"));
        "count-from-list": counts::CountFromList,
            "the count that is raised comes from the list of pools",
            Some((30, "no-lost-scale"));
        "count-of-nodes": counts::CountOfNodes,
            "the count that is raised is the number of nodes shown",
            Some((4683, "delete-removes-only-its-target"));
        "count-remembered": counts::CountRemembered,
            "the count that is raised is remembered for 10 s",
            None;
        "flag-reset": counts::FlagReset,
            "each attempt asks for a node, whatever was asked for",
            Some((2, "scale-matches-demand"));
        "the-gone-count": counts::TheGoneCount,
            "who went while it waited is still counted",
            Some((74, "scale-matches-demand"));
        "blind-retry": pools::BlindRetry,
            "a pool that was asked for without an answer is asked for again",
            Some((23, "one-pool-per-key"));
        "noted-afterwards": pools::NotedAfterwards,
            "that a pool is asked for is noted once it is there",
            Some((179, "one-pool-per-key"));
        "wrong-clock-of-requests": pools::WrongClockOfRequests,
            "the age of a request is told by another clock than its time",
            Some((179, "one-pool-per-key"));
        "one-list-is-believed": pools::OneListIsBelieved,
            "one list decides that there is no pool",
            Some((3114, "one-pool-per-key"));
        "tag-by-prefix": pools::TagByPrefix,
            "the NodePool's tag is compared by its beginning",
            Some((21, "claim-in-own-pool"));
        "any-plan": pools::AnyPlan,
            "a pool of any type serves a key",
            Some((8, "claim-in-own-pool"));
        "status-unread": taking::StatusUnread,
            "a dying Linode is taken for a living one",
            Some((611, "create-returns-a-living-linode"));
        "look-remembered": taking::LookRemembered,
            "a Linode that was seen is not looked at again for 5 min",
            Some((5638, "create-returns-a-living-linode"));
        "ledger-remembered": taking::LedgerRemembered,
            "the ledger is remembered for 5 s",
            Some((1167, "gc-spares-the-claimed"));
        "claims-from-the-cache": taking::ClaimsFromTheCache,
            "NodeClaims are read from the informer's cache",
            Some((2959, "scale-matches-demand"));
        "members-by-tag": taking::MembersByTag,
            "a pool's members are those whose tags contain its number",
            Some((561, "claim-in-own-pool"));
        "filter-too-wide": taking::FilterTooWide,
            "any managed Linode of the type is a member",
            Some((153, "scale-matches-demand"));
        "lost-at-one-look": taking::LostAtOneLook,
            "one look that does not show a Linode says that it is gone",
            None;
        "own-record-unread": taking::OwnRecordUnread,
            "Create does not look for what an earlier one recorded",
            Some((51, "one-instance-per-claim"));
        "own-tag-unread": taking::OwnTagUnread,
            "Create takes what comes first, also where another Linode bears its NodeClaim's tag",
            Some((19, "one-instance-per-claim"));
        "stored-unread": taking::StoredUnread,
            "that a NodeClaim has stored a Linode is told by its tag",
            Some((898, "one-claim-per-instance"));
        "launch-unread": taking::LaunchUnread,
            "Create does not ask whether another process has launched the NodeClaim",
            Some((30734, "launched-has-provider-id"));
        "other-types-too": taking::OtherTypesToo,
            "a Linode of another type that nobody has is taken before one is asked for",
            Some((8, "claim-in-own-pool"));
        "tag-error-ignored": tagging::TagErrorIgnored,
            "whether the nodeclaim tag was written does not matter",
            Some((166, "claim-tag-survives"));
        "tags-of-an-old-reading": tagging::TagsOfAnOldReading,
            "tags are added to those that a lagging GET showed",
            Some((4, "claim-tag-survives"));
        "other-names-kept": tagging::OtherNamesKept,
            "another NodeClaim's tag is kept",
            Some((278, "state-agrees"));
        "tag-on-the-pool": tagging::TagOnThePool,
            "a new pool bears a NodeClaim's tag",
            Some((1, "no-claim-tag-on-a-pool"));
        "empty-tag-on-the-pool": tagging::EmptyTagOnThePool,
            "a new pool bears a nodeclaim tag without a name",
            Some((1, "no-claim-tag-on-a-pool"));
        "label-for-id": tagging::LabelForId,
            "the providerID has the label in place of the id",
            Some((1, "launched-has-provider-id"));
        "error-is-absence": absence::ErrorIsAbsence,
            "any error of a GET says that a Linode is absent",
            Some((113, "an-error-is-not-absence"));
        "list-leaves-out": absence::ListLeavesOut,
            "List leaves out what could not be read",
            Some((113, "an-error-is-not-absence"));
        "list-for-get": absence::ListForGet,
            "List answers with a list, where each Linode ought to be asked for",
            Some((8712, "an-error-is-not-absence"));
        "asked-is-gone": removal::AskedIsGone,
            "a deletion that was asked for counts as accepted",
            Some((590, "finalizer-after-instance"));
        "one-question": removal::OneQuestion, "a Linode that no pool shows is gone", None;
        "by-count": removal::ByCount,
            "Delete lowers the count by one",
            Some((1, "delete-removes-only-its-target"));
        "last-of-an-old-reading": removal::LastOfAnOldReading,
            "the last node of an old reading takes the pool with it",
            Some((263, "delete-removes-only-its-target"));
        "never-gone": removal::NeverGone,
            "that a Linode is gone is never believed",
            Some((16, "claims-settle"));
        "no-second-look": collection::NoSecondLook,
            "an orphan is deleted without another look",
            Some((1109, "gc-spares-the-claimed"));
        "spares-the-tagged": collection::SparesTheTagged,
            "a Linode with a nodeclaim tag is never an orphan",
            Some((49, "orphans-collected"));
        "wrong-clock-of-orphans": collection::WrongClockOfOrphans,
            "the age of an orphan is told by another clock than its creation",
            Some((4, "orphans-collected"));
        "ledgers-pools-alone": collection::LedgersPoolsAlone,
            "garbage collection looks into the ledger's pools alone",
            Some((230, "orphans-collected"));
        "tagged-pools-alone": collection::TaggedPoolsAlone,
            "garbage collection looks into pools with Karpenter's tags alone",
            Some((2250, "orphans-collected"));
        "never-sweeps": collection::NeverSweeps,
            "a node whose Linode is gone stays",
            Some((226, "state-agrees"));
        "nothing-reserved": pods::NothingReserved,
            "Karpenter is told that pods can use all that a machine has",
            Some((14, "pods-run"));
        "cores-for-threads": pods::CoresForThreads,
            "Karpenter is told half of a plan's vCPUs",
            Some((14, "nodepool-limits-hold"));
        "slow-given-up": pods::SlowGivenUp,
            "who asks for types deletes NodeClaims first whose machines are slow to join",
            Some((13, "provisioner-only-adds"));
        "binds-itself": pods::BindsItself,
            "the provider gives a new node a pod that waits",
            Some((13, "only-the-scheduler-binds"));
    }
}

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.design.facts.name == name)
}
