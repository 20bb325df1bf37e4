use super::*;
use crate::settings::Settings;
use lkesim_linode_api::Endpoint;
use lkesim_linode_api::request::NO_UNCLAIMED_NODE;
use lkesim_runtime::Quantiles;
use std::time::Duration;

const BOTH: &[Endpoint] = &[Endpoint::ListMembers, Endpoint::ClaimNode];

fn claim(lke_pool: LkePoolId, tag: &str) -> Request {
    Request::ClaimNode { cluster: CLUSTER, lke_pool, tag: tag.into() }
}

#[track_caller]
fn claimed(client: &mut Client, lke_pool: LkePoolId, tag: &str) -> Arc<Instance> {
    match client.accepted(claim(lke_pool, tag)) {
        Reply::Instance(instance) => instance,
        other => panic!("not a Linode: {other:?}"),
    }
}

/// A cloud whose views lag by a minute.
fn lagging(tier: Tier) -> Client {
    let mut settings = Settings::quiet(tier);
    let minute = Quantiles::constant(Duration::from_secs(60));
    (settings.lags.tag_get, settings.lags.tag_list, settings.lags.instance_list) =
        (minute.clone(), minute.clone(), minute);
    client(settings)
}

#[test]
fn who_is_not_offered_them_finds_no_such_path() {
    let mut client = quiet(Tier::Standard);
    let lke_pool = client.create_pool(pool_of(1)).id;
    assert_eq!(client.refused(claim(lke_pool, "claim=a")).status, 404);
    assert_eq!(client.refused(Request::ListMembers { cluster: CLUSTER, lke_pool }).status, 404);
    client.cloud.offer(CLUSTER, &[Endpoint::ListMembers]);
    assert_eq!(client.refused(claim(lke_pool, "claim=a")).status, 404);
    client.cloud.offer(ClusterId(2), BOTH);
    assert_eq!(client.refused(claim(lke_pool, "claim=a")).status, 404);
}

#[test]
fn a_claim_gives_each_node_once_and_the_same_one_again() {
    for tier in [Tier::Standard, Tier::Enterprise] {
        let mut client = lagging(tier);
        client.cloud.offer(CLUSTER, BOTH);
        let lke_pool = client.create_pool(pool_of(2)).id;
        let members = client.members(lke_pool);
        assert_eq!(claimed(&mut client, lke_pool, "claim=a").id, members[0]);
        assert_eq!(claimed(&mut client, lke_pool, "claim=b").id, members[1]);
        let again = claimed(&mut client, lke_pool, "claim=a");
        assert_eq!(again.id, members[0]);
        assert!(again.tags.has("claim=a") && again.tags.has("managed=true"), "{:?}", again.tags);
        let refused = client.refused(claim(lke_pool, "claim=c"));
        assert_eq!((refused.status, refused.text().as_str()), (409, NO_UNCLAIMED_NODE));
        assert_eq!(client.happened(|kind| matches!(kind, ChangeKind::InstanceTagged { .. }).then_some(())).len(), 2);
    }
}

#[test]
fn members_show_claims_at_once_whatever_other_views_show() {
    let mut client = lagging(Tier::Enterprise);
    client.cloud.offer(CLUSTER, BOTH);
    let lke_pool = client.create_pool(pool_of(2)).id;
    let first = claimed(&mut client, lke_pool, "claim=a").id;
    assert!(client.list(None).iter().all(|id| *id != first), "the list lags");
    let Reply::Instances(members) = client.accepted(Request::ListMembers { cluster: CLUSTER, lke_pool }) else {
        panic!("no members");
    };
    let bears: Vec<_> = members.data.iter().map(|one| (one.id, one.tags.has("claim=a"))).collect();
    let truth: Vec<_> = client.members(lke_pool).into_iter().map(|id| (id, id == first)).collect();
    assert_eq!(bears, truth);
}

#[test]
fn a_dead_node_is_neither_member_nor_claimed() {
    let mut settings = Settings::quiet(Tier::Standard);
    settings.heals = false;
    let mut client = client(settings);
    client.cloud.offer(CLUSTER, BOTH);
    let lke_pool = client.create_pool(pool_of(2)).id;
    let members = client.members(lke_pool);
    client.accepted(Request::DeleteInstance { instance: members[0] });
    assert_eq!(claimed(&mut client, lke_pool, "claim=a").id, members[1]);
    assert_eq!(client.refused(claim(lke_pool, "claim=b")).status, 409);
}
