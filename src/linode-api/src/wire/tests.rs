//! What is written reads back as itself; what others write is read as the API reads it.

mod bodies;

use super::{HttpRequest, Method, NoRequest, beyond_all_pages, page_of, time};
use crate::filter::{Filter, Operator};
use crate::object::{
    Acl, Alerts, Autoscaler, ClusterId, InstanceId, LkePoolId, PoolDisk, PoolNodeId, Tags, Taint, Tier, UnixSeconds,
    UpdateStrategy,
};
use crate::request::{
    Backups, ClusterCreate, ClusterUpdate, Endpoint, InstanceCreate, InstanceOptions, InstanceUpdate, LkePoolChange,
    LkePoolCreate, LkePoolOptions, LkePoolUpdate, PageRequest, Rarer, Request,
};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::{collection, option};
use std::sync::Arc;

fn text() -> impl Strategy<Value = Arc<str>> {
    // Slashes, quotes, percent signs, a letter beyond ASCII: what paths and JSON have to escape.
    "[a-z0-9 =./%+\"\\\\ü-]{1,12}".prop_map(Arc::from)
}

fn tags() -> impl Strategy<Value = Tags> {
    collection::vec(text(), 0..4).prop_map(Tags::from_iter)
}

fn page() -> impl Strategy<Value = PageRequest> {
    (1..5_000u32, prop_oneof![Just(100), 25..=500u32]).prop_map(|(page, size)| PageRequest { page, size })
}

/// Filters whose text has their own shape: none that needs to be wrapped.
fn filter() -> impl Strategy<Value = Option<Filter>> {
    let leaf = prop_oneof![
        text().prop_map(|tag| Filter::tag(&tag)),
        text().prop_map(|part| Filter::tag_contains(&part)),
        any::<u64>().prop_map(|id| Filter::field("id", id)),
        any::<u64>().prop_map(|id| Filter::compare("id", Operator::AtLeast, id)),
        collection::vec(text(), 0..3).prop_map(|parts| Filter::tag_contains_list(parts.iter().map(|part| &**part))),
    ];
    let all = leaf.clone().prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..3).prop_map(Filter::all),
            collection::vec(inner, 1..3).prop_map(Filter::any),
        ]
    });
    option::of(prop_oneof![leaf, all])
}

fn ids() -> impl Strategy<Value = (ClusterId, LkePoolId)> {
    (any::<u64>(), any::<u64>()).prop_map(|(cluster, lke_pool)| (ClusterId(cluster), LkePoolId(lke_pool)))
}

fn taint() -> impl Strategy<Value = Taint> {
    let effect = prop_oneof![Just("NoSchedule"), Just("PreferNoSchedule"), Just("NoExecute")];
    (text(), option::of(text()), effect).prop_map(|(key, value, effect)| Taint {
        key,
        value: value.unwrap_or_default(),
        effect: effect.into(),
    })
}

fn labels() -> impl Strategy<Value = Vec<(Arc<str>, Arc<str>)>> {
    collection::btree_map(text(), text(), 0..3).prop_map(|labels| labels.into_iter().collect())
}

fn autoscaler() -> impl Strategy<Value = Autoscaler> {
    (any::<bool>(), any::<u32>(), any::<u32>()).prop_map(|(enabled, min, max)| Autoscaler { enabled, min, max })
}

fn strategy() -> impl Strategy<Value = UpdateStrategy> {
    prop_oneof![Just(UpdateStrategy::OnRecycle), Just(UpdateStrategy::RollingUpdate)]
}

fn disk() -> impl Strategy<Value = PoolDisk> {
    (any::<u32>(), prop_oneof![Just("raw"), Just("ext4")])
        .prop_map(|(size_mb, kind)| PoolDisk { size_mb, kind: kind.into() })
}

/// Options of which one is set, or none.
fn pool_options() -> impl Strategy<Value = Option<Box<LkePoolOptions>>> {
    let parts = (
        option::of(text()),
        option::of(autoscaler()),
        collection::vec(disk(), 0..3),
        option::of(any::<bool>()),
        option::of(strategy()),
    );
    parts.prop_map(|(label, autoscaler, disks, disk_encryption, update_strategy)| {
        let more = LkePoolOptions { label, autoscaler, disks, disk_encryption, update_strategy };
        (more != LkePoolOptions::default()).then(|| Box::new(more))
    })
}

