use super::*;
use proptest::prelude::*;

fn departure(poll: u32) -> Departure {
    Departure { taken: Key::new(PathId(1), poll), first: Key::new(PathId(2), poll) }
}

/// What is kept, as polls: departures plainly, delays with their nanoseconds.
fn kept(departures: &Departures) -> Vec<(u32, Option<u64>)> {
    let told = |recorded| match recorded {
        Recorded::Departure(departure) => (departure.taken.poll(), None),
        Recorded::Delayed(delayed) => (delayed.poll.poll(), Some(delayed.nanos)),
    };
    departures.kept().map(told).collect()
}

proptest! {
    /// Whatever came, also beyond a chunk, again after a clear, and in chunks of one that is gone: what was to be kept is
    /// there, in order.
    #[test]
    fn what_is_kept_is_there_in_its_order(
        runs in prop::collection::vec((0usize..3 * PLACES_MAX, 1u32..5, 1u32..2_000, any::<bool>()), 1..4),
    ) {
        let mut departures = Departures::default();
        for (count, kept_each, delayed_each, is_new) in runs {
            departures.clear();
            if is_new {
                departures = Departures::default();
            }
            let mut model = Vec::new();
            for poll in 0..count as u32 {
                if poll % delayed_each == 0 {
                    departures.delay(Key::new(PathId(1), poll), 7);
                    model.push((poll, Some(7)));
                }
                let keep = poll % kept_each == 0;
                departures.push(departure(poll), keep);
                if keep {
                    model.push((poll, None));
                }
            }
            prop_assert_eq!(kept(&departures), model);
        }
    }
}
