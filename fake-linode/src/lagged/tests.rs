use super::Lagged;
use lkesim_runtime::Time;
use proptest::prelude::*;

/// The last write that is due, where each waits for those before it.
fn model(writes: &[(u64, u32)], now: u64) -> u32 {
    let mut due = 0;
    let seen = writes.iter().map_while(|&(at, value)| {
        due = due.max(at);
        (due <= now).then_some(value)
    });
    seen.last().unwrap_or(0)
}

proptest! {
    /// Whatever the lags, a view sees the writes in their order and never goes back.
    #[test]
    fn a_view_sees_writes_in_order(lags in prop::collection::vec(0u64..50, 0..20)) {
        let writes: Vec<(u64, u32)> = lags.iter().zip(0u32..).map(|(lag, n)| (u64::from(n) * 7 + lag, n + 1)).collect();
        let mut lagged = Lagged::new(0);
        for &(at, value) in &writes {
            lagged.write(Time::from_secs(at), value);
        }
        let mut last = 0;
        for now in 0..250 {
            lagged.catch_up(Time::from_secs(now));
            prop_assert_eq!(*lagged.seen(), model(&writes, now));
            prop_assert!(*lagged.seen() >= last);
            last = *lagged.seen();
        }
    }
}

#[test]
fn a_write_waits_for_the_one_before_it() {
    let mut lagged = Lagged::new('a');
    assert_eq!(lagged.write(Time::from_secs(5), 'b'), Time::from_secs(5));
    assert_eq!(lagged.write(Time::from_secs(2), 'c'), Time::from_secs(5));
    assert!(!lagged.catch_up(Time::from_secs(4)));
    assert!(lagged.catch_up(Time::from_secs(5)));
    assert_eq!(*lagged.seen(), 'c');
}
