use crate::quantiles::{Quantiles, QuantilesError};
use crate::{Entity, Ppm, Seed, Time, Word};
use proptest::prelude::*;
use std::time::Duration;

fn seconds(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

/// The words are part of every trace: a change of library or of mixing must not pass unseen.
#[test]
fn draws_are_the_same_in_every_version() {
    let key = Seed(1).key("latency");
    let drawn: Vec<u64> = (0..3).map(|n| key.draw(Entity::named("claim-1"), n).0).collect();
    assert_eq!(drawn, [11307934764195410912, 14199982010165460690, 13295994692613480862]);
}

#[test]
fn purposes_and_entities_do_not_share_luck() {
    let (a, b) = (Seed(1).key("boot"), Seed(1).key("join"));
    assert_ne!(a, b);
    let entity = Entity::named("claim-1");
    assert_ne!(a.draw(entity, 0), a.draw(entity, 1));
    assert_ne!(a.draw(entity, 0), a.draw(entity.and(7), 0));
}

#[test]
fn points_out_of_order_are_refused() {
    let falling = Quantiles::through(&[(500_000, seconds(5)), (990_000, seconds(4))]);
    assert_eq!(falling, Err(QuantilesError::NotRising(990_000)));
    assert_eq!(Quantiles::through(&[]), Err(QuantilesError::Empty));
}

#[test]
fn missing_ends_are_zero_and_the_last_point() {
    let delays = Quantiles::through(&[(500_000, seconds(5)), (990_000, seconds(9))]).unwrap();
    assert_eq!((delays.min(), delays.max()), (Duration::ZERO, seconds(9)));
    assert_eq!(delays.draw(Word(0)), Duration::ZERO);
    assert_eq!(delays.draw(Word(u64::MAX)), seconds(9));
}

#[test]
fn chances_meet_their_ends() {
    assert!(!Word(0).happens(Ppm::NEVER));
    assert!(Word(u64::MAX).happens(Ppm::ALWAYS));
}

#[test]
fn time_reads_as_minutes_seconds_and_milliseconds() {
    assert_eq!(Time::from_millis(725_300).to_string(), "12:05.300");
}

proptest! {
    /// A word that is larger draws a delay that is not smaller, and the share of draws below a point is its place.
    #[test]
    fn draws_rise_with_the_word_and_stay_in_bounds(low in any::<u64>(), high in any::<u64>(), p0 in 0u64..50, p50 in 50u64..90, p99 in 90u64..500) {
        let delays = Quantiles::through(&[(0, seconds(p0)), (500_000, seconds(p50)), (990_000, seconds(p99))]).unwrap();
        let (low, high) = (low.min(high), low.max(high));
        prop_assert!(delays.draw(Word(low)) <= delays.draw(Word(high)));
        prop_assert!(delays.draw(Word(low)) >= seconds(p0) && delays.draw(Word(high)) <= seconds(p99));
        prop_assert_eq!(delays.draw(Word(low)) <= seconds(p50), low <= u64::MAX / 2 || delays.draw(Word(low)) == seconds(p50));
    }

    #[test]
    fn below_stays_below(word in any::<u64>(), bound in 1u64..) {
        prop_assert!(Word(word).below(bound) < bound);
    }
}
