//! tokio's current-thread runtime with its clock paused.

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

fn run<L: Lock>(shape: Shape) -> Totals {
    let shared = Shared::<L>::new(shape);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let tasks: Vec<_> = (0..shape.tasks)
            .map(|number| match shape.timeouts {
                true => tokio::spawn(limited_task(Tokio, shared.clone(), number, shape)),
                false => tokio::spawn(task(Tokio, shared.clone(), number, shape)),
            })
            .collect();
        for task in tasks {
            task.await.expect("a task");
        }
    });
    shared.totals()
}

fn main() {
    workload::peer(|shape| if shape.tokio_mutex { run::<TokioMutex>(shape) } else { run::<FairLock>(shape) });
}
