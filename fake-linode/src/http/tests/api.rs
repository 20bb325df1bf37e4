//! The wire rules that hold for every path.

use super::standard;

#[test]
fn a_success_is_200_and_json_without_a_charset_and_has_the_limits() {
    standard(async |served| {
        let came = served.api("GET", "/lke/clusters", "").await;
        assert_eq!(came.status, 200);
        assert_eq!(came.header("content-type"), Some("application/json"));
        assert_eq!(came.header("x-ratelimit-limit"), Some("1840"));
        assert_eq!(came.header("x-ratelimit-remaining"), Some("1839"));
        assert_eq!(came.header("x-ratelimit-reset"), Some("1767225660"));
        assert_eq!(came.header("retry-after"), Some("60"));
        assert_eq!(came.header("x-oauth-scopes"), Some("*"));
        assert_eq!(came.header("x-accepted-oauth-scopes"), Some("lke:read_only"));
        assert_eq!(came.header("date"), Some("Thu, 01 Jan 2026 00:00:00 GMT"));
        assert!(came.body.starts_with(r#"{"data": [{"id": 1, "status": "ready", "created": "2026-01-01T00:00:00""#));
        assert!(came.body.ends_with(r#"], "page": 1, "pages": 1, "results": 1}"#));
    });
}

#[test]
fn who_has_no_token_or_a_wrong_one_is_refused_save_where_none_is_needed() {
    standard(async |served| {
        for headers in ["", "Authorization: Bearer wrong\r\n", "Authorization: token\r\n"] {
            let came = served.asked("GET", "/v4/lke/clusters", headers, "").await.expect("an answer");
            assert_eq!((came.status, &*came.body), (401, r#"{"errors": [{"reason": "Invalid Token"}]}"#), "{headers}");
            assert_eq!(came.header("x-oauth-scopes"), Some("unknown"));
            assert!(came.header("x-ratelimit-limit").is_some());
        }
        for path in ["/regions", "/regions/us-ord", "/regions/availability", "/linode/types", "/lke/types"] {
            let came = served.asked("GET", &format!("/v4{path}"), "", "").await.expect("an answer");
            assert_eq!(came.status, 200, "{path}");
        }
    });
}

#[test]
fn what_is_not_there_is_404_and_what_is_not_done_is_405() {
    standard(async |served| {
        for path in ["/nothing", "/lke/clusters/2", "/lke/clusters/1/pools/7", "/linode/instances/7", "/regions/xx-yyy"]
        {
            let came = served.api("GET", path, "").await;
            assert_eq!((came.status, &*came.body), (404, r#"{"errors": [{"reason": "Not found"}]}"#), "{path}");
            assert!(came.header("x-ratelimit-remaining").is_some(), "{path}");
        }
        for (method, path) in [("PUT", "/lke/clusters"), ("DELETE", "/regions"), ("PATCH", "/lke/clusters/1")] {
            let came = served.api(method, path, "").await;
            assert_eq!(came.status, 405, "{method} {path}");
            assert!(!came.json()["errors"].as_array().expect("a list").is_empty());
        }
        let unversioned = served.asked("GET", "/v3/regions", "Authorization: Bearer token\r\n", "").await;
        assert_eq!(unversioned.expect("an answer").status, 404);
    });
}

#[test]
fn what_nobody_models_is_501_and_no_answer_of_the_api() {
    standard(async |served| {
        for (method, path) in [("GET", "/account/events"), ("OPTIONS", "/lke/clusters"), ("POST", "/volumes")] {
            let came = served.api(method, path, "").await;
            assert_eq!(came.status, 501, "{method} {path}");
            assert!(came.body.contains("not modelled"), "{}", came.body);
        }
        assert_eq!(served.api("HEAD", "/lke/clusters", "").await.status, 501);
    });
}

#[test]
fn what_the_cloud_itself_does_not_model_is_501_too() {
    standard(async |served| {
        let running = &served.api("GET", "/linode/instances", "").await.json()["data"][0]["id"];
        let came = served.api("POST", &format!("/linode/instances/{running}/boot"), "").await;
        assert_eq!(came.status, 501, "{}", came.body);
        let by_address = "Authorization: Bearer token\r\nX-Filter: {\"ipv4\": \"192.0.2.1\"}\r\n";
        let came = served.asked("GET", "/v4beta/linode/instances", by_address, "").await.expect("an answer");
        assert_eq!(came.status, 501, "{}", came.body);
        assert_eq!(served.api("GET", "/linode/instances", "").await.status, 200);
    });
}

#[test]
fn a_body_that_is_too_large_or_no_json_is_400() {
    standard(async |served| {
        let path = "/lke/clusters/1/pools";
        for body in ["{", "[1]", "text", "{\"count\": 1,}"] {
            let came = served.api("POST", path, body).await;
            assert_eq!((came.status, &*came.body), (400, r#"{"errors": [{"reason": "Invalid JSON"}]}"#), "{body}");
        }
        let large = format!("{{\"type\": \"{}\"}}", "x".repeat(1 << 20));
        let came = served.api("POST", path, &large).await;
        assert_eq!(came.status, 400);
        assert!(!came.json()["errors"].as_array().expect("a list").is_empty());
    });
}

#[test]
fn pages_have_their_bounds_and_an_empty_page_past_the_end() {
    standard(async |served| {
        let list = |query: &'static str| format!("/linode/instances?{query}");
        let came = served.api("GET", &list("page_size=24"), "").await;
        let expected = r#"{"errors": [{"reason": "Must be 25-500", "field": "page_size"}]}"#;
        assert_eq!((came.status, &*came.body), (400, expected));
        assert_eq!(served.api("GET", &list("page=0"), "").await.status, 400);
        let past = served.api("GET", &list("page=9&page_size=25&tag=x"), "").await;
        assert_eq!(past.body, r#"{"data": [], "page": 9, "pages": 1, "results": 3}"#);
    });
}

#[test]
fn a_throttled_call_says_when_to_come_back() {
    standard(async |served| {
        for _ in 0..200 {
            assert_eq!(served.api("GET", "/regions", "").await.status, 200);
        }
        let came = served.api("GET", "/linode/instances", "").await;
        assert_eq!((came.status, &*came.body), (429, r#"{"errors": [{"reason": "Too many requests"}]}"#));
        assert_eq!(came.header("retry-after"), Some("60"));
        served.fake("POST", "advance", r#"{"by": "60s"}"#).await;
        assert_eq!(served.api("GET", "/linode/instances", "").await.status, 200);
    });
}

#[test]
fn the_beta_alone_shows_what_is_in_beta() {
    standard(async |served| {
        let of =
            async |path: &str| served.asked("GET", path, "Authorization: Bearer token\r\n", "").await.expect("one");
        assert_eq!(of("/v4beta/lke/clusters/1").await.json()["tier"], "standard");
        assert_eq!(of("/v4/lke/clusters/1").await.json().get("tier"), None);
        assert_eq!(of("/v4beta/lke/tiers/enterprise/versions").await.status, 200);
        assert_eq!(of("/v4/lke/tiers/enterprise/versions").await.status, 404);
    });
}

#[test]
fn what_is_in_beta_is_no_answer_under_v4() {
    standard(async |served| {
        let token = "Authorization: Bearer token\r\n";
        let post = async |path: &str, body: &str| served.asked("POST", path, token, body).await.expect("one").status;
        let pools = |version: &str| format!("/{version}/lke/clusters/1/pools");
        for field in [r#""firewall_id": 7"#, r#""k8s_version": "1.35""#, r#""update_strategy": "on_recycle""#] {
            let body = format!(r#"{{"type": "g6-standard-2", "count": 1, {field}}}"#);
            assert_eq!(post(&pools("v4"), &body).await, 501, "{field}");
            assert_eq!(post(&pools("v4beta"), &body).await, 400, "{field}");
        }
        let cluster = r#"{"label": "x", "region": "us-ord", "k8s_version": "v1.33.6+lke7", "tier": "enterprise"}"#;
        assert_eq!(post("/v4/lke/clusters", cluster).await, 501);
        assert_eq!(post(&pools("v4"), r#"{"type": "g6-standard-2", "count": 1}"#).await, 200);
    });
}

#[test]
fn a_filter_that_would_hold_the_server_is_400() {
    standard(async |served| {
        let any = vec![r#"{"label":"x"}"#; 2_000].join(",");
        let deep = format!("{}{}", r#"{"+or":["#.repeat(100), "]}".repeat(100));
        for filter in [format!(r#"{{"+or":[{any}]}}"#), deep] {
            for path in ["/v4beta/linode/instances", "/v4beta/regions", "/v4beta/tags"] {
                let headers = format!("Authorization: Bearer token\r\nX-Filter: {filter}\r\n");
                let came = served.asked("GET", path, &headers, "").await.expect("an answer");
                assert_eq!(came.status, 400, "{path}");
                assert_eq!(came.json()["errors"][0]["field"], "X-Filter");
            }
        }
        for filter in ["[]", "7", "null", r#""x""#] {
            for path in ["/v4beta/linode/instances", "/v4beta/regions"] {
                let headers = format!("Authorization: Bearer token\r\nX-Filter: {filter}\r\n");
                assert_eq!(served.asked("GET", path, &headers, "").await.expect("one").status, 501, "{filter}");
            }
        }
    });
}
