use super::{Log, millis, random, yield_now};
use crate::{Kernel, KernelError, Schedule, Stop, TaskPath, foreign_wakes};
use lkesim_runtime::{Elapsed, Time};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::future::{Future, pending, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Wake, Waker};

#[test]
fn a_day_without_work_costs_a_poll() {
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    runtime.clone().spawn("sleeper", async move {
        runtime.sleep(millis(24 * 3_600_000)).await;
    });
    assert_eq!(kernel.run_until(Time::MAX), Ok(Stop::Idle));
    assert_eq!((kernel.now(), kernel.polls()), (Time::from_secs(86_400), 2));
}

#[test]
fn a_deadline_includes_its_instant_and_moves_the_clock() {
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    let at = Log::default();
    for delay in [5, 10, 11] {
        let (inner, at) = (runtime.clone(), at.clone());
        runtime.spawn("sleeper", async move {
            inner.sleep(millis(delay)).await;
            at.borrow_mut().push(inner.now().as_millis());
        });
    }
    assert_eq!(kernel.run_until(Time::from_millis(10)), Ok(Stop::Deadline));
    assert_eq!((at.borrow().clone(), kernel.now().as_millis()), (vec![5, 10], 10));
    assert_eq!(kernel.run_until(Time::from_millis(10)), Ok(Stop::Deadline));
    assert_eq!(kernel.run_until(Time::MAX), Ok(Stop::Idle));
    assert_eq!(*at.borrow(), [5, 10, 11]);
}

#[test]
fn a_stop_ends_the_run_after_the_poll_and_the_next_goes_on() {
    let kernel = Kernel::new();
    let (runtime, handle) = (kernel.runtime(), kernel.handle());
    let count = Rc::new(Cell::new(0));
    for _ in 0..3 {
        let (handle, count) = (handle.clone(), count.clone());
        runtime.spawn("stopper", async move {
            handle.stop();
            count.set(count.get() + 1);
        });
    }
    assert_eq!(kernel.run_until(Time::MAX), Ok(Stop::Stopped));
    assert_eq!((count.get(), kernel.live_tasks()), (1, 2));
    let seen = count.clone();
    assert_eq!(kernel.run(|| seen.get() == 2), Ok(Stop::Stopped));
    assert_eq!(kernel.run_until(Time::MAX), Ok(Stop::Stopped));
    assert_eq!(kernel.run_until(Time::MAX), Ok(Stop::Idle));
}

#[test]
fn a_task_that_spins_is_named() {
    let mut kernel = Kernel::with(random(1));
    kernel.limit_polls_per_instant(10_000);
    let runtime = kernel.runtime();
    for _ in 0..50 {
        let inner = runtime.clone();
        runtime.spawn("honest", async move {
            loop {
                inner.sleep(millis(1)).await;
            }
        });
    }
    let inner = runtime.clone();
    runtime.spawn("spinner", async move {
        inner.sleep(millis(7)).await;
        loop {
            yield_now().await;
        }
    });
    let error = kernel.run_until(Time::MAX).unwrap_err();
    let KernelError::Spinning { task, at, .. } = &error else { panic!("{error}") };
    assert_eq!((task.as_str(), at.as_millis()), ("spinner", 7));
    assert!(error.to_string().starts_with("task spinner spins at 00:00.007: 11"), "{error}");
}

#[test]
fn a_sleep_of_nothing_for_ever_spins_too() {
    let mut kernel = Kernel::new();
    kernel.limit_polls_per_instant(1_000);
    let runtime = kernel.runtime();
    runtime.clone().spawn("napper", async move {
        loop {
            runtime.sleep(millis(0)).await;
        }
    });
    assert!(matches!(kernel.run_until(Time::MAX), Err(KernelError::Spinning { .. })));
}

#[test]
fn a_panic_names_its_task() {
    let mut kernel = Kernel::new();
    let runtime = kernel.runtime();
    runtime.clone().spawn("parent", async move {
        let inner = runtime.clone();
        runtime.spawn("child", async move {
            inner.sleep(millis(3)).await;
            panic!("no {}", "way");
        });
    });
    let expected = KernelError::Panicked {
        task: TaskPath::new("parent:child"),
        at: Time::from_millis(3),
        message: "no way".into(),
    };
    assert_eq!(kernel.run_until(Time::MAX), Err(expected));
    assert_eq!(kernel.live_tasks(), 0);
    super::busy_run(&mut kernel, random(1));
}

