//! simcore, the engine below DSLab, in its async mode.

#[path = "../../workload.rs"]
mod workload;

use std::rc::Rc;
use workload::{FairLock, Lock, Shape, Shared, TokioMutex, Totals, World, task};

#[derive(Clone)]
struct Simcore(Rc<simcore::SimulationContext>);

impl World for Simcore {
    type Sleep = simcore::async_mode::TimerFuture;
    fn sleep(&self, millis: u64) -> Self::Sleep {
        // Its clock counts seconds in floating point.
        self.0.sleep(millis as f64 / 1_000.0)
    }
}

fn run<L: Lock>(shape: Shape) -> Totals {
    let shared = Shared::<L>::new(shape);
    let mut simulation = simcore::Simulation::new(1);
    let context = Rc::new(simulation.create_context("host"));
    for number in 0..shape.tasks {
        simulation.spawn(task(Simcore(context.clone()), shared.clone(), number, shape));
    }
    simulation.step_until_no_events();
    shared.totals()
}

fn main() {
    workload::peer(|shape| if shape.tokio_mutex { run::<TokioMutex>(shape) } else { run::<FairLock>(shape) });
}
