use super::*;
use crate::DeletedBy;
use crate::settings::{LkePoolTagFilter, Victims};
use lkesim_linode_api::PoolNodeId;

#[test]
fn a_standard_pools_creation_lists_its_nodes_and_an_enterprise_pools_none() {
    let standard = quiet(Tier::Standard).create_pool(pool_of(2));
    assert_eq!((standard.count, standard.nodes.len()), (2, 2));
    let mut enterprise = quiet(Tier::Enterprise);
    let pool = enterprise.create_pool(pool_of(2));
    assert_eq!((pool.count, pool.nodes.len()), (2, 0));
    assert_eq!(enterprise.pool(pool.id).unwrap().nodes.len(), 2);
    assert_eq!(pool.k8s_version.as_deref(), Some("v1.33.6+lke7"));
}

#[test]
fn pool_tags_reach_linodes_on_enterprise_alone() {
    let mut standard = quiet(Tier::Standard);
    let pool = standard.create_pool(pool_of(1)).id;
    let instance = standard.members(pool)[0];
    assert!(standard.get(instance).unwrap().tags.is_empty());

    let mut enterprise = quiet(Tier::Enterprise);
    let pool = enterprise.create_pool(pool_of(1)).id;
    let instance = enterprise.members(pool)[0];
    let nodepool = format!("nodepool={pool}");
    let expected = tags(["karpenter.sh/nodepool=default", "managed=true", &nodepool, "lke1"]);
    assert_eq!(enterprise.get(instance).unwrap().tags, expected);
}

#[test]
fn labels_tell_pool_and_cluster() {
    let mut standard = quiet(Tier::Standard);
    let pool = standard.create_pool(pool_of(1));
    let node = standard.pool(pool.id).unwrap().nodes[0];
    let label = standard.get(node.instance.unwrap()).unwrap().label.clone();
    assert_eq!(*label, *format!("lke1-{}", node.id));

    let mut enterprise = quiet(Tier::Enterprise);
    let pool = enterprise.create_pool(pool_of(1)).id;
    let instance = enterprise.members(pool)[0];
    let label = enterprise.get(instance).unwrap().label.clone();
    let parts: Vec<&str> = label.split('-').collect();
    assert_eq!(parts[..2], ["lke1", &pool.to_string()]);
    assert_eq!((parts[2].len(), parts[3].len()), (5, 5));
}

#[test]
fn a_higher_count_keeps_the_nodes_and_sorts_the_new_ones_in() {
    let mut client = quiet(Tier::Standard);
    let before = client.create_pool(pool_of(5));
    assert!(client.set_count(before.id, 8).result.is_ok());
    let after = client.pool(before.id).unwrap();
    assert_eq!((after.count, after.nodes.len()), (8, 8));
    assert!(before.nodes.iter().all(|node| after.nodes.iter().any(|other| other.id == node.id)));
    assert!(after.nodes.is_sorted_by_key(|node| node.id));
}

#[test]
fn a_lower_count_removes_what_the_policy_says() {
    let removed = |victims| {
        let mut client = client(Settings { victims, ..Settings::quiet(Tier::Standard) });
        let pool = client.create_pool(pool_of(6)).id;
        let all: Vec<_> = client.cloud.live_instances().map(|truth| truth.id).collect();
        assert!(client.set_count(pool, 3).result.is_ok());
        assert_eq!(client.members(pool).len(), 3);
        let gone = client.happened(|kind| match kind {
            ChangeKind::InstanceDeleted { instance, why } => {
                assert_eq!(*why, DeletedBy::Count);
                Some(*instance)
            }
            _ => None,
        });
        (all[3..].to_vec(), gone)
    };
    let (all, newest) = removed(Victims::Newest);
    assert_eq!(newest, [all[5], all[4], all[3]]);
    let (all, oldest) = removed(Victims::Oldest);
    assert_eq!(oldest, all[..3]);
    assert_eq!(removed(Victims::Random).1, removed(Victims::Random).1);
}