fn pool_change() -> impl Strategy<Value = Option<Box<LkePoolChange>>> {
    let parts = (
        option::of(labels()),
        option::of(collection::vec(taint(), 0..3)),
        option::of(text()),
        option::of(autoscaler()),
        option::of(any::<u64>()),
        option::of(strategy()),
    );
    parts.prop_map(|(labels, taints, label, autoscaler, firewall, update_strategy)| {
        let more = LkePoolChange { labels, taints, label, autoscaler, firewall, update_strategy };
        (more != LkePoolChange::default()).then(|| Box::new(more))
    })
}

fn pool_body() -> impl Strategy<Value = LkePoolCreate> {
    let more = (option::of(any::<u64>()), option::of(text()), pool_options());
    (text(), any::<u32>(), tags(), labels(), collection::vec(taint(), 0..3), more).prop_map(
        |(plan, count, tags, labels, taints, (firewall, k8s_version, more))| LkePoolCreate {
            plan,
            count,
            tags,
            labels,
            taints,
            firewall,
            k8s_version,
            more,
        },
    )
}

fn update_pool() -> impl Strategy<Value = Request> {
    (ids(), option::of(any::<u32>()), option::of(tags()), option::of(text()), pool_change()).prop_map(
        |((cluster, lke_pool), count, tags, k8s_version, more)| Request::UpdatePool {
            cluster,
            lke_pool,
            body: LkePoolUpdate { count, tags, k8s_version, more },
        },
    )
}

fn acl() -> impl Strategy<Value = Acl> {
    let list = |of: &'static [&'static str]| option::of(collection::vec(select(of).prop_map(Arc::<str>::from), 0..3));
    let ipv4 = list(&["192.0.2.1", "0.0.0.0/0", "198.51.100.0/24"]);
    let ipv6 = list(&["2001:db8::1", "::/0", "2001:db8::/32"]);
    (option::of(any::<bool>()), option::of(text()), ipv4, ipv6).prop_map(|(enabled, revision_id, ipv4, ipv6)| Acl {
        enabled,
        revision_id,
        ipv4,
        ipv6,
    })
}

fn cluster_create() -> impl Strategy<Value = Rarer> {
    let names = (text(), text(), text());
    let tier = prop_oneof![Just(Tier::Standard), Just(Tier::Enterprise)];
    let plane = (option::of(any::<bool>()), option::of(any::<bool>()), option::of(acl()));
    (names, tier, tags(), collection::vec(pool_body(), 0..3), plane).prop_map(
        |((label, region, k8s_version), tier, tags, lke_pools, (high_availability, audit_logs_enabled, acl))| {
            let body = ClusterCreate {
                label,
                region,
                k8s_version,
                tier,
                tags,
                lke_pools,
                high_availability,
                audit_logs_enabled,
                acl,
            };
            Rarer::CreateCluster { body }
        },
    )
}

fn cluster_update() -> impl Strategy<Value = Rarer> {
    let plane = (option::of(any::<bool>()), option::of(any::<bool>()), option::of(acl()));
    (ids(), option::of(text()), option::of(text()), option::of(tags()), plane).prop_map(
        |((cluster, _), label, k8s_version, tags, (high_availability, audit_logs_enabled, acl))| {
            let body = ClusterUpdate { label, k8s_version, tags, high_availability, audit_logs_enabled, acl };
            Rarer::UpdateCluster { cluster, body }
        },
    )
}

/// Changes of more than tags: those of tags alone are a call of their own.
fn instance_update() -> impl Strategy<Value = Rarer> {
    let number = || option::of(any::<u32>());
    let alerts = (number(), number(), number(), number(), number());
    let alerts = alerts.prop_map(|(cpu, network_in, network_out, transfer_quota, io)| Alerts {
        cpu,
        network_in,
        network_out,
        transfer_quota,
        io,
    });
    let flag = || option::of(any::<bool>());
    let backups = (flag(), flag(), option::of(text()), option::of(text()));
    let backups = backups.prop_map(|(enabled, available, day, window)| Backups { enabled, available, day, window });
    let parts = (text(), option::of(tags()), option::of(text()), flag(), alerts, backups, policy());
    (any::<u64>(), parts).prop_map(|(id, (label, tags, group, watchdog_enabled, alerts, backups, policy))| {
        Rarer::UpdateInstance {
            instance: InstanceId(id),
            body: InstanceUpdate {
                label: Some(label),
                tags,
                group,
                watchdog_enabled,
                alerts,
                backups,
                maintenance_policy: policy,
            },
        }
    })
}