#[test]
fn a_sleep_of_zero_lets_ready_tasks_go_first() {
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    let order = Log::default();
    let (inner, log) = (runtime.clone(), order.clone());
    runtime.spawn("napper", async move {
        inner.sleep(millis(0)).await;
        log.borrow_mut().push("napper");
    });
    let log = order.clone();
    runtime.spawn("yielder", async move {
        yield_now().await;
        yield_now().await;
        log.borrow_mut().push("yielder");
    });
    kernel.run_until(Time::ZERO).unwrap();
    assert_eq!(*order.borrow(), ["yielder", "napper"]);
}

#[test]
fn timers_of_an_instant_fire_in_the_order_they_were_set() {
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    let order = Log::default();
    for number in [2u64, 0, 1] {
        let (inner, order) = (runtime.clone(), order.clone());
        runtime.spawn("sleeper", async move {
            inner.sleep(millis(number)).await;
            inner.sleep_until(Time::from_millis(10)).await;
            order.borrow_mut().push(number);
        });
    }
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(*order.borrow(), [0, 1, 2]);
}

#[test]
fn a_timeout_ends_what_is_late_and_leaves_no_timer() {
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    let results = Log::default();
    for (limit, length) in [(5, 4), (5, 5), (5, 6)] {
        let (inner, results) = (runtime.clone(), results.clone());
        runtime.spawn("worker", async move {
            let result = inner.timeout(millis(limit), inner.sleep(millis(length))).await;
            results.borrow_mut().push((length, result));
        });
    }
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(*results.borrow(), [(4, Ok(())), (5, Ok(())), (6, Err(Elapsed))]);
    assert_eq!((kernel.live_timers(), kernel.live_tasks()), (0, 0));
}

/// As `join_all` and `FuturesUnordered` do, this puts a waker of its own between timer and task.
struct Detour<F> {
    inner: F,
}

struct Passing(Waker);

impl Wake for Passing {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.wake_by_ref();
    }
}

impl<F: Future + Unpin> Future for Detour<F> {
    type Output = F::Output;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let waker = Waker::from(std::sync::Arc::new(Passing(context.waker().clone())));
        Pin::new(&mut self.inner).poll(&mut Context::from_waker(&waker))
    }
}

#[test]
fn timers_wake_wakers_of_others_in_order_too() {
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    let order = Log::default();
    for number in 0..4 {
        let (inner, order) = (runtime.clone(), order.clone());
        runtime.spawn("sleeper", async move {
            let sleep = inner.sleep(millis(3));
            if number % 2 == 0 {
                Detour { inner: sleep }.await;
            } else {
                sleep.await;
            }
            order.borrow_mut().push(number);
        });
    }
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(*order.borrow(), [0, 1, 2, 3]);
}

#[test]
fn a_sleep_that_moves_to_another_task_wakes_that_one() {
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    let sleep = Rc::new(RefCell::new(Box::pin(runtime.sleep(millis(5)))));
    let first = sleep.clone();
    runtime.spawn("first", async move {
        poll_fn(|context| {
            assert!(first.borrow_mut().as_mut().poll(context).is_pending());
            Poll::Ready(())
        })
        .await;
    });
    let done = Rc::new(Cell::new(false));
    let flag = done.clone();
    runtime.spawn("second", async move {
        poll_fn(|context| sleep.borrow_mut().as_mut().poll(context)).await;
        flag.set(true);
    });
    kernel.run_until(Time::MAX).unwrap();
    assert!(done.get());
}

/// Stores the waker of the task that awaits it.
fn keep_waker(kept: &Rc<RefCell<Option<Waker>>>) -> impl Future<Output = ()> + use<> {
    let kept = kept.clone();
    poll_fn(move |context| {
        *kept.borrow_mut() = Some(context.waker().clone());
        Poll::Pending
    })
}

