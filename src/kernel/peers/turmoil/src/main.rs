//! turmoil: one host, with its default tick of a millisecond.

#[path = "../../workload.rs"]
mod workload;

use std::time::Duration;
use workload::{FairLock, Lock, Shape, Shared, TokioMutex, Totals, World, task};

#[derive(Clone)]
struct Turmoil;

impl World for Turmoil {
    type Sleep = tokio::time::Sleep;
    fn sleep(&self, millis: u64) -> tokio::time::Sleep {
        tokio::time::sleep(Duration::from_millis(millis))
    }
}

fn run<L: Lock>(shape: Shape) -> Totals {
    let shared = Shared::<L>::new(shape);
    let mut sim = turmoil::Builder::new()
        .rng_seed(1)
        .simulation_duration(Duration::from_secs(1_000_000))
        .build();
    let inside = shared.clone();
    sim.client("host", async move {
        let tasks: Vec<_> = (0..shape.tasks)
            .map(|number| tokio::spawn(task(Turmoil, inside.clone(), number, shape)))
            .collect();
        for task in tasks {
            task.await?;
        }
        Ok(())
    });
    sim.run().expect("a run");
    shared.totals()
}

fn main() {
    workload::peer(|shape| if shape.tokio_mutex { run::<TokioMutex>(shape) } else { run::<FairLock>(shape) });
}
