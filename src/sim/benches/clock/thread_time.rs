//! The clock of the benchmarks.

use std::time::{Duration, Instant};

/// This thread's time on the processor, where the system tells it (Linux does), else the time that passed.
pub fn thread_time() -> Duration {
    thread_local! {
        // The clock of the machine: this measures the program, not the simulation.
        #[allow(clippy::disallowed_methods, reason = "a benchmark measures the real clock")]
        static BEGIN: Instant = Instant::now();
    }
    // The system counts a running thread's time by its tick, some milliseconds long, and to the nanosecond when the
    // thread gives up its core.
    #[allow(clippy::disallowed_methods, reason = "as above")]
    std::thread::sleep(Duration::from_nanos(1));
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let on_processor = told.and_then(|line| line.split(' ').next()?.parse().ok());
    on_processor.map_or_else(|| BEGIN.with(Instant::elapsed), Duration::from_nanos)
}
