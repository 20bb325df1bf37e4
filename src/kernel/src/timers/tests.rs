use super::{Next, Timers};
use crate::waker::TaskWord;
use lkesim_runtime::TimerId;
use proptest::prelude::*;

/// What a test does to the timers.
#[derive(Clone, Debug)]
enum Step {
    /// Sets a timer this long after the present.
    Set(u64),
    /// Cancels one of all timers ever set.
    Cancel(usize),
    /// Fires all timers up to this long after the present.
    Run(u64),
}

fn delays() -> impl Strategy<Value = u64> {
    // Ties must be common, and every bucket must be reached.
    let any_size = (any::<u64>(), 8u32..64).prop_map(|(word, shift)| word >> shift);
    prop_oneof![0u64..4, 0u64..1_000, Just(1_000_000), 0u64..5_000_000_000, any_size]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => delays().prop_map(Step::Set),
        3 => any::<usize>().prop_map(Step::Cancel),
        2 => delays().prop_map(Step::Run),
    ];
    proptest::collection::vec(step, 0..400)
}

/// Sets a timer for the task of this number.
fn set(timers: &mut Timers, at: u64, number: usize) -> TimerId {
    timers.set(at, at == 0, &TaskWord::new(0, 0, number as u32).waker())
}

/// Fires the due timers and tells which.
fn fire(timers: &mut Timers) -> Vec<usize> {
    let mut fired = Vec::new();
    let other = timers.fire(|task| fired.push(task.slot() as usize));
    assert!(other.is_none());
    fired
}

/// The model: timers in a Vec sorted by (time, number).
#[derive(Default)]
struct Model {
    waiting: Vec<(u64, usize)>,
}

impl Model {
    fn next(&self) -> Option<u64> {
        self.waiting.first().map(|&(at, _)| at)
    }

    fn set(&mut self, at: u64, number: usize) {
        self.waiting.push((at, number));
        self.waiting.sort_unstable();
    }

    fn fire(&mut self, now: u64) -> Vec<usize> {
        let due = self.waiting.partition_point(|&(at, _)| at <= now);
        self.waiting.drain(..due).map(|(_, number)| number).collect()
    }
}

proptest! {
    #[test]
    fn timers_fire_as_a_sorted_list_does(steps in steps()) {
        let (mut timers, mut model) = (Timers::new(), Model::default());
        let mut ids: Vec<TimerId> = Vec::new();
        let (mut now, mut most) = (0, 0);
        for step in steps {
            match step {
                Step::Set(delay) => {
                    model.set(now + delay, ids.len());
                    ids.push(set(&mut timers, now + delay, ids.len()));
                }
                Step::Cancel(which) if !ids.is_empty() => {
                    let which = which % ids.len();
                    let found = timers.cancel(ids[which]).is_some();
                    let before = model.waiting.len();
                    model.waiting.retain(|&(_, number)| number != which);
                    prop_assert_eq!(found, model.waiting.len() < before);
                }
                Step::Cancel(_) => {}
                Step::Run(length) => {
                    let limit = now + length;
                    while let Next::Due(at) = timers.advance(limit) {
                        prop_assert_eq!(Some(at), model.next());
                        prop_assert_eq!(fire(&mut timers), model.fire(at));
                    }
                    prop_assert!(model.next().is_none_or(|at| at > limit));
                    now = limit;
                }
            }
            prop_assert_eq!(timers.live(), model.waiting.len());
            most = most.max(timers.live());
            prop_assert!(timers.slots.len() <= most + 1);
        }
    }
}

#[test]
fn a_dead_timer_moves_no_clock() {
    let mut timers = Timers::new();
    let first = set(&mut timers, 10, 0);
    set(&mut timers, 20, 1);
    timers.cancel(first);
    assert_eq!(timers.advance(15), Next::Later);
    assert_eq!(timers.advance(u64::MAX), Next::Due(20));
}

#[test]
fn looking_ahead_moves_no_clock() {
    let mut timers = Timers::new();
    set(&mut timers, 1_000, 0);
    assert_eq!(timers.advance(10), Next::Later);
    set(&mut timers, 20, 1);
    assert_eq!(timers.advance(u64::MAX), Next::Due(20));
}

#[test]
fn the_last_of_all_times_come_in_order() {
    let mut timers = Timers::new();
    let last = u64::MAX - 1;
    let times = [last - (1 << 31), last - (1 << 30), last - (1 << 21), last - 5_000, last - 5, last];
    for (number, &at) in times.iter().enumerate() {
        set(&mut timers, at, number);
        set(&mut timers, u64::MAX, 99);
    }
    for (number, &at) in times.iter().enumerate() {
        assert_eq!(timers.advance(u64::MAX), Next::Due(at));
        assert_eq!(fire(&mut timers), [number]);
        set(&mut timers, u64::MAX, 99);
    }
    assert_eq!(timers.advance(u64::MAX), Next::Nothing);
}

#[test]
fn never_does_not_come() {
    let mut timers = Timers::new();
    let never = set(&mut timers, u64::MAX, 0);
    assert_eq!(timers.advance(u64::MAX), Next::Nothing);
    assert!(timers.cancel(never).is_some());
}

#[test]
fn memory_is_bounded_by_live_timers() {
    let mut timers = Timers::new();
    for number in 0..100_000 {
        let id = set(&mut timers, 1_000_000 + number, 0);
        timers.cancel(id);
    }
    assert_eq!(timers.live(), 0);
    // One, and the one that nobody has.
    assert!(timers.slots.len() <= 2);
}
