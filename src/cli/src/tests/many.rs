//! `compare` and `sweep`.

use super::{Folder, call};

#[test]
fn a_comparison_is_the_same_on_one_thread_and_on_several() {
    let compare = |jobs: &str, format: &str| {
        let designs = ["--designs", "documented,shipped", "--seeds", "12"];
        call(&[&["compare", "two-pools", "--jobs", jobs, "--format", format], &designs[..]].concat())
    };
    let (one, many) = (compare("1", "json"), compare("4", "json"));
    assert_eq!((one.code, &one.out), (0, &many.out));
    let found: serde_json::Value = serde_json::from_str(&one.out).expect("JSON");
    assert_eq!((&found["schema"], &found["seeds"]), (&"lkesim.compare/1".into(), &12.into()));
    let text = compare("2", "text");
    assert!(text.out.contains("list_calls_per_launch"), "{}", text.out);
    assert!(text.out.lines().count() <= 40, "{}", text.out);
}

#[test]
fn a_baseline_fails_what_got_worse_and_nothing_else() {
    let folder = Folder::new("baseline");
    let before = folder.path("before.json");
    let compare = |set: &[&str], more: &[&str]| {
        let all = ["compare", "one-claim-standard", "--designs", "documented", "--seeds", "10", "--format", "json"];
        call(&[&all[..], set, more].concat())
    };
    std::fs::write(&before, compare(&[], &[]).out).expect("a folder of ours");
    let same = compare(&[], &["--baseline", &before]);
    assert_eq!(same.code, 0, "{}", same.err);
    assert!(same.err.contains("no figure differs"), "{}", same.err);
    // The values alone make the baseline: a document in which launches were quicker is one of a better version.
    let text = std::fs::read_to_string(&before).expect("it was written");
    let mut document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let values = &mut document["scenarios"][0]["designs"][0]["figures"]["launch_p99"]["values"];
    values.as_array_mut().expect("a list").iter_mut().for_each(|value| *value = 1.into());
    std::fs::write(&before, document.to_string()).expect("a folder of ours");
    let worse = compare(&[], &["--baseline", &before]);
    assert_eq!(worse.code, 1, "{}", worse.err);
    assert!(worse.err.contains("launch_p99 was 1"), "{}", worse.err);
    let wrong = call(&["compare", "one-claim-standard", "--designs", "documented", "--baseline", "nowhere.json"]);
    assert_eq!(wrong.code, 2, "{}", wrong.err);
    let other = compare(&["--start-seed", "5"], &["--baseline", &before]);
    assert_eq!(other.code, 2, "{}", other.err);
}

#[test]
fn a_sweep_names_its_points_and_refuses_what_it_cannot_read() {
    let sweep = |vary: &[&str]| call(&[&["sweep", "one-claim-standard", "--seeds", "3"], vary].concat());
    let lags = "cloud.lags.tag_to_get={p50: 1s, p99: 2s},0s";
    let swept = sweep(&["--vary", lags, "--format", "csv"]);
    assert_eq!(swept.code, 0, "{}", swept.err);
    assert!(swept.out.contains("\"{p50: 1s, p99: 2s}\""), "{}", swept.out);
    for wrong in [
        &["--vary", "duration"][..],
        &["--vary", "design=documented,shipped"],
        &["--vary", "duration=5m,5m"],
        &["--vary", "duration=,5m"],
    ] {
        assert_eq!(sweep(wrong).code, 2, "{wrong:?}");
    }
    let twice = sweep(&["--vary", "duration=5m", "--vary", "duration=6m"]);
    assert!(twice.code == 2 && twice.err.contains("twice"), "{}", twice.err);
    let figure = sweep(&["--vary", "duration=5m", "--pareto", "ready_p98,throttled"]);
    assert!(figure.code == 2 && figure.err.contains("ready_p90"), "{}", figure.err);
}
