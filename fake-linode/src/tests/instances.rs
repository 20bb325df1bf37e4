use super::*;
use crate::settings::{ContainsList, DyingUpdate, ListOrder, TagMatch};
use lkesim_linode_api::{InstanceCreate, InstanceOptions, InstanceStatus};
use lkesim_runtime::Quantiles;
use std::time::Duration;

fn new_linode(label: &str) -> Request {
    let image = Some("linode/debian12".into());
    let bootable = InstanceOptions { image, has_login: true, ..InstanceOptions::default() };
    Request::CreateInstance {
        body: InstanceCreate {
            label: label.into(),
            plan: "g6-standard-1".into(),
            region: "us-ord".into(),
            tags: Tags::default(),
            more: Some(Box::new(bootable)),
        },
    }
}

#[test]
fn a_put_replaces_the_whole_list_of_tags() {
    let mut client = quiet(Tier::Enterprise);
    let pool = client.create_pool(pool_of(1)).id;
    let instance = client.members(pool)[0];
    assert!(client.put(instance, tags(["one=1"])).result.is_ok());
    assert_eq!(client.get(instance).unwrap().tags, tags(["one=1"]));
    assert_eq!(client.cloud.instance(instance).unwrap().tags, tags(["one=1"]));
}

#[test]
fn tags_of_fewer_than_3_or_more_than_50_characters_are_refused() {
    let mut client = quiet(Tier::Standard);
    let (fits, long) = ("x".repeat(50), "x".repeat(51));
    let instance = client.list(None)[0];
    assert!(client.put(instance, tags(["abc", &fits])).result.is_ok());
    for bad in ["ab", &long] {
        assert_eq!(client.put(instance, tags([bad])).result.unwrap_err().status(), Some(400));
    }
    let body = LkePoolCreate { tags: tags([&*long]), ..pool_of(1) };
    let refused = client.refused(Request::CreatePool { cluster: CLUSTER, body });
    assert_eq!(refused.status, 400);
}

#[test]
fn what_is_gone_or_dying_can_not_be_tagged() {
    let update = |dying_update| {
        let mut settings = Settings::quiet(Tier::Standard);
        settings.dying_update = dying_update;
        settings.lags.deletion = Quantiles::constant(Duration::from_secs(10));
        let mut client = client(settings);
        let pool = client.create_pool(pool_of(1)).id;
        let instance = client.members(pool)[0];
        client.accepted(Request::DeletePool { cluster: CLUSTER, lke_pool: pool });
        assert_eq!(client.get(instance).unwrap().status, InstanceStatus::Deleting);
        let dying = client.put(instance, tags(["one=1"])).result.unwrap_err().status();
        let gone = client.at(10).put(instance, tags(["one=1"])).result.unwrap_err().status();
        assert_eq!(client.get(instance), None);
        (dying, gone)
    };
    assert_eq!(update(DyingUpdate::NotFound), (Some(404), Some(404)));
    assert_eq!(update(DyingUpdate::Busy), (Some(400), Some(404)));
}

#[test]
fn contains_finds_longer_pool_ids_too_unless_it_means_equal() {
    let found = |tag_match| {
        let mut client = client(Settings { tag_match, ..Settings::quiet(Tier::Standard) });
        let ids = client.list(None);
        client.put(ids[0], tags(["nodepool=12"]));
        client.put(ids[1], tags(["nodepool=123"]));
        client.list(Some(Filter::all([Filter::tag_contains("nodepool=12")]))).len()
    };
    assert_eq!(found(TagMatch::Contains), 2);
    assert_eq!(found(TagMatch::Equal), 1);
}

#[test]
fn lists_have_the_order_of_the_setting() {
    let order = |list_order| {
        let mut client = client(Settings { list_order, ..Settings::quiet(Tier::Standard) });
        client.create_pool(pool_of(20));
        let first = client.list(None);
        assert_eq!(first, client.list(None));
        first
    };
    let ids = order(ListOrder::Id);
    let newest: Vec<_> = ids.iter().rev().copied().collect();
    assert!(ids.is_sorted());
    assert_eq!(order(ListOrder::Newest), newest);
    let mut shuffled = order(ListOrder::Shuffled);
    assert!(shuffled != ids && shuffled != newest);
    shuffled.sort_unstable();
    assert_eq!(shuffled, ids);
}