#[test]
fn a_wake_on_another_thread_is_counted_and_wakes_nobody() {
    let kernel = Kernel::new();
    let kept = Rc::default();
    kernel.runtime().spawn("waiter", keep_waker(&kept));
    kernel.run_until(Time::MAX).unwrap();
    let waker = kept.borrow().clone().unwrap();
    let before = foreign_wakes();
    std::thread::scope(|scope| {
        let here = waker.clone();
        scope.spawn(move || here.wake());
        // A thread with a kernel of its own, and a task in the same slot.
        scope.spawn(move || {
            let other = Kernel::new();
            other.runtime().spawn("bystander", pending());
            other.run_until(Time::MAX).unwrap();
            waker.wake();
            other.run_until(Time::MAX).unwrap();
            assert_eq!(other.polls(), 1);
        });
    });
    assert!(foreign_wakes() >= before + 2);
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(kernel.polls(), 1);
}

#[test]
fn wakes_between_runs_and_after_the_end_are_sound() {
    let mut kernel = Kernel::new();
    let kept = Rc::default();
    kernel.runtime().spawn("waiter", keep_waker(&kept));
    kernel.run_until(Time::MAX).unwrap();
    let waker = kept.take().unwrap();
    waker.wake_by_ref();
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(kernel.polls(), 2);
    kernel.reset(Schedule::fifo());
    kernel.runtime().spawn("in the same slot", pending());
    kernel.run_until(Time::MAX).unwrap();
    waker.wake_by_ref();
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(kernel.polls(), 1);
    drop(kernel);
    waker.wake();
}

#[test]
fn kernels_on_one_thread_keep_their_wakes_apart() {
    let (outer, inner) = (Kernel::new(), Rc::new(Kernel::new()));
    let kept = Rc::default();
    inner.runtime().spawn("inside", keep_waker(&kept));
    inner.run_until(Time::MAX).unwrap();
    let runs = inner.clone();
    let runtime = outer.runtime();
    outer.runtime().spawn("outside", async move {
        kept.borrow().as_ref().unwrap().wake_by_ref();
        runtime.sleep(millis(1)).await;
        runs.run_until(Time::MAX).unwrap();
    });
    outer.run_until(Time::MAX).unwrap();
    assert_eq!((outer.polls(), inner.polls()), (2, 2));
}

#[test]
fn what_still_lives_is_listed() {
    let kernel = Kernel::new();
    let (inside, _process) = kernel.runtime().process("controller");
    inside.spawn("a", pending());
    kernel.runtime().spawn("b", pending());
    kernel.run_until(Time::MAX).unwrap();
    inside.spawn("c", pending());
    let listed: Vec<_> = kernel
        .pending()
        .into_iter()
        .map(|pending| (pending.process, pending.task.to_string(), pending.polls))
        .collect();
    let row = |process: &str, task: &str, polls| (process.to_owned(), task.to_owned(), polls);
    assert_eq!(listed, [row("", "b", 1), row("controller", "a", 1), row("controller", "c", 0)]);
}

#[test]
fn what_is_mixed_in_changes_the_hash() {
    let run = |word: Option<u64>| {
        let kernel = Kernel::new();
        let handle = kernel.handle();
        kernel.runtime().spawn("task", async move {
            if let Some(word) = word {
                handle.mix_in(word);
            }
        });
        kernel.run_until(Time::MAX).unwrap();
        kernel.hash()
    };
    assert_ne!(run(Some(1)), run(Some(2)));
    assert_ne!(run(Some(0)), run(None));
    assert_eq!(run(Some(1)), run(Some(1)));
}

#[test]
fn paths_of_ended_tasks_are_forgotten() {
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    runtime.clone().spawn("controller", async move {
        for _ in 0..10_000 {
            let inner = runtime.clone();
            runtime.spawn("reconcile", async move { inner.spawn("step", yield_now()) });
            runtime.sleep(millis(1)).await;
        }
        pending::<()>().await;
    });
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(kernel.core_paths(), 1);
}

fn delays() -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(0u64..5, 1..6)
}

proptest! {
    /// The hash covers when, who and in which order: another program has another hash.
    #[test]
    fn other_delays_have_other_hashes(a in delays(), b in delays()) {
        let hash = |delays: &[u64]| {
            let kernel = Kernel::new();
            let runtime = kernel.runtime();
            for &delay in delays {
                let inner = runtime.clone();
                runtime.spawn("sleeper", async move { inner.sleep(millis(delay)).await });
            }
            kernel.run_until(Time::MAX).unwrap();
            kernel.hash()
        };
        prop_assert_eq!(a == b, hash(&a) == hash(&b));
    }
}
