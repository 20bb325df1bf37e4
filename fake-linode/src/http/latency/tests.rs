use super::Latency;
use lkesim_runtime::{Quantiles, Seed};
use std::time::Duration;

#[test]
fn each_kind_of_call_takes_its_own_time() {
    let of = |secs| Quantiles::constant(Duration::from_secs(secs));
    let latency =
        Latency { get: of(1), list: of(2), put: of(3), delete: of(4), create_pool: of(5), post: of(6), seed: Seed(1) };
    for (method, path, secs) in [
        ("GET", "/v4beta/linode/instances/7", 1),
        ("GET", "/v4/regions/us-ord/availability", 1),
        ("GET", "/v4/regions/availability", 2),
        ("GET", "/v4beta/linode/instances", 2),
        ("GET", "/v4/tags/red", 2),
        ("PUT", "/v4beta/linode/instances/7", 3),
        ("DELETE", "/v4/tags/red", 4),
        ("POST", "/v4/lke/clusters/1/pools", 5),
        ("POST", "/v4/lke/clusters/1/pools/2/recycle", 6),
        ("POST", "/v4/linode/instances", 6),
    ] {
        assert_eq!(latency.of(method, path, 1), Duration::from_secs(secs), "{method} {path}");
    }
}
