use super::{RetryPolicy, Sdk, Verdict};
use crate::error::{ApiError, CallError, ErrorBody, FROM_ERROR};
use lkesim_runtime::Word;
use proptest::prelude::*;
use std::time::Duration;

const BOTH: [RetryPolicy; 2] = [RetryPolicy::LINODEGO, RetryPolicy::LINODEGO_1_62];

/// What both lines do about an error of the first try, where no random wait is in it.
fn verdict(error: ApiError) -> Verdict {
    let [new, old] = BOTH.map(|policy| policy.judge(CallError::Api(error.clone()), 0, Word(0)));
    assert_eq!(new, old, "{error:?}");
    new
}

fn again(secs: u64) -> Verdict {
    Verdict::Again(Duration::from_secs(secs))
}

#[test]
fn throttles_timeouts_and_busy_linodes_are_asked_again() {
    for (status, text) in [(429, "Too many requests"), (408, "Request timeout"), (503, "Service unavailable")] {
        assert_eq!(verdict(ApiError::new(status, text)), again(3));
    }
    assert_eq!(verdict(ApiError::new(400, "Linode busy.")), again(3));
}

#[test]
fn the_page_of_a_nginx_is_asked_again_under_400_and_else_by_its_status() {
    let page = |status| ApiError { body: ErrorBody::NginxPage, ..ApiError::empty(status) };
    for status in [400, 408, 429, 503] {
        assert_eq!(verdict(page(status)), again(3), "{status}");
    }
    for status in [403, 404, 500, 502, 504] {
        assert_eq!(verdict(page(status)), Verdict::Fail(CallError::Api(page(status))), "{status}");
    }
    assert_eq!(page(502).to_string(), "[502] Bad Gateway");
}

#[test]
fn other_errors_are_not() {
    let fails = |error: ApiError| assert_eq!(verdict(error.clone()), Verdict::Fail(CallError::Api(error)));
    [400, 401, 403, 404, 500, 502, 504].into_iter().for_each(|status| fails(ApiError::new(status, "no")));
    fails(ApiError::field("linode_id", "Linode busy."));
    fails(ApiError::new(409, "Linode busy."));
    for policy in BOTH {
        for error in [CallError::Timeout, CallError::ConnectionLost] {
            assert_eq!(policy.judge(error.clone(), 0, Word(0)), Verdict::Fail(error));
        }
    }
}

#[test]
fn maintenance_is_not_waited_for() {
    let error = ApiError { maintenance: true, ..ApiError::new(503, "All endpoints are temporarily unavailable.") };
    assert_eq!(verdict(error.clone()), Verdict::Fail(CallError::Api(error)));
}

/// Even a 503 or 429: v2.3.0 reads the body before it asks whether to retry.
#[test]
fn an_error_that_lists_nothing_is_a_success_unless_the_older_line_asks_again_first() {
    for status in [400, 404, 500, 502, 504] {
        assert_eq!(verdict(ApiError::empty(status)), Verdict::Nothing, "{status}");
    }
    for status in [408, 429, 503] {
        let [new, old] = BOTH.map(|policy| policy.judge(CallError::Api(ApiError::empty(status)), 0, Word(0)));
        assert_eq!((new, old), (Verdict::Nothing, again(3)), "{status}");
    }
}

/// go-resty logs a body that it can't decode and goes on with an empty one.
#[test]
fn an_error_that_cant_be_read_is_one_to_the_newer_line_and_says_nothing_to_the_older() {
    let verdicts = |status| {
        let error = CallError::Api(ApiError { body: ErrorBody::Garbled, ..ApiError::empty(status) });
        (BOTH.map(|policy| policy.judge(error.clone(), 0, Word(0))), error)
    };
    for status in [400, 404, 500, 502, 504] {
        let (both, error) = verdicts(status);
        assert_eq!(both, [Verdict::Fail(error), Verdict::Nothing], "{status}");
    }
    for status in [408, 429, 503] {
        assert_eq!(verdicts(status).0, [again(3), again(3)], "{status}");
    }
}

