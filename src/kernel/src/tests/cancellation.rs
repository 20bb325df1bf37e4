use super::{Log, millis, yield_now};
use crate::{Kernel, KernelError, Schedule};
use lkesim_runtime::{Process, Runtime, Seed, Time};
use proptest::prelude::*;
use std::cell::{Cell, RefCell};
use std::future::{pending, poll_fn};
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Does something when dropped.
struct OnDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

#[test]
fn a_process_ends_in_the_order_of_its_spawns() {
    let kernel = Kernel::with(Schedule::random(Seed(1)));
    let (inside, process) = kernel.runtime().process("controller");
    let order = Log::default();
    for number in 0..10 {
        let (order, nested) = (order.clone(), inside.clone());
        inside.spawn("task", async move {
            let _end = OnDrop(|| order.borrow_mut().push(number));
            nested.spawn("nested", pending());
            pending::<()>().await;
        });
    }
    kernel.runtime().spawn("bystander", pending());
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(kernel.live_tasks(), 21);
    process.stop();
    process.stop();
    assert_eq!(*order.borrow(), (0..10).collect::<Vec<_>>());
    assert_eq!(kernel.live_tasks(), 1);
    inside.spawn("late", async { panic!("a stopped process starts nothing") });
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(kernel.live_tasks(), 1);
}

#[test]
fn a_task_may_end_its_own_process() {
    let kernel = Kernel::new();
    let (inside, process) = kernel.runtime().process("controller");
    let log = Log::default();
    let (end, before) = (log.clone(), log.clone());
    inside.spawn("first", async move {
        let _end = OnDrop(|| end.borrow_mut().push("first ends"));
        process.stop();
        before.borrow_mut().push("first goes on");
        yield_now().await;
        unreachable!("it is dropped when the poll returns");
    });
    let end = log.clone();
    inside.spawn("second", async move {
        let _end = OnDrop(|| end.borrow_mut().push("second ends"));
        pending::<()>().await;
    });
    // So that the second has been polled, and has something to drop.
    let kernel_run = kernel.run_until(Time::MAX);
    assert!(kernel_run.is_ok());
    assert_eq!(*log.borrow(), ["first goes on", "first ends"]);
    assert_eq!((kernel.live_tasks(), kernel.live_timers()), (0, 0));
}

#[test]
fn a_task_may_end_its_process_and_itself_in_one_poll() {
    let kernel = Kernel::new();
    let (inside, process) = kernel.runtime().process("controller");
    inside.spawn("first", async move { process.stop() });
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(kernel.live_tasks(), 0);
}

/// A drop may wake a task that is dropped next, spawn into its process and outside of it, and stop other processes.
#[test]
fn drops_may_wake_spawn_and_stop() {
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    let (inside, process) = runtime.process("controller");
    let (other_inside, other) = runtime.process("other");
    let log = Log::default();
    let waker: Rc<RefCell<Option<Waker>>> = Rc::default();
    let (wake, spawn, log_spawn) = (waker.clone(), runtime.clone(), log.clone());
    let (again, handle) = (inside.clone(), kernel.handle());
    inside.spawn("first", async move {
        let _end = OnDrop(|| {
            wake.borrow().as_ref().unwrap().wake_by_ref();
            again.spawn("never", async { unreachable!("its process has ended") });
            other.stop();
            let (log, handle) = (log_spawn.clone(), handle.clone());
            spawn.spawn("heir", async move { log.borrow_mut().push(handle.current().to_string()) });
        });
        pending::<()>().await;
    });
    inside.spawn("second", async move {
        poll_fn(|context| {
            assert!(waker.borrow().is_none(), "it must not be polled again");
            *waker.borrow_mut() = Some(context.waker().clone());
            Poll::<()>::Pending
        })
        .await;
    });
    other_inside.spawn("third", pending());
    kernel.run_until(Time::MAX).unwrap();
    runtime.spawn("stopper", async move { process.stop() });
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(*log.borrow(), ["first:heir"]);
    assert_eq!(kernel.live_tasks(), 0);
}

#[test]
fn a_panic_in_a_drop_names_the_dropped_task() {
    let kernel = Kernel::new();
    let (inside, process) = kernel.runtime().process("controller");
    inside.spawn("fragile", async {
        let _end = OnDrop(|| panic!("broken"));
        pending::<()>().await;
    });
    kernel.run_until(Time::MAX).unwrap();
    kernel.runtime().spawn("stopper", async move { process.stop() });
    let error = kernel.run_until(Time::MAX).unwrap_err();
    assert!(matches!(&error, KernelError::Panicked { task, .. } if task.as_str() == "fragile"), "{error}");
}

