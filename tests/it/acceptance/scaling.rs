//! When Create asks for more nodes.

use super::calls::{LIST_POOLS, attempt, claimed, create_pool, discovery, get, lookup, put, scanned_to};
use super::lab::{ALL, Lab, PLAN, Setup, TIERS, claim, each};
use lkesim_linode_api::{LkePoolId, Tier};
use lkesim_runtime::Quantiles;
use std::time::Duration;

/// Another count of the pool that is there first.
fn count(count: u64) -> String {
    format!(r#"PUT /lke/clusters/1/pools/101 {{"count":{count}}}"#)
}

#[test]
fn where_all_are_taken_the_count_is_raised_by_one() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (_, ids) = lab.place(&[&["karpenter.sh/nodeclaim=claim-2"]]);
            assert_eq!(lab.created("claim-1"), 1_002, "{design} {tier:?}");
            let scan = |ids: &[u64]| -> Vec<String> {
                let reads = ids.iter().map(|&id| get(id));
                let reads = reads.filter(|_| tier == Tier::Standard);
                [LIST_POOLS.to_owned(), discovery(design, tier, 101)].into_iter().chain(reads).collect()
            };
            let mut wanted = vec![lookup("claim-1")];
            wanted.extend(scan(&ids));
            wanted.push(count(2));
            wanted.extend(scan(&[ids[0], 1_002]));
            let tags = claimed(tier, 101, &["karpenter.sh/nodeclaim=claim-1"]);
            wanted.extend([put(1_002, &tags), get(1_002)]);
            assert_eq!(lab.calls(), wanted, "{design} {tier:?}");
        }
    }
}

#[test]
fn claims_of_one_key_share_a_pool() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            assert_eq!(lab.created("claim-1"), 1_001, "{design} {tier:?}");
            for (name, taken) in [("claim-2", 1_001), ("claim-3", 1_002)] {
                lab.forget();
                let (before, id) = (lab.members(LkePoolId(101)), taken + 1);
                assert_eq!(lab.created(name), id, "{design} {tier:?}");
                let look = || [LIST_POOLS.to_owned(), discovery(design, tier, 101)];
                let all_taken = before.iter().filter(|_| tier == Tier::Standard).map(|id| get(*id));
                let grow = count(before.len() as u64 + 1);
                let tags = claimed(tier, 101, &[&format!("karpenter.sh/nodeclaim={name}")]);
                let mut wanted = vec![lookup(name)];
                wanted.extend(look().into_iter().chain(all_taken).chain([grow]));
                wanted.extend(look().into_iter().chain(scanned_to(&lab, tier, LkePoolId(101), id)));
                wanted.extend([put(id, &tags), get(id)]);
                assert_eq!(lab.calls(), wanted, "{design} {tier:?} {name}");
            }
            assert_eq!(lab.cloud.borrow().lke_pools().len(), 1, "{design} {tier:?}");
        }
    }
}

/// How often Create asks for a Linode that stays unseen: its flags last for the whole Create, or for an attempt.
/// Attempts begin at 0, 2, 4, 6 and 8 s.
#[test]
fn shipped_scales_in_each_attempt() {
    let tier = Tier::Enterprise;
    for (design, scales) in each(false, false, true) {
        let mut setup = Setup::new(design, tier);
        setup.cloud.lags.instance_list = Quantiles::constant(Duration::from_secs(60));
        let lab = setup.build();
        let error = lab.create(claim("claim-1")).expect_err("nothing shows");
        assert!(error.to_string().to_lowercase().contains("timed out"), "{design}: {error}");
        let look = || discovery(design, tier, 101);
        let mut wanted = vec![lookup("claim-1"), LIST_POOLS.to_owned(), create_pool(design, tier), look()];
        for attempt in 2..=5 {
            wanted.extend([LIST_POOLS.to_owned(), look()]);
            wanted.extend(scales.then(|| count(attempt)));
        }
        assert_eq!(lab.calls(), wanted, "{design}");
        let made = if scales { 1_001..=1_005 } else { 1_001..=1_001 };
        assert_eq!(lab.live(), made.collect::<Vec<_>>(), "{design}");
    }
}

/// A slot without a Linode: the document and v0.1.3 wait for it, shipped asks for another node.
#[test]
fn a_slot_without_a_linode_is_waited_for_but_not_by_shipped() {
    let tier = Tier::Standard;
    for (design, scales) in each(false, false, true) {
        let mut setup = Setup::new(design, tier);
        setup.cloud.lags.slot_id = Quantiles::constant(Duration::from_secs(3));
        let lab = setup.build();
        let (lke_pool, ids) = lab.place(&[&["karpenter.sh/nodeclaim=claim-2"]]);
        assert_eq!(lab.created("claim-1"), 1_002, "{design}");
        let look = || [LIST_POOLS.to_owned(), discovery(design, tier, 101), get(ids[0])];
        let mut wanted = vec![lookup("claim-1")];
        wanted.extend(look().into_iter().chain([count(2)]));
        wanted.extend(look());
        wanted.extend(scales.then(|| count(3)));
        // The slot that shipped asked for last has no Linode before the call that looks, and one by now.
        wanted.extend(attempt(&lab, design, tier, lke_pool, 1_002).into_iter().filter(|call| *call != get(1_003)));
        wanted.push(get(1_002));
        assert_eq!(lab.calls(), wanted, "{design}");
        assert_eq!(lab.live().len(), if scales { 3 } else { 2 }, "{design}");
    }
}

#[test]
fn another_type_is_another_pool() {
    for design in ALL {
        let lab = Lab::new(design, Tier::Standard);
        lab.created("claim-1");
        let mut other = claim("claim-2");
        let mut spec = (*other.spec).clone();
        spec.requirements[0].values = vec!["g6-standard-4".into()].into();
        other.spec = spec.into();
        lab.forget();
        lab.create(other).expect("a Linode");
        let tier = Tier::Standard;
        let tags = claimed(tier, 102, &["karpenter.sh/nodeclaim=claim-2"]);
        let make = create_pool(design, tier).replace(PLAN, "g6-standard-4");
        let start = [lookup("claim-2"), LIST_POOLS.to_owned(), make, discovery(design, tier, 102)];
        let end = [get(1_002), put(1_002, &tags), get(1_002)];
        assert_eq!(lab.calls(), start.into_iter().chain(end).collect::<Vec<_>>(), "{design}");
        let cloud = lab.cloud.borrow();
        let plans: Vec<String> = cloud.lke_pools().map(|pool| pool.plan.to_string()).collect();
        assert_eq!(plans, [PLAN, "g6-standard-4"], "{design}");
    }
}
