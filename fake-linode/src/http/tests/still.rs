//! Paths whose answers never change meet limits and faults all the same.

use super::{served, standard};
use crate::http::Bounds;
use crate::settings::{LimitScope, Settings};
use lkesim_linode_api::Tier;

const PATHS: [&str; 10] = [
    "/regions",
    "/regions/us-ord",
    "/linode/types",
    "/linode/types/g6-standard-2",
    "/lke/types",
    "/lke/versions",
    "/lke/versions/1.35",
    "/lke/tiers/standard/versions",
    "/lke/tiers/enterprise/versions/v1.33.6+lke7",
    "/profile",
];

#[test]
fn a_fault_of_any_call_hits_what_never_changes() {
    standard(async |served| {
        for path in PATHS {
            assert_eq!(served.api("GET", path, "").await.status, 200, "{path}");
        }
        served.fake("POST", "faults", r#"{"refuse": {}}"#).await;
        for path in PATHS {
            assert_eq!(served.api("GET", path, "").await.status, 500, "{path}");
        }
        let faults = served.fake("GET", "faults", "").await.json();
        assert_eq!(faults["faults"][0]["hits"], PATHS.len());
        served.fake("DELETE", "faults", "").await;
        served.fake("POST", "faults", r#"{"garble": {}}"#).await;
        let came = served.api("GET", "/regions", "").await;
        assert!(came.status == 200 && serde_json::from_str::<serde_json::Value>(&came.body).is_err());
        served.fake("DELETE", "faults", "").await;
        served.fake("POST", "faults", r#"{"lose": {}}"#).await;
        let token = "Authorization: Bearer token\r\n";
        assert!(served.asked("GET", "/v4beta/regions", token, "").await.is_none());
    });
}

#[test]
fn lists_that_never_change_break_off_and_show_an_entry_twice() {
    standard(async |served| {
        let results = async || {
            let came = served.api("GET", "/regions", "").await.json();
            (came["results"].as_u64(), came["data"].as_array().map(Vec::len))
        };
        assert_eq!(results().await, (Some(46), Some(46)));
        served.fake("POST", "faults", r#"{"partial": {}}"#).await;
        assert_eq!(results().await, (Some(2), Some(2)));
        served.fake("DELETE", "faults", "").await;
        served.fake("POST", "faults", r#"{"double": {}}"#).await;
        assert_eq!(results().await, (Some(46), Some(47)));
        let second = served.api("GET", "/regions?page=2&page_size=25", "").await.json();
        let first = served.api("GET", "/regions?page=1&page_size=25", "").await.json();
        assert_eq!(second["data"][0], first["data"][24]);
    });
}

#[test]
fn each_path_has_a_limit_of_its_own_where_limits_are_of_endpoints() {
    let mut settings = Settings::quiet(Tier::Standard);
    settings.limits.scope = LimitScope::Endpoint;
    (settings.limits.list.count, settings.limits.other.count) = (2, 2);
    served(settings, Bounds::default(), false, async |served| {
        for path in PATHS {
            for expected in [200, 200, 429] {
                assert_eq!(served.api("GET", path, "").await.status, expected, "{path}");
            }
        }
    });
}

#[test]
fn a_body_that_is_none_counts_as_the_call_that_it_would_have_been() {
    standard(async |served| {
        for _ in 0..20 {
            assert_eq!(served.api("POST", "/linode/instances", "{").await.status, 400);
        }
        assert_eq!(served.api("POST", "/linode/instances", "{").await.status, 429);
        served.fake("POST", "advance", r#"{"by": "15s"}"#).await;
        let large = "x".repeat((1 << 20) + 1);
        for _ in 0..20 {
            assert_eq!(served.api("POST", "/linode/instances", &large).await.status, 400);
        }
        assert_eq!(served.api("POST", "/linode/instances", "{}").await.status, 429);
    });
}
