use super::*;
use lkesim_linode_api::PlanPrice;

#[track_caller]
fn check(vcpus: u32, memory_mib: u64, cpu_milli: u64, memory_left_mib: u64) {
    let price = PlanPrice { hourly_micro_usd: 0, monthly_micro_usd: 0 };
    let (id, class) = ("plan".into(), "standard".into());
    let plan = PlanType { id, class, vcpus, memory_mib, disk_mib: 0, gpus: 0, price, region_prices: vec![] };
    let left = capacity(&plan).saturating_sub(reserved(vcpus));
    assert_eq!((left.cpu_milli, left.memory / MIB), (cpu_milli, memory_left_mib));
}

/// The first line is what the provider's own README logs for g6-standard-6.
#[test]
fn what_pods_can_use_is_what_the_provider_computes() {
    check(6, 16384, 5915, 13590);
    check(4, 8192, 3920, 6012);
    check(2, 4096, 1930, 2223);
}

/// Linode has its own prices in some regions; the provider reads the other.
#[test]
fn an_offering_costs_what_it_does_where_no_region_has_a_price_of_its_own() {
    let price = |hourly_micro_usd| PlanPrice { hourly_micro_usd, monthly_micro_usd: 0 };
    let region: Arc<str> = "br-gru".into();
    let plan = PlanType {
        id: "plan".into(),
        class: "standard".into(),
        vcpus: 2,
        memory_mib: 4096,
        disk_mib: 0,
        gpus: 0,
        price: price(36_000),
        region_prices: vec![(region.clone(), price(50_000))],
    };
    assert_eq!(instance_type(&plan, &region, true).offerings[0].price, 36_000);
}
