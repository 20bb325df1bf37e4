use super::*;
use crate::capacity::{SOLD_OUT, TOO_MANY_IN_CLUSTER, TOO_MANY_IN_LKE_POOL};
use crate::settings::{AvailabilityRows, SoldOut};

fn create(body: LkePoolCreate) -> Request {
    Request::CreatePool { cluster: CLUSTER, body }
}

#[test]
fn a_plan_that_is_sold_out_is_refused_for_as_long() {
    let mut settings = Settings::quiet(Tier::Enterprise);
    settings.sold_out.push(SoldOut {
        plan: "g6-standard-4".into(),
        from: Time::from_secs(10),
        until: Time::from_secs(20),
    });
    let mut client = client(settings);
    let pool = client.at(9).create_pool(pool_of(1)).id;
    let refused = client.at(10).refused(create(pool_of(1)));
    assert_eq!((refused.status, refused.text().as_str()), (403, SOLD_OUT));
    assert_eq!(client.set_count(pool, 2).result.unwrap_err().status(), Some(403));
    assert!(client.set_count(pool, 1).result.is_ok());
    client.at(20).create_pool(pool_of(1));
}

#[test]
fn pools_and_clusters_have_their_most_nodes() {
    let mut client = quiet(Tier::Standard);
    assert_eq!(client.refused(create(pool_of(101))).text(), format!("[count] {TOO_MANY_IN_LKE_POOL}"));
    client.create_pool(pool_of(100));
    client.create_pool(pool_of(100));
    let last = client.create_pool(pool_of(46)).id;
    let refused = client.set_count(last, 48).result.unwrap_err();
    assert_eq!(refused.to_string(), format!("[400] [count] {TOO_MANY_IN_CLUSTER}"));
    assert!(client.set_count(last, 47).result.is_ok());
}

#[test]
fn an_unknown_plan_is_no_plan() {
    let body = LkePoolCreate { plan: "g6-nonesuch".into(), ..pool_of(1) };
    assert_eq!(quiet(Tier::Standard).refused(create(body)).text(), "[type] type is not valid");
}

#[test]
fn a_pool_of_no_nodes_is_refused_where_the_setting_says() {
    let mut settings = Settings::quiet(Tier::Standard);
    settings.empty_lke_pools = false;
    let mut client = client(settings);
    let pool = client.create_pool(pool_of(1));
    assert_eq!(client.set_count(pool.id, 0).result.unwrap_err().status(), Some(400));
    let last = Request::DeleteNode { cluster: CLUSTER, node: pool.nodes[0].id };
    assert_eq!(client.refused(last).status, 400);
    assert_eq!(client.members(pool.id).len(), 1);
}

#[test]
fn availability_has_the_rows_of_the_setting() {
    let rows = |rows| {
        let mut settings = Settings::quiet(Tier::Enterprise);
        settings.availability_rows = rows;
        let region = settings.region.clone();
        match client(settings).accepted(Request::RegionAvailability { region }) {
            Reply::Availability(rows) => rows,
            other => panic!("no availability: {other:?}"),
        }
    };
    let available = |rows: &[lkesim_linode_api::RegionAvailability], plan: &str| {
        rows.iter().find(|row| &*row.plan == plan).map(|row| row.available)
    };
    let all = rows(AvailabilityRows::All);
    assert_eq!(available(&all, "g6-standard-2"), Some(true));
    assert_eq!(available(&all, "g1-gpu-rtx6000-1"), Some(false));
    let restricted = rows(AvailabilityRows::RestrictedOnly);
    assert_eq!(available(&restricted, "g6-standard-2"), None);
    assert_eq!(available(&restricted, "g7-premium-2"), Some(true));
}

#[test]
fn types_are_listed_in_one_page_of_500() {
    let page = PageRequest { page: 1, size: 500 };
    let types = quiet(Tier::Standard).accepted(Request::ListTypes { page });
    assert!(matches!(types, Reply::Types(page) if page.results == 37 && page.pages == 1));
}
