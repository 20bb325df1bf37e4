//! How a written tag is read back.

use super::calls::{attempt, claiming, get, lookup};
use super::lab::{ALL, Lab, Setup, TIERS, claim, each};
use lkesim_linode_api::Tier;
use lkesim_runtime::Quantiles;
use std::time::Duration;

/// A tag shows so late, to a read of its Linode and in the list.
fn lagging(design: &'static str, tier: Tier, lag: u64) -> Setup {
    let mut setup = Setup::new(design, tier);
    let lag = Quantiles::constant(Duration::from_secs(lag));
    (setup.cloud.lags.tag_get, setup.cloud.lags.tag_list) = (lag.clone(), lag);
    setup
}

/// The shipped providers read at 0 and 2 s, the document every second up to 5 s.
#[test]
fn a_tag_that_shows_late_is_read_until_it_shows() {
    for (design, reads) in each(3, 2, 2) {
        for tier in TIERS {
            let lab = lagging(design, tier, 2).build();
            let (lke_pool, ids) = lab.place(&[&[]]);
            assert_eq!(lab.created("claim-1"), ids[0], "{design} {tier:?}");
            let mut wanted = claiming(&lab, design, tier, lke_pool, ids[0]);
            wanted.extend(vec![get(ids[0]); reads - 1]);
            assert_eq!(lab.calls(), wanted, "{design} {tier:?}");
        }
    }
}

/// A tag that never shows in time: each attempt holds the lock for the whole of it, and the second one, which finds the
/// Linode without a tag, claims it once more.
#[test]
fn a_tag_that_does_not_show_in_time_fails_the_attempt() {
    for (design, (reads, ends)) in each((5, 14), (2, 12), (2, 12)) {
        for tier in TIERS {
            let lab = lagging(design, tier, 60).build();
            let (lke_pool, ids) = lab.place(&[&[]]);
            let begun = lab.now();
            lab.create(claim("claim-1")).expect_err("nothing shows");
            assert_eq!((lab.now() - begun).as_secs(), ends, "{design} {tier:?}");
            let mut wanted = vec![lookup("claim-1")];
            for _ in 0..2 {
                wanted.extend(attempt(&lab, design, tier, lke_pool, ids[0]));
                wanted.extend(vec![get(ids[0]); reads]);
            }
            assert_eq!(lab.calls(), wanted, "{design} {tier:?}");
        }
    }
}

#[test]
fn all_designs_verify_what_they_wrote() {
    for design in ALL {
        for tier in TIERS {
            let lab = Lab::new(design, tier);
            let (lke_pool, ids) = lab.place(&[&[]]);
            assert_eq!(lab.created("claim-1"), ids[0], "{design} {tier:?}");
            assert_eq!(lab.calls(), claiming(&lab, design, tier, lke_pool, ids[0]), "{design} {tier:?}");
        }
    }
}
