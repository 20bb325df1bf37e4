//! The benchmark's tasks: one source for the kernel and all its peers, which differ in their [`World`] alone.
//!
//! Each task, again and again: sleeps a pseudo-random 1 to 1,000 ms, takes one of the shared locks, holds it for 5
//! ms. That is three events a step: two timers and a grant. Counts and checksum depend on no order, so they must be
//! equal.

mod lock;

pub use lock::{FairLock, Lock, TokioMutex};
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a task asks of its executor.
pub trait World: Clone + 'static {
    /// What `sleep` returns.
    type Sleep: Future<Output = ()>;
    /// Waits on the virtual clock.
    fn sleep(&self, millis: u64) -> Self::Sleep;
}

/// An executor that has timeouts.
#[allow(dead_code)] // Not every peer has them.
pub trait Limits: World {
    /// What a timeout that ran out returns.
    type Elapsed: std::fmt::Debug;
    /// What `timeout` returns.
    type Timeout<F: Future>: Future<Output = Result<F::Output, Self::Elapsed>>;
    /// Runs a future for at most this long.
    fn timeout<F: Future>(&self, millis: u64, future: F) -> Self::Timeout<F>;
}

/// How large a run is.
#[derive(Clone, Copy)]
pub struct Shape {
    /// How many tasks start together.
    pub tasks: u64,
    /// How often each goes round.
    pub steps: u64,
    /// How many locks they share.
    pub locks: u64,
    /// Whether each step is wrapped in a timeout, which is dropped before it fires.
    pub timeouts: bool,
    /// Whether the locks are tokio's.
    pub tokio_mutex: bool,
}

/// What the tasks of a run share.
pub struct Shared<L> {
    locks: Vec<L>,
    sum: AtomicU64,
    events: AtomicU64,
}

/// What a run did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Totals {
    /// Timer firings and lock grants.
    pub events: u64,
    /// Over all steps of all tasks, in any order.
    pub checksum: u64,
}

impl<L: Lock> Shared<L> {
    /// The locks of a run.
    pub fn new(shape: Shape) -> Arc<Shared<L>> {
        Arc::new(Shared {
            locks: (0..shape.locks).map(|_| L::default()).collect(),
            sum: AtomicU64::new(0),
            events: AtomicU64::new(0),
        })
    }

    /// What was done, and a check that no grant was lost.
    pub fn totals(&self) -> Totals {
        let grants: u64 = self.locks.iter().map(|lock| lock.grants().expect("all tasks are done")).sum();
        let events = self.events.load(Ordering::Relaxed);
        assert_eq!(events, grants * 3, "a grant was lost");
        Totals { events, checksum: self.sum.load(Ordering::Relaxed) }
    }
}

fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// One step, without a future of its own around it.
macro_rules! step {
    ($world:expr, $shared:expr, $word:expr) => {{
        let (world, shared, word): (_, &Shared<L>, u64) = ($world, $shared, $word);
        world.sleep(1 + word % 1_000).await;
        let place = ((word >> 32) * shared.locks.len() as u64) >> 32;
        let mut guard = shared.locks[place as usize].lock().await;
        L::count(&mut guard);
        world.sleep(5).await;
        word
    }};
}

/// One task.
pub async fn task<W: World, L: Lock>(world: W, shared: Arc<Shared<L>>, number: u64, shape: Shape) {
    let mut sum = 0u64;
    for round in 0..shape.steps {
        let word = mix(number << 32 | round);
        sum = sum.wrapping_add(step!(&world, &shared, word));
    }
    shared.sum.fetch_add(sum, Ordering::Relaxed);
    shared.events.fetch_add(shape.steps * 3, Ordering::Relaxed);
}

/// One task whose steps each have a time limit.
#[allow(dead_code)] // Not every peer has timeouts.
pub async fn limited_task<W: Limits, L: Lock>(world: W, shared: Arc<Shared<L>>, number: u64, shape: Shape) {
    let mut sum = 0u64;
    for round in 0..shape.steps {
        let word = mix(number << 32 | round);
        let step = world.timeout(30_000, async { step!(&world, &shared, word) });
        sum = sum.wrapping_add(step.await.expect("a step is faster than this"));
    }
    shared.sum.fetch_add(sum, Ordering::Relaxed);
    shared.events.fetch_add(shape.steps * 3, Ordering::Relaxed);
}

/// The main variant with tokio's locks.
const MAIN_TOKIO_MUTEX: &str = "main-tokio-mutex";

/// The variants that can be measured.
pub fn shape(variant: &str) -> Shape {
    let (tasks, steps, locks) = match variant {
        "main" | MAIN_TOKIO_MUTEX | "timeouts" => (1_000, 100, 50),
        "100k" => (100_000, 10, 5_000),
        "small" => (20, 10, 50),
        other => panic!("no variant {other}"),
    };
    Shape { tasks, steps, locks, timeouts: variant == "timeouts", tokio_mutex: variant == MAIN_TOKIO_MUTEX }
}

/// A process of the benchmark: measures `run`, warm, `runs` times, and prints nanoseconds a run, events and checksum.
pub fn measure(variant: &str, runs: u32, mut run: impl FnMut(Shape) -> Totals) {
    let shape = shape(variant);
    let totals = run(shape);
    for _ in 1..runs.div_ceil(10) {
        run(shape);
    }
    let clock = Clock::start();
    for _ in 0..runs {
        assert_eq!(run(shape), totals, "runs differ");
    }
    let nanos = clock.nanos() / f64::from(runs);
    println!("{nanos} {} {}", totals.events, totals.checksum);
}

/// Time that the thread spent on a core, so that other work on the machine counts less; without Linux, time that
/// passed.
struct Clock {
    on_core: Option<u64>,
    passed: Instant,
}

impl Clock {
    #[allow(clippy::disallowed_methods)] // The real clock is what a benchmark reads.
    fn start() -> Clock {
        Clock { on_core: on_core(), passed: Instant::now() }
    }

    fn nanos(&self) -> f64 {
        match (self.on_core, on_core()) {
            (Some(start), Some(end)) if end > start => (end - start) as f64,
            _ => self.passed.elapsed().as_nanos() as f64,
        }
    }
}

fn on_core() -> Option<u64> {
    // The system counts a running thread's time by its tick, some milliseconds long, and to the nanosecond when the
    // thread gives up its core.
    #[allow(clippy::disallowed_methods)] // As above.
    std::thread::sleep(Duration::from_nanos(1));
    let numbers = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    numbers.split_whitespace().next()?.parse().ok()
}

/// A peer's `main`: variant and number of runs are its arguments.
#[allow(dead_code)] // The kernel's own process reads its arguments elsewhere.
pub fn peer(run: impl FnMut(Shape) -> Totals) {
    let mut arguments = std::env::args().skip(1);
    let variant = arguments.next().expect("a variant");
    let runs = arguments.next().and_then(|runs| runs.parse().ok()).expect("a number of runs");
    measure(&variant, runs, run);
}