#[test]
fn dropping_the_kernel_drops_its_tasks() {
    let token = Rc::new(());
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    for _ in 0..3 {
        let (token, runtime) = (token.clone(), runtime.clone());
        kernel.runtime().spawn("holder", async move {
            let _token = token;
            runtime.sleep(millis(5)).await;
        });
    }
    kernel.run_until(Time::ZERO).unwrap();
    drop(kernel);
    assert_eq!(Rc::strong_count(&token), 1);
    runtime.spawn("late", async { unreachable!("there is no kernel") });
}

#[test]
fn a_process_of_an_earlier_run_stops_nothing() {
    let mut kernel = Kernel::new();
    let (old_inside, old) = kernel.runtime().process("old");
    kernel.reset(Schedule::fifo());
    let (inside, _process) = kernel.runtime().process("current");
    inside.spawn("task", pending());
    old.stop();
    old_inside.spawn("ghost", pending());
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(kernel.live_tasks(), 1);
}

/// What the driver task of the property below does.
#[derive(Clone, Debug)]
enum Act {
    Spawn(usize),
    Wake(usize),
    Stop(usize),
    Yield,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        5 => (0usize..4).prop_map(Act::Spawn),
        6 => any::<usize>().prop_map(Act::Wake),
        1 => (0usize..4).prop_map(Act::Stop),
        4 => Just(Act::Yield),
    ];
    proptest::collection::vec(act, 0..120)
}

/// One spawned task as the model sees it.
#[derive(Clone, Debug)]
struct Modelled {
    group: usize,
    alive: bool,
    ready: bool,
    polls: usize,
}

/// What a spawned task shows of itself.
#[derive(Default)]
struct Shown {
    polls: Cell<usize>,
    dropped: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

struct Probe(Rc<Shown>);

impl Drop for Probe {
    fn drop(&mut self) {
        self.0.dropped.set(true);
    }
}

fn probe(runtime: &Runtime, shown: &Rc<Shown>) {
    let probe = Probe(shown.clone());
    runtime.spawn(
        "probe",
        poll_fn(move |context| {
            probe.0.polls.set(probe.0.polls.get() + 1);
            *probe.0.waker.borrow_mut() = Some(context.waker().clone());
            Poll::Pending
        }),
    );
}

proptest! {
    /// Whatever is woken, spawned and stopped: a task is polled once for all wakes before it, and never after its end.
    #[test]
    fn tasks_are_polled_as_the_model_says(acts in acts()) {
        let kernel = Kernel::new();
        let processes: Vec<(Runtime, Process)> = (0..4).map(|_| kernel.runtime().process("p")).collect();
        let mut stopped = [false; 4];
        let (mut model, mut shown) = (Vec::<Modelled>::new(), Vec::<Rc<Shown>>::new());
        for act in acts {
            match act {
                Act::Spawn(group) => {
                    shown.push(Rc::default());
                    probe(&processes[group].0, shown.last().unwrap());
                    let alive = !stopped[group];
                    model.push(Modelled { group, alive, ready: alive, polls: 0 });
                }
                Act::Wake(which) if !model.is_empty() => {
                    let which = which % model.len();
                    if let Some(waker) = &*shown[which].waker.borrow() {
                        waker.wake_by_ref();
                        model[which].ready = model[which].alive;
                    }
                }
                Act::Wake(_) => {}
                Act::Stop(group) => {
                    stopped[group] = true;
                    processes[group].1.stop();
                    for task in model.iter_mut().filter(|task| task.group == group) {
                        (task.alive, task.ready) = (false, false);
                    }
                }
                Act::Yield => {
                    kernel.run_until(Time::MAX).unwrap();
                    for task in model.iter_mut().filter(|task| task.ready) {
                        task.polls += 1;
                        task.ready = false;
                    }
                }
            }
            for (task, shown) in model.iter().zip(&shown) {
                prop_assert_eq!(task.polls, shown.polls.get());
                prop_assert_eq!(!task.alive, shown.dropped.get());
            }
            prop_assert_eq!(kernel.live_tasks(), model.iter().filter(|task| task.alive).count());
        }
    }
}

#[test]
fn a_process_ends_with_the_one_that_opened_it_and_not_the_other_way_round() {
    let kernel = Kernel::new();
    let (outer, process) = kernel.runtime().process("outer");
    let (inner, inner_process) = outer.process("inner");
    let (innermost, _) = inner.process("innermost");
    let (sibling, _) = outer.process("sibling");
    for runtime in [&outer, &inner, &innermost, &sibling] {
        runtime.spawn("task", pending());
    }
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(kernel.live_tasks(), 4);
    inner_process.stop();
    assert_eq!(kernel.live_tasks(), 2);
    process.stop();
    assert_eq!(kernel.live_tasks(), 0);
    let (late, _) = sibling.process("late");
    late.spawn("task", async { panic!("what a stopped process opens starts nothing") });
    kernel.run_until(Time::MAX).unwrap();
}