#[test]
fn pages_are_cut_as_asked() {
    let mut client = quiet(Tier::Enterprise);
    client.create_pool(pool_of(60));
    let mut page =
        |page, size| client.answer(Request::ListInstances { filter: None, page: PageRequest { page, size } });
    let shape = |answer: Answer| match answer.result {
        Ok(Reply::Instances(page)) => (page.data.len(), page.page, page.pages, page.results),
        other => panic!("not a page: {other:?}"),
    };
    assert_eq!(shape(page(1, 25)), (25, 1, 3, 63));
    assert_eq!(shape(page(3, 25)), (13, 3, 3, 63));
    assert_eq!(shape(page(4, 25)), (0, 4, 3, 63));
    for size in [24, 501] {
        let Err(CallError::Api(error)) = page(1, size).result else {
            panic!("page size {size} is accepted");
        };
        assert_eq!(error.text(), "[page_size] Must be 25-500");
    }
    let zeroth = Request::ListInstances { filter: None, page: PageRequest { page: 0, size: 100 } };
    assert!(client.handle(zeroth).is_err());
}

#[test]
fn an_empty_list_has_one_page() {
    let mut client = quiet(Tier::Enterprise);
    let request = Request::ListInstances { filter: Some(Filter::tag("no-such-tag")), page: PageRequest::FIRST };
    match client.accepted(request) {
        Reply::Instances(page) => assert_eq!((page.data.len(), page.page, page.pages, page.results), (0, 1, 1, 0)),
        other => panic!("not a page: {other:?}"),
    }
}

#[test]
fn a_filter_that_the_list_does_not_take_is_refused_and_one_that_the_model_lacks_ends_the_run() {
    let mut client = quiet(Tier::Enterprise);
    let by = |field| Request::ListInstances { filter: Some(Filter::field(field, "x")), page: PageRequest::FIRST };
    assert_eq!(client.refused(by("foo")).text(), "[X-Filter] Cannot filter on foo");
    assert!(client.handle(by("ipv4")).unwrap_err().to_string().contains("`ipv4`"));
}

#[test]
fn plain_linodes_are_made_and_deleted() {
    let mut client = quiet(Tier::Standard);
    let Reply::Instance(made) = client.accepted(new_linode("web")) else {
        panic!("not a Linode");
    };
    assert_eq!((&*made.label, made.lke_cluster), ("web", None));
    assert_eq!(client.refused(new_linode("web")).text(), "[label] Label must be unique among your linodes");
    client.accepted(Request::CreateTag { label: "aaa".into(), linodes: vec![made.id] });
    assert_eq!(client.get(made.id).unwrap().tags, tags(["aaa"]));
    client.accepted(Request::DeleteInstance { instance: made.id });
    assert_eq!(client.get(made.id), None);
}

#[test]
fn the_cluster_is_found_by_label() {
    let mut client = quiet(Tier::Enterprise);
    let found = client.accepted(Request::ListClusters {
        filter: Some(Filter::field("label", "cluster-1")),
        page: PageRequest::FIRST,
    });
    assert!(matches!(found, Reply::Clusters(page) if page.data[0].id == CLUSTER && page.results == 1));
    assert_eq!(client.refused(Request::GetCluster { cluster: ClusterId(7) }).status, 404);
}

#[test]
fn an_array_below_contains_can_be_refused() {
    let mut client = client(Settings { contains_list: ContainsList::Refused, ..Settings::quiet(Tier::Standard) });
    let filter = Some(Filter::tag_contains_list(["a"]));
    let error = client.refused(Request::ListInstances { filter, page: PageRequest::FIRST });
    assert_eq!((error.status, error.text().as_str()), (400, "[X-Filter] Filter not valid"));
}
