use super::*;

fn key(node_pool: &str, plan: &str) -> PoolKey {
    PoolKey { node_pool: node_pool.into(), plan: plan.into() }
}

/// FNV-1a-32 of the empty text is its offset basis, of `a` 0xe40c292c (the vectors of its authors).
#[test]
fn the_hash_is_fnv_1a() {
    assert_eq!(fnv1a_32(""), 0x811c_9dc5);
    assert_eq!(fnv1a_32("a"), 0xe40c_292c);
    assert_eq!(fnv1a_32("foobar"), 0xbf9c_f968);
}

#[test]
fn a_key_always_has_the_same_of_as_many_stripes_as_cpus() {
    for cpus in [1, 4, 16] {
        let locks = StripedLocks::new(cpus);
        for number in 0..100 {
            let key = key(&format!("pool-{number}"), "g6-standard-2");
            let hash = fnv1a_32(&format!("pool-{number}|g6-standard-2"));
            assert_eq!(locks.stripe(&key), (hash % cpus) as usize);
        }
    }
    assert_eq!(StripedLocks::new(0).stripe(&key("a", "b")), 0);
}

#[test]
fn keys_of_one_stripe_wait_for_each_other_and_others_do_not() {
    let locks = StripedLocks::new(4);
    let keys: Vec<PoolKey> = (0..20).map(|number| key(&format!("pool-{number}"), "g6-standard-2")).collect();
    let first = &keys[0];
    let held = futures_ready(locks.lock(first)).expect("a free lock is had at once");
    for other in &keys[1..] {
        let had = futures_ready(locks.lock(other)).is_some();
        assert_eq!(had, locks.stripe(other) != locks.stripe(first), "{other:?}");
    }
    drop(held);
    assert!(futures_ready(locks.lock(first)).is_some());
}

/// What a future comes to at its first poll.
fn futures_ready<F: Future>(future: F) -> Option<F::Output> {
    let mut cx = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut cx) {
        std::task::Poll::Ready(value) => Some(value),
        std::task::Poll::Pending => None,
    }
}
