//! Each strategy replays to its hash, and does what it is for.

use super::{Log, busy_run, millis, yield_now};
use crate::{Delays, Deviations, Kernel, Schedule, Verb};
use lkesim_runtime::{Ppm, Seed, Time};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

/// Ten thousand in release.
const RUNS: u64 = if cfg!(debug_assertions) { 500 } else { 10_000 };

type Make = fn(Seed) -> Schedule;

const ORDERS: [(&str, Make); 4] = [
    ("random", Schedule::random),
    ("sticky", |seed| Schedule::sticky(seed, Ppm(800_000))),
    ("priorities", |seed| Schedule::priorities(seed, 3, 64)),
    ("delay_bounded", |seed| Schedule::delay_bounded(seed, 3, 64)),
];

fn late(order: Schedule, seed: u64) -> Schedule {
    let lengths = [millis(1), millis(2), Duration::from_nanos(1)];
    order.delaying(Delays::new(Seed(seed), Ppm(100_000), &lengths))
}

/// Runs, replays and compares; gives the deviations.
fn replays(kernel: &mut Kernel, schedule: Schedule, what: &str) -> Deviations {
    let hash = busy_run(kernel, schedule);
    let recorded = kernel.deviations();
    assert_eq!(busy_run(kernel, Schedule::replay(&recorded)), hash, "{what}");
    assert_eq!(kernel.unmatched(), [], "{what}");
    assert_eq!(kernel.deviations(), recorded, "{what}");
    recorded
}

#[test]
fn every_strategy_replays_to_its_hash() {
    let mut kernel = Kernel::new();
    for (name, make) in ORDERS {
        let mut deviations = 0;
        for seed in 0..RUNS / ORDERS.len() as u64 {
            let recorded = replays(&mut kernel, make(Seed(seed)), &format!("{name}, seed {seed}"));
            deviations += recorded.list.len();
        }
        assert!(deviations as u64 > RUNS / 4, "{name}: the runs must have had choices");
    }
}

#[test]
fn runs_with_late_timers_replay_to_their_hashes_also_from_their_text() {
    let mut kernel = Kernel::new();
    let (mut delays, mut both) = (0, 0);
    for seed in 0..RUNS {
        let (name, make) = ORDERS[seed as usize % ORDERS.len()];
        let what = format!("{name} with delays, seed {seed}");
        let recorded = replays(&mut kernel, late(make(Seed(seed)), seed), &what);
        let late = recorded.list.iter().filter(|deviation| matches!(deviation.verb, Verb::Delay(_))).count();
        delays += late;
        both += usize::from(late > 0 && late < recorded.list.len());
        if seed % 50 == 0 {
            assert_eq!(recorded.to_string().parse(), Ok(recorded), "{what}");
        }
    }
    assert!(delays as u64 > RUNS && both as u64 > RUNS / 2, "{delays} {both}");
}

/// Leaving a delay out leaves the others: it is a run too.
#[test]
fn leaving_out_a_delay_is_a_run_too() {
    let mut kernel = Kernel::new();
    busy_run(&mut kernel, late(Schedule::fifo(), 2));
    let recorded = kernel.deviations();
    for left_out in 0..recorded.list.len() {
        let mut fewer = recorded.clone();
        fewer.list.remove(left_out);
        let hash = busy_run(&mut kernel, Schedule::replay(&fewer));
        let again = kernel.deviations();
        assert_eq!(busy_run(&mut kernel, Schedule::replay(&again)), hash);
    }
}

/// What three tasks of five steps each do, one step after the other.
fn steps(schedule: Schedule) -> String {
    let kernel = Kernel::with(schedule);
    let order = Log::default();
    for name in ["a", "b", "c"] {
        let order = order.clone();
        kernel.runtime().spawn(name, async move {
            for _ in 0..5 {
                order.borrow_mut().push(name);
                yield_now().await;
            }
        });
    }
    kernel.run_until(Time::MAX).unwrap();
    order.take().concat()
}

