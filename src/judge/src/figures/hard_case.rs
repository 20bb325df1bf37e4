//! Hard cases: situations that a test may need to have occurred, or it has shown nothing.

use std::collections::BTreeMap;

/// A situation that is hard for a design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "HARD_CASES gives each its meaning")]
pub enum HardCase {
    Throttled,
    AnswerLost,
    AnswerDelayed,
    CallRefusedByFault,
    CallMadeTwice,
    AnswerStale,
    AnswerUnreadable,
    AnswerEmpty,
    MaintenanceMet,
    ListCut,
    ListEntryDoubled,
    EditedByHand,
    ListPaged,
    SlotWithoutId,
    ClaimWaited,
    VerifyNeededAgain,
    CreateRepeated,
    CreateTimedOut,
    CreateInterrupted,
    CreatesOverlapped,
    CapacityMissing,
    PoolRaced,
    PoolDeleted,
    TagOverwritten,
    TagDoubled,
    ClaimDeletedInCreate,
    ClaimTimedOut,
    LinodeUnclaimed,
    LinodeNeverHeld,
    OrphanDeleted,
    ProcessRestarted,
    GateShut,
    PoolRefusedUnrecognized,
    NodeLabelsMissing,
    NodeLabelsForeign,
    PodBound,
    PodHadNoRoom,
    PodPreempted,
}

/// Every hard case: its name in `sometimes`, and what it means.
pub const HARD_CASES: [(HardCase, &str, &str); 38] = [
    (HardCase::Throttled, "throttled", "a rate limit refused a call"),
    (HardCase::AnswerLost, "answer_lost", "a call ended without an answer, so its change may have been made"),
    (HardCase::AnswerDelayed, "answer_delayed", "an answer came after 5 s or more, half of what linodego waits"),
    (HardCase::CallRefusedByFault, "call_refused_by_fault", "a fault made the API answer with an error"),
    (
        HardCase::CallMadeTwice,
        "call_made_twice",
        "a call was carried out twice by a fault, and the second time changed something",
    ),
    (HardCase::AnswerStale, "answer_stale", "a read was answered as of an earlier time, otherwise than at present"),
    (HardCase::AnswerUnreadable, "answer_unreadable", "an answer came that the client could not read"),
    (HardCase::AnswerEmpty, "answer_empty", "an error without reasons was taken for success"),
    (HardCase::MaintenanceMet, "maintenance_met", "a call was refused because of maintenance"),
    (HardCase::ListCut, "list_cut", "a list lacked entries that it should show"),
    (HardCase::ListEntryDoubled, "list_entry_doubled", "a list showed an entry twice"),
    (HardCase::EditedByHand, "edited_by_hand", "another client than Karpenter changed something in the account"),
    (HardCase::ListPaged, "list_paged", "a list of pools or Linodes had more than one page"),
    (HardCase::SlotWithoutId, "slot_without_id", "a pool was read that had fewer Linodes to show than its count"),
    (HardCase::ClaimWaited, "claim_waited", "a Create needed a second attempt"),
    (HardCase::VerifyNeededAgain, "verify_needed_again", "a tag was not there when first read back"),
    (HardCase::CreateRepeated, "create_repeated", "a Create ran for a NodeClaim that had one before"),
    (HardCase::CreateTimedOut, "create_timed_out", "a Create gave up with reason NodePoolProvisioning"),
    (HardCase::CreateInterrupted, "create_interrupted", "the process died within a Create"),
    (
        HardCase::CreatesOverlapped,
        "creates_overlapped",
        "a Create began while another ran for the same NodePool and the same allowed types",
    ),
    (HardCase::CapacityMissing, "capacity_missing", "a Create returned that no offering is left"),
    (HardCase::PoolRaced, "pool_raced", "a pool's creation was sent while another of the same key was under way"),
    (HardCase::PoolDeleted, "pool_deleted", "a managed pool was deleted"),
    (HardCase::TagOverwritten, "tag_overwritten", "a Linode's nodeclaim tag gave way to another NodeClaim's"),
    (HardCase::TagDoubled, "tag_doubled", "a Linode came to bear the nodeclaim tags of two NodeClaims"),
    (HardCase::ClaimDeletedInCreate, "claim_deleted_in_create", "a NodeClaim was deleted while its Create ran"),
    (
        HardCase::ClaimTimedOut,
        "claim_timed_out",
        "Karpenter gave up a NodeClaim that was not initialized, and not for want of capacity",
    ),
    (HardCase::LinodeUnclaimed, "linode_unclaimed", "a managed Linode had no live holder for 5 min, the orphan TTL"),
    (HardCase::LinodeNeverHeld, "linode_never_held", "a managed Linode was deleted that no NodeClaim ever held"),
    (HardCase::OrphanDeleted, "orphan_deleted", "garbage collection deleted a Linode"),
    (HardCase::ProcessRestarted, "process_restarted", "Karpenter's process started again"),
    (
        HardCase::GateShut,
        "gate_shut",
        "Karpenter provisioned and disrupted nothing for a minute, as a NodeClaim had no providerID",
    ),
    (
        HardCase::PoolRefusedUnrecognized,
        "pool_refused_unrecognized",
        "a pool's creation was refused with 400 in other words than that the plan is sold out, which designs log",
    ),
    (
        HardCase::NodeLabelsMissing,
        "node_labels_missing",
        "a Node lacked a label or taint of its NodeClaim's template up to its registration",
    ),
    (
        HardCase::NodeLabelsForeign,
        "node_labels_foreign",
        "a Node was registered with a label or taint of its LKE pool that its NodeClaim does not have, and keeps it",
    ),
    (HardCase::PodBound, "pod_bound", "a pod that was made in the run got its Node"),
    (HardCase::PodHadNoRoom, "pod_had_no_room", "Karpenter said of a pod that no node can be had for it"),
    (HardCase::PodPreempted, "pod_preempted", "the scheduler evicted a pod for one of higher priority"),
];

/// How often each hard case occurred.
#[derive(Clone, Debug)]
pub struct HardCases([u64; HARD_CASES.len()]);

impl Default for HardCases {
    fn default() -> HardCases {
        HardCases([0; HARD_CASES.len()])
    }
}

impl HardCases {
    /// It occurred.
    #[inline]
    pub fn hit(&mut self, case: HardCase) {
        self.0[case as usize] += 1;
    }

    /// It occurred so many times.
    pub fn add(&mut self, case: HardCase, times: u64) {
        self.0[case as usize] += times;
    }

    /// How often it occurred.
    pub fn of(&self, case: HardCase) -> u64 {
        self.0[case as usize]
    }

    /// By name, with those that never occurred.
    pub fn into_map(self) -> BTreeMap<String, u64> {
        let counts = HARD_CASES.iter().zip(self.0);
        counts.map(|((_, name, _), count)| ((*name).to_owned(), count)).collect()
    }
}
