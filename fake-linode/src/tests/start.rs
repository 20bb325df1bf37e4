use super::*;
use crate::settings::ClusterSettings;
use crate::{PlacedInstance, PlacedLkePool, PlacedNode};
use std::time::Duration;

fn placed(cluster: ClusterId) -> PlacedLkePool {
    let node = |tag: &str, age| PlacedNode { tags: tags([tag]), age: Duration::from_secs(age) };
    PlacedLkePool {
        cluster,
        plan: "g6-standard-4".into(),
        tags: tags(["managed=true"]),
        nodes: vec![node("claim=a", 0), node("claim=b", 600)],
    }
}

#[test]
fn what_is_placed_is_seen_at_once_and_runs() {
    let mut client = client(Settings::usual(Tier::Enterprise));
    let (pool, instances) = client.cloud.place_lke_pool(&placed(CLUSTER));
    let shown = client.pool(pool).unwrap();
    assert_eq!((shown.count, shown.nodes.len()), (2, 2));
    assert_eq!(client.list(Some(Filter::tag("managed=true"))), instances);
    let old = client.get(instances[1]).unwrap();
    assert_eq!(old.created.0, client.cloud.settings().epoch.0 - 600);
    assert!(old.tags.has("claim=b") && old.tags.has(&format!("nodepool={pool}")));
    assert!(client.changes.iter().all(|change| change.call.is_none()));
}

#[test]
fn a_linode_outside_lke_is_in_the_accounts_list() {
    let mut client = quiet(Tier::Standard);
    let web = client.cloud.place_instance(&PlacedInstance {
        beside: CLUSTER,
        label: "web".into(),
        plan: "g6-nanode-1".into(),
        tags: Tags::default(),
        age: Duration::ZERO,
    });
    assert_eq!(client.list(Some(Filter::field("label", "web"))), [web]);
    assert_eq!(client.get(web).unwrap().lke_cluster, None);
}

#[test]
fn clusters_have_their_own_pools_and_share_the_accounts_linodes() {
    let mut settings = Settings::quiet(Tier::Enterprise);
    settings.clusters.push(ClusterSettings::new(ClusterId(2), "cluster-2"));
    let mut client = client(settings);
    let (other, members) = client.cloud.place_lke_pool(&placed(ClusterId(2)));
    assert!(client.pools().iter().all(|pool| pool.id != other));
    assert_eq!(client.pool(other), None);
    let listed = client.list(Some(Filter::tag_contains("lke2")));
    assert_eq!(listed.len(), 3 + members.len());
}

#[test]
fn a_placed_node_can_be_dying_at_the_start() {
    let mut client = client(Settings::usual(Tier::Enterprise));
    let (pool, instances) = client.cloud.place_lke_pool(&placed(CLUSTER));
    assert!(client.cloud.remove_placed(instances[0]));
    assert!(!client.cloud.remove_placed(instances[0]), "it is gone");
    assert_eq!(client.cloud.lke_pool(pool).map(|truth| truth.count), Some(1));
    assert_eq!(client.cloud.members(pool).collect::<Vec<_>>(), [instances[1]]);
    assert!(client.get(instances[0]).is_some(), "it stays visible");
    client.at(600);
    assert_eq!(client.get(instances[0]), None);
}
