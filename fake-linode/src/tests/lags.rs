use super::*;
use crate::{Lags, Limits};
use lkesim_linode_api::InstanceStatus;
use lkesim_runtime::Quantiles;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

type Knob = fn(&mut Lags) -> &mut Quantiles;

/// Each lag, and what comes later when it alone grows. What needs another thing to be seen first waits with it.
const KNOBS: [(Knob, &[&str]); 11] = [
    (|lags| &mut lags.lke_pool_list, &["pool: list", "nodes: list", "ids: list", "pool gone: list"]),
    (|lags| &mut lags.lke_pool_get, &["pool: get", "nodes: get", "ids: get", "pool gone: get"]),
    (|lags| &mut lags.members, &["nodes: get", "nodes: list", "ids: get", "ids: list"]),
    (|lags| &mut lags.slot_id, &["ids: get", "ids: list"]),
    (|lags| &mut lags.instance_get, &["linode: get", "pool tags: get", "running: get"]),
    (|lags| &mut lags.instance_list, &["linode: list", "pool tags: list", "running: list"]),
    (|lags| &mut lags.tag_get, &["tag: get"]),
    (|lags| &mut lags.tag_list, &["tag: list"]),
    (|lags| &mut lags.propagation, &["pool tags: get", "pool tags: list"]),
    (|lags| &mut lags.boot, &["running: get", "running: list"]),
    (|lags| &mut lags.deletion, &["linode gone: get", "linode gone: list"]),
];

/// The second at which each thing was first seen.
type Seen = BTreeMap<&'static str, u64>;

const TAGGED: u64 = 100;
const DELETED: u64 = 200;

/// Makes a pool at 0 s, tags a Linode of it at 100 s, deletes the pool at 200 s, and looks every second.
fn watch(lags: Lags) -> Seen {
    let mut settings = Settings::quiet(Tier::Enterprise);
    settings.lags = lags;
    settings.limits = Limits::documented();
    settings.limits.list.count = u32::MAX;
    let mut client = client(settings);
    let pool = client.create_pool(pool_of(2)).id;
    let instance = client.members(pool)[0];
    let mut seen = Seen::new();
    for second in 0..DELETED + 60 {
        client.at(second);
        if second == TAGGED {
            assert!(client.put(instance, tags(["own=1", "nodepool=1"])).result.is_ok());
        }
        if second == DELETED {
            client.accepted(Request::DeletePool { cluster: CLUSTER, lke_pool: pool });
        }
        look(&mut client, pool, instance, second, &mut seen);
    }
    seen
}

fn look(client: &mut Client, pool: LkePoolId, instance: InstanceId, second: u64, seen: &mut Seen) {
    let mut note = |what, holds: bool| {
        if holds {
            seen.entry(what).or_insert(second);
        }
    };
    let got = client.pool(pool);
    let listed = client.pools().into_iter().find(|other| other.id == pool);
    let views = [
        (got, ["pool: get", "nodes: get", "ids: get", "pool gone: get"]),
        (listed, ["pool: list", "nodes: list", "ids: list", "pool gone: list"]),
    ];
    for (shown, [here, nodes, ids, gone]) in views {
        note(gone, shown.is_none() && second >= DELETED);
        if let Some(shown) = shown {
            note(here, true);
            note(nodes, shown.nodes.len() == 2);
            note(ids, shown.nodes.len() == 2 && shown.nodes.iter().all(|node| node.instance.is_some()));
        }
    }
    let got = client.get(instance);
    let listed = client.list_objects(None).into_iter().find(|other| other.id == instance);
    let views = [
        (got, ["linode: get", "pool tags: get", "running: get", "tag: get", "linode gone: get"]),
        (listed, ["linode: list", "pool tags: list", "running: list", "tag: list", "linode gone: list"]),
    ];
    for (shown, [here, pool_tags, running, tag, gone]) in views {
        note(gone, shown.is_none() && second >= DELETED);
        if let Some(shown) = shown {
            note(here, true);
            note(pool_tags, shown.tags.has("managed=true"));
            note(running, shown.status == InstanceStatus::Running);
            note(tag, shown.tags.has("own=1"));
        }
    }
}