#[test]
fn a_date_in_retry_after_replaces_the_error_of_what_would_be_asked_again() {
    let date = "Thu, 01 Jan 2026 00:01:00 GMT";
    let dated = |status| ApiError { retry_after_text: Some(date.into()), ..ApiError::new(status, "no") };
    let unread = CallError::RetryAfter(date.into());
    assert_eq!(verdict(dated(429)), Verdict::Fail(unread.clone()));
    assert_eq!(verdict(dated(500)), Verdict::Fail(CallError::Api(dated(500))));
    assert_eq!((unread.status(), unread.code(Sdk::Linodego2_3)), (None, None));
    assert_eq!(unread.code(Sdk::Linodego1_62), Some(FROM_ERROR));
}

/// The provider retries by this code: a time limit is an error to retry under the older line alone.
#[test]
fn codes_are_those_of_linodego() {
    let code = |error: &CallError| [Sdk::Linodego2_3, Sdk::Linodego1_62].map(|sdk| error.code(sdk));
    assert_eq!(code(&CallError::Timeout), [None, Some(FROM_ERROR)]);
    assert_eq!(code(&CallError::ConnectionLost), [None, Some(FROM_ERROR)]);
    assert_eq!(code(&CallError::Api(ApiError::new(504, "no"))), [Some(504); 2]);
    let garbled = CallError::Api(ApiError { body: ErrorBody::Garbled, ..ApiError::empty(504) });
    assert_eq!(code(&garbled), [Some(FROM_ERROR); 2]);
    let page = CallError::Api(ApiError { body: ErrorBody::NginxPage, ..ApiError::empty(502) });
    assert_eq!(code(&page), [Some(502), None]);
}

#[test]
fn absence_is_told_by_a_404_whose_body_can_be_read() {
    let absent = |body, sdk| CallError::Api(ApiError { body, ..ApiError::not_found() }).is_absence_to(sdk);
    let both = |body| [Sdk::Linodego2_3, Sdk::Linodego1_62].map(|sdk| absent(body, sdk));
    assert_eq!(both(ErrorBody::Reasons), [true, true]);
    assert_eq!(both(ErrorBody::NginxPage), [true, false]);
    assert_eq!(both(ErrorBody::Garbled), [false, false]);
}

proptest! {
    /// A wait asked for is kept between 3 and 30 seconds; zero asks for nothing.
    #[test]
    fn the_wait_is_what_is_asked_within_bounds(asked in prop::option::of(0u32..200), attempt in 0u32..2_000) {
        let error = ApiError { retry_after_secs: asked, ..ApiError::new(429, "Too many requests") };
        let secs = u64::from(asked.unwrap_or(0)).clamp(3, 30);
        let waited = RetryPolicy::LINODEGO.judge(CallError::Api(error.clone()), attempt, Word(9));
        prop_assert_eq!(waited, again(secs));
        if asked.is_some_and(|asked| asked > 0) && attempt < 1_000 {
            prop_assert_eq!(RetryPolicy::LINODEGO_1_62.judge(CallError::Api(error), attempt, Word(9)), again(secs));
        }
    }

    /// go-resty: a random time of the upper half of what doubles each try, at least 3 s, at most 30.
    #[test]
    fn the_older_line_doubles_an_unasked_wait_and_draws_its_upper_half(attempt in 0u32..1_000, word in any::<u64>()) {
        let error = CallError::Api(ApiError::new(429, "Too many requests"));
        let Verdict::Again(wait) = RetryPolicy::LINODEGO_1_62.judge(error, attempt, Word(word)) else {
            return Err(TestCaseError::fail("it is asked again"));
        };
        let most = Duration::from_secs(3 * 2u64.saturating_pow(attempt.min(8)).min(10));
        prop_assert!(wait >= Duration::from_secs(3).max(most / 2) && wait <= most, "{:?}", wait);
    }
}

#[test]
fn the_older_line_gives_up_without_a_wait() {
    let policy = RetryPolicy::LINODEGO_1_62;
    let error = CallError::Api(ApiError::new(429, "no"));
    assert!(matches!(policy.judge(error.clone(), 999, Word(0)), Verdict::Again(_)));
    assert_eq!(policy.judge(error.clone(), 1_000, Word(0)), Verdict::Fail(error));
    assert_eq!(policy.judge(CallError::Api(ApiError::empty(429)), 1_000, Word(0)), Verdict::Nothing);
}
