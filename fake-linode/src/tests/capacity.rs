use super::*;
use crate::capacity::{SOLD_OUT, TOO_MANY_IN_CLUSTER, TOO_MANY_IN_LKE_POOL};
use crate::settings::{AvailabilityRows, EmptyLkePools, SoldOut};
use crate::{Action, Fault};
use lkesim_linode_api::Endpoint;
use lkesim_linode_api::filter::Operator;
use std::time::Duration;

fn create(body: LkePoolCreate) -> Request {
    Request::CreatePool { cluster: CLUSTER, body }
}

#[test]
fn a_plan_that_is_sold_out_is_refused_for_as_long() {
    let mut settings = Settings::quiet(Tier::Enterprise);
    settings.sold_out.push(SoldOut {
        plan: "g6-standard-4".into(),
        region: None,
        from: Time::from_secs(10),
        until: Time::from_secs(20),
        status: None,
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
    settings.empty_lke_pools = EmptyLkePools::Refused;
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

#[test]
fn a_region_has_so_many_linodes_of_a_plan_and_no_more() {
    let mut settings = Settings::quiet(Tier::Standard);
    settings.capacity.insert("g6-standard-4".into(), 3);
    settings.sold_out_status = 400;
    let region = settings.region.clone();
    let mut client = client(settings);
    let available = |client: &mut Client| match client.accepted(Request::RegionAvailability { region: region.clone() })
    {
        Reply::Availability(rows) => rows.iter().find(|row| &*row.plan == "g6-standard-4").unwrap().available,
        other => panic!("no availability: {other:?}"),
    };
    let pool = client.create_pool(pool_of(2)).id;
    assert_eq!(client.refused(create(pool_of(2))).text(), SOLD_OUT);
    assert!(available(&mut client));
    assert!(client.set_count(pool, 3).result.is_ok());
    assert!(!available(&mut client));
    assert_eq!(client.set_count(pool, 4).result.unwrap_err().status(), Some(400));
    assert!(client.set_count(pool, 2).result.is_ok());
    client.create_pool(pool_of(1));
    client.create_pool(LkePoolCreate { plan: "g6-standard-2".into(), ..pool_of(9) });
}

#[test]
fn what_a_region_has_is_as_stale_as_the_answer() {
    let mut settings = Settings::quiet(Tier::Standard);
    settings.capacity.insert("g6-standard-4".into(), 1);
    let mut stale = Fault::new("stale", Action::Stale(Duration::from_secs(60)));
    stale.endpoints = vec![Endpoint::RegionAvailability];
    settings.faults = vec![stale];
    let region = settings.region.clone();
    let mut client = client(settings);
    let available = |client: &mut Client| match client.accepted(Request::RegionAvailability { region: region.clone() })
    {
        Reply::Availability(rows) => rows.iter().find(|row| &*row.plan == "g6-standard-4").unwrap().available,
        other => panic!("no availability: {other:?}"),
    };
    let pool = client.at(100).create_pool(pool_of(1)).id;
    assert!(available(client.at(130)), "as it was at 70 s");
    assert!(!available(client.at(161)), "as it was at 101 s");
    client.at(200).accepted(Request::DeletePool { cluster: CLUSTER, lke_pool: pool });
    assert!(!available(client.at(259)) && available(client.at(261)));
}

#[test]
fn an_account_has_so_many_linodes() {
    let mut client = client(Settings { account_limit: Some(5), ..Settings::quiet(Tier::Standard) });
    client.create_pool(pool_of(2));
    let refused = client.refused(create(pool_of(1)));
    assert_eq!((refused.status, refused.text().as_str()), (400, crate::capacity::ACCOUNT_LIMIT));
}

#[test]
fn a_clusters_last_pool_stays_where_the_setting_says() {
    let mut client = client(Settings { last_lke_pool: false, ..Settings::quiet(Tier::Standard) });
    let base = client.pools()[0].id;
    let delete = |lke_pool| Request::DeletePool { cluster: CLUSTER, lke_pool };
    assert_eq!(client.refused(delete(base)).status, 400);
    let other = client.create_pool(pool_of(1)).id;
    client.accepted(delete(base));
    assert_eq!(client.refused(delete(other)).status, 400);
}

#[test]
fn other_regions_have_the_rows_that_were_recorded() {
    let mut client = quiet(Tier::Standard);
    let rows = client.accepted(Request::RegionAvailability { region: "us-central".into() });
    let Reply::Availability(rows) = rows else { panic!("no availability: {rows:?}") };
    let available = |plan: &str| rows.iter().find(|row| &*row.plan == plan).unwrap().available;
    assert!(available("g6-standard-2") && !available("g7-premium-2"));
    assert_eq!(client.refused(Request::RegionAvailability { region: "xx-none".into() }).status, 404);
}

#[test]
fn the_availability_of_all_regions_is_a_list_that_can_be_filtered() {
    let settings = Settings::quiet(Tier::Standard);
    let region = settings.region.clone();
    let mut client = client(settings);
    let mut list = |filter: Option<Filter>, page| {
        let page = PageRequest { page, size: 500 };
        match client.accepted(Request::ListRegionAvailability { filter, page }) {
            Reply::Availabilities(page) => page,
            other => panic!("no availability: {other:?}"),
        }
    };
    let all = list(None, 1);
    assert!(all.pages > 1 && all.data.len() == 500);
    let filter = Filter::compare("region", Operator::Contains, &*region);
    let own = list(Some(filter), 1);
    assert!(!own.data.is_empty() && own.data.iter().all(|row| row.region.contains(&*region)));
    let every: Vec<_> = (1..=all.pages).flat_map(|page| list(None, page).data.to_vec()).collect();
    let of_region: Vec<_> = every.into_iter().filter(|row| row.region.contains(&*region)).collect();
    assert_eq!(*own.data, *of_region);
}
