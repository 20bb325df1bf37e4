//! The verbs that only a written list has.

use super::{Log, busy_run, random, yield_now};
use crate::{Deviation, Deviations, Kernel, PollKey, Schedule, TaskPath, Verb};
use lkesim_runtime::Time;
use proptest::prelude::*;

/// The order of four tasks of two steps, and the lines that matched nothing.
fn order_under(lines: &str) -> (String, Vec<String>) {
    let text = format!("lkesim-schedule 2\n{lines}");
    let kernel = Kernel::with(Schedule::replay(&text.parse().unwrap()));
    let order = Log::default();
    for name in ["a", "b", "c", "d"] {
        let order = order.clone();
        kernel.runtime().spawn(name, async move {
            order.borrow_mut().push(name);
            yield_now().await;
            order.borrow_mut().push(name);
        });
    }
    kernel.run_until(Time::MAX).unwrap();
    let unmatched = kernel.unmatched().iter().map(ToString::to_string).collect();
    let found = (order.take().concat(), unmatched);
    // What it did can be told in the kernel's own verbs.
    let (hash, recorded) = (kernel.hash(), kernel.deviations());
    let again = Kernel::with(Schedule::replay(&recorded));
    for name in ["a", "b", "c", "d"] {
        again.runtime().spawn(name, yield_now());
    }
    again.run_until(Time::MAX).unwrap();
    assert_eq!((again.hash(), again.unmatched()), (hash, vec![]), "{lines}");
    found
}

#[test]
fn verbs_move_the_polls_that_they_name() {
    let orders = [
        ("", "abcdabcd"),
        ("d@1 first\n", "dabcdabc"),
        ("d@1 first\nc@1 first\n", "dcabdcab"),
        ("a@1 last\n", "bcdbcdaa"),
        ("a@1 last\nb@1 last\n", "cdcdaabb"),
        ("a@1 after c@1\n", "bcadbcad"),
        ("a@1 after c@2\n", "bcdbcada"),
        ("a@2 after b@2\n", "abcdbacd"),
        ("d@1 before b@1\n", "adbcadbc"),
        ("a@1 last\nd@1 before b@1\n", "dbcdbcaa"),
    ];
    for (lines, expected) in orders {
        assert_eq!(order_under(lines), (expected.to_owned(), vec![]), "{lines}");
    }
}

#[test]
fn lines_that_change_nothing_are_told() {
    for line in ["x@1 first", "a@3 last", "d@1 after a@1", "a@1 delay 5s", "a@1 before d@7"] {
        assert_eq!(order_under(&format!("{line}\n")), ("abcdabcd".to_owned(), vec![line.to_owned()]));
    }
}

/// Two that wait for each other can't both wait.
#[test]
fn a_circle_of_afters_ends() {
    assert_eq!(order_under("a@1 after b@1\nb@1 after a@1\n").0, "cdcdabab");
}

/// Keys of a run that was recorded, with any verbs.
fn lists() -> impl Strategy<Value = Deviations> {
    let mut kernel = Kernel::new();
    busy_run(&mut kernel, random(7));
    let keys: Vec<PollKey> = kernel.deviations().list.into_iter().map(|deviation| deviation.key).collect();
    let names: Vec<(String, u32)> = keys.iter().map(|key| (key.task.to_string(), key.poll)).collect();
    let key = prop::sample::select(names);
    let line = (key.clone(), 0..5_u8, key, 1..5_000_u64).prop_map(|(key, verb, other, by)| {
        let poll = |(task, poll): (String, u32)| PollKey { task: TaskPath::new(&task), poll };
        let verb = match verb {
            0 => Verb::Before(poll(other)),
            1 => Verb::After(poll(other)),
            2 => Verb::First,
            3 => Verb::Last,
            _ => Verb::Delay(std::time::Duration::from_micros(by)),
        };
        Deviation { key: poll(key), verb }
    });
    prop::collection::vec(line, 0..12).prop_map(|list| Deviations { list })
}

proptest! {
    /// Whatever a list says, it is a run, and what was recorded of it repeats it.
    #[test]
    fn any_list_is_a_run_that_can_be_recorded(list in lists()) {
        let mut kernel = Kernel::new();
        let hash = busy_run(&mut kernel, Schedule::replay(&list));
        let recorded = kernel.deviations();
        prop_assert_eq!(busy_run(&mut kernel, Schedule::replay(&list)), hash);
        prop_assert_eq!(busy_run(&mut kernel, Schedule::replay(&recorded)), hash);
        prop_assert_eq!(kernel.unmatched(), vec![]);
    }
}
