use super::*;
use lkesim_kernel::Kernel;
use lkesim_kube::store::Store;
use lkesim_runtime::{Driver, GroupId, Quantiles, Seed, Task, TaskName, TimerId};
use proptest::prelude::*;
use std::task::Waker;

/// A machine whose clock on the wall must not be asked.
struct Clockless(Rc<dyn Driver>);

impl Driver for Clockless {
    fn now(&self) -> Time {
        self.0.now()
    }
    fn wall_clock(&self) -> Time {
        panic!("the lease is counted by no clock on the wall")
    }
    fn register(&self, at: Time, waker: &Waker) -> TimerId {
        self.0.register(at, waker)
    }
    fn cancel(&self, timer: TimerId) {
        self.0.cancel(timer);
    }
    fn spawn(&self, group: GroupId, name: TaskName, task: Task) {
        self.0.spawn(group, name, task);
    }
    fn open_group(&self, parent: GroupId, name: &str) -> GroupId {
        self.0.open_group(parent, name)
    }
    fn cancel_group(&self, group: GroupId) {
        self.0.cancel_group(group);
    }
}

const TICK: Duration = Duration::from_millis(500);

/// Processes that share a cluster.
struct World {
    kernel: Kernel,
    writers: Vec<Rc<Writer>>,
}

impl World {
    fn of(processes: usize, latency: Duration) -> World {
        let (kernel, store) = (Kernel::new(), Store::new());
        let runtime = Runtime::new(Rc::new(Clockless(kernel.runtime().driver().clone())));
        // Something always happens, so that the clock goes on.
        let clock = runtime.clone();
        runtime.spawn("clock", async move {
            loop {
                clock.sleep(TICK).await;
            }
        });
        let client = Client::new(runtime.clone(), store, Seed(1), Quantiles::constant(latency));
        let writer = |number| Rc::new(Writer::new(runtime.clone(), client.clone(), format!("process-{number}")));
        World { kernel, writers: (0..processes).map(writer).collect() }
    }

    fn run_to(&self, at: Duration) {
        self.kernel.run_until(Time::ZERO + at).expect("no task panics");
    }

    /// Asks for the lease at this second, and what came of it.
    fn hold(&self, process: usize, second: u64) -> Result<Hold, ApiError> {
        self.run_to(Duration::from_secs(second));
        let (writer, told) = (self.writers[process].clone(), Rc::new(RefCell::new(None)));
        let tell = told.clone();
        self.kernel.runtime().spawn("hold", async move {
            let held = writer.hold().await;
            *tell.borrow_mut() = Some(held);
        });
        self.run_to(Duration::from_secs(second));
        told.take().expect("calls take no time")
    }
}

fn is_anothers(held: &Result<Hold, ApiError>) -> bool {
    held.as_ref().is_err_and(ApiError::is_conflict)
}

#[test]
fn a_lease_is_over_for_others_when_they_have_seen_its_last_renewal_for_as_long_as_it_lasts() {
    let world = World::of(2, Duration::ZERO);
    assert_eq!(world.hold(0, 0).expect("it is free"), Hold::Anew);
    assert!(is_anothers(&world.hold(1, 5)));
    assert_eq!(world.hold(0, 8).expect("it is renewed"), Hold::Still);
    assert!(is_anothers(&world.hold(1, 17)), "seen for 12 s, and renewed since");
    assert!(is_anothers(&world.hold(1, 28)));
    assert_eq!(world.hold(1, 29).expect("it is over"), Hold::Anew);
    assert!(is_anothers(&world.hold(0, 29)), "who had it is refused");
    assert!(!world.writers[0].may_write() && world.writers[1].may_write());
}

#[test]
fn its_holder_stops_before_its_end_and_goes_on_if_nobody_came() {
    let world = World::of(1, Duration::ZERO);
    assert_eq!(world.hold(0, 0).expect("it is free"), Hold::Anew);
    world.run_to(LASTS - MARGIN);
    assert!(world.writers[0].may_write());
    world.run_to(LASTS - MARGIN + TICK);
    assert!(!world.writers[0].may_write() && world.writers[0].is_held());
    assert_eq!(world.hold(0, 300).expect("nobody has it"), Hold::Still);
}

proptest! {
    /// Processes ask for it when they like, and calls take their time.
    #[test]
    fn no_two_hold_it_at_once(
        asked in proptest::collection::vec((0_usize..3, 0_u64..14_000), 1..60),
        latency in 0_u64..3_000,
    ) {
        let world = World::of(3, Duration::from_millis(latency));
        let mut at = Duration::ZERO;
        for (process, later) in asked {
            let until = at + Duration::from_millis(later);
            while at < until {
                at = until.min(at + TICK);
                world.run_to(at);
                // At its very end it is over for both.
                let holders = world.writers.iter().filter(|writer| writer.has_left(Duration::from_millis(1))).count();
                prop_assert!(holders <= 1, "{at:?}");
            }
            let writer = world.writers[process].clone();
            world.kernel.runtime().spawn("hold", async move { drop(writer.hold().await) });
        }
    }
}
