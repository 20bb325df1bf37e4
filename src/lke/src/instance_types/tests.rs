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
