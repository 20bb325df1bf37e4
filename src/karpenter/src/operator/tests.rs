use super::*;

#[test]
fn concurrency_grows_in_a_straight_line_with_the_cpus() {
    assert_eq!(
        [1, 2, 30, 60, 99].map(|cpus| concurrency(cpus, 1_000, 5_000)),
        [1_000, 1_067, 2_966, 5_000, 5_000]
    );
    assert_eq!(concurrency(0, 100, 5_000), 100);
}

#[test]
fn the_bucket_grows_with_the_concurrency() {
    let of = |cpus| bucket(10, 100, concurrency(cpus, 100, 5_000));
    assert_eq!((of(1).qps, of(1).burst), (10, 100));
    assert_eq!((of(2).qps, of(2).burst), (19, 190));
}