fn of_a_cluster() -> impl Strategy<Value = Rarer> {
    let node = |cluster, lke_pool, suffix| (cluster, PoolNodeId { lke_pool, suffix });
    (ids(), any::<u32>(), page(), acl(), 0..14u8).prop_map(move |((cluster, lke_pool), suffix, page, acl, which)| {
        let (cluster, node) = node(cluster, lke_pool, suffix);
        match which {
            0 => Rarer::DeleteCluster { cluster },
            1 => Rarer::RecycleCluster { cluster },
            2 => Rarer::RegenerateCluster { cluster },
            3 => Rarer::GetKubeconfig { cluster },
            4 => Rarer::DeleteKubeconfig { cluster },
            5 => Rarer::DeleteServiceToken { cluster },
            6 => Rarer::ListApiEndpoints { cluster, page },
            7 => Rarer::GetDashboard { cluster },
            8 => Rarer::GetControlPlaneAcl { cluster },
            9 => Rarer::UpdateControlPlaneAcl { cluster, acl },
            10 => Rarer::DeleteControlPlaneAcl { cluster },
            11 => Rarer::RecyclePool { cluster, lke_pool },
            12 => Rarer::GetNode { cluster, node },
            _ => Rarer::RecycleNode { cluster, node },
        }
    })
}

fn of_others() -> impl Strategy<Value = Rarer> {
    let id = || any::<u64>().prop_map(InstanceId);
    prop_oneof![
        id().prop_map(|instance| Rarer::BootInstance { instance }),
        id().prop_map(|instance| Rarer::RebootInstance { instance }),
        id().prop_map(|instance| Rarer::ShutdownInstance { instance }),
        (filter(), page()).prop_map(|(filter, page)| Rarer::ListTags { filter, page }),
        (text(), page()).prop_map(|(label, page)| Rarer::ListTaggedObjects { label, page }),
        text().prop_map(|label| Rarer::DeleteTag { label }),
    ]
}

fn rarer() -> impl Strategy<Value = Request> {
    prop_oneof![
        2 => cluster_create(),
        2 => cluster_update(),
        2 => instance_update(),
        10 => of_a_cluster(),
        5 => of_others()
    ]
    .prop_map(|call| Request::Rarer(Box::new(call)))
}

fn of_lke() -> impl Strategy<Value = Request> {
    prop_oneof![
        (filter(), page()).prop_map(|(filter, page)| Request::ListClusters { filter, page }),
        ids().prop_map(|(cluster, _)| Request::GetCluster { cluster }),
        (ids(), filter(), page()).prop_map(|((cluster, _), filter, page)| Request::ListPools { cluster, filter, page }),
        (ids(), pool_body()).prop_map(|((cluster, _), body)| Request::CreatePool { cluster, body }),
        update_pool(),
        ids().prop_map(|(cluster, lke_pool)| Request::GetPool { cluster, lke_pool }),
        ids().prop_map(|(cluster, lke_pool)| Request::DeletePool { cluster, lke_pool }),
        (ids(), any::<u32>()).prop_map(|((cluster, lke_pool), suffix)| Request::DeleteNode {
            cluster,
            node: PoolNodeId { lke_pool, suffix },
        }),
    ]
}

/// What the body says of what changes nothing in the model. Who may log in by a key may log in.
fn instance_options() -> impl Strategy<Value = InstanceOptions> {
    let keys = || collection::vec(text().prop_filter("a key has a text", |key| !key.is_empty()), 0..3);
    let rarer = (keys(), keys(), option::of(any::<u64>()), option::of(any::<u64>()), any::<bool>());
    (common_options(), rarer).prop_map(|(common, (authorized_keys, authorized_users, firewall, swap_size, backups))| {
        InstanceOptions {
            has_login: common.has_login || !authorized_keys.is_empty() || !authorized_users.is_empty(),
            authorized_keys,
            authorized_users,
            firewall,
            swap_size,
            backups,
            ..common
        }
    })
}

fn common_options() -> impl Strategy<Value = InstanceOptions> {
    let parts = (option::of(text()), option::of(any::<bool>()), any::<bool>(), option::of(text()), any::<bool>());
    let more = (any::<bool>(), option::of(any::<bool>()), policy());
    (parts, more).prop_map(
        |((image, booted, has_login, group, unnamed), (has_user_data, disk_encryption, maintenance_policy))| {
            InstanceOptions {
                image,
                booted,
                has_login,
                group,
                unnamed,
                has_user_data,
                disk_encryption,
                maintenance_policy,
                ..InstanceOptions::default()
            }
        },
    )
}

fn policy() -> impl Strategy<Value = Option<Arc<str>>> {
    option::of(select(vec!["linode/migrate".into(), "linode/power_off_on".into()]))
}

