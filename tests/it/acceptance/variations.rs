//! The calls of designs that try one idea on the document's flow, and of the recommendation: each told exactly, in order.

use super::lab::{Setup, TIERS};
use lkesim_linode_api::Tier;
use std::time::Duration;

/// What a design asks for: one Create in an empty cluster, three at once, and the deletion of the first.
fn story(design: &'static str, tier: Tier) -> String {
    // Creates meet only where calls take time.
    let lab = Setup { round_trip: Duration::from_millis(50), ..Setup::new(design, tier) }.build();
    lab.wait(Duration::from_secs(1));
    let mut told = format!("{design} on {tier:?}\n");
    let mut tell = |what: &str, calls: Vec<String>| {
        told.push_str(&format!("\n{what}\n"));
        calls.iter().for_each(|call| told.push_str(&format!("  {call}\n")));
    };
    // A NodeClaim is one of the store's before its Create: a ledger asks for it there.
    ["claim-1", "claim-2", "claim-3", "claim-4"].iter().for_each(|name| lab.store_claim(name, None, None));
    lab.forget();
    let first = lab.create(lab.stored("claim-1")).expect("a Linode").provider_id.id().expect("a Linode");
    tell("one Create in an empty cluster", lab.calls());
    lab.wait(Duration::from_secs(60));
    lab.forget();
    let others = lab.created_at_once(&["claim-2", "claim-3", "claim-4"]);
    tell("three Creates at once", lab.calls());
    let mut all: Vec<u64> = others.into_iter().chain([first]).collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 4, "{design} {tier:?}: a Linode each");
    lab.wait(Duration::from_secs(60));
    lab.forget();
    lab.delete(first).expect("it is deleted");
    tell("Delete of the first", lab.calls());
    told.push_str(&format!("\nLinodes that are left: {}\n", lab.live().len()));
    assert!(!lab.live().contains(&first), "{design} {tier:?}");
    told
}

macro_rules! stories {
    ($($test:ident: $design:literal;)*) => {
        $(
            #[test]
            fn $test() {
                for tier in TIERS {
                    insta::assert_snapshot!(format!("{}_{tier:?}", stringify!($test)), story($design, tier));
                }
            }
        )*
    };
}

stories! {
    pool_per_claim_makes_a_pool_for_each_and_removes_it: "pool-per-claim";
    shared_list_reads_once_for_all_who_wait: "shared-list";
    batched_scale_raises_the_count_once_for_all_who_wait: "batched-scale";
    ledger_writes_each_tag_once_and_reads_none_back: "ledger";
    atomic_claim_neither_looks_nor_reads_back: "atomic-claim";
    membership_with_claims_reads_members_in_place_of_linodes: "membership-with-claims";
    recommended_counts_by_a_write_that_changes_nothing_and_grows_once: "recommended";
}
