//! `compare`, `sweep` and `screen`.

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

#[test]
fn a_screening_tries_every_unknown_knob_or_those_that_are_named() {
    let screen = |more: &[&str]| {
        let out = call(&[&["screen", "one-claim-enterprise", "--seeds", "2", "--format", "json"], more].concat());
        assert_eq!(out.code, 0, "{}", out.err);
        serde_json::from_str::<serde_json::Value>(&out.out).expect("JSON")
    };
    let both = ["--designs", "documented,recommended"];
    let all = screen(&both);
    let knobs = |of: &serde_json::Value| {
        let points = of["points"].as_array().expect("a list").iter();
        points.map(|point| format!("{}={}", point["knob"], point["value"]).replace('"', "")).collect::<Vec<_>>()
    };
    assert!(knobs(&all).contains(&"cloud.pool_tag_resync=replace".to_owned()), "{all}");
    assert!(knobs(&all).len() > 40, "{all}");
    let named = screen(&[&both[..], &["--knob", "cloud.lags.members=5s,3m", "--knob", "cloud.limits"]].concat());
    let wanted = ["cloud.lags.members=5s", "cloud.lags.members=3m", "cloud.limits.create_pool=create_instance"];
    assert_eq!(knobs(&named)[..3], wanted);
    let stated = screen(&[&both[..], &["--set", "kubernetes.watch=5s", "--knob", "kubernetes"]].concat());
    assert_eq!(stated["stated"], serde_json::json!(["kubernetes.watch"]));
    let varied = screen(&["--vary", "provider.create_deadline=10s,40s", "--knob", "cloud.lags.deletion"]);
    assert_eq!(varied["compared"], serde_json::json!(["provider.create_deadline=10s", "provider.create_deadline=40s"]));
    assert_eq!(varied["design"], "documented");
}

#[test]
fn a_screening_refuses_what_it_cannot_try() {
    for (wrong, said) in [
        (&["--designs", "documented"][..], "nothing to compare documented with"),
        (&["--vary", "duration=5m"], "has one value"),
        (&["--designs", "documented,shipped", "--vary", "duration=5m,6m"], "under one design"),
        (&["--designs", "documented,shipped", "--knob", "cloud.lags.delet"], "did you mean `cloud.lags.deletion`"),
        (&["--designs", "documented,shipped", "--knob", "cloud.lags.deletion=1 day"], "cloud.lags.deletion"),
        (
            &["--designs", "documented,shipped", "--knob", "cloud.lags", "--knob", "cloud.lags.deletion"],
            "is there twice",
        ),
    ] {
        let refused = call(&[&["screen", "one-claim-enterprise", "--seeds", "2"], wrong].concat());
        assert_eq!(refused.code, 2, "{wrong:?}: {}", refused.err);
        assert!(refused.err.contains(said), "{wrong:?}: {}", refused.err);
    }
}
