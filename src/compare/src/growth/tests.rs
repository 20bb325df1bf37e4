use super::*;
use proptest::prelude::*;

fn points(values: &[(u64, i64)]) -> Vec<GrowthPoint> {
    let point = |&(value, calls): &(u64, i64)| GrowthPoint { value: value.to_string(), calls: Quantity::whole(calls) };
    values.iter().map(point).collect()
}

#[test]
fn what_grows_in_proportion_has_the_exponent_1_and_what_stays_0() {
    assert_eq!(exponent(&points(&[(10, 3), (1_000, 300)])), Some(Quantity::whole(1)));
    assert_eq!(exponent(&points(&[(10, 3), (1_000, 3)])), Some(Quantity::whole(0)));
    assert_eq!(exponent(&points(&[(10, 100), (1_000, 1)])), Some(Quantity::whole(-1)));
}

#[test]
fn nothing_at_one_end_has_no_exponent() {
    assert_eq!(exponent(&points(&[(10, 0), (1_000, 300)])), None);
    assert_eq!(exponent(&points(&[(10, 5)])), None);
}

proptest! {
    #[test]
    fn a_logarithm_is_that_of_the_book(number in 1u64..) {
        let exact = (number as f64).log2() * 65_536.0;
        prop_assert!((log2(number) as f64 - exact).abs() < 2.0);
    }
}
