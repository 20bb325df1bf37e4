//! Dates.

use super::http_date;
use lkesim_linode_api::UnixSeconds;

#[test]
fn a_date_has_its_day_of_the_week() {
    assert_eq!(http_date(UnixSeconds(0)), "Thu, 01 Jan 1970 00:00:00 GMT");
    assert_eq!(http_date(UnixSeconds(1_767_225_600)), "Thu, 01 Jan 2026 00:00:00 GMT");
    assert_eq!(http_date(UnixSeconds(1_774_552_628)), "Thu, 26 Mar 2026 19:17:08 GMT");
}
