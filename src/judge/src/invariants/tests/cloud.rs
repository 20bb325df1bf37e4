use super::breaches;
use crate::invariants::stream::{OURS, Stream, delete_node, get_pool, post_pool, put_count};
use lkesim_linode_api::Operation;

const ONE_POOL: &str = "one-pool-per-key";
const TARGET: &str = "delete-removes-only-its-target";
const DEMAND: &str = "scale-matches-demand";
const SHRINK: &str = "scale-up-never-shrinks";
const LOST: &str = "no-lost-scale";

#[test]
fn a_second_pool_of_a_key_is_found() {
    let found = breaches(ONE_POOL, |stream| {
        stream.claim(1, "a");
        stream.pool(9, 1, None);
        let run = stream.begin_create(1);
        let call = stream.call(run, post_pool("small"));
        stream.pool(10, 1, Some(call));
    });
    let expected = "lke_pool/9 and lke_pool/10 all serve NodePool np with small in cluster 1; the last was made by POST \
                    /lke/clusters/{id}/pools (request 1, Create for nodeclaim/a, asked by nodeclaim.lifecycle)";
    assert_eq!(found, [expected]);
}

#[test]
fn a_pool_of_another_key_or_after_the_first_is_gone_is_no_second() {
    let found = breaches(ONE_POOL, |stream| {
        stream.pool(9, 1, None);
        stream.pool_of(10, OURS, Some("np"), "large", 1, None);
        stream.pool_of(11, OURS, None, "small", 1, None);
        stream.pool_gone(9);
        stream.pool(12, 1, None);
    });
    assert!(found.is_empty());
}

/// Claim a holds Linode 5, claim b is being deleted and holds Linode 6.
fn a_stays_and_b_goes(stream: &mut Stream) {
    stream.pool(9, 2, None);
    for (uid, id, name) in [(1, 5, "a"), (2, 6, "b")] {
        stream.linode(id, 9);
        stream.claim(uid, name);
        stream.store(uid, Some(id));
    }
    stream.deleting(2, "workload");
}

#[test]
fn a_delete_that_takes_another_claims_linode_is_found() {
    let found = breaches(TARGET, |stream| {
        a_stays_and_b_goes(stream);
        let run = stream.begin(Operation::Delete, "nodeclaim.lifecycle", Some(2), Some(6));
        let call = stream.call(run, put_count(9, 1));
        stream.count(9, 1, Some(call), true);
        stream.linode_gone(5, Some(call));
    });
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("removed linode/5, which nodeclaim/a holds"), "{found:?}");
}

#[test]
fn a_delete_that_takes_its_own_linode_and_a_hand_that_takes_any_are_none() {
    let found = breaches(TARGET, |stream| {
        a_stays_and_b_goes(stream);
        let run = stream.begin(Operation::Delete, "nodeclaim.lifecycle", Some(2), Some(6));
        let call = stream.call(run, delete_node(9));
        stream.linode_gone(6, Some(call));
        let by_hand = stream.call(0, delete_node(9));
        stream.linode_gone(5, Some(by_hand));
    });
    assert!(found.is_empty());
}

#[test]
fn a_claim_that_scales_twice_asks_for_more_than_demand() {
    let found = breaches(DEMAND, |stream| {
        stream.claim(1, "a");
        let run = stream.begin_create(1);
        let call = stream.call(run, post_pool("small"));
        stream.pool(9, 1, Some(call));
        let again = stream.call(run, put_count(9, 2));
        stream.count(9, 2, Some(again), true);
    });
    let expected = "lke_pool/9 was raised from 1 to 2 by PUT /lke/clusters/{id}/pools/{id} (request 2, Create for \
                    nodeclaim/a, asked by nodeclaim.lifecycle), but 0 NodeClaims hold a Linode in it and 1 wait for one";
    assert_eq!(found, [expected]);
}

