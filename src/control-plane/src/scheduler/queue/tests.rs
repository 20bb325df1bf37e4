use super::*;
use lkesim_kube::object::PodSpec;
use proptest::prelude::*;

fn pod(uid: u64, priority: i32) -> Rc<Pod> {
    let mut pod = Pod::new(format!("p{uid}"), PodSpec { priority, ..PodSpec::default() });
    pod.metadata.uid = Uid(uid);
    Rc::new(pod)
}

fn queue() -> Queue {
    Queue::new(&Rc::new(Settings::default()))
}

#[test]
fn the_highest_priority_comes_first_then_the_longest_wait() {
    let mut queue = queue();
    for (uid, priority) in [(1, 0), (2, 5), (3, 0), (4, 5)] {
        queue.add(Time::ZERO, &pod(uid, priority), 0);
    }
    let order: Vec<u64> = std::iter::from_fn(|| queue.pop(Time::ZERO)).map(|uid| uid.0).collect();
    assert_eq!(order, [2, 4, 1, 3]);
}

#[test]
fn a_pod_that_fits_nowhere_comes_back_on_an_event_after_its_backoff() {
    let mut queue = queue();
    queue.add(Time::ZERO, &pod(1, 0), 7);
    assert_eq!(queue.pop(Time::ZERO), Some(Uid(1)));
    queue.give_up(Time::ZERO, Uid(1));
    queue.stir(Time::from_millis(100), |shape| shape != 7);
    assert_eq!(queue.next_wake(), Some(Time::from_secs(300)), "an event that helps others");
    queue.stir(Time::from_millis(100), |shape| shape == 7);
    assert_eq!(queue.pop(Time::from_millis(999)), None);
    assert_eq!(queue.next_wake(), Some(Time::from_secs(1)));
    assert_eq!(queue.pop(Time::from_secs(1)), Some(Uid(1)));
    // The second backoff is of 2 s; an event after it is followed at once.
    queue.give_up(Time::from_secs(1), Uid(1));
    queue.stir(Time::from_secs(4), |_| true);
    assert_eq!(queue.pop(Time::from_secs(4)), Some(Uid(1)));
    // Without any it comes back all the same, when the flush next looks after five minutes.
    queue.give_up(Time::from_secs(4), Uid(1));
    assert_eq!(queue.next_wake(), Some(Time::from_secs(330)));
    assert_eq!(queue.pop(Time::from_secs(330)), Some(Uid(1)));
}

#[derive(Clone, Debug)]
enum Act {
    Add(u64, i32),
    Pop,
    GiveUp,
    Fail,
    Stir(usize),
    Remove(u64),
}

fn acts() -> impl Strategy<Value = Vec<(u64, Act)>> {
    let act = prop_oneof![
        3 => (0u64..8, 0i32..3).prop_map(|(uid, priority)| Act::Add(uid, priority)),
        4 => Just(Act::Pop),
        3 => Just(Act::GiveUp),
        1 => Just(Act::Fail),
        2 => (0usize..3).prop_map(Act::Stir),
        1 => (0u64..8).prop_map(Act::Remove),
    ];
    prop::collection::vec((0u64..90_000, act), 0..60)
}

proptest! {
    /// No pod is lost: whatever happens, each that is not out comes back within the flush, and none comes back that was
    /// removed; each is in one place alone.
    #[test]
    fn no_pod_is_lost(acts in acts()) {
        let mut queue = queue();
        let (mut known, mut out, mut now) = (BTreeSet::new(), BTreeSet::new(), Time::ZERO);
        for (pause, act) in acts {
            now += Duration::from_millis(pause);
            match act {
                Act::Add(uid, priority) => if known.insert(Uid(uid)) {
                    queue.add(now, &pod(uid, priority), uid as usize % 3);
                },
                Act::Pop => if let Some(uid) = queue.pop(now) {
                    prop_assert!(known.contains(&uid) && out.insert(uid));
                },
                Act::GiveUp => if let Some(uid) = out.pop_first() { queue.give_up(now, uid) },
                Act::Fail => if let Some(uid) = out.pop_first() { queue.fail(now, uid) },
                Act::Stir(of) => queue.stir(now, |shape| shape == of),
                Act::Remove(uid) => {
                    prop_assert_eq!(queue.remove(Uid(uid)).is_some(), known.remove(&Uid(uid)));
                    out.remove(&Uid(uid));
                }
            }
            prop_assert!(queue.next_wake().is_none_or(|at| at <= now + Duration::from_secs(331)));
        }
        let back: BTreeSet<Uid> = std::iter::from_fn(|| queue.pop(now + Duration::from_secs(400))).collect();
        let expected: BTreeSet<Uid> = known.difference(&out).copied().collect();
        prop_assert_eq!(back, expected);
    }
}
