//! What LKE does by itself.

use super::*;
use crate::settings::{SoldOut, TagResync};
use crate::{DeletedBy, Lags};
use lkesim_runtime::Quantiles;
use std::time::Duration;

fn healing(heals: bool) -> Client {
    let lags = Lags { heal: Quantiles::constant(Duration::from_secs(180)), ..Lags::zero() };
    client(Settings { heals, lags, ..Settings::quiet(Tier::Standard) })
}

#[test]
fn a_linode_deleted_by_itself_is_replaced_after_the_lag_and_the_count_stays() {
    let mut client = healing(true);
    let pool = client.create_pool(pool_of(2));
    let (id, dead) = (pool.id, pool.nodes[0].instance.unwrap());
    client.accepted(Request::DeleteInstance { instance: dead });
    assert_eq!(client.get(dead), None);
    assert_eq!(client.members(id).len(), 1, "one Linode lives");
    let meanwhile = client.at(179).pool(id).unwrap();
    assert_eq!((meanwhile.count, meanwhile.nodes.len()), (2, 2), "its node is still listed");
    let after = client.at(180).pool(id).unwrap();
    assert_eq!((after.count, after.nodes.len()), (2, 2));
    assert!(after.nodes.iter().all(|node| node.instance != Some(dead)));
    assert_eq!(client.members(id).len(), 2);
}

#[test]
fn a_linode_deleted_by_itself_stays_away_where_the_setting_says() {
    let mut client = healing(false);
    let pool = client.create_pool(pool_of(2));
    client.accepted(Request::DeleteInstance { instance: pool.nodes[0].instance.unwrap() });
    let after = client.at(86_400).pool(pool.id).unwrap();
    assert_eq!((after.count, client.members(pool.id).len()), (2, 1));
}

#[test]
fn a_node_removed_before_it_is_healed_is_not_replaced_and_a_lower_count_takes_it_first() {
    let mut client = healing(true);
    let pool = client.create_pool(pool_of(3));
    let dead = pool.nodes[1].instance.unwrap();
    client.accepted(Request::DeleteInstance { instance: dead });
    assert!(client.set_count(pool.id, 2).result.is_ok());
    assert_eq!(client.members(pool.id).len(), 2, "the dead node went, and no Linode with it");
    assert_eq!(client.at(600).cloud.instances().len(), 3 + 3, "nothing was made since");
    let reasons = client.happened(|kind| match kind {
        ChangeKind::InstanceDeleted { why, .. } => Some(*why),
        _ => None,
    });
    assert_eq!(reasons, [DeletedBy::Instance]);
}

#[test]
fn a_recycled_pool_has_as_many_nodes_and_none_of_the_old() {
    let mut client = quiet(Tier::Enterprise);
    let pool = client.create_pool(pool_of(3));
    let before = client.members(pool.id);
    assert!(client.cloud.recycle_by_hand(Time::ZERO, pool.id));
    assert!(!client.cloud.recycle_by_hand(Time::ZERO, LkePoolId(9_999)));
    let after = client.pool(pool.id).unwrap();
    assert_eq!((after.count, after.nodes.len()), (3, 3));
    assert!(client.members(pool.id).iter().all(|id| !before.contains(id)));
}

#[test]
fn a_changed_pool_writes_its_tags_again_as_the_setting_says() {
    let after = |resync, tier| {
        let mut client = client(Settings { lke_pool_tag_resync: resync, ..Settings::quiet(tier) });
        let pool = client.create_pool(pool_of(1)).id;
        let linode = client.members(pool)[0];
        client.put(linode, tags(["karpenter.sh/nodeclaim=claim-1", "managed=true"]));
        client.set_count(pool, 2);
        client.get(linode).unwrap().tags.clone()
    };
    let own = tags(["karpenter.sh/nodeclaim=claim-1", "managed=true"]);
    let of_pool = tags(["karpenter.sh/nodepool=default", "managed=true", "nodepool=102", "lke1"]);
    let both = tags([
        "karpenter.sh/nodeclaim=claim-1",
        "managed=true",
        "karpenter.sh/nodepool=default",
        "nodepool=102",
        "lke1",
    ]);
    assert_eq!(after(TagResync::Never, Tier::Enterprise), own);
    assert_eq!(after(TagResync::Merge, Tier::Enterprise), both);
    assert_eq!(after(TagResync::Replace, Tier::Enterprise), of_pool);
    assert_eq!(after(TagResync::Replace, Tier::Standard), own, "Standard pools keep their tags to themselves");
}

#[test]
fn what_is_done_by_hand_passes_limits_and_faults() {
    let mut settings = Settings::quiet(Tier::Standard);
    settings.limits.other.count = 0;
    settings.faults = vec![crate::Fault::new("down", crate::Action::Maintenance)];
    let mut client = client(settings);
    let pool = client.cloud.lke_pools().next().unwrap().id;
    let delete = call(Request::DeletePool { cluster: CLUSTER, lke_pool: pool });
    assert!(client.cloud.handle_by_hand(Time::ZERO, 1, &delete).unwrap().answer.result.is_ok());
    assert!(client.members(pool).is_empty());
}

#[test]
fn a_node_whose_plan_is_sold_out_is_replaced_once_it_can_be_had_again() {
    let mut settings = healing(true).cloud.settings().clone();
    settings.sold_out.push(sold_out(100, 400));
    let mut client = client(settings);
    let pool = client.create_pool(pool_of(2));
    client.accepted(Request::DeleteInstance { instance: pool.nodes[0].instance.unwrap() });
    client.at(399).pool(pool.id).unwrap();
    assert_eq!(client.members(pool.id).len(), 1, "LKE tried at 180, 240, 300 and 360");
    client.at(420).pool(pool.id).unwrap();
    assert_eq!(client.members(pool.id).len(), 2);
}

#[test]
fn a_pool_whose_plan_is_sold_out_is_not_recycled() {
    let mut settings = Settings::quiet(Tier::Enterprise);
    settings.sold_out.push(sold_out(100, 400));
    let mut client = client(settings);
    let pool = client.create_pool(pool_of(3));
    client.at(200).pool(pool.id).unwrap();
    let before = client.members(pool.id);
    assert!(!client.cloud.recycle_by_hand(Time::ZERO + Duration::from_secs(200), pool.id));
    assert_eq!(client.members(pool.id), before);
}

/// The plan of these pools, sold out between two seconds.
fn sold_out(from: u64, until: u64) -> SoldOut {
    let at = |secs| Time::ZERO + Duration::from_secs(secs);
    SoldOut { plan: pool_of(1).plan, region: None, from: at(from), until: at(until), status: None }
}
