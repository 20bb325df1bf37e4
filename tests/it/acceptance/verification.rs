//! How a written tag is read back.

use super::lab::{ALL, Setup, TIERS, claim};
use lkesim_runtime::Quantiles;
use std::time::Duration;

fn lagging(design: &'static str, tier: lkesim_linode_api::Tier, lag: u64) -> Setup {
    let mut setup = Setup::new(design, tier);
    setup.cloud.lags.tag_get = Quantiles::constant(Duration::from_secs(lag));
    setup
}

/// The shipped providers read at 0 and 2 s, the document every second up to 5 s.
#[test]
fn a_tag_that_shows_late_is_read_until_it_shows() {
    for (design, reads) in [("documented", 3), ("v0.1.3", 2), ("shipped", 2)] {
        for tier in TIERS {
            let lab = lagging(design, tier, 2).build();
            lab.place(&[&[]]);
            lab.created("claim-1");
            let calls = lab.calls();
            let write = calls.iter().position(|call| call.starts_with("PUT /linode/instances/")).expect("a write");
            assert_eq!(calls.len() - write - 1, reads, "{design} {tier:?}: {calls:?}");
            let writes = calls.iter().filter(|call| call.starts_with("PUT /linode/instances/")).count();
            assert_eq!(writes, 1, "{design} {tier:?}");
        }
    }
}

/// A tag that never shows in time: each attempt holds the lock for the whole of it.
#[test]
fn a_tag_that_does_not_show_in_time_fails_the_attempt() {
    for (design, reads_at_first, ends) in [("documented", 5, 14), ("v0.1.3", 2, 12), ("shipped", 2, 12)] {
        let lab = lagging(design, lkesim_linode_api::Tier::Standard, 60).build();
        lab.place(&[&[]]);
        let begun = lab.now();
        lab.create(claim("claim-1")).expect_err("nothing shows");
        assert_eq!((lab.now() - begun).as_secs(), ends, "{design}");
        let calls = lab.calls();
        let write = calls.iter().position(|call| call.starts_with("PUT /linode/instances/")).expect("a write");
        let reads = calls[write + 1..].iter().take_while(|call| call.starts_with("GET /linode/instances/")).count();
        assert_eq!(reads, reads_at_first, "{design}: {calls:?}");
    }
}

#[test]
fn all_designs_verify_what_they_wrote() {
    for design in ALL {
        let lab = super::lab::Lab::new(design, lkesim_linode_api::Tier::Enterprise);
        lab.place(&[&[]]);
        let id = lab.created("claim-1");
        assert_eq!(lab.calls().last(), Some(&super::lab::get(id)), "{design}");
    }
}