#[test]
fn without_lag_all_is_seen_at_once() {
    let seen = watch(Lags::zero());
    assert_eq!(seen.len(), 18);
    for (what, second) in seen {
        let expected = match what {
            "tag: get" | "tag: list" => TAGGED,
            gone if gone.contains("gone") => DELETED,
            _ => 0,
        };
        assert_eq!(second, expected, "{what}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(44))]

    #[test]
    fn each_lag_delays_what_it_names_and_nothing_else(knob in 0..KNOBS.len(), lag in 1u64..50) {
        let (knob, named) = KNOBS[knob];
        let mut lags = Lags::zero();
        *knob(&mut lags) = Quantiles::constant(Duration::from_secs(lag));
        let mut expected = watch(Lags::zero());
        for what in named {
            *expected.get_mut(what).unwrap() += lag;
        }
        prop_assert_eq!(watch(lags), expected);
    }
}

#[test]
fn a_linode_is_billed_before_any_view_shows_it() {
    let mut client = client(Settings::usual(Tier::Enterprise));
    client.at(5).create_pool(pool_of(1));
    let made = client.cloud.live_instances().last().unwrap().clone();
    assert_eq!(made.created, Time::from_secs(5));
    assert_eq!(client.get(made.id), None);
    client.at(200);
    assert_eq!(client.get(made.id).unwrap().created.0, client.cloud.settings().epoch.0 + 5);
}

#[test]
fn tags_propagate_onto_what_was_written_before() {
    let mut settings = Settings::quiet(Tier::Enterprise);
    settings.lags.propagation = Quantiles::constant(Duration::from_secs(10));
    settings.lags.tag_list = Quantiles::constant(Duration::from_secs(30));
    let mut client = client(settings);
    let pool = client.create_pool(pool_of(1)).id;
    let instance = client.members(pool)[0];
    assert!(client.at(5).put(instance, tags(["own=1"])).result.is_ok());
    let shown = client.at(10).get(instance).unwrap();
    assert!(shown.tags.has("own=1") && shown.tags.has("lke1"));
    // The list sees writes in their order: the propagated tags wait for the client's.
    assert!(client.at(34).list(Some(Filter::tag("managed=true"))).is_empty());
    assert_eq!(client.at(35).list(Some(Filter::tag("managed=true"))), [instance]);
}

#[test]
fn the_nth_machine_of_a_key_has_the_same_luck_in_whatever_pool() {
    let boots = |pools: [u32; 2]| {
        let mut client = client(Settings::usual(Tier::Enterprise));
        for count in pools.into_iter().filter(|&count| count > 0) {
            client.create_pool(pool_of(count));
        }
        client.at(300).list(None);
        client.cloud.instances().skip(3).map(|truth| truth.booted.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(boots([4, 0]), boots([1, 3]));
}

#[test]
fn equal_lags_of_get_and_list_are_one_lag() {
    let mut client = client(Settings::usual(Tier::Enterprise));
    client.create_pool(pool_of(5));
    let ids: Vec<_> = client.cloud.live_instances().map(|truth| truth.id).collect();
    for second in 0..46 {
        let listed = client.at(second).list(None);
        for &id in &ids {
            assert_eq!(client.get(id).is_some(), listed.contains(&id), "{id} at {second} s");
        }
    }
}

/// The draws are part of every trace: a change of their keys must not pass unseen.
#[test]
fn the_luck_of_a_seed_is_the_same_in_every_version() {
    let mut client = client(Settings::usual(Tier::Enterprise));
    client.create_pool(pool_of(3));
    client.at(300).list(None);
    let drawn: Vec<_> = client
        .cloud
        .instances()
        .skip(3)
        .map(|truth| (truth.node.unwrap().to_string(), truth.booted.unwrap().as_nanos()))
        .collect();
    let expected = [
        ("102-43e4d5cb0000".to_owned(), 54_070_084_032),
        ("102-3a62316c0000".to_owned(), 65_428_129_200),
        ("102-855cb9a80000".to_owned(), 66_601_109_755),
    ];
    assert_eq!(drawn, expected);
}
