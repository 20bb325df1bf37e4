use super::*;
use crate::page::chart::Lane;
use crate::samples::{ONE_CLAIM, passed, trace};

fn one_claim() -> Trace {
    trace("one.jsonl", ONE_CLAIM, &passed())
}

fn lines(chart: &Chart) -> &[Line] {
    match &chart.drawn {
        Drawn::Lines { lines, .. } => lines,
        other => panic!("lines, and not {other:?}"),
    }
}

#[test]
fn each_call_is_in_the_window_of_its_limit() {
    let trace = one_claim();
    let made = |class| {
        let of_class = |event: &&lkesim_judge::trace::EventLine| match &event.what {
            TraceEvent::ApiCalled { request, .. } => class_of(&request.endpoint) == Some(class),
            _ => false,
        };
        trace.events.iter().filter(of_class).count()
    };
    let charts = calls(&trace);
    // No Linode was created by itself, so that its limit has no chart.
    assert_eq!(charts.len(), 2);
    for (chart, class) in charts.iter().zip([RateClass::List, RateClass::Other]) {
        let drawn: i64 = lines(chart)[0].points.iter().map(|point| point.1).sum();
        assert_eq!(drawn, made(class) as i64, "{}", chart.title);
    }
    insta::assert_debug_snapshot!("calls", charts);
}

#[test]
fn what_was_there_is_counted_up_and_down() {
    insta::assert_debug_snapshot!("population", population(&one_claim()));
}

#[test]
fn a_lane_has_the_stages_of_a_claim_one_after_the_other_and_its_calls() {
    let chart = lanes(&one_claim());
    let Drawn::Lanes(lanes) = &chart.drawn else { panic!("lanes, and not {:?}", chart.drawn) };
    for Lane { spans, .. } in lanes {
        assert!(spans.windows(2).all(|two| two[0].1 == two[1].0), "{spans:?}");
    }
    assert!(lanes.iter().any(|lane| !lane.marks.is_empty()));
    insta::assert_debug_snapshot!("lanes", chart);
}
