//! A trace survives its file, and no file makes the reader panic.

pub(crate) mod events;

use super::*;
use crate::Event;
use crate::outcome::Outcome;
use proptest::prelude::*;

fn outcome() -> Outcome {
    serde_json::from_value(serde_json::json!({
        "schema": "lkesim.run/1", "scenario": "burst", "about": "", "design": "documented", "seed": 1,
        "digest": "0123456789abcdef", "virtual_ms": 1, "events": 2, "verdict": "pass",
        "ending": { "calm_from_ms": 1, "settled": true, "unsettled": [] },
        "invariants": [], "expectations": [],
        "api": { "calls": 0, "throttled": 0, "by_class": {}, "by_endpoint": {}, "by_operation": {}, "by_cause": {},
            "by_client": {} },
        "claims": { "requested": 0, "launched": 0, "registered": 0, "initialized": 0, "failed": 0, "deleted": 0 },
        "instances": { "created": 0, "peak": 0, "unclaimed_at_end": 0, "unclaimed_minutes": 0,
            "created_per_100_launched": 0 },
        "taints": {},
        "time_to": { "launch": times(), "register": times(), "ready": times() },
        "cost": { "total_usd": 0.5, "unclaimed_usd": 0 },
        "sometimes": {},
    }))
    .expect("an outcome")
}

fn times() -> serde_json::Value {
    serde_json::json!({ "n": 0, "of": 0, "p50_ms": 0, "p90_ms": 0, "p99_ms": 0, "max_ms": 0 })
}

fn header() -> Header {
    Header::new("burst", "documented", 1, serde_json::json!({ "name": "burst" }))
}

fn written(events: &[Event]) -> Vec<u8> {
    let mut writer = TraceWriter::begin(Vec::new(), &header()).expect("memory takes all");
    for event in events {
        writer.event(event).expect("memory takes all");
    }
    writer.end(&outcome(), Vec::new()).expect("memory takes all")
}

/// The error that reading `bytes` gives, in words.
#[track_caller]
fn complaint(bytes: &[u8]) -> String {
    match Trace::read("run.jsonl", bytes) {
        Ok(_) => panic!("it was read"),
        Err(error) => error.to_string(),
    }
}

proptest! {
    #[test]
    fn a_trace_survives_its_file(events in prop::collection::vec(events::any_event(), 0..40)) {
        let bytes = written(&events);
        let trace = Trace::read("run.jsonl", &bytes[..]).expect("what was written is read");
        let expected: Vec<EventLine> = events.iter().map(EventLine::from).collect();
        prop_assert_eq!(trace.events, expected);
        prop_assert_eq!(trace.header, header());
        prop_assert_eq!(trace.footer.outcome, outcome());
        prop_assert_eq!(trace.footer.events, events.len() as u64);
    }

    #[test]
    fn equal_events_make_equal_bytes(events in prop::collection::vec(events::any_event(), 0..20)) {
        prop_assert_eq!(written(&events), written(&events.clone()));
    }

    #[test]
    fn a_trace_cut_anywhere_is_an_error(
        events in prop::collection::vec(events::any_event(), 1..8),
        at in any::<prop::sample::Index>(),
    ) {
        let bytes = written(&events);
        // Without its last line's end a trace is still whole.
        let cut = &bytes[..at.index(bytes.len() - 1)];
        let error = Trace::read("run.jsonl", cut).expect_err("something is missing");
        let told = matches!(error, TraceError::CutShort { .. } | TraceError::Empty { .. });
        prop_assert!(told, "{}", error);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = Trace::read("noise", &bytes[..]);
    }

    #[test]
    fn no_damage_makes_the_reader_panic(
        events in prop::collection::vec(events::any_event(), 1..6),
        hits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = written(&events);
        for (at, byte) in hits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = Trace::read("damaged", &bytes[..]);
    }

    #[test]
    fn a_line_is_read_as_what_it_is(event in events::any_event()) {
        let line = EventLine::from(&event);
        let text = serde_json::to_vec(&line).expect("it is written");
        let read = TraceLine::parse(&text).expect("it is read");
        prop_assert_eq!(read, TraceLine::Event(Box::new(line)));
    }
}

#[test]
fn an_event_begins_with_its_time_and_name() {
    let text = String::from_utf8(written(&[events::sample()])).expect("text");
    insta::assert_snapshot!("lines", text);
}

/// One line a mistake: what was done to the file, and what the reader says.
#[test]
fn each_mistake_is_told_for_people() {
    let one = String::from_utf8(written(&[events::sample()])).expect("text");
    let two = String::from_utf8(written(&[events::sample(), events::sample()])).expect("text");
    let end_of_second = two.match_indices('\n').nth(1).expect("four lines").0 + 1;
    let lacking = "{\"schema\":\"lkesim.trace/1\",\"program\":\"lkesim 0.1.0\"}\n";
    let cases: &[(&str, String)] = &[
        ("empty", String::new()),
        ("a pretty document", "{\n  \"schema\": 1\n}".to_owned()),
        ("an outcome", "{\"schema\":\"lkesim.run/1\"}\n".to_owned()),
        ("YAML", "name: burst\n".to_owned()),
        ("another version", "{\"schema\":\"lkesim.trace/9\",\"more\":1}\n".to_owned()),
        ("a header that lacks something", lacking.to_owned()),
        ("cut after a line", two[..end_of_second].to_owned()),
        ("cut within a line", two[..end_of_second + 30].to_owned()),
        ("cut within the header", two[..10].to_owned()),
        ("an unknown event", one.replacen("api.called", "api.sung", 1)),
        ("an event that lacks something", one.replacen("\"attempt\":0,\"request\"", "\"request\"", 1)),
        ("no JSON", one.replacen("{\"at_ms\":1500,", "{\"at_ms\":1500", 1)),
        ("a line left out", two[..two.find('\n').expect("lines") + 1].to_owned() + &two[end_of_second..]),
        ("a line more", one.clone() + "{}\n"),
    ];
    let told = cases.iter().map(|(name, text)| format!("{name}: {}\n", complaint(text.as_bytes())));
    insta::assert_snapshot!("complaints", told.collect::<String>());
    assert!(complaint(b"\xff\xfe\x00").contains("is no trace"));
}

#[test]
fn a_full_disk_is_an_error_and_no_panic() {
    struct Full(usize);
    impl std::io::Write for Full {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            match self.0.checked_sub(bytes.len()) {
                Some(left) => {
                    self.0 = left;
                    Ok(bytes.len())
                }
                None => Err(std::io::ErrorKind::StorageFull.into()),
            }
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut writer = TraceWriter::begin(Full(400), &header()).expect("there is room for the header");
    let error = (0..5).find_map(|_| writer.event(&events::sample()).err());
    assert_eq!(error.map(|error| error.kind()), Some(std::io::ErrorKind::StorageFull));
}
