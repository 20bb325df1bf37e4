use super::{judged, pending};
use crate::event::{ClaimRef, Condition};
use crate::invariants::stream::{OURS, Stream, clusters};
use crate::invariants::{Beliefs, BelievedClaim, INVARIANTS, Judge, ObjectState};
use lkesim_linode_api::InstanceId;
use lkesim_runtime::Time;

/// Claim a holds Linode 5, is initialized, and everything agrees.
fn settled(stream: &mut Stream) {
    stream.pool(9, 1, None);
    stream.linode(5, 9);
    stream.claim(1, "a");
    stream.tag_for(5, "a");
    stream.create(1, 5);
    stream.store(1, Some(5));
    for condition in [Condition::Launched, Condition::Registered, Condition::Initialized] {
        stream.condition(1, condition, Some(true));
    }
}

#[test]
fn nothing_pends_where_all_agrees() {
    assert!(pending(|_| {}).is_empty());
    assert!(pending(settled).is_empty());
}

#[test]
fn an_orphan_waits_for_a_claim_or_for_garbage_collection() {
    let found = pending(|stream| {
        settled(stream);
        stream.count(9, 2, None, true);
        stream.linode(6, 9);
    });
    let expected = [
        "linode/6 in lke_pool/9, made at 12 ms, has no live holder: it waits for a NodeClaim or for garbage collection",
        "linode/6 waits for a live NodeClaim that holds it, or to go",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_linode_of_an_unmanaged_pool_is_no_orphan() {
    let found = pending(|stream| {
        settled(stream);
        stream.pool_of(10, crate::invariants::stream::OURS, None, "small", 1, None);
        stream.linode(6, 10);
    });
    assert!(found.is_empty());
}

#[test]
fn a_claim_that_waits_says_for_what() {
    let found = pending(|stream| {
        settled(stream);
        stream.claim(2, "b");
        stream.condition(2, Condition::Launched, None);
        stream.condition(1, Condition::Initialized, Some(false));
    });
    let expected = [
        "nodeclaim/a is registered and waits for its node to be ready (Initialized: Told); it holds linode/5",
        "nodeclaim/b has no providerID and waits for a Linode (Launched: Told)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_claim_that_is_being_deleted_settles_by_going() {
    let deleting = |stream: &mut Stream| {
        settled(stream);
        stream.count(9, 0, None, false);
        stream.linode_gone(5, None);
        stream.deleting(1, "workload");
    };
    let found = pending(deleting);
    assert_eq!(found, ["nodeclaim/a is being deleted and waits for its finalizer to go; it holds linode/5"]);
    let gone = pending(|stream| {
        deleting(stream);
        stream.claim_gone(1);
    });
    assert!(gone.is_empty());
}

#[test]
fn what_disagrees_is_told() {
    let found = pending(|stream| {
        settled(stream);
        stream.tags(5, &["karpenter.sh/nodeclaim=b"], None);
        stream.count(9, 3, None, true);
    });
    let expected = [
        "linode/5 bears karpenter.sh/nodeclaim=b as nodeclaim tag and is held by nodeclaim/a",
        "lke_pool/9 has a count of 3 and 1 Linodes",
    ];
    assert_eq!(found, expected);
    let found = pending(|stream| {
        settled(stream);
        stream.store(1, None);
    });
    assert_eq!(found, ["nodeclaim/a waits for its providerID to be stored: Create returned linode/5"]);
}

#[test]
fn what_pends_at_the_end_is_a_breach() {
    let mut stream = Stream::default();
    settled(&mut stream);
    stream.linode(6, 9);
    let outcomes = judged(&stream).conclude(Time::from_secs(60), &[]);
    let broken: Vec<&str> = outcomes.iter().filter(|one| !one.held).map(|one| one.name.as_str()).collect();
    assert_eq!(broken, ["orphans-collected", "state-agrees"]);
    let orphan = &outcomes.iter().find(|one| one.name == "orphans-collected").unwrap().violations[0];
    assert_eq!((orphan.at_ms, orphan.objects.join(" ")), (60_000, "linode/6 lke_pool/9".into()));
    assert_eq!(outcomes.len(), INVARIANTS.iter().filter(|info| !info.of_pods).count());
}

/// What `state-agrees` finds where all else agrees, and a process knows this of NodeClaim `a`.
fn misbelieved(known: Option<(Option<u64>, bool)>, awaited: &[u64]) -> Vec<String> {
    let mut stream = Stream::default();
    settled(&mut stream);
    let claim = ClaimRef { uid: 1, name: "a".into() };
    let known = known.map(|(stored, is_live)| BelievedClaim { claim, stored: stored.map(InstanceId), is_live });
    let awaited = awaited.iter().copied().collect();
    found(&stream, Beliefs { claims: known.into_iter().collect(), awaited, ..Beliefs::none(OURS, 2) })
}

/// What is found at the end of a stream where a process believes this.
fn found(stream: &Stream, beliefs: Beliefs) -> Vec<String> {
    let outcomes = judged(stream).conclude(Time::ZERO, &[beliefs]);
    outcomes.into_iter().flat_map(|one| one.violations).map(|found| found.text).collect()
}

#[test]
fn a_process_that_is_wrong_of_a_claim_is_a_breach_unless_the_change_is_on_its_way() {
    assert!(misbelieved(Some((Some(5), true)), &[]).is_empty());
    for (known, told) in [
        (None, "nodeclaim/a: process 2 does not know that it exists"),
        (Some((None, true)), "nodeclaim/a: process 2 knows it with no providerID, and stored is linode/5"),
        (Some((Some(6), true)), "nodeclaim/a: process 2 knows it with linode/6, and stored is linode/5"),
        (Some((Some(5), false)), "nodeclaim/a: process 2 knows it to be deleted, and it has no deletionTimestamp"),
    ] {
        assert_eq!(misbelieved(known, &[]), [told]);
        assert!(misbelieved(known, &[1]).is_empty(), "{told}");
        assert_eq!(misbelieved(known, &[2]), [told], "another's change is on its way");
    }
}

#[test]
fn a_process_that_knows_what_is_gone_is_a_breach() {
    let mut stream = Stream::default();
    settled(&mut stream);
    let known = |uid: u64, name: &str, stored| BelievedClaim {
        claim: ClaimRef { uid, name: name.into() },
        stored,
        is_live: true,
    };
    let claims = vec![known(1, "a", Some(InstanceId(5))), known(7, "gone", None)];
    let found = found(&stream, Beliefs { claims, ..Beliefs::none(OURS, 1) });
    assert_eq!(found, ["nodeclaim/gone: process 1 knows it to exist, and it is gone"]);
}

/// The Node of Linode 5, as its third write left it.
fn node() -> ObjectState {
    let (kind, name, linode) = ("Node", "lke1-9-5".into(), Some(InstanceId(5)));
    ObjectState { kind, uid: 3, name, linode, is_live: true, version: 3 }
}

/// Beliefs of a process that knows this of objects of which that is stored.
fn of_objects(known: &[ObjectState], stored: &[ObjectState], awaited: &[u64]) -> Beliefs {
    let awaited = awaited.iter().copied().collect();
    Beliefs { known: known.to_vec(), stored: stored.to_vec(), awaited, ..Beliefs::none(OURS, 1) }
}

#[test]
fn a_process_that_is_wrong_of_a_node_is_a_breach_unless_the_change_is_on_its_way() {
    let nothing = Stream::default();
    let (other, deleted) = (Some(InstanceId(6)), ObjectState { is_live: false, version: 4, ..node() });
    assert!(found(&nothing, of_objects(&[node()], &[node()], &[])).is_empty());
    for (known, stored, told) in [
        (None, Some(node()), "does not know that it exists"),
        (Some(node()), None, "knows it to exist, and it is gone"),
        (
            Some(ObjectState { linode: None, version: 2, ..node() }),
            Some(node()),
            "knows it with no providerID, and stored is linode/5",
        ),
        (Some(ObjectState { linode: other, ..node() }), Some(node()), "knows it with linode/6, and stored is linode/5"),
        (Some(node()), Some(deleted), "knows it without a deletionTimestamp, and it is being deleted"),
        (Some(ObjectState { version: 2, ..node() }), Some(node()), "knows version 2 of it, and stored is version 3"),
    ] {
        let (known, stored): (Vec<_>, Vec<_>) = (known.into_iter().collect(), stored.into_iter().collect());
        let told = format!("node/lke1-9-5: process 1 {told}");
        assert_eq!(found(&nothing, of_objects(&known, &stored, &[])), [&*told]);
        assert!(found(&nothing, of_objects(&known, &stored, &[3])).is_empty(), "{told}");
        assert_eq!(found(&nothing, of_objects(&known, &stored, &[5])), [&*told], "another's change is on its way");
    }
}

/// One of the same name that came after it is another.
#[test]
fn a_process_that_knows_a_node_that_was_there_before_is_wrong_of_both() {
    let beliefs = of_objects(&[node()], &[ObjectState { uid: 8, ..node() }], &[]);
    assert_eq!(
        found(&Stream::default(), beliefs),
        [
            "node/lke1-9-5: process 1 does not know that it exists",
            "node/lke1-9-5: process 1 knows it to exist, and it is gone",
        ]
    );
}

#[test]
fn a_breach_of_a_node_names_its_linodes() {
    let beliefs = of_objects(&[ObjectState { linode: Some(InstanceId(6)), ..node() }], &[node()], &[]);
    let outcomes = judged(&Stream::default()).conclude(Time::ZERO, &[beliefs]);
    let objects: Vec<_> = outcomes.into_iter().flat_map(|one| one.violations).map(|found| found.objects).collect();
    assert_eq!(objects, [["node/lke1-9-5", "linode/5", "linode/6"]]);
}

/// What the store tells of a NodeClaim beyond its events: here a condition that the cache has otherwise.
#[test]
fn a_nodeclaim_is_told_of_once() {
    let mut stream = Stream::default();
    settled(&mut stream);
    let (kind, name) = ("NodeClaim", "a".into());
    let stored = ObjectState { kind, uid: 1, name, linode: Some(InstanceId(5)), is_live: true, version: 7 };
    let older = ObjectState { version: 6, ..stored.clone() };
    let claims = |linode| {
        let claim = ClaimRef { uid: 1, name: "a".into() };
        vec![BelievedClaim { claim, stored: Some(InstanceId(linode)), is_live: true }]
    };
    for (linode, told) in [
        (5, "nodeclaim/a: process 1 knows version 6 of it, and stored is version 7"),
        (6, "nodeclaim/a: process 1 knows it with linode/6, and stored is linode/5"),
    ] {
        let known = ObjectState { linode: Some(InstanceId(linode)), ..older.clone() };
        let beliefs = Beliefs { claims: claims(linode), ..of_objects(&[known], std::slice::from_ref(&stored), &[]) };
        assert_eq!(found(&stream, beliefs), [told]);
    }
}

#[test]
fn what_a_design_does_not_promise_is_not_waited_for() {
    use crate::truth::DesignFacts;
    static FORGETFUL: DesignFacts =
        DesignFacts { not_promised: &["orphans-collected", "state-agrees"], ..crate::invariants::stream::DESIGN };
    let mut facts = clusters();
    facts[0].design = &FORGETFUL;
    let mut judge = Judge::new(facts);
    let mut stream = Stream::default();
    settled(&mut stream);
    stream.linode(6, 9);
    stream.events.iter().for_each(|event| judge.see(event));
    assert!(judge.is_settled() && !judge.is_broken());
    let outcomes = judge.conclude(Time::ZERO, &[]);
    assert!(outcomes.iter().filter(|one| !one.held).all(|one| one.not_promised));
}

#[test]
fn all_breaches_are_counted_and_the_first_few_kept() {
    let mut stream = Stream::default();
    for id in 0..30 {
        stream.pool(id, 1, None);
    }
    let outcomes = judged(&stream).conclude(Time::ZERO, &[]);
    let pools = outcomes.iter().find(|one| one.name == "one-pool-per-key").unwrap();
    assert_eq!((pools.count, pools.violations.len()), (29, 20));
}