#[test]
fn a_deleted_node_lowers_the_count_and_is_not_replaced() {
    let mut client = quiet(Tier::Standard);
    let pool = client.create_pool(pool_of(2));
    let node = pool.nodes[0].id;
    let delete = Request::DeleteNode { cluster: CLUSTER, node };
    assert_eq!(client.accepted(delete.clone()), Reply::Empty);
    let after = client.pool(pool.id).unwrap();
    assert_eq!((after.count, after.nodes.len()), (1, 1));
    assert_eq!(client.refused(delete).status, 404);
    let unknown = PoolNodeId { lke_pool: LkePoolId(9_999), suffix: 1 };
    let delete = Request::DeleteNode { cluster: CLUSTER, node: unknown };
    assert_eq!(client.refused(delete).status, 404);
}

#[test]
fn a_deleted_pool_takes_its_linodes() {
    let mut client = quiet(Tier::Enterprise);
    let pool = client.create_pool(pool_of(3)).id;
    let members = client.members(pool);
    let delete = Request::DeletePool { cluster: CLUSTER, lke_pool: pool };
    client.accepted(delete.clone());
    assert!(client.pool(pool).is_none());
    assert!(client.pools().iter().all(|other| other.id != pool));
    assert!(members.iter().all(|&id| !client.cloud.instance(id).unwrap().is_live()));
    assert!(client.members(pool).is_empty());
    assert_eq!(client.refused(delete).status, 404);
    assert_eq!(client.set_count(pool, 2).result.unwrap_err().status(), Some(404));
}

#[test]
fn the_base_pool_is_there_from_the_start() {
    let mut client = quiet(Tier::Enterprise);
    let pools = client.pools();
    assert_eq!((pools.len(), pools[0].count, pools[0].nodes.len()), (1, 3, 3));
    assert!(client.changes.iter().all(|change| change.call.is_none()));
    assert!(client.cloud.instances().all(|truth| truth.booted.is_some()));
}

#[test]
fn the_pool_list_treats_tag_filters_as_the_setting_says() {
    let found = |behaviour| {
        let mut client = client(Settings { lke_pool_tag_filter: behaviour, ..Settings::quiet(Tier::Standard) });
        client.create_pool(pool_of(1));
        let request = Request::ListPools {
            cluster: CLUSTER,
            filter: Some(Filter::tag("managed=true")),
            page: PageRequest::FIRST,
        };
        match client.accepted(request) {
            Reply::Pools(page) => page.results,
            other => panic!("not a list of pools: {other:?}"),
        }
    };
    assert_eq!(found(LkePoolTagFilter::Ignored), 2);
    assert_eq!(found(LkePoolTagFilter::Honoured), 1);
    assert_eq!(found(LkePoolTagFilter::HoldsNever), 0);
}

#[test]
fn changes_name_the_call_that_made_them_and_none_where_the_cloud_did() {
    let mut client = quiet(Tier::Standard);
    client.list(None);
    client.create_pool(pool_of(1));
    let by = |change: &Change| match change.kind {
        ChangeKind::LkePoolCreated { count: 1, .. } => Some(("pool", change.call)),
        ChangeKind::InstanceCreated { .. } if change.call.is_some() => Some(("linode", change.call)),
        _ => None,
    };
    let made: Vec<_> = client.changes.iter().filter_map(by).collect();
    assert_eq!(made, [("pool", Some(2)), ("linode", Some(2))]);
    let booted = client.changes.iter().filter(|change| matches!(change.kind, ChangeKind::InstanceBooted { .. }));
    assert!(booted.map(|change| change.call).all(|call| call.is_none()));
}

#[test]
fn another_clusters_pool_is_not_found() {
    let mut client = quiet(Tier::Standard);
    let pool = client.create_pool(pool_of(1)).id;
    let elsewhere = Request::GetPool { cluster: ClusterId(2), lke_pool: pool };
    assert_eq!(client.refused(elsewhere).status, 404);
}

#[test]
fn pools_have_the_ids_that_the_settings_name_and_then_higher_ones() {
    let mut client = client(Settings { lke_pool_ids: vec![500, 12, 123], ..Settings::quiet(Tier::Enterprise) });
    let made: Vec<u64> = (0..4).map(|_| client.create_pool(pool_of(1)).id.0).collect();
    assert_eq!(made, [12, 123, 501, 502]);
    for id in made.into_iter().chain([500]) {
        assert_eq!(client.pool(LkePoolId(id)).map(|pool| pool.id.0), Some(id));
    }
    assert!(client.pool(LkePoolId(101)).is_none() && client.pool(LkePoolId(503)).is_none());
}
