//! madsim: one runtime, tasks in its seeded order. It replaces libc's clock inside a run, so time is taken outside.

#[path = "../../workload.rs"]
mod workload;

use std::time::Duration;
use workload::{FairLock, Lock, Shape, Shared, TokioMutex, Totals, World, task};

#[derive(Clone)]
struct Madsim;

impl World for Madsim {
    type Sleep = madsim::time::Sleep;
    fn sleep(&self, millis: u64) -> madsim::time::Sleep {
        madsim::time::sleep(Duration::from_millis(millis))
    }
}

fn run<L: Lock>(shape: Shape) -> Totals {
    let shared = Shared::<L>::new(shape);
    let runtime = madsim::runtime::Runtime::with_seed_and_config(1, madsim::Config::default());
    runtime.block_on(async {
        let tasks: Vec<_> = (0..shape.tasks)
            .map(|number| madsim::task::spawn(task(Madsim, shared.clone(), number, shape)))
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
