//! The administration: the clock, faults, snapshots, the log.

use super::standard;

#[test]
fn the_clock_goes_forward_alone() {
    standard(async |served| {
        assert_eq!(served.fake("POST", "advance", r#"{"by": "1m30s"}"#).await.body, r#"{"now_ns": 90000000000}"#);
        assert_eq!(served.fake("POST", "advance", r#"{"to": "2m"}"#).await.json()["now_ns"], 120_000_000_000u64);
        let health = served.fake("GET", "health", "").await.json();
        assert_eq!((&health["status"], &health["now"]), (&"ok".into(), &"00:02:00.000".into()));
        for body in
            [r#"{"to": "1s"}"#, r#"{"by": "5"}"#, r#"{"by": 5}"#, "{}", "[]", "{", r#"{"by": "1s", "to": "9m"}"#]
        {
            let came = served.fake("POST", "advance", body).await;
            assert_eq!(came.status, 400, "{body}");
            assert!(came.json()["error"].is_string());
        }
    });
}

#[test]
fn a_lost_answer_never_comes_and_the_change_is_made() {
    standard(async |served| {
        served.fake("POST", "faults", r#"{"lose": {}}"#).await;
        let token = "Authorization: Bearer token\r\n";
        let came = served.asked("DELETE", "/v4beta/lke/clusters/1/pools/101", token, "").await;
        assert!(came.is_none(), "{came:?}");
        let state = served.fake("GET", "state", "").await.json();
        assert_eq!(state["lke_pools"].as_array().map(Vec::len), Some(0));
        let log = served.fake("GET", "requests", "").await.json();
        assert_eq!((&log["status"], &log["fault"]), (&serde_json::Value::Null, &"lose-1".into()));
    });
}

#[test]
fn a_late_answer_waits_for_the_clock() {
    standard(async |served| {
        served.fake("POST", "faults", r#"{"delay": {}}"#).await;
        let moved = async {
            // The request has come once it is counted.
            while served.fake("GET", "health", "").await.json()["requests"] == 0 {
                tokio::task::yield_now().await;
            }
            served.fake("POST", "advance", r#"{"by": "29s"}"#).await;
            served.fake("POST", "advance", r#"{"by": "1s"}"#).await
        };
        let (came, moved) = tokio::join!(served.api("GET", "/lke/clusters/1", ""), moved);
        assert_eq!((came.status, moved.status), (200, 200));
    });
}

#[test]
fn a_reset_lets_nobody_wait_for_a_cloud_that_is_gone() {
    standard(async |served| {
        served.fake("POST", "faults", r#"{"delay": {}}"#).await;
        let token = "Authorization: Bearer token\r\n";
        let reset = async {
            while served.fake("GET", "health", "").await.json()["requests"] == 0 {
                tokio::task::yield_now().await;
            }
            served.fake("POST", "reset", "").await
        };
        let (came, reset) = tokio::join!(served.asked("GET", "/v4/lke/clusters/1", token, ""), reset);
        assert!(came.is_none(), "{came:?}");
        assert_eq!(reset.status, 200);
    });
}

#[test]
fn faults_go_on_and_off() {
    standard(async |served| {
        let status = async || served.api("GET", "/lke/clusters/1", "").await.status;
        let posted = served.fake("POST", "faults", r#"{"refuse": {}}"#).await;
        assert_eq!(posted.json()["name"], "refuse-1");
        assert_eq!(status().await, 500);
        served.fake("POST", "faults/refuse-1", r#"{"on": false}"#).await;
        assert_eq!(status().await, 200);
        served.fake("POST", "faults/refuse-1", r#"{"on": true}"#).await;
        assert_eq!(status().await, 500);
        let list = async || served.fake("GET", "faults", "").await.body;
        assert_eq!(list().await, r#"{"faults": [{"name": "refuse-1", "on": true, "hits": 2}]}"#);
        served.fake("DELETE", "faults/refuse-1", "").await;
        assert_eq!((status().await, &*list().await), (200, r#"{"faults": []}"#));
        assert_eq!(served.fake("POST", "faults/refuse-1", r#"{"on": true}"#).await.status, 404);
        for name in ["refuse-2", "refuse-3"] {
            assert_eq!(served.fake("POST", "faults", r#"{"refuse": {}}"#).await.json()["name"], name);
        }
        assert_eq!(status().await, 500);
        assert_eq!(served.fake("DELETE", "faults", "").await.body, r#"{"faults": []}"#);
        assert_eq!(status().await, 200);
        assert_eq!(served.fake("DELETE", "faults/none", "").await.status, 404);
        assert_eq!(served.fake("POST", "faults", r#"{"unknown": {}}"#).await.status, 400);
    });
}

#[test]
fn a_stale_read_can_be_asked_for_while_the_cloud_runs() {
    standard(async |served| {
        served.fake("POST", "faults", r#"{"stale": {}}"#).await;
        served.fake("POST", "advance", r#"{"by": "1m"}"#).await;
        served.api("DELETE", "/lke/clusters/1/pools/101", "").await;
        assert_eq!(served.api("GET", "/lke/clusters/1/pools/101", "").await.status, 200);
        served.fake("POST", "advance", r#"{"by": "11s"}"#).await;
        assert_eq!(served.api("GET", "/lke/clusters/1/pools/101", "").await.status, 404);
    });
}

#[test]
fn an_answer_that_breaks_off_is_a_success_that_nobody_can_read() {
    standard(async |served| {
        served.fake("POST", "faults", r#"{"garble": {}}"#).await;
        let came = served.api("GET", "/lke/clusters/1", "").await;
        assert_eq!(came.status, 200);
        assert!(serde_json::from_str::<serde_json::Value>(&came.body).is_err());
    });
}

#[test]
fn a_snapshot_takes_the_cloud_back() {
    standard(async |served| {
        let body = r#"{"type": "g6-standard-2", "count": 2, "tags": ["a=b"]}"#;
        served.api("POST", "/lke/clusters/1/pools", body).await;
        served.fake("POST", "advance", r#"{"by": "70s"}"#).await;
        let snapshot = served.fake("GET", "snapshot", "").await.body;
        let state = served.fake("GET", "state?all=true", "").await.body;
        let next = served.api("POST", "/lke/clusters/1/pools", body).await;
        served.fake("POST", "reset", r#"{"seed": 7}"#).await;
        assert_ne!(served.fake("GET", "state?all=true", "").await.body, state);
        assert_eq!(served.fake("POST", "restore", &snapshot).await.body, r#"{"now_ns": 70000000000}"#);
        assert_eq!(served.fake("GET", "state?all=true", "").await.body, state);
        let again = served.api("POST", "/lke/clusters/1/pools", body).await;
        assert_eq!((again.body, again.head), (next.body, next.head));
        for damaged in ["", "{}", "{\"schema\": \"fake-linode.snapshot/1\"}", &snapshot[..snapshot.len() / 2]] {
            assert_eq!(served.fake("POST", "restore", damaged).await.status, 400);
        }
        let mut beyond: serde_json::Value = serde_json::from_str(&snapshot).expect("JSON");
        beyond["requests"] = u64::MAX.into();
        assert_eq!(served.fake("POST", "restore", &beyond.to_string()).await.status, 400);
    });
}

#[test]
fn the_log_has_each_request_with_what_it_asked_and_got() {
    standard(async |served| {
        let headers = "Authorization: Bearer other\r\nX-Filter: {\"tags\":\"x\"}\r\n";
        served.asked("GET", "/v4/linode/instances?page=1", headers, "").await;
        served.api("POST", "/lke/clusters/1/pools", "{\"count\": 1}").await;
        let log = served.fake("GET", "requests", "").await;
        assert_eq!(log.header("content-type"), Some("application/x-ndjson"));
        let lines: Vec<serde_json::Value> =
            log.body.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
        assert_eq!(lines.len(), 2);
        let expected = serde_json::json!({
            "n": 1, "at_ns": 0, "token": "other", "method": "GET", "path": "/v4/linode/instances", "query": "page=1",
            "x_filter": "{\"tags\":\"x\"}", "body": null, "status": 200,
            "reply": {"data": [], "page": 1, "pages": 1, "results": 0}, "reply_bytes": 49, "fault": null,
        });
        assert_eq!(lines[0], expected);
        assert_eq!((&lines[1]["body"]["count"], &lines[1]["status"]), (&1.into(), &400.into()));
        assert_eq!(served.fake("GET", "requests?from=2", "").await.body.lines().count(), 1);
        assert_eq!(served.fake("GET", "requests?from=x", "").await.status, 400);
    });
}

#[test]
fn what_the_administration_has_not_is_told() {
    standard(async |served| {
        for (method, path, status) in [("GET", "nothing", 404), ("POST", "state", 405), ("POST", "reset", 200)] {
            let came = served.fake(method, path, "").await;
            assert_eq!(came.status, status, "{method} {path}: {}", came.body);
        }
        let yaml = "Content-Type: application/yaml\r\n";
        let came = served.asked("POST", "/_fake/reset", yaml, "about: x").await.expect("an answer");
        assert_eq!(came.json()["error"], "no scenario is read here: about: x");
    });
}

#[test]
fn who_looks_around_is_told_what_there_is() {
    standard(async |served| {
        for path in ["/_fake", "/_fake/"] {
            let came = served.asked("GET", path, "", "").await.expect("an answer");
            let paths = came.json()["paths"].as_array().expect("a list").clone();
            assert_eq!(came.status, 200);
            for own in paths {
                let (method, path) = (own["method"].as_str().expect("one"), own["path"].as_str().expect("one"));
                let path = path.replace("NAME", "none");
                let there = served.asked(method, &path, "", "").await.expect("an answer");
                assert!(![405].contains(&there.status), "{method} {path}: {}", there.body);
                assert!(there.status != 404 || there.body.contains("no fault"), "{method} {path}: {}", there.body);
            }
        }
        assert_eq!(served.asked("POST", "/_fake", "", "").await.expect("an answer").status, 405);
        assert_eq!(served.asked("GET", "/_fakes", "", "").await.expect("an answer").status, 401);
    });
}
