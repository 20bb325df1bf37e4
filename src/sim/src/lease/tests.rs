use super::*;
use lkesim_runtime::Seed;

fn at(secs: u64) -> Time {
    Time::ZERO + Duration::from_secs(secs)
}

#[test]
fn a_lost_lease_runs_out_after_its_last_renewal_and_a_second_loss_does_not_put_that_off() {
    let lease = Lease::new(Duration::from_secs(15), Duration::from_secs(2), Seed(1).key("lease"));
    lease.hand(at(0), 1);
    lease.abandon(at(61), 1);
    lease.abandon(at(70), 1);
    assert!(!lease.is_free(at(74)) && lease.is_free(at(75)));
}