#[test]
fn holders_that_are_being_deleted_and_claims_that_wait_are_demand() {
    let found = breaches(DEMAND, |stream| {
        a_stays_and_b_goes(stream);
        stream.claim(3, "c");
        stream.claim(4, "d");
        let waiting = stream.begin_create(3);
        stream.call(waiting, get_pool(9));
        let run = stream.begin_create(4);
        let call = stream.call(run, put_count(9, 4));
        stream.count(9, 4, Some(call), true);
    });
    assert!(found.is_empty());
}

#[test]
fn a_claim_that_waits_at_another_key_is_no_demand() {
    let found = breaches(DEMAND, |stream| {
        stream.pool(9, 1, None);
        stream.pool_of(10, OURS, Some("np"), "large", 1, None);
        stream.claim(1, "a");
        stream.claim(2, "b");
        for (uid, lke_pool) in [(1, 9), (2, 9), (2, 10)] {
            let run = stream.begin_create(uid);
            stream.call(run, get_pool(lke_pool));
        }
        let run = stream.begin_create(1);
        let call = stream.call(run, put_count(9, 2));
        stream.count(9, 2, Some(call), true);
    });
    assert_eq!(found.len(), 1);
}

#[test]
fn a_scale_up_from_an_old_reading_that_lowers_the_count_is_found() {
    let found = breaches(SHRINK, |stream| raises(stream, 1, 4, 2));
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("read a count of 1 and wrote 2, which lowered lke_pool/9 from 4 to 2"), "{found:?}");
}

#[test]
fn a_lowering_that_was_meant_is_no_scale_up() {
    assert!(breaches(SHRINK, |stream| raises(stream, 3, 4, 2)).is_empty());
    assert!(breaches(SHRINK, |stream| raises(stream, 1, 1, 2)).is_empty());
}

#[test]
fn a_raise_by_another_difference_than_was_meant_is_found() {
    let found = breaches(LOST, |stream| raises(stream, 1, 3, 4));
    assert_eq!(found.len(), 1);
    assert!(found[0].ends_with("read a count of 1 and wrote 4, which changed the real count by 1"), "{found:?}");
}

#[test]
fn a_raise_to_what_the_count_already_is_is_lost() {
    let lost = |stream: &mut Stream, status: u16| {
        stream.pool(9, 2, None);
        stream.claim(1, "a");
        let run = stream.begin_create(1);
        stream.reads(run, 9, 1);
        let call = stream.call(run, put_count(9, 2));
        match status {
            200 => stream.ok(call, crate::event::Seen::default()),
            status => stream.fails(call, status),
        }
    };
    assert_eq!(breaches(LOST, |stream| lost(stream, 200)).len(), 1);
    assert!(breaches(LOST, |stream| lost(stream, 400)).is_empty(), "what was refused was not lost");
}

#[test]
fn a_repetition_of_a_raise_that_took_effect_is_not_lost() {
    let repeats = |stream: &mut Stream, took_effect: bool| {
        stream.pool(9, 1, None);
        stream.claim(1, "a");
        let run = stream.begin_create(1);
        stream.reads(run, 9, 1);
        let first = stream.call(run, put_count(9, 2));
        if took_effect {
            stream.count(9, 2, Some(first), true);
        }
        stream.fails(first, 503);
        if !took_effect {
            stream.count(9, 2, None, true);
        }
        let second = stream.call_again(run, put_count(9, 2));
        stream.fails(second, 503);
        let third = stream.call_again(run, put_count(9, 2));
        stream.ok(third, crate::event::Seen::default());
    };
    assert!(breaches(LOST, |stream| repeats(stream, true)).is_empty());
    assert_eq!(breaches(LOST, |stream| repeats(stream, false)).len(), 1);
}

#[test]
fn a_raise_by_what_was_meant_is_not_lost() {
    assert!(breaches(LOST, |stream| raises(stream, 1, 1, 3)).is_empty());
}

/// A Create reads one count, while another is true, and writes a third.
fn raises(stream: &mut Stream, read: u32, real: u32, written: u32) {
    stream.pool(9, real, None);
    stream.claim(1, "a");
    let run = stream.begin_create(1);
    stream.reads(run, 9, read);
    let call = stream.call(run, put_count(9, written));
    stream.count(9, written, Some(call), true);
    stream.ok(call, crate::event::Seen::default());
}
