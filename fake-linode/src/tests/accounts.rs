use super::*;
use crate::settings::{AccountId, ClusterSettings, SoldOut, TokenSettings};
use lkesim_linode_api::{InstanceCreate, Rarer};

const SECOND: ClusterId = ClusterId(2);

/// A cluster and a token in each of two accounts, with the same label for both clusters.
fn two_accounts() -> Settings {
    let mut settings = Settings::quiet(Tier::Standard);
    settings.clusters.push(ClusterSettings { account: AccountId(1), ..ClusterSettings::new(SECOND, "cluster-1") });
    settings.tokens.push(TokenSettings { account: AccountId(1), ..TokenSettings::new("second") });
    settings
}

/// Asks with a token, in the second it is now.
fn ask(client: &mut Client, token: u16, request: Request) -> Answer {
    client.calls += 1;
    let number = client.calls;
    let handled = client.cloud.handle(client.now, TokenId(token), number, &call(request)).expect("it is modelled");
    client.cloud.take_changes(&mut client.changes);
    handled.answer
}

fn status(answer: Answer) -> Option<u16> {
    answer.result.err().and_then(|error| error.status())
}

fn listed(client: &mut Client, token: u16, filter: Option<Filter>) -> Vec<InstanceId> {
    match ask(client, token, Request::ListInstances { filter, page: PageRequest::FIRST }).result {
        Ok(Reply::Instances(page)) => page.data.iter().map(|instance| instance.id).collect(),
        other => panic!("no list: {other:?}"),
    }
}

#[test]
fn an_account_sees_and_changes_what_is_its_own_and_nothing_else() {
    let mut client = client(two_accounts());
    let own = client.create_pool(pool_of(2)).id;
    let mine = client.cloud.members(own).next().unwrap();
    assert_eq!((listed(&mut client, 0, None).len(), listed(&mut client, 1, None).len()), (5, 3));
    assert_eq!(listed(&mut client, 1, Some(Filter::tag_contains("karpenter.sh/nodepool=default"))), []);
    let body = LkePoolUpdate { count: Some(3), ..LkePoolUpdate::default() };
    let foreign = [
        Request::GetInstance { instance: mine },
        Request::UpdateInstance { instance: mine, tags: tags(["theirs"]) },
        Request::DeleteInstance { instance: mine },
        Request::Rarer(Box::new(Rarer::RebootInstance { instance: mine })),
        Request::GetCluster { cluster: CLUSTER },
        Request::ListPools { cluster: CLUSTER, filter: None, page: PageRequest::FIRST },
        Request::GetPool { cluster: CLUSTER, lke_pool: own },
        Request::UpdatePool { cluster: CLUSTER, lke_pool: own, body },
        Request::DeletePool { cluster: CLUSTER, lke_pool: own },
        Request::CreatePool { cluster: CLUSTER, body: pool_of(1) },
    ];
    for request in foreign {
        let asked = format!("{request:?}");
        assert_eq!(status(ask(&mut client, 1, request.clone())), Some(404), "{asked}");
    }
    assert_eq!(client.cloud.members(own).count(), 2);
    match ask(&mut client, 1, Request::ListClusters { filter: None, page: PageRequest::FIRST }).result {
        Ok(Reply::Clusters(page)) => assert_eq!(page.data.iter().map(|own| own.id).collect::<Vec<_>>(), [SECOND]),
        other => panic!("no list: {other:?}"),
    }
}

#[test]
fn an_account_has_its_own_room_and_tokens_their_own_limits() {
    let mut settings = two_accounts();
    settings.account_limit = Some(4);
    settings.limits.list.count = 2;
    let mut client = client(settings);
    client.create_pool(pool_of(1));
    assert_eq!(client.refused(Request::CreatePool { cluster: CLUSTER, body: pool_of(1) }).status, 400);
    assert_eq!(status(ask(&mut client, 1, Request::CreatePool { cluster: SECOND, body: pool_of(1) })), None);
    let list = || Request::ListInstances { filter: None, page: PageRequest::FIRST };
    let statuses: Vec<_> = [0, 0, 0, 1].map(|token| status(ask(&mut client, token, list()))).into();
    assert_eq!(statuses, [None, None, Some(429), None]);
}

#[test]
fn a_saved_state_keeps_accounts_apart() {
    let mut client = client(two_accounts());
    client.create_pool(pool_of(2));
    client.cloud = Cloud::load(&client.cloud.save()).expect("it was just written");
    assert_eq!((listed(&mut client, 0, None).len(), listed(&mut client, 1, None).len()), (5, 3));
}

#[test]
fn what_a_region_has_is_shared_by_accounts_and_by_no_other_region() {
    let mut settings = two_accounts();
    settings.clusters[1].region = Some("us-east".into());
    settings.capacity.insert("g6-standard-4".into(), 2);
    settings.capacity.insert("us-east/g6-standard-4".into(), 1);
    settings.sold_out = vec![SoldOut {
        plan: "g6-standard-2".into(),
        region: Some("us-east".into()),
        from: Time::ZERO,
        until: Time::MAX,
        status: None,
    }];
    let mut client = client(settings);
    let create = |cluster, plan: &str, count| Request::CreatePool {
        cluster,
        body: LkePoolCreate { plan: plan.into(), ..pool_of(count) },
    };
    assert_eq!(status(ask(&mut client, 0, create(CLUSTER, "g6-standard-4", 2))), None);
    assert_eq!(status(ask(&mut client, 1, create(SECOND, "g6-standard-4", 2))), Some(403));
    assert_eq!(status(ask(&mut client, 1, create(SECOND, "g6-standard-4", 1))), None);
    assert_eq!(status(ask(&mut client, 0, create(CLUSTER, "g6-standard-4", 1))), Some(403));
    assert_eq!(status(ask(&mut client, 0, create(CLUSTER, "g6-standard-2", 1))), None);
    assert_eq!(status(ask(&mut client, 1, create(SECOND, "g6-standard-2", 1))), Some(403));
    let body = |region: &str| InstanceCreate {
        label: "alone".into(),
        plan: "g6-standard-4".into(),
        region: region.into(),
        tags: Tags::default(),
        more: None,
    };
    assert_eq!(status(ask(&mut client, 0, Request::CreateInstance { body: body("us-east") })), Some(403));
    let regions: Vec<_> = client.cloud.live_instances().map(|truth| (&*truth.region, truth.account.0)).collect();
    assert!(regions.contains(&("us-east", 1)) && regions.contains(&("us-ord", 0)) && !regions.contains(&("us-ord", 1)));
}