fn of_linodes() -> impl Strategy<Value = Request> {
    let id = || any::<u64>().prop_map(InstanceId);
    prop_oneof![
        (filter(), page()).prop_map(|(filter, page)| Request::ListInstances { filter, page }),
        id().prop_map(|instance| Request::GetInstance { instance }),
        (id(), tags()).prop_map(|(instance, tags)| Request::UpdateInstance { instance, tags }),
        ((text(), text(), text(), tags()), instance_options()).prop_map(|((label, plan, region, tags), more)| {
            let label = if more.unnamed { "".into() } else { label };
            Request::CreateInstance { body: InstanceCreate { label, plan, region, tags, more: Some(Box::new(more)) } }
        }),
        id().prop_map(|instance| Request::DeleteInstance { instance }),
        (text(), collection::vec(id(), 0..4)).prop_map(|(label, linodes)| Request::CreateTag { label, linodes }),
    ]
}

fn of_the_catalogue() -> impl Strategy<Value = Request> {
    prop_oneof![
        page().prop_map(|page| Request::ListTypes { page }),
        text().prop_map(|plan| Request::GetType { plan }),
        (filter(), page()).prop_map(|(filter, page)| Request::ListRegionAvailability { filter, page }),
        text().prop_map(|region| Request::RegionAvailability { region }),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    prop_oneof![of_lke(), of_linodes(), of_the_catalogue(), rarer()]
}

proptest! {
    #[test]
    fn a_request_that_is_written_reads_back_as_itself(request in request()) {
        prop_assert_eq!(HttpRequest::of(&request).request(), Ok(request));
    }

    #[test]
    fn the_method_and_the_path_are_those_of_the_endpoint(request in request()) {
        let http = HttpRequest::of(&request);
        let (method, path) = request.endpoint().path().split_once(' ').expect("a method and a path");
        prop_assert_eq!(http.method.name(), method);
        let pattern: Vec<&str> = path.split('/').collect();
        let written: Vec<&str> = http.path.split('/').collect();
        prop_assert_eq!(pattern.len(), written.len());
        for (pattern, written) in pattern.iter().zip(written) {
            prop_assert!(*pattern == written || pattern.starts_with('{'), "{pattern} {written}");
        }
    }

    #[test]
    fn a_time_that_is_written_reads_back_as_itself(at in 0..253_402_300_800u64) {
        prop_assert_eq!(time::read(&time::write(UnixSeconds(at))), Some(UnixSeconds(at)));
    }

    #[test]
    fn no_request_breaks_the_reader(
        method in prop_oneof![Just(Method::Get), Just(Method::Post), Just(Method::Put), Just(Method::Delete)],
        path in "(/lke|/linode|/tags|/regions|)(/clusters|/instances|/types|)(/[0-9%a-z-]{0,9}){0,3}(/pools|/nodes|)(/[0-9-]{0,20})?",
        query in "[a-z_]{0,9}=?[0-9a-z]{0,30}(&page(_size)?=[0-9-]{0,25})?",
        x_filter in option::of("[{}\\[\\]\":+a-z0-9,]{0,20}"),
        body in option::of("[{}\\[\\]\":a-z0-9,]{0,20}"),
    ) {
        let _ = HttpRequest { method, path, query, x_filter, body }.request();
    }
}

#[test]
fn every_endpoint_is_generated() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..2_000 {
        seen.insert(request().new_tree(&mut runner).expect("a request").current().endpoint());
    }
    assert_eq!(
        seen,
        Endpoint::ALL.into_iter().filter(|endpoint| !endpoint.is_static() && !endpoint.is_wished()).collect()
    );
}

#[test]
fn times_have_the_form_of_the_api() {
    assert_eq!(time::write(UnixSeconds(0)), "1970-01-01T00:00:00");
    assert_eq!(time::write(UnixSeconds(951_782_400)), "2000-02-29T00:00:00");
    assert_eq!(time::write(UnixSeconds(1_767_225_600 + 3_661)), "2026-01-01T01:01:01");
    for text in ["", "2026-01-01", "2026-01-01T00:00:00Z", "2026-13-01T00:00:00", "2026-01-01T24:00:00"] {
        assert_eq!(time::read(text), None, "{text}");
    }
}

#[test]
fn a_page_is_read_from_the_query_and_other_keys_are_ignored() {
    let page = |query| page_of(query).map(|page| (page.page, page.size));
    assert_eq!(page(""), Ok((1, 100)));
    assert_eq!(page("page=3&page_size=25"), Ok((3, 25)));
    assert_eq!(page("tag=x&label=y"), Ok((1, 100)));
    for query in ["page_size=24", "page_size=501", "page_size=x", "page_size="] {
        let error = page_of(query).expect_err("no page size");
        assert_eq!((error.status, error.text()), (400, "[page_size] Must be 25-500".to_owned()), "{query}");
    }
    for query in ["page=0", "page=-1", "page=x", "page="] {
        assert_eq!(page_of(query).expect_err("no page").status, 400, "{query}");
    }
    let beyond = |query| page_of(query).map(beyond_all_pages);
    assert_eq!(beyond("page=4000000000"), Ok(false));
    assert_eq!(beyond("page=184467440737095516"), Ok(false));
    assert_eq!(beyond("page=184467440737095517"), Ok(true));
}

