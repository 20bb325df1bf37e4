//! Bodies that the API would not take, or whose values nothing here models.

use super::*;

/// What becomes of a body: the status and the field of its refusal, 501 where it is not modelled, 200 where it is
/// taken.
fn told(method: Method, path: &str, body: &str) -> (u16, Option<String>) {
    match http(method, path, body).request() {
        Ok(_) => (200, None),
        Err(NoRequest::NotModelled(_)) => (501, None),
        Err(NoRequest::Refused(error)) => (error.status, error.reasons[0].field.as_ref().map(ToString::to_string)),
        Err(other) => panic!("{body}: {other:?}"),
    }
}

/// The creation of a Linode with one field more.
fn made_with(field: &str, value: &str) -> (u16, Option<String>) {
    let body = format!(r#"{{"type": "g6-nanode-1", "region": "us-ord", "{field}": {value}}}"#);
    told(Method::Post, "/linode/instances", &body)
}

#[test]
fn each_value_of_a_linodes_creation_is_of_its_kind() {
    let fits = [
        ("authorized_keys", r#"["ssh-ed25519 x"]"#),
        ("authorized_users", "[]"),
        ("backups_enabled", "false"),
        ("backups_enabled", "true"),
        ("disk_encryption", r#""disabled""#),
        ("firewall_id", "7"),
        ("interface_generation", r#""legacy_config""#),
        ("interfaces", "[]"),
        ("maintenance_policy", r#""linode/migrate""#),
        ("metadata", r#"{"user_data": "eA=="}"#),
        ("metadata", "{}"),
        ("network_helper", "true"),
        ("placement_group", "null"),
        ("private_ip", "false"),
        ("root_pass", r#""aaaaaaaa""#),
        ("stackscript_data", r#"{"name": "value"}"#),
        ("stackscript_id", "10079"),
        ("swap_size", "512"),
    ];
    for (field, value) in fits {
        assert_eq!(made_with(field, value), (200, None), "{field}: {value}");
        for other in ["1.5", r#"{"x": 1}"#, r#"["x", 1]"#, "-1"] {
            let (status, _) = made_with(field, other);
            let is_data = field == "stackscript_data" && other.starts_with('{');
            assert!(status == 400 || status == 501 || is_data, "{field}: {other}");
        }
    }
    for field in ["metadata", "firewall_id", "swap_size", "network_helper", "root_pass"] {
        assert_eq!(made_with(field, r#"["x"]"#), (400, Some(field.to_owned())));
    }
    for data in [r#""not base64!""#, r#""abc""#, "7"] {
        let told = made_with("metadata", &format!(r#"{{"user_data": {data}}}"#));
        assert_eq!(told, (400, Some("metadata.user_data".to_owned())), "{data}");
    }
    assert_eq!(made_with("maintenance_policy", r#""invalid_policy""#).0, 400);
    assert_eq!(made_with("interface_generation", r#""third""#).0, 400);
}

#[test]
fn what_would_show_in_a_linode_and_is_not_modelled_is_no_answer() {
    for (field, value) in [
        ("placement_group", r#"{"id": 1}"#),
        ("interfaces", r#"[{"purpose": "vpc"}]"#),
        ("interface_generation", r#""linode""#),
        ("private_ip", "true"),
        ("metadata", r#"{"colour": "red"}"#),
        ("colour", r#""red""#),
    ] {
        assert_eq!(made_with(field, value), (501, None), "{field}: {value}");
    }
}

#[test]
fn an_action_takes_no_body_that_says_something() {
    let paths = [
        "/lke/clusters/1/recycle",
        "/lke/clusters/1/regenerate",
        "/lke/clusters/1/pools/2/recycle",
        "/lke/clusters/1/nodes/2-123456780000/recycle",
        "/linode/instances/3/boot",
        "/linode/instances/3/reboot",
        "/linode/instances/3/shutdown",
    ];
    for path in paths {
        for body in ["", "{}", " {} ", r#"{"config_id": null}"#] {
            assert_eq!(told(Method::Post, path, body), (200, None), "{path} {body}");
        }
        for body in ["{{{", "[]", "text", "1"] {
            assert_eq!(told(Method::Post, path, body), (400, None), "{path} {body}");
        }
        assert_eq!(told(Method::Post, path, r#"{"config_id": 7}"#), (501, None), "{path}");
    }
    let regenerate = |body| told(Method::Post, "/lke/clusters/1/regenerate", body).0;
    assert_eq!(regenerate(r#"{"kubeconfig": true, "servicetoken": true}"#), 200);
    assert_eq!(regenerate(r#"{"kubeconfig": true, "servicetoken": false}"#), 200);
    assert_eq!(regenerate(r#"{"kubeconfig": false, "servicetoken": true}"#), 501);
    assert_eq!(regenerate(r#"{"kubeconfig": "yes"}"#), 400);
}

#[test]
fn a_change_of_a_linode_has_values_of_their_kind() {
    let told = |body| told(Method::Put, "/linode/instances/3", body).0;
    let shown = r#"{"backups": {"enabled": false, "available": false, "schedule": {"day": null, "window": null},
                    "last_successful": null}, "maintenance_policy": "linode/migrate"}"#;
    assert_eq!(told(shown), 200);
    for body in [r#"{"backups": true}"#, r#"{"backups": {"schedule": 7}}"#, r#"{"backups": {"enabled": "no"}}"#] {
        assert_eq!(told(body), 400, "{body}");
    }
    assert_eq!(told(r#"{"maintenance_policy": "sometimes"}"#), 400);
}

#[test]
fn what_no_source_names_below_a_field_is_not_modelled_and_what_is_no_object_is_refused() {
    let pools = |field: &str| {
        let body = format!(r#"{{"type": "g6-nanode-1", "count": 1, {field}}}"#);
        told(Method::Post, "/lke/clusters/1/pools", &body)
    };
    for field in [
        r#""taints": [{"key": "a", "value": "b", "effect": "NoSchedule", "more": 1}]"#,
        r#""disks": [{"size": 10, "type": "raw", "more": 1}]"#,
        r#""autoscaler": {"enabled": true, "min": 1, "max": 2, "more": 1}"#,
        r#""autoscaler": {"enabled": true, "max": 2}"#,
        r#""autoscaler": {"enabled": false}"#,
    ] {
        assert_eq!(pools(field), (501, None), "{field}");
    }
    assert_eq!(pools(r#""autoscaler": {"enabled": false, "min": 1, "max": 2}"#), (200, None));
    let acl = |body: &str| told(Method::Put, "/lke/clusters/1/control_plane_acl", body);
    for body in [r#"{"acl": {"more": 1}}"#, r#"{"acl": {"addresses": {"ipv4": [], "more": 1}}}"#] {
        assert_eq!(acl(body), (501, None), "{body}");
    }
    let ranges =
        |ipv4: &str, ipv6: &str| acl(&format!(r#"{{"acl": {{"addresses": {{"ipv4": {ipv4}, "ipv6": {ipv6}}}}}}}"#));
    assert_eq!(ranges(r#"["192.0.2.1", "192.0.2.0/24"]"#, r#"["2001:db8::/32"]"#), (200, None));
    for (ipv4, ipv6) in [(r#"["999.1.1.1"]"#, "[]"), (r#"["192.0.2.0/33"]"#, "[]"), ("[]", r#"["192.0.2.1"]"#)] {
        assert_eq!(ranges(ipv4, ipv6), (400, Some("acl".to_owned())), "{ipv4} {ipv6}");
    }
    for body in [r#"{"acl": []}"#, r#"{"acl": "x"}"#, r#"{"acl": {"addresses": []}}"#, "{}"] {
        assert_eq!(acl(body), (400, Some("acl".to_owned())), "{body}");
    }
}

#[test]
fn a_page_is_digits_however_many_or_escaped() {
    let of = |query: &str| crate::wire::page_of(query);
    assert_eq!(of("page=%32&page_size=2%35").map(|page| (page.page, page.size)), Ok((2, 25)));
    assert_eq!(of(&format!("page={}", "9".repeat(60))).map(|page| page.page), Ok(u32::MAX));
    for none in ["page=+1", "page=", "page=-1", "page=1.0", "page=0", "page_size=+25", "page=%zz"] {
        assert!(of(none).is_err(), "{none}");
    }
}

#[test]
fn a_filter_of_a_list_that_none_calls_filtered_is_not_modelled() {
    for path in ["/tags/abc", "/lke/clusters/1/api-endpoints"] {
        let asked = |filter: &str| {
            let filtered = HttpRequest { x_filter: Some(filter.to_owned()), ..http(Method::Get, path, "") };
            filtered.request()
        };
        assert!(matches!(asked(r#"{"label": "x"}"#), Err(NoRequest::NotModelled(_))), "{path}");
        assert!(matches!(asked("{"), Err(NoRequest::Refused(_))), "{path}");
        assert!(asked("{}").is_ok(), "{path}");
    }
}
