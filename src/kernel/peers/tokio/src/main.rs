//! tokio's current-thread runtime with its clock paused: with a `LocalSet` as the simulator's own code needs it, or
//! with `spawn`, which asks for tasks that could go to other threads.

#[path = "../../workload.rs"]
mod workload;

use std::future::Future;
use std::time::Duration;
use workload::{FairLock, Limits, Lock, Shape, Shared, TokioMutex, Totals, World, limited_task, task};

#[derive(Clone)]
struct Tokio;

impl World for Tokio {
    type Sleep = tokio::time::Sleep;
    fn sleep(&self, millis: u64) -> tokio::time::Sleep {
        tokio::time::sleep(Duration::from_millis(millis))
    }
}

impl Limits for Tokio {
    type Elapsed = tokio::time::error::Elapsed;
    type Timeout<F: Future> = tokio::time::Timeout<F>;
    fn timeout<F: Future>(&self, millis: u64, future: F) -> tokio::time::Timeout<F> {
        tokio::time::timeout(Duration::from_millis(millis), future)
    }
}

/// How tasks are started.
#[derive(Clone, Copy)]
enum Way {
    LocalSet,
    Spawn,
}

/// Starts all tasks and waits for them. Not a function: the two ways to spawn ask for other bounds.
macro_rules! all {
    ($spawn:path, $shared:expr, $shape:expr) => {
        async {
            let start = |number| match $shape.timeouts {
                true => $spawn(limited_task(Tokio, $shared.clone(), number, $shape)),
                false => $spawn(task(Tokio, $shared.clone(), number, $shape)),
            };
            let tasks: Vec<_> = (0..$shape.tasks).map(start).collect();
            for task in tasks {
                task.await.expect("a task");
            }
        }
    };
}

fn run<L: Lock>(shape: Shape, way: Way) -> Totals {
    let shared = Shared::<L>::new(shape);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime");
    match way {
        Way::LocalSet => {
            tokio::task::LocalSet::new().block_on(&runtime, all!(tokio::task::spawn_local, shared, shape));
        }
        Way::Spawn => runtime.block_on(all!(tokio::spawn, shared, shape)),
    }
    shared.totals()
}

fn main() {
    let way = match std::env::args().nth(3).as_deref() {
        Some("spawn") => Way::Spawn,
        _ => Way::LocalSet,
    };
    workload::peer(|shape| match shape.tokio_mutex {
        true => run::<TokioMutex>(shape, way),
        false => run::<FairLock>(shape, way),
    });
}
