//! How far a run has come, told on standard error where it takes long.

use crate::pace::Pace;
use crate::terminal::Out;
use lkesim_judge::event::Event;
use lkesim_report::units::clock;
use lkesim_scenario::Scenario;
use lkesim_sim::Follower;
use std::io::Write;

/// So many events pass between two looks at the clock.
const LOOK_EVERY: u64 = 1_024;

/// Tells `err` every few seconds how far a run of this scenario has come.
pub fn of_run(scenario: &Scenario, mut err: Out) -> Follower {
    let (mut pace, mut events) = (Pace::start(), 0_u64);
    let longest = (scenario.duration.get() + scenario.calm.get()).as_millis();
    let longest = u64::try_from(longest).unwrap_or(u64::MAX);
    Box::new(move |event: &Event, _| {
        events += 1;
        if events.is_multiple_of(LOOK_EVERY) && pace.is_due() {
            let text = words(event.at.as_millis(), longest, events, pace.per_second(events));
            // Nothing is done about a standard error that can't be written.
            let _ = writeln!(err, "{text}");
            let _ = err.flush();
        }
    })
}

fn words(at_ms: u64, longest_ms: u64, events: u64, per_second: u128) -> String {
    format!("at {} of {} at most; {events} events, {per_second} a second", clock(at_ms), clock(longest_ms))
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn progress_tells_the_virtual_time() {
        assert_eq!(
            words(90_000, 3_600_000, 2_048, 400),
            format!("at {} of {} at most; 2048 events, 400 a second", super::clock(90_000), super::clock(3_600_000))
        );
    }
}
