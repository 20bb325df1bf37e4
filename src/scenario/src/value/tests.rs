use super::{Delay, Expected, Figure, Percent, Range, Rate, Span};
use proptest::prelude::*;
use std::fmt::{Debug, Display};
use std::str::FromStr;

#[track_caller]
fn check_reads<T: FromStr + Display + PartialEq + Debug>(text: &str, canonical: &str)
where
    T::Err: Debug,
{
    let value: T = text.parse().expect(text);
    assert_eq!(value.to_string(), canonical);
    assert_eq!(canonical.parse::<T>().expect(canonical), value);
}

#[track_caller]
fn check_refuses<T: FromStr + Debug>(texts: &[&str]) {
    for text in texts {
        assert!(text.parse::<T>().is_err(), "{text:?} was read as {:?}", text.parse::<T>().ok());
    }
}

#[test]
fn a_duration_reads_like_gos() {
    check_reads::<Span>("30s", "30s");
    check_reads::<Span>("90s", "1m30s");
    check_reads::<Span>("1.5h", "1h30m");
    check_reads::<Span>("1500ms", "1.5s");
    check_reads::<Span>("1h1ms", "1h0.001s");
    check_reads::<Span>("2d", "48h");
    check_reads::<Span>("0s", "0s");
    check_reads::<Span>("7us", "7us");
    check_reads::<Span>("10ns", "10ns");
}

#[test]
fn a_duration_without_a_known_unit_or_beyond_64_bits_is_refused() {
    check_refuses::<Span>(&[
        "",
        "30",
        "s",
        "-5s",
        "5 s",
        "1,5s",
        "5S",
        "5sec",
        "1.s",
        ".5s",
        "0.1ns",
        "99999999999999999999s",
        "300000d",
        "+5s",
        "5s ",
    ]);
}

#[test]
fn a_rate_has_calls_and_a_window() {
    check_reads::<Rate>("200/1m", "200/1m");
    check_reads::<Rate>("20/15s", "20/15s");
    check_refuses::<Rate>(&["200", "0/1m", "200/0s", "200/m", "/1m", "200/", "-1/1m", "+1/1m", "4294967296/1m"]);
}

#[test]
fn a_percentage_has_its_sign_and_stays_within_a_hundred() {
    check_reads::<Percent>("10%", "10%");
    check_reads::<Percent>("0.5%", "0.5%");
    check_reads::<Percent>("100.0%", "100%");
    check_reads::<Percent>("0.0001%", "0.0001%");
    check_refuses::<Percent>(&["10", "101%", "100.0001%", "-1%", "0.00001%", "%", "1.%", ".5%", "1e1%", "5 %"]);
}

#[test]
fn a_range_rises_and_has_an_end() {
    check_reads::<Range<u64>>("2..5", "2..5");
    check_reads::<Range<u64>>("3", "3");
    check_reads::<Range<u64>>("3..3", "3");
    check_reads::<Range<u64>>("2..", "2..");
    check_reads::<Range<u64>>(" 2 .. 5 ", "2..5");
    check_reads::<Range<Span>>("10s..60s", "10s..1m");
    check_refuses::<Range<u64>>(&["", "..", "5..2", "a..b", "1..2..3", "-1..2"]);
    check_refuses::<Range<Span>>(&["10..60", "60s..10s"]);
}

#[test]
fn a_range_includes_both_ends() {
    let range: Range<u64> = "2..5".parse().unwrap();
    let inside: Vec<u64> = (0..8).filter(|value| range.contains(*value)).collect();
    assert_eq!(inside, [2, 3, 4, 5]);
}

#[test]
fn an_expected_figure_is_a_number_a_range_or_a_bound() {
    check_reads::<Expected>("50", "50");
    check_reads::<Expected>("-1.5", "-1.5");
    check_reads::<Expected>("600..700", "600..700");
    check_reads::<Expected>(">= 1", ">= 1");
    check_reads::<Expected>("<60s", "< 1m");
    check_refuses::<Expected>(&["", ">=", "= 5", "5..", "700..600", "1..2s", "x", "1e6", "0.0000001", ">= >= 1"]);
}

#[test]
fn an_expected_time_is_compared_with_milliseconds() {
    let expected: Expected = "<= 60s".parse().unwrap();
    assert!(expected.is_length());
    assert!(expected.holds_for(&60_000.into()));
    assert!(!expected.holds_for(&60_001.into()));
}

#[test]
fn decimals_are_compared_exactly() {
    let expected: Expected = "0.1..0.3".parse().unwrap();
    for (number, holds) in [(0.1, true), (0.3, true), (0.300_001, false), (0.099_999, false)] {
        let number = serde_json::Number::from_f64(number).unwrap();
        assert_eq!(expected.holds_for(&number), holds, "{number}");
    }
    let tiny = serde_json::Number::from_f64(0.200_000_000_1).unwrap();
    assert!(!expected.holds_for(&tiny), "a number with more than six decimals can't be compared");
}

#[test]
fn a_delay_is_a_duration_or_quantiles() {
    let delay: Delay = serde_json::from_str(r#"{"p50": "45s", "p99": "60s"}"#).unwrap();
    let json = serde_json::to_string(&delay).unwrap();
    assert_eq!(json, r#"{"p0":"0s","p50":"45s","p99":"1m","p100":"1m"}"#);
    let constant: Delay = serde_json::from_str("\"30s\"").unwrap();
    assert_eq!(serde_json::to_string(&constant).unwrap(), "\"30s\"");
}

proptest! {
    #[test]
    fn every_duration_reads_back(nanos in prop_oneof![any::<u64>(), 0..10_000_000_000_u64]) {
        let span = Span::from(std::time::Duration::from_nanos(nanos));
        prop_assert_eq!(span.to_string().parse::<Span>(), Ok(span));
    }

    #[test]
    fn every_percentage_reads_back(ppm in 0..=1_000_000_u32) {
        let percent = Percent::from_ppm(ppm);
        prop_assert_eq!(percent.to_string().parse::<Percent>(), Ok(percent));
    }

    #[test]
    fn every_figure_reads_back(micros in -999_999_999_999_999_999_i64..=999_999_999_999_999_999) {
        let figure = Figure::Number(micros);
        prop_assert_eq!(figure.to_string().parse::<Figure>(), Ok(figure));
    }

    #[test]
    fn no_text_panics_a_value(text in ".{0,40}") {
        let _ = text.parse::<Span>();
        let _ = text.parse::<Percent>();
        let _ = text.parse::<Rate>();
        let _ = text.parse::<Range<u64>>();
        let _ = text.parse::<Range<Span>>();
        let _ = text.parse::<Expected>();
    }
}
