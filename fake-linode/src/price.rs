//! What a Linode costs: each started hour, at most the monthly price in a calendar month.
//!
//! Source: Linode's billing as its documentation describes it. The bill runs from the accepted creation to the accepted
//! deletion, whatever the Linode does.

use lkesim_linode_api::{PlanPrice, UnixSeconds};

const HOUR: u64 = 3_600;
const DAY: u64 = 24 * HOUR;

/// The bill, in millionths of a US dollar, of a Linode that existed from `from` until `until`.
///
/// An hour belongs to the month (UTC) in which it starts.
pub fn bill(price: PlanPrice, from: UnixSeconds, until: UnixSeconds) -> u64 {
    let (mut total, mut start) = (0, from.0);
    while start < until.0 {
        let month_end = next_month(start);
        let end = until.0.min(month_end);
        let hours = (end - start).div_ceil(HOUR);
        total += (hours * price.hourly_micro_usd).min(price.monthly_micro_usd);
        start += hours * HOUR;
    }
    total
}

/// The first second of the month after the one of `at`.
fn next_month(at: u64) -> u64 {
    let (mut year, mut days) = (1970, at / DAY);
    while days >= year_days(year) {
        days -= year_days(year);
        year += 1;
    }
    let mut end = at / DAY - days;
    for month in 0..12 {
        end += month_days(year, month);
        if end > at / DAY {
            break;
        }
    }
    end * DAY
}

const fn is_leap(year: u64) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

const fn year_days(year: u64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

const fn month_days(year: u64, month: usize) -> u64 {
    const DAYS: [u64; 12] = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    if month == 1 && is_leap(year) {
        29
    } else {
        DAYS[month]
    }
}

#[cfg(test)]
mod tests;