#[test]
fn a_sticky_task_goes_on_while_it_can() {
    let always = steps(Schedule::sticky(Seed(3), Ppm::ALWAYS));
    for name in ["aaaaa", "bbbbb", "ccccc"] {
        assert!(always.contains(name), "{always}");
    }
    let switches = |text: &str| text.as_bytes().windows(2).filter(|pair| pair[0] != pair[1]).count();
    let total = |stay| (0..100).map(|seed| switches(&steps(Schedule::sticky(Seed(seed), Ppm(stay))))).sum::<usize>();
    let (rarely, often) = (total(900_000), total(0));
    assert!(rarely * 3 < often * 2, "{rarely} {often}");
}

#[test]
fn without_changes_the_highest_priority_goes_to_its_end() {
    let orders: std::collections::BTreeSet<String> =
        (0..200).map(|seed| steps(Schedule::priorities(Seed(seed), 0, 16))).collect();
    assert_eq!(orders.len(), 6, "{orders:?}");
    assert!(orders.contains("cccccbbbbbaaaaa"), "{orders:?}");
}

#[test]
fn one_change_of_priority_interrupts_one_task() {
    for seed in 0..200 {
        let order = steps(Schedule::priorities(Seed(seed), 1, 12));
        let runs = order.as_bytes().chunk_by(|a, b| a == b).count();
        // The task that falls goes on after both others.
        assert!((3..=4).contains(&runs), "{order}");
    }
}

#[test]
fn a_delay_bounded_order_departs_as_often_as_it_may() {
    assert_eq!(steps(Schedule::delay_bounded(Seed(1), 0, 16)), steps(Schedule::fifo()));
    let seeds = 0..200;
    let different: std::collections::BTreeSet<String> =
        seeds.map(|seed| steps(Schedule::delay_bounded(Seed(seed), 1, 12))).collect();
    // One of the twelve choices has its first put off; the last may change nothing.
    assert!((10..=12).contains(&different.len()), "{}", different.len());
}

#[test]
fn a_late_timer_lets_a_later_one_go_first_and_a_sleep_whose_time_has_come_is_over() {
    let text = "lkesim-schedule 2\nearly@1 delay 2ms\ntwice@1 delay 1s\n";
    let kernel = Kernel::with(Schedule::replay(&text.parse().unwrap()));
    let (runtime, log) = (kernel.runtime(), Log::default());
    for (name, length) in [("early", 1), ("later", 2)] {
        let (inner, log) = (runtime.clone(), log.clone());
        runtime.spawn(name, async move {
            inner.sleep(millis(length)).await;
            log.borrow_mut().push((name, inner.now().as_millis()));
        });
    }
    let (bell, rung) = (Rc::new(tokio::sync::Notify::new()), log.clone());
    let (inner, rings) = (runtime.clone(), bell.clone());
    runtime.spawn("twice", async move {
        let (mut sleep, mut heard) = (pin!(inner.sleep(millis(1))), pin!(bell.notified()));
        poll_fn(|context| {
            // Woken by the bell, it finds its time come, though its timer has not fired.
            let _ = heard.as_mut().poll(context);
            sleep.as_mut().poll(context)
        })
        .await;
        rung.borrow_mut().push(("twice", inner.now().as_millis()));
    });
    let inner = runtime.clone();
    runtime.spawn("ringer", async move {
        inner.sleep(millis(4)).await;
        rings.notify_waiters();
    });
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(*log.borrow(), [("later", 2), ("early", 3), ("twice", 4)]);
    assert_eq!(kernel.unmatched(), []);
    assert_eq!((kernel.live_timers(), kernel.live_tasks()), (0, 0));
}

#[test]
fn a_task_that_is_spared_is_never_late() {
    let delays = Delays::new(Seed(1), Ppm::ALWAYS, &[millis(7)]).sparing(&["world"]);
    let kernel = Kernel::with(Schedule::fifo().delaying(delays));
    let (runtime, log) = (kernel.runtime(), Log::default());
    for name in ["world", "part"] {
        let (inner, log) = (runtime.clone(), log.clone());
        runtime.spawn(name, async move {
            inner.sleep(millis(1)).await;
            log.borrow_mut().push((name, inner.now().as_millis()));
        });
    }
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(*log.borrow(), [("world", 1), ("part", 8)]);
    assert_eq!(kernel.deviations().to_string(), "lkesim-schedule 3\npart@1 delay 7ms\nend 1\n");
}
