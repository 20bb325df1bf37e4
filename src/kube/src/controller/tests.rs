use super::*;
use lkesim_kernel::{Kernel, Schedule};
use lkesim_runtime::{Seed, Time};
use proptest::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Answers what the test says, after a while, and keeps when it was asked.
struct Scripted {
    runtime: Runtime,
    takes: Duration,
    answers: RefCell<VecDeque<Result<Next, ReconcileError>>>,
    starts: RefCell<Vec<(Time, Rc<str>)>>,
    running: RefCell<BTreeSet<Rc<str>>>,
    most: RefCell<usize>,
}

#[async_trait(?Send)]
impl Reconciler for Scripted {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        self.starts.borrow_mut().push((self.runtime.now(), key.clone()));
        assert!(self.running.borrow_mut().insert(key.clone()), "{key} is reconciled twice at once");
        let running = self.running.borrow().len();
        self.most.replace_with(|most| running.max(*most));
        self.runtime.sleep(self.takes).await;
        self.running.borrow_mut().remove(&key);
        self.answers.borrow_mut().pop_front().unwrap_or(Ok(Next::Done))
    }
}

struct Setup {
    kernel: Kernel,
    scripted: Rc<Scripted>,
    queue: Queue,
}

const LIMIT: RateLimit = RateLimit::new(millis_const(1_000), millis_const(60_000), Bucket { qps: 10, burst: 100 });

