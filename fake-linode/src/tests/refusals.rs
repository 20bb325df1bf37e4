//! What the API does not take, and the settings for what is not known of it.

use super::*;
use crate::settings::{ClusterLabels, DyingUpdate, EmptyLkePools, EnterpriseFields};
use lkesim_linode_api::{
    Backups, ClusterCreate, ClusterUpdate, InstanceCreate, InstanceOptions, InstanceUpdate, LkePoolChange,
    LkePoolOptions, PoolDisk, Rarer, Taint, UpdateStrategy,
};

fn create(body: LkePoolCreate) -> Request {
    Request::CreatePool { cluster: CLUSTER, body }
}

fn update(lke_pool: LkePoolId, body: LkePoolUpdate) -> Request {
    Request::UpdatePool { cluster: CLUSTER, lke_pool, body }
}

/// Creations and changes with a field that Enterprise pools alone have.
fn of_enterprise(id: LkePoolId) -> [Request; 6] {
    let strategy = Some(UpdateStrategy::OnRecycle);
    let version: Arc<str> = "1.35".into();
    let options = LkePoolOptions { update_strategy: strategy, ..LkePoolOptions::default() };
    let firewall = LkePoolChange { firewall: Some(7), ..LkePoolChange::default() };
    let change = LkePoolChange { update_strategy: strategy, ..LkePoolChange::default() };
    [
        create(LkePoolCreate { firewall: Some(7), ..pool_of(1) }),
        create(LkePoolCreate { k8s_version: Some(version.clone()), ..pool_of(1) }),
        create(LkePoolCreate { more: Some(Box::new(options)), ..pool_of(1) }),
        update(id, LkePoolUpdate { more: Some(Box::new(firewall)), ..LkePoolUpdate::default() }),
        update(id, LkePoolUpdate { k8s_version: Some(version), ..LkePoolUpdate::default() }),
        update(id, LkePoolUpdate { more: Some(Box::new(change)), ..LkePoolUpdate::default() }),
    ]
}

#[test]
fn a_standard_pool_has_no_fields_of_enterprise_unless_it_is_said_to() {
    for fields in [EnterpriseFields::Refused, EnterpriseFields::Ignored, EnterpriseFields::Accepted] {
        let mut client = client(Settings { enterprise_fields: fields, ..Settings::quiet(Tier::Standard) });
        let id = client.create_pool(pool_of(1)).id;
        for request in of_enterprise(id) {
            if fields == EnterpriseFields::Refused {
                assert_eq!(client.refused(request).status, 400);
                continue;
            }
            let Reply::Pool(shown) = client.accepted(request) else { panic!("a pool") };
            let is_shown = shown.k8s_version.is_some() || shown.firewall.is_some();
            assert!(fields == EnterpriseFields::Accepted || !is_shown, "{shown:?}");
        }
        assert_eq!(client.pool(id).unwrap().k8s_version.is_some(), fields == EnterpriseFields::Accepted);
    }
}

#[test]
fn a_pools_version_is_one_that_can_be_had() {
    let more_versions = vec!["v9.9.9+lke1".into()];
    let mut client = client(Settings { more_versions, ..Settings::quiet(Tier::Enterprise) });
    let id = client.create_pool(pool_of(1)).id;
    for (version, expected) in
        [("v1.33.6+lke6", true), ("v9.9.9+lke1", true), ("1.35", false), ("v0.0.0+lke1", false), ("", false)]
    {
        let version: Option<Arc<str>> = Some(version.into());
        for request in [
            create(LkePoolCreate { k8s_version: version.clone(), ..pool_of(1) }),
            update(id, LkePoolUpdate { k8s_version: version.clone(), ..LkePoolUpdate::default() }),
        ] {
            match expected {
                true => drop(client.accepted(request)),
                false => assert_eq!(client.refused(request).reasons[0].field.as_deref(), Some("k8s_version")),
            }
        }
    }
}

