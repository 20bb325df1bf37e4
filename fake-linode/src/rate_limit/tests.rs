use super::RateLimiter;
use crate::settings::{Limit, LimitScope, Limits, TokenId};
use lkesim_linode_api::{Endpoint, RateClass};
use lkesim_runtime::Time;
use proptest::prelude::*;
use std::time::Duration;

/// One window in the plainest way: the times of the calls that it admitted.
#[derive(Clone, Default)]
struct Model(Vec<Time>);

impl Model {
    /// Whether a call at `now` is admitted, and what is left of its window, in whole seconds.
    fn judge(&mut self, limit: &Limit, now: Time) -> (bool, u64) {
        if self.0.first().is_some_and(|&first| now >= first + limit.window) {
            self.0.clear();
        }
        let admitted = self.0.len() < limit.count as usize;
        let first = *self.0.first().unwrap_or(&now);
        if admitted {
            self.0.push(now);
        }
        let left = (first + limit.window).since(now).as_nanos();
        (admitted, u64::try_from(left.div_ceil(1_000_000_000)).unwrap())
    }
}

fn limits(scope: LimitScope, count: u32) -> Limits {
    let limit = |secs| Limit { count, window: Duration::from_secs(secs), header: 1_840 };
    Limits { list: limit(60), other: limit(30), create_instance: limit(15), scope, create_lke_pool: RateClass::Other }
}

proptest! {
    #[test]
    fn windows_are_those_of_the_model(
        by_endpoint in any::<bool>(),
        count in 1u32..6,
        calls in prop::collection::vec((0u64..9_000, 0u16..2, 0..Endpoint::ALL.len()), 0..200),
    ) {
        let scope = if by_endpoint { LimitScope::Endpoint } else { LimitScope::Token };
        let limits = limits(scope, count);
        let mut limiter = RateLimiter::new(limits.clone(), 2);
        let mut models = vec![Model::default(); 2 * 100];
        let mut now = 0;
        for (wait, token, endpoint) in calls {
            now += wait;
            let at = Time::from_millis(now);
            let endpoint = Endpoint::ALL[endpoint];
            let class = endpoint.class();
            let window = if by_endpoint { 10 + endpoint as usize } else { class as usize };
            let model = &mut models[usize::from(token) * 100 + window];
            let (admitted, left) = model.judge(limits.of(class), at);
            let judged = limiter.judge(TokenId(token), endpoint, at);
            prop_assert_eq!(judged.admitted, admitted);
            prop_assert_eq!(u64::from(judged.headers.retry_after_secs), left);
            prop_assert_eq!(judged.headers.remaining as usize, 1_840 - model.0.len());
        }
    }
}

#[test]
fn who_waits_as_told_is_admitted() {
    let mut limiter = RateLimiter::new(limits(LimitScope::Token, 1), 1);
    assert!(limiter.judge(TokenId(0), Endpoint::ListPools, Time::from_millis(1_500)).admitted);
    let refused = limiter.judge(TokenId(0), Endpoint::ListInstances, Time::from_millis(2_250));
    assert!(!refused.admitted);
    let told = Duration::from_secs(refused.headers.retry_after_secs.into());
    let again = Time::from_millis(2_250) + told;
    assert!(limiter.judge(TokenId(0), Endpoint::ListInstances, again).admitted);
}

#[test]
fn the_creation_of_a_pool_counts_where_the_setting_says() {
    let mut limits = limits(LimitScope::Token, 1);
    limits.create_lke_pool = RateClass::CreateInstance;
    let mut limiter = RateLimiter::new(limits, 1);
    let mut admits = |endpoint| limiter.judge(TokenId(0), endpoint, Time::ZERO).admitted;
    assert!(admits(Endpoint::GetInstance));
    assert!(admits(Endpoint::CreatePool));
    assert!(!admits(Endpoint::CreateInstance));
}
