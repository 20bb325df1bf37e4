use super::{bill, next_month};
use crate::settings::EPOCH;
use lkesim_linode_api::{PlanPrice, UnixSeconds};
use proptest::prelude::*;

const PRICE: PlanPrice = PlanPrice {
    hourly_micro_usd: 36_000,
    monthly_micro_usd: 24_000_000,
};

fn after(secs: u64) -> UnixSeconds {
    UnixSeconds(EPOCH.0 + secs)
}

#[test]
fn a_started_hour_is_paid() {
    assert_eq!(bill(PRICE, EPOCH, EPOCH), 0);
    assert_eq!(bill(PRICE, EPOCH, after(1)), 36_000);
    assert_eq!(bill(PRICE, EPOCH, after(3_600)), 36_000);
    assert_eq!(bill(PRICE, EPOCH, after(3_601)), 72_000);
}

#[test]
fn a_month_costs_the_monthly_price_at_most() {
    let (january, february) = (31 * 86_400, 28 * 86_400);
    assert_eq!(bill(PRICE, EPOCH, after(january)), 24_000_000);
    assert_eq!(bill(PRICE, EPOCH, after(january + 3_600)), 24_036_000);
    assert_eq!(bill(PRICE, EPOCH, after(january + february)), 48_000_000);
}

#[test]
fn leap_years_have_their_day() {
    // 2024-02-01 and 2024-03-01; 2100 is no leap year.
    assert_eq!(next_month(1_706_745_600), 1_709_251_200);
    assert_eq!(next_month(4_105_123_200), 4_107_542_400);
}

proptest! {
    #[test]
    fn a_longer_life_never_costs_less(
        start in 0u64..4_000_000_000,
        first in 0u64..10_000_000,
        more in 0u64..10_000_000,
    ) {
        let bill = |length| bill(PRICE, UnixSeconds(start), UnixSeconds(start + length));
        prop_assert!(bill(first) <= bill(first + more));
        prop_assert!(bill(first) <= first.div_ceil(3_600) * PRICE.hourly_micro_usd);
    }
}
