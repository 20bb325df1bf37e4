//! Wilson's interval of a share, in millionths and in integers.

/// The lower and upper bound of 95 % for `hits` of `runs`, in millionths.
pub fn wilson(hits: u64, runs: u64) -> (u64, u64) {
    const SCALE: u128 = 1_000_000;
    // 1.96 squared in millionths, and 1.96 in thousandths.
    const Z_SQUARED: u128 = 3_841_600;
    const Z: u128 = 1_960;
    if runs == 0 {
        return (0, SCALE as u64);
    }
    let (hits, runs) = (u128::from(hits.min(runs)), u128::from(runs));
    // All of it in millionths: the middle is hits + z²/2, the half width z·sqrt(hits (n - hits) / n + z²/4).
    let middle = SCALE * hits + Z_SQUARED / 2;
    let under_root = SCALE * SCALE * hits * (runs - hits) / runs + SCALE * Z_SQUARED / 4;
    let half = Z * under_root.isqrt() / 1_000;
    let whole = SCALE * runs + Z_SQUARED;
    let low = middle.saturating_sub(half) * SCALE / whole;
    let high = (middle + half) * SCALE / whole;
    (low as u64, high.min(SCALE) as u64)
}

#[cfg(test)]
mod tests {
    use super::wilson;

    #[test]
    fn the_interval_is_that_of_the_tables() {
        // 10 of 100: 5.52 % to 17.44 %; none of 2000: 0 % to 0.19 %.
        let (low, high) = wilson(10, 100);
        assert!(low.abs_diff(55_200) < 200 && high.abs_diff(174_400) < 300, "{low} {high}");
        let (low, high) = wilson(0, 2_000);
        assert!(low == 0 && high.abs_diff(1_917) < 10, "{low} {high}");
        assert_eq!(wilson(5, 5).1, 1_000_000);
        assert_eq!(wilson(0, 0), (0, 1_000_000));
    }
}
