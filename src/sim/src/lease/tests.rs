use super::*;
use lkesim_runtime::Seed;

fn at(secs: u64) -> Time {
    Time::ZERO + Duration::from_secs(secs)
}

fn lease() -> Lease {
    Lease::new(Duration::from_secs(15), Duration::from_secs(2), Seed(1).key("lease"))
}

/// Whether one who looks at these seconds, and at no others, finds it free at the last of them.
fn is_free_after_looks(lease: &Lease, looks: &[u64]) -> bool {
    let mut seen = None;
    looks.iter().map(|&secs| lease.is_free_to(at(secs), &mut seen)).last().unwrap_or_default()
}

#[test]
fn a_lease_that_is_renewed_is_never_free() {
    let lease = lease();
    lease.hand(at(0), 1);
    assert!(!is_free_after_looks(&lease, &[1, 4, 8, 20, 60, 61, 90]));
}

#[test]
fn a_lost_lease_lasts_from_the_look_that_saw_its_last_renewal_and_a_second_loss_does_not_put_that_off() {
    let lease = lease();
    lease.hand(at(0), 1);
    lease.abandon(at(61), 1);
    lease.abandon(at(70), 1);
    assert!(!is_free_after_looks(&lease, &[62, 75, 76]), "its last renewal was seen at 62");
    assert!(is_free_after_looks(&lease, &[62, 75, 76, 77]));
}

#[test]
fn a_process_that_has_just_started_waits_for_a_dead_holder() {
    let lease = lease();
    lease.hand(at(0), 1);
    lease.abandon(at(61), 1);
    assert!(!is_free_after_looks(&lease, &[300]));
    assert!(!is_free_after_looks(&lease, &[300, 314]));
    assert!(is_free_after_looks(&lease, &[300, 314, 315]));
}

#[test]
fn a_released_lease_is_free_at_the_next_look() {
    let lease = lease();
    lease.hand(at(0), 1);
    assert!(!is_free_after_looks(&lease, &[1]));
    lease.release(2);
    assert!(lease.is_held_by(1));
    lease.release(1);
    assert!(is_free_after_looks(&lease, &[1]));
}

#[test]
fn looks_are_one_to_two_and_a_fifth_retry_periods_apart() {
    let lease = lease();
    let pauses: Vec<u128> = (0..200).map(|look| lease.pause(3, look).as_millis()).collect();
    assert!(pauses.iter().all(|pause| (2_000..=4_400).contains(pause)), "{pauses:?}");
    assert!(pauses.iter().any(|pause| *pause < 2_300) && pauses.iter().any(|pause| *pause > 4_100), "{pauses:?}");
}
