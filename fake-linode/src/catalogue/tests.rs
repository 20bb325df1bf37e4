use super::Catalogue;

#[test]
fn prices_are_whole_and_of_the_region() {
    let plan = Catalogue::recorded().plan("g6-standard-2").unwrap();
    assert_eq!((plan.vcpus, plan.memory_mib), (2, 4_096));
    assert_eq!(plan.price_in("us-ord").hourly_micro_usd, 36_000);
    assert_eq!(plan.price_in("us-ord").monthly_micro_usd, 24_000_000);
    assert_eq!(plan.price_in("id-cgk").monthly_micro_usd, 28_800_000);
}

#[test]
fn the_catalogue_is_complete() {
    let catalogue = Catalogue::recorded();
    assert_eq!(catalogue.types().len(), 37);
    assert!(catalogue.source.contains("2024-07-11"));
    assert!(catalogue.region("us-ord").unwrap().enterprise);
    assert!(!catalogue.region("us-east").unwrap().enterprise);
    assert!(catalogue.plan("g6-nonesuch").is_none());
}

#[test]
fn restricted_plans_are_had_in_some_regions() {
    let catalogue = Catalogue::recorded();
    assert!(catalogue.is_offered("us-ord", "g6-standard-2"));
    assert!(catalogue.is_offered("us-ord", "g7-premium-2"));
    assert!(!catalogue.is_offered("us-central", "g7-premium-2"));
}