const fn millis_const(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn setup(schedule: Schedule, concurrency: usize, takes: Duration) -> Setup {
    let kernel = Kernel::with(schedule);
    let scripted = Rc::new(Scripted {
        runtime: kernel.runtime(),
        takes,
        answers: RefCell::default(),
        starts: RefCell::default(),
        running: RefCell::default(),
        most: RefCell::default(),
    });
    let controller = Controller { name: "test", concurrency, limiter: LIMIT, reconcile: scripted.clone() };
    let queue = controller.start(&kernel.runtime(), async {});
    Setup { kernel, scripted, queue }
}

impl Setup {
    fn answers(&self, answers: impl IntoIterator<Item = Result<Next, ReconcileError>>) {
        self.scripted.answers.borrow_mut().extend(answers);
    }

    /// Runs to the end, and returns when reconciles started, in milliseconds.
    fn starts(&self) -> Vec<u64> {
        self.kernel.run_until(Time::MAX).unwrap();
        self.scripted.starts.borrow().iter().map(|(at, _)| at.as_millis()).collect()
    }

    fn at(&self, at: Time, what: impl FnOnce(&Queue) + 'static) {
        let (runtime, queue) = (self.kernel.runtime(), self.queue.clone());
        self.kernel.runtime().spawn("events", async move {
            runtime.sleep_until(at).await;
            what(&queue);
        });
    }
}

fn failed() -> Result<Next, ReconcileError> {
    Err(ReconcileError::Failed("no".into()))
}

#[test]
fn a_key_added_while_it_is_reconciled_is_done_again_at_once_and_only_once() {
    let setup = setup(Schedule::fifo(), 1, millis(100));
    for at in [0, 10, 20, 30] {
        setup.at(Time::from_millis(at), |queue| queue.add("a".into()));
    }
    assert_eq!(setup.starts(), [0, 100]);
    assert_eq!(setup.queue.pending(), []);
}

#[test]
fn failures_double_the_delay_and_success_forgets_them() {
    let setup = setup(Schedule::fifo(), 1, Duration::ZERO);
    setup.answers([failed(), failed(), Ok(Next::Again), Ok(Next::Done), failed()]);
    setup.at(Time::ZERO, |queue| queue.add("a".into()));
    setup.at(Time::from_secs(10), |queue| queue.add("a".into()));
    assert_eq!(setup.starts(), [0, 1_000, 3_000, 7_000, 10_000, 11_000]);
}

#[test]
fn of_two_delays_the_sooner_counts_and_the_later_is_dropped() {
    let setup = setup(Schedule::fifo(), 1, Duration::ZERO);
    setup.at(Time::ZERO, |queue| {
        queue.add_after("a".into(), millis(500));
        queue.add_after("a".into(), millis(200));
        queue.add_after("a".into(), millis(300));
    });
    assert_eq!(setup.starts(), [200]);
}

#[test]
fn nothing_is_reconciled_before_the_caches_are_there() {
    let kernel = Kernel::new();
    let scripted = setup(Schedule::fifo(), 1, Duration::ZERO).scripted.clone();
    let controller = Controller { name: "late", concurrency: 1, limiter: LIMIT, reconcile: scripted.clone() };
    let runtime = kernel.runtime();
    let ready = async move { runtime.sleep(millis(50)).await };
    controller.start_singleton(&kernel.runtime(), ready);
    kernel.run_until(Time::from_millis(49)).unwrap();
    assert!(scripted.starts.borrow().is_empty());
    kernel.run_until(Time::MAX).unwrap();
    assert_eq!(scripted.starts.borrow()[0].1, "late".into());
}

#[test]
fn a_stopped_process_takes_its_queue_with_it() {
    let setup = setup(Schedule::fifo(), 1, Duration::ZERO);
    let (runtime, process) = setup.kernel.runtime().process("karpenter");
    let controller = Controller { name: "doomed", concurrency: 1, limiter: LIMIT, reconcile: setup.scripted.clone() };
    let queue = controller.start(&runtime, async {});
    setup.kernel.run_until(Time::MAX).unwrap();
    process.stop();
    queue.add("a".into());
    assert_eq!(setup.starts(), []);
    assert_eq!(Rc::strong_count(&setup.scripted), 2);
}

/// The bucket with fractional tokens in exact arithmetic: nanoseconds times qps.
#[derive(Debug)]
struct Tokens {
    scaled: i128,
    at: u64,
}

proptest! {
    #[test]
    fn the_bucket_gives_what_a_count_of_tokens_gives(
        qps in 1u32..40,
        burst in 1u32..20,
        pauses in prop::collection::vec(0u64..400_000_000, 1..60),
    ) {
        let limit = RateLimit::new(Duration::ZERO, Duration::ZERO, Bucket { qps, burst });
        let mut limiter = Limiter::new(limit);
        let full = i128::from(burst) * 1_000_000_000;
        let mut tokens = Tokens { scaled: full, at: 0 };
        let mut now = 0;
        for pause in pauses {
            now += pause;
            let grown = tokens.scaled + i128::from(now - tokens.at) * i128::from(qps);
            tokens = Tokens { scaled: grown.min(full) - 1_000_000_000, at: now };
            let wait = (-tokens.scaled).max(0);
            let expected = (wait + i128::from(qps) - 1) / i128::from(qps);
            prop_assert_eq!(limiter.delay(Time::from_nanos(now), 0).as_nanos() as i128, expected);
        }
    }

    #[test]
    fn exponential_delays_double_up_to_their_end(failures in 0u32..100) {
        let exponential = LIMIT.item;
        let expected = 1_000u128 << failures.min(6);
        prop_assert_eq!(exponential.delay(failures).as_millis(), expected.min(60_000));
    }

    /// The queue against a plain model of client-go's three layers, for one worker. A reconcile takes a nanosecond
    /// more than whole milliseconds, and each event has its own microsecond, so that nothing ties.
    #[test]
    fn the_queue_starts_what_the_model_starts(
        events in prop::collection::vec((0u64..40, 0usize..3, 0u64..20), 1..25),
        answers in prop::collection::vec(0u8..6, 0..12),
        takes in 1u64..40,
    ) {
        let takes = millis(takes) + Duration::from_nanos(1);
        let answers: Vec<_> = answers.into_iter().map(answer).collect();
        let setup = setup(Schedule::fifo(), 1, takes);
        setup.answers(answers.clone());
        let mut at = Time::ZERO;
        let mut plan = VecDeque::new();
        for (pause, key, delay) in events {
            at += millis(pause) + Duration::from_micros(1);
            plan.push_back((at, key, millis(delay * 4)));
            setup.at(at, move |queue| queue.add_after(key.to_string().into(), millis(delay * 4)));
        }
        setup.kernel.run_until(Time::MAX).unwrap();
        let starts = setup.scripted.starts.borrow();
        let seen: Vec<(Time, usize)> = starts.iter().map(|(at, key)| (*at, key.parse().unwrap())).collect();
        prop_assert_eq!(seen, Model::run(plan, answers, takes));
    }

    /// Under any order of tasks: never more at once than allowed, and nothing added is forgotten.
    #[test]
    fn every_add_is_followed_by_a_start(
        events in prop::collection::vec((0u64..50, 0usize..4), 1..30),
        concurrency in 1usize..4,
        seed in any::<u64>(),
    ) {
        let setup = setup(Schedule::random(Seed(seed)), concurrency, millis(7));
        let mut last = BTreeMap::new();
        for (at, key) in events {
            last.entry(key).and_modify(|last: &mut u64| *last = at.max(*last)).or_insert(at);
            setup.at(Time::from_millis(at), move |queue| queue.add(key.to_string().into()));
        }
        setup.kernel.run_until(Time::MAX).unwrap();
        prop_assert!(*setup.scripted.most.borrow() <= concurrency);
        for (key, at) in last {
            let starts = setup.scripted.starts.borrow();
            let name = key.to_string();
            prop_assert!(starts.iter().any(|(start, key)| **key == *name && start.as_millis() >= at));
        }
    }
}

fn answer(number: u8) -> Result<Next, ReconcileError> {
    match number {
        0 => Ok(Next::Again),
        1 => failed(),
        2 => Ok(Next::After(millis(30))),
        _ => Ok(Next::Done),
    }
}

/// client-go's layers, one after the other, moved on from event to event.
#[derive(Default)]
struct Model {
    dirty: BTreeSet<usize>,
    order: VecDeque<usize>,
    waiting: BTreeMap<usize, Time>,
    failures: BTreeMap<usize, u32>,
    processing: Option<(usize, Time)>,
    starts: Vec<(Time, usize)>,
}

impl Model {
    fn run(
        mut plan: VecDeque<(Time, usize, Duration)>,
        answers: Vec<Result<Next, ReconcileError>>,
        takes: Duration,
    ) -> Vec<(Time, usize)> {
        let mut model = Model::default();
        let mut answers = VecDeque::from(answers);
        loop {
            let event = plan.front().map(|&(at, ..)| at);
            let fire = model.waiting.iter().map(|(&key, &at)| (at, key)).min();
            let end = model.processing.map(|(_, end)| end);
            let times = event.into_iter().chain(fire.map(|(at, _)| at)).chain(end);
            let Some(now) = times.min() else { break };
            if event == Some(now) {
                let (_, key, delay) = plan.pop_front().unwrap();
                model.after(now, key, delay);
            } else if let Some((_, key)) = fire.filter(|&(at, _)| at == now) {
                model.waiting.remove(&key);
                model.add(key);
            } else {
                let answer = answers.pop_front().unwrap_or(Ok(Next::Done));
                model.finish(now, answer);
            }
            if model.processing.is_none()
                && let Some(key) = model.order.pop_front()
            {
                model.dirty.remove(&key);
                model.processing = Some((key, now + takes));
                model.starts.push((now, key));
            }
        }
        model.starts
    }

    fn add(&mut self, key: usize) {
        let is_processing = self.processing.is_some_and(|(processing, _)| processing == key);
        if self.dirty.insert(key) && !is_processing {
            self.order.push_back(key);
        }
    }

    fn after(&mut self, now: Time, key: usize, delay: Duration) {
        if delay.is_zero() {
            self.add(key);
        } else {
            let at = self.waiting.entry(key).or_insert(Time::MAX);
            *at = (now + delay).min(*at);
        }
    }

    fn finish(&mut self, now: Time, answer: Result<Next, ReconcileError>) {
        let (key, _) = self.processing.expect("something ended");
        match answer {
            Ok(Next::Done) => drop(self.failures.remove(&key)),
            Ok(Next::After(delay)) => {
                self.failures.remove(&key);
                self.after(now, key, delay);
            }
            Ok(Next::Again) | Err(_) => {
                let failures = self.failures.entry(key).or_default();
                let delay = millis((1_000 << *failures).min(60_000));
                *failures += 1;
                self.after(now, key, delay);
            }
        }
        self.processing = None;
        if self.dirty.contains(&key) {
            self.order.push_back(key);
        }
    }
}
