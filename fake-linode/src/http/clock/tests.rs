//! The clock's arithmetic, on tokio's paused time.

use super::{Clock, Pace, Speed};
use lkesim_runtime::Time;
use std::time::Duration;

fn on_paused_time(test: impl Future<Output = ()>) {
    let tokio = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    tokio.expect("a runtime of tokio").block_on(test);
}

fn speed(text: &str) -> Speed {
    Speed::parse(text).expect("a speed")
}

#[test]
fn a_speed_is_a_decimal_above_zero() {
    for (text, millionths) in [("1", 1_000_000), ("20", 20_000_000), ("0.5", 500_000), ("1.000001", 1_000_001)] {
        assert_eq!(speed(text).millionths, millionths, "{text}");
    }
    for text in ["", "0", "0.0", "-1", "x", "1.", ".5", "1e3", "1000001", "0.0000001", "1.2.3"] {
        assert_eq!(Speed::parse(text), None, "{text}");
    }
}

#[test]
fn a_running_clock_goes_at_its_speed_and_can_be_moved() {
    on_paused_time(async {
        let clock = Clock::new(Pace::Running(speed("20")));
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(clock.now(), Time::from_secs(60));
        clock.set(Time::from_secs(100));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(clock.now(), Time::from_secs(120));
    });
}

#[test]
fn a_wait_takes_as_much_real_time_as_the_speed_makes_of_it() {
    on_paused_time(async {
        let clock = Clock::new(Pace::Running(speed("0.5")));
        let began = tokio::time::Instant::now();
        clock.reach(Time::from_secs(10), || false).await;
        let took = began.elapsed();
        assert!(took >= Duration::from_secs(20) && took < Duration::from_millis(20_005), "{took:?}");
    });
}

#[test]
fn a_wait_by_hand_ends_when_the_clock_is_moved_far_enough() {
    on_paused_time(async {
        let clock = Clock::new(Pace::ByHand);
        let moved = async {
            clock.set(Time::from_secs(1));
            tokio::task::yield_now().await;
            clock.set(Time::from_secs(2));
        };
        tokio::join!(clock.reach(Time::from_secs(2), || false), moved);
        assert_eq!(clock.now(), Time::from_secs(2));
    });
}