#[test]
fn a_count_of_none_is_for_enterprise_and_the_last_node_can_go_on_both() {
    for (setting, tier, count, deletion) in [
        (EmptyLkePools::Documented, Tier::Standard, 400, 200),
        (EmptyLkePools::Documented, Tier::Enterprise, 200, 200),
        (EmptyLkePools::Accepted, Tier::Standard, 200, 200),
        (EmptyLkePools::Refused, Tier::Enterprise, 400, 400),
    ] {
        let mut client = client(Settings { empty_lke_pools: setting, ..Settings::quiet(tier) });
        let pool = client.create_pool(pool_of(1));
        let mut status = |request| match client.handle(request).expect("it is modelled").answer.result {
            Ok(_) => 200,
            Err(lkesim_linode_api::CallError::Api(error)) => error.status,
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(status(create(pool_of(0))), count, "{setting:?}");
        let node = Request::DeleteNode {
            cluster: CLUSTER,
            node: pool.nodes.first().map_or_else(|| unlisted(&pool), |node| node.id),
        };
        if !pool.nodes.is_empty() {
            assert_eq!(status(node), deletion, "{setting:?}");
        }
        let none = LkePoolUpdate { count: Some(0), ..LkePoolUpdate::default() };
        assert_eq!(status(update(pool.id, none)), count, "{setting:?}");
    }
}

fn unlisted(pool: &LkePool) -> lkesim_linode_api::PoolNodeId {
    lkesim_linode_api::PoolNodeId { lke_pool: pool.id, suffix: 0 }
}

fn linode(label: &str) -> Request {
    let options = InstanceOptions {
        has_user_data: true,
        disk_encryption: Some(false),
        maintenance_policy: Some("linode/power_off_on".into()),
        ..InstanceOptions::default()
    };
    let body = InstanceCreate {
        label: label.into(),
        plan: "g6-nanode-1".into(),
        region: "us-ord".into(),
        tags: Tags::default(),
        more: Some(Box::new(options)),
    };
    Request::CreateInstance { body }
}

#[test]
fn a_linodes_label_has_the_form_that_is_documented() {
    let mut client = quiet(Tier::Standard);
    for label in ["a b", "-ab", "ab-", "a--b", "a__b", "a..b", "ab!", "äöü", ".ab", "a\tb"] {
        assert_eq!(client.refused(linode(label)).reasons[0].field.as_deref(), Some("label"), "{label}");
    }
    for label in ["abc", "a-b", "a_b.c-d", "A1b", "a-_.b"] {
        assert!(matches!(client.accepted(linode(label)), Reply::Instance(_)), "{label}");
    }
}

#[test]
fn what_a_linode_is_made_with_shows_and_can_be_changed() {
    let mut client = quiet(Tier::Standard);
    let Reply::Instance(made) = client.accepted(linode("shown")) else { panic!("a Linode") };
    let rest = made.rest.as_deref().expect("what was said");
    assert!(rest.has_user_data && rest.disk_encryption == Some(false));
    assert_eq!(rest.maintenance_policy.as_deref(), Some("linode/power_off_on"));
    let change = |body| Request::Rarer(Box::new(Rarer::UpdateInstance { instance: made.id, body }));
    let policy = InstanceUpdate { maintenance_policy: Some("linode/migrate".into()), ..InstanceUpdate::default() };
    let Reply::Instance(after) = client.accepted(change(policy)) else { panic!("a Linode") };
    let rest = after.rest.as_deref().expect("what was said");
    assert_eq!(rest.maintenance_policy.as_deref(), Some("linode/migrate"));
    assert!(rest.has_user_data && rest.disk_encryption == Some(false));
    let same = Backups { enabled: Some(false), available: Some(false), day: None, window: None };
    let sent_back = InstanceUpdate { backups: same.clone(), ..InstanceUpdate::default() };
    assert!(matches!(client.accepted(change(sent_back)), Reply::Instance(_)));
    let other = Backups { day: Some("Monday".into()), ..same };
    let other = InstanceUpdate { backups: other, ..InstanceUpdate::default() };
    assert!(client.handle(change(other)).is_err());
}

fn cluster(client: &Client, label: &str) -> Request {
    let settings = client.cloud.settings();
    let body = ClusterCreate {
        label: label.into(),
        region: settings.region.clone(),
        k8s_version: settings.k8s_version.clone(),
        tier: settings.tier,
        tags: Tags::default(),
        lke_pools: vec![pool_of(1)],
        high_availability: None,
        audit_logs_enabled: None,
        acl: None,
    };
    Request::Rarer(Box::new(Rarer::CreateCluster { body }))
}

#[test]
fn a_clusters_label_is_its_own_and_of_its_form() {
    let mut client = quiet(Tier::Standard);
    for label in ["a b", "a_b", "a.b", "straße", "", "cluster-1"] {
        let request = cluster(&client, label);
        assert_eq!(client.refused(request).reasons[0].field.as_deref(), Some("label"), "{label}");
    }
    let request = cluster(&client, "other-2");
    let Reply::Cluster(other) = client.accepted(request) else { panic!("a cluster") };
    let rename = |label: &str| {
        let body = ClusterUpdate { label: Some(label.into()), ..ClusterUpdate::default() };
        Request::Rarer(Box::new(Rarer::UpdateCluster { cluster: other.id, body }))
    };
    assert_eq!(client.refused(rename("cluster-1")).status, 400);
    assert!(matches!(client.accepted(rename("other-2")), Reply::Cluster(_)));
    let any = Settings { cluster_labels: ClusterLabels::Any, ..Settings::quiet(Tier::Standard) };
    let mut client = super::client(any);
    for (label, taken) in [("straße und co", true), ("four \u{1f600}", false)] {
        let request = cluster(&client, label);
        match taken {
            true => drop(client.accepted(request)),
            false => assert_eq!(client.refused(request).status, 400),
        }
    }
}

#[test]
fn tags_are_so_many_and_so_long() {
    let mut client = client(Settings { tags_allowed: Some(3), ..Settings::quiet(Tier::Standard) });
    let numbered = |count: usize| (0..count).map(|n| format!("tag-{n}")).map(Arc::from).collect::<Tags>();
    let id = client.create_pool(LkePoolCreate { tags: numbered(3), ..pool_of(1) }).id;
    let instance = client.members(id)[0];
    for bad in [numbered(4), tags(["ab"]), ["x".repeat(51).as_str()].into_iter().collect()] {
        for request in [
            create(LkePoolCreate { tags: bad.clone(), ..pool_of(1) }),
            update(id, LkePoolUpdate { tags: Some(bad.clone()), ..LkePoolUpdate::default() }),
            Request::UpdateInstance { instance, tags: bad.clone() },
        ] {
            assert_eq!(client.refused(request).reasons[0].field.as_deref(), Some("tags"));
        }
    }
    assert!(matches!(client.accepted(Request::UpdateInstance { instance, tags: numbered(3) }), Reply::Instance(_)));
}

#[test]
fn a_second_deletion_meets_what_is_set() {
    for (setting, expected) in
        [(DyingUpdate::NotFound, Some(404)), (DyingUpdate::Busy, Some(400)), (DyingUpdate::Accepted, None)]
    {
        let mut lags = crate::Lags::zero();
        lags.deletion = lkesim_runtime::Quantiles::constant(std::time::Duration::from_secs(30));
        let mut client = client(Settings { lags, dying_delete: setting, ..Settings::quiet(Tier::Standard) });
        let id = client.create_pool(pool_of(1)).id;
        let instance = client.members(id)[0];
        assert_eq!(client.accepted(Request::DeleteInstance { instance }), Reply::Empty);
        assert!(client.get(instance).is_some(), "it still shows");
        let again = client.handle(Request::DeleteInstance { instance }).expect("it is modelled").answer.result;
        let status = again.err().map(|error| match error {
            lkesim_linode_api::CallError::Api(error) => error.status,
            other => panic!("{other:?}"),
        });
        assert_eq!(status, expected);
        assert_eq!(client.at(31).refused(Request::DeleteInstance { instance }).status, 404);
    }
}

#[test]
fn labels_and_taints_of_a_pool_have_the_form_that_is_documented() {
    let mut client = quiet(Tier::Standard);
    let id = client.create_pool(pool_of(1)).id;
    let long = |of: usize| "x".repeat(of);
    let keys = [
        ("a".to_owned(), true),
        ("node.kubernetes.io/instance-type".to_owned(), true),
        (format!("example.com/{}", long(62)), true),
        (long(63), true),
        (String::new(), false),
        ("two words".to_owned(), false),
        ("-a".to_owned(), false),
        ("a.".to_owned(), false),
        ("/a".to_owned(), false),
        ("a/".to_owned(), false),
        ("a/b/c".to_owned(), false),
        ("Example.com/a".to_owned(), false),
        (long(64), false),
        (format!("example.com/{}", long(64)), false),
    ];
    let values =
        [("", true), ("a-b_c.D", true), (&*long(63), true), ("-a", false), ("x y", false), (&*long(64), false)];
    let values = values.map(|(value, fits)| (("a".to_owned(), value.to_owned()), fits));
    let pairs = keys.into_iter().map(|(key, fits)| ((key, "b".to_owned()), fits)).chain(values);
    for ((key, value), fits) in pairs {
        let labels: Vec<(Arc<str>, Arc<str>)> = vec![(key.as_str().into(), value.as_str().into())];
        let taint = Taint { key: key.as_str().into(), value: value.as_str().into(), effect: "NoSchedule".into() };
        let by_label = LkePoolChange { labels: Some(labels.clone()), ..LkePoolChange::default() };
        let by_taint = LkePoolChange { taints: Some(vec![taint.clone()]), ..LkePoolChange::default() };
        let requests = [
            create(LkePoolCreate { labels, ..pool_of(1) }),
            update(id, LkePoolUpdate { more: Some(Box::new(by_label)), ..LkePoolUpdate::default() }),
            create(LkePoolCreate { taints: vec![taint], ..pool_of(1) }),
            update(id, LkePoolUpdate { more: Some(Box::new(by_taint)), ..LkePoolUpdate::default() }),
        ];
        for request in requests {
            match fits {
                true => drop(client.accepted(request)),
                false => assert_eq!(client.refused(request).status, 400, "{key}={value}"),
            }
        }
    }
}

#[test]
fn the_disks_of_a_pool_fit_on_its_plan() {
    let mut client = quiet(Tier::Standard);
    let of = |sizes: &[u32]| {
        let disks = sizes.iter().map(|&size_mb| PoolDisk { size_mb, kind: "raw".into() }).collect();
        create(LkePoolCreate {
            more: Some(Box::new(LkePoolOptions { disks, ..LkePoolOptions::default() })),
            ..pool_of(1)
        })
    };
    client.accepted(of(&[1_000; 7]));
    for sizes in [&[1_000; 8][..], &[0], &[100_000_000], &[60_000, 60_000, 60_000, 60_000]] {
        assert_eq!(client.refused(of(sizes)).status, 400, "{sizes:?}");
    }
}