fn http(method: Method, path: &str, body: &str) -> HttpRequest {
    let body = (!body.is_empty()).then(|| body.to_owned());
    HttpRequest { method, path: path.to_owned(), query: String::new(), x_filter: None, body }
}

#[test]
fn lists_that_linodego_sends_as_null_are_as_absent_ones() {
    let body = r#"{"count":1,"type":"g6-standard-2","disks":null,"tags":null,"labels":null,"taints":null}"#;
    let request = http(Method::Post, "/lke/clusters/1/pools", body).request().expect("a request");
    let Request::CreatePool { cluster, body } = &request else { panic!("{request:?}") };
    assert_eq!((*cluster, &*body.plan, body.count), (ClusterId(1), "g6-standard-2", 1));
    assert!(body.tags.is_empty() && body.labels.is_empty() && body.taints.is_empty());
}

#[test]
fn a_pool_is_written_as_linodego_writes_it() {
    let body = LkePoolCreate {
        plan: "g6-standard-2".into(),
        count: 1,
        tags: ["a=b"].into_iter().collect(),
        labels: Vec::new(),
        taints: Vec::new(),
        firewall: None,
        k8s_version: None,
        more: None,
    };
    let http = HttpRequest::of(&Request::CreatePool { cluster: ClusterId(7), body });
    let expected = r#"{"count":1,"type":"g6-standard-2","disks":null,"tags":["a=b"],"labels":null,"taints":null}"#;
    assert_eq!(http.body.as_deref(), Some(expected));
}

#[test]
fn what_is_no_call_is_told_apart() {
    let read = |method, path: &str, body: &str| http(method, path, body).request();
    assert_eq!(read(Method::Get, "/nothing", ""), Err(NoRequest::UnknownPath));
    assert_eq!(read(Method::Get, "/lke/clusters/", ""), read(Method::Get, "/lke/clusters/x", ""));
    assert_eq!(read(Method::Put, "/lke/clusters/1/pools", "{}"), Err(NoRequest::WrongMethod));
    assert_eq!(read(Method::Delete, "/linode/types", ""), Err(NoRequest::WrongMethod));
    let refused = |answer: Result<Request, NoRequest>| match answer {
        Err(NoRequest::Refused(error)) => (error.status, error.text()),
        other => panic!("{other:?}"),
    };
    for path in ["/linode/instances/x", "/linode/instances/-1", "/linode/instances/+1", "/lke/clusters/1/pools/x"] {
        assert_eq!(refused(read(Method::Get, path, "")), (404, "Not found".to_owned()), "{path}");
    }
    for node in ["1", "1-abc", "1-12345678", "1-1234567G0000", "x-123456780000"] {
        assert_eq!(refused(read(Method::Delete, &format!("/lke/clusters/1/nodes/{node}"), "")).0, 404, "{node}");
    }
    for body in ["x", "[]", "1", "{\"count\": 1", "\"text\""] {
        assert_eq!(
            refused(read(Method::Post, "/lke/clusters/1/pools", body)),
            (400, "Invalid JSON".to_owned()),
            "{body}"
        );
    }
    let wrong = r#"{"type": "g6-standard-2", "count": "two"}"#;
    assert_eq!(refused(read(Method::Post, "/lke/clusters/1/pools", wrong)).1, "[count] count is not valid");
    let unknown = r#"{"type": "g6-standard-2", "count": 1, "colour": "red"}"#;
    assert!(matches!(read(Method::Post, "/lke/clusters/1/pools", unknown), Err(NoRequest::NotModelled(_))));
}

#[test]
fn a_filter_that_is_no_json_is_refused_and_one_that_nobody_models_is_no_answer() {
    let with =
        |text: &str| HttpRequest { x_filter: Some(text.to_owned()), ..http(Method::Get, "/linode/instances", "") };
    let Err(NoRequest::Refused(error)) = with("{x").request() else { panic!("it was taken") };
    assert_eq!(error.text(), "[X-Filter] Filter not valid JSON");
    assert!(matches!(with(r#"{"+limit": 3}"#).request(), Err(NoRequest::NotModelled(_))));
}
