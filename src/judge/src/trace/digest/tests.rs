//! The digest tells streams apart, and is the same everywhere.

use super::Digest;
use crate::Event;
use crate::trace::EventLine;
use crate::trace::tests::events::{any_event, sample};
use lkesim_runtime::Time;
use proptest::prelude::*;

fn digest(events: &[Event]) -> String {
    let mut digest = Digest::new();
    events.iter().for_each(|event| digest.apply(event));
    digest.to_string()
}

/// What the trace shows of events: the slow and obvious way to tell streams apart.
fn text(events: &[Event]) -> Vec<EventLine> {
    events.iter().map(EventLine::from).collect()
}

proptest! {
    #[test]
    fn digests_are_equal_where_traces_are(
        one in prop::collection::vec(any_event(), 0..6),
        other in prop::collection::vec(any_event(), 0..6),
    ) {
        prop_assert_eq!(digest(&one) == digest(&other), text(&one) == text(&other));
        prop_assert_eq!(digest(&one), digest(&one.clone()));
    }

    #[test]
    fn order_counts(events in prop::collection::vec(any_event(), 2..6)) {
        let mut turned = events.clone();
        turned.reverse();
        prop_assert_eq!(digest(&events) == digest(&turned), text(&events) == text(&turned));
    }

    #[test]
    fn a_nanosecond_counts(event in any_event()) {
        let mut later = event.clone();
        later.at = Time::from_nanos(event.at.as_nanos() ^ 1);
        prop_assert_ne!(digest(&[event]), digest(&[later]));
    }
}

#[test]
fn nothing_has_a_digest_of_its_own() {
    assert_ne!(digest(&[]), digest(&[sample()]));
    assert_ne!(digest(&[sample()]), digest(&[sample(), sample()]));
}

/// Committed numbers: they change only when the events or their folding do, never with the platform.
#[test]
fn the_digest_is_the_same_on_every_platform() {
    assert_eq!(digest(&[]), "de7c86d6fad8ee91");
    assert_eq!(digest(&[sample()]), "cdc88e33855cf492");
}
