//! tokio's primitives on this executor: fair under first-in-first-out, repeatable under every seed.

use super::{Log, millis, random};
use crate::{Kernel, Schedule};
use lkesim_runtime::{Runtime, Time};
use std::rc::Rc;
use tokio::sync::{Mutex, Notify, Semaphore, mpsc, oneshot};

/// Runs `build` to its end and gives what it logged, and the hash.
fn run(schedule: Schedule, build: fn(&Runtime, Log<u64>)) -> (Vec<u64>, u64) {
    let kernel = Kernel::with(schedule);
    let log = Log::default();
    build(&kernel.runtime(), log.clone());
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(kernel.live_tasks(), 0, "{:?}", kernel.pending());
    (log.take(), kernel.hash())
}

#[track_caller]
fn check(build: fn(&Runtime, Log<u64>), fifo: &[u64]) {
    assert_eq!(run(Schedule::fifo(), build).0, fifo);
    let mut orders = Vec::new();
    for seed in 0..30 {
        let (order, hash) = run(random(seed), build);
        assert_eq!(run(random(seed), build), (order.clone(), hash));
        orders.push(order);
    }
    orders.sort();
    orders.dedup();
    assert!(orders.len() > 5, "seeds must reach several orders");
}

#[test]
fn a_mutex_is_handed_on_in_line() {
    check(
        |runtime, log| {
            let lock = Rc::new(Mutex::new(()));
            for number in 0..6 {
                let (inner, lock, log) = (runtime.clone(), lock.clone(), log.clone());
                runtime.spawn("locker", async move {
                    let _held = lock.lock().await;
                    inner.sleep(millis(5)).await;
                    log.borrow_mut().push(number);
                });
            }
        },
        &[0, 1, 2, 3, 4, 5],
    );
}

#[test]
fn a_semaphore_lets_its_number_pass_in_line() {
    check(
        |runtime, log| {
            let seats = Rc::new(Semaphore::new(2));
            for number in 0..6 {
                let (inner, seats, log) = (runtime.clone(), seats.clone(), log.clone());
                runtime.spawn("guest", async move {
                    let _seat = seats.acquire().await.unwrap();
                    inner.sleep(millis(10 - number)).await;
                    log.borrow_mut().push(number);
                });
            }
        },
        &[1, 0, 2, 3, 5, 4],
    );
}

#[test]
fn a_channel_gives_what_it_was_sent() {
    check(
        |runtime, log| {
            let (sender, mut receiver) = mpsc::channel(2);
            for number in 0..6 {
                let sender = sender.clone();
                runtime.spawn("sender", async move { sender.send(number).await.unwrap() });
            }
            drop(sender);
            runtime.spawn("receiver", async move {
                while let Some(number) = receiver.recv().await {
                    log.borrow_mut().push(number);
                }
            });
        },
        &[0, 1, 2, 3, 4, 5],
    );
}

#[test]
fn answers_come_to_those_who_asked() {
    check(
        |runtime, log| {
            for number in 0..6 {
                let (answer, asked) = oneshot::channel();
                let log = log.clone();
                runtime.spawn("asker", async move {
                    let number = asked.await.unwrap();
                    log.borrow_mut().push(number);
                });
                runtime.spawn("answerer", async move { answer.send(number).unwrap() });
            }
        },
        &[0, 1, 2, 3, 4, 5],
    );
}

#[test]
fn the_notified_wake_in_line() {
    check(
        |runtime, log| {
            let bell = Rc::new(Notify::new());
            for number in 0..6 {
                let (bell, log) = (bell.clone(), log.clone());
                runtime.spawn("waiter", async move {
                    bell.notified().await;
                    log.borrow_mut().push(number);
                });
            }
            let inner = runtime.clone();
            runtime.spawn("ringer", async move {
                for _ in 0..6 {
                    inner.sleep(millis(1)).await;
                    bell.notify_one();
                }
            });
        },
        &[0, 1, 2, 3, 4, 5],
    );
}
