use super::{busy_run, millis, random, yield_now};
use crate::{Deviations, Kernel, ParseError, PollKey, Schedule, TaskPath, Verb};
use lkesim_runtime::{TaskName, Time};
use proptest::prelude::*;

/// Ten thousand in release.
const RUNS: u64 = if cfg!(debug_assertions) { 500 } else { 10_000 };

#[test]
fn every_random_schedule_replays_to_its_hash() {
    let mut kernel = Kernel::new();
    let mut deviations = 0;
    for seed in 0..RUNS {
        let hash = busy_run(&mut kernel, random(seed));
        let recorded = kernel.deviations();
        deviations += recorded.list.len();
        let replayed = busy_run(&mut kernel, Schedule::replay(&recorded));
        assert_eq!(replayed, hash, "seed {seed}");
        assert_eq!(kernel.unmatched(), [], "seed {seed}");
        // A replay records what it does, which is the same again.
        assert_eq!(kernel.deviations(), recorded, "seed {seed}");
    }
    assert!(deviations as u64 > RUNS, "the runs must have had choices");
}

/// More tasks at once than the table of ready tasks has places, and as many again while it empties.
#[test]
fn random_schedules_of_crowds_replay_too() {
    let run = |kernel: &mut Kernel, schedule| {
        kernel.reset(schedule);
        super::busy_system(&kernel.runtime(), 60);
        kernel.run_until(Time::MAX).unwrap();
        (kernel.hash(), kernel.deviations())
    };
    let mut kernel = Kernel::new();
    for seed in 0..RUNS / 100 {
        let recorded = run(&mut kernel, random(seed));
        let replayed = run(&mut kernel, Schedule::replay(&recorded.1));
        assert_eq!(replayed, recorded, "seed {seed}");
        assert_eq!(kernel.unmatched(), [], "seed {seed}");
    }
}

#[test]
fn a_fresh_kernel_a_used_one_and_one_after_another_seed_agree() {
    let mut used = Kernel::new();
    for seed in 0..20 {
        let hash = busy_run(&mut used, random(seed));
        assert_eq!(busy_run(&mut used, random(seed)), hash);
        assert_eq!(busy_run(&mut Kernel::new(), random(seed)), hash);
        busy_run(&mut used, random(seed + 1_000));
    }
}

/// A kernel's ids and slots decide nothing, so neither does what was left alive when the last run was given up.
#[test]
fn a_run_that_was_given_up_leaves_no_trace() {
    let hash = busy_run(&mut Kernel::new(), random(3));
    let mut kernel = Kernel::with(random(5));
    super::busy_system(&kernel.runtime(), 30);
    kernel.run_until(Time::from_millis(4)).unwrap();
    assert!(kernel.live_tasks() > 0);
    assert_eq!(busy_run(&mut kernel, random(3)), hash);
}

#[test]
fn the_hash_of_a_known_run_is_the_same_in_every_version() {
    assert_eq!(busy_run(&mut Kernel::new(), Schedule::fifo()), 14059181664132244182);
    assert_eq!(busy_run(&mut Kernel::new(), random(1)), 8431827730181601856);
}

#[test]
fn first_in_first_out_has_no_deviations() {
    let mut kernel = Kernel::new();
    let hash = busy_run(&mut kernel, Schedule::fifo());
    assert_eq!(kernel.deviations(), Deviations::default());
    assert_eq!(busy_run(&mut kernel, Schedule::replay(&Deviations::default())), hash);
}

#[test]
fn a_line_that_never_matches_is_reported() {
    let mut kernel = Kernel::new();
    busy_run(&mut kernel, random(2));
    let mut deviations = kernel.deviations();
    let mut strange = deviations.list[0].clone();
    strange.key.task = TaskPath::new("nobody");
    deviations.list.insert(0, strange.clone());
    busy_run(&mut kernel, Schedule::replay(&deviations));
    assert_eq!(kernel.unmatched(), [strange]);
}

#[test]
fn leaving_out_a_line_is_a_run_too() {
    let mut kernel = Kernel::new();
    busy_run(&mut kernel, random(2));
    let recorded = kernel.deviations();
    for left_out in 0..recorded.list.len() {
        let mut fewer = recorded.clone();
        fewer.list.remove(left_out);
        let hash = busy_run(&mut kernel, Schedule::replay(&fewer));
        let again = kernel.deviations();
        assert_eq!(busy_run(&mut kernel, Schedule::replay(&again)), hash);
    }
}

#[test]
fn a_written_line_moves_the_poll_it_names() {
    let order = super::Log::default();
    let text = "lkesim-schedule 1\n# c overtakes a\n\nc@1 before a@1\n";
    let kernel = Kernel::with(Schedule::replay(&text.parse().unwrap()));
    for name in ["a", "b", "c"] {
        let order = order.clone();
        kernel.runtime().spawn(name, async move { order.borrow_mut().push(name) });
    }
    kernel.run_until(Time::ZERO).unwrap();
    assert_eq!(*order.borrow(), ["c", "a", "b"]);
    assert_eq!(kernel.deviations().to_string(), "lkesim-schedule 3\nc@1 before a@1\nend 1\n");
}

#[test]
fn texts_that_are_no_lists_are_refused() {
    let parse = |text: &str| text.parse::<Deviations>().unwrap_err();
    let line = |line: &str| parse(&format!("lkesim-schedule 1\n{line}\n"));
    assert_eq!(parse(""), ParseError::Header);
    assert_eq!(parse("lkesim-schedule 4\n"), ParseError::Header);
    assert_eq!(line("a@1 before"), ParseError::Line(2));
    assert_eq!(line("a@1"), ParseError::Line(2));
    assert_eq!(line("a@1 first b@1"), ParseError::Line(2));
    assert_eq!(line("a@1 delay"), ParseError::Line(2));
    assert_eq!(line("a@1 delay 5"), ParseError::Delay(2, "5".into()));
    assert_eq!(line("a@1 delay 5m"), ParseError::Delay(2, "5m".into()));
    assert_eq!(line("a@1 delay 99999999999s"), ParseError::Delay(2, "99999999999s".into()));
    assert_eq!(line("a@1 until b@1"), ParseError::Verb(2, "until".into()));
    assert_eq!(line("end 0"), ParseError::Verb(2, "0".into()));
    assert_eq!(line("a before b@1"), ParseError::Key(2, "a".into()));
    assert_eq!(line("a@1 before b@0"), ParseError::Key(2, "b@0".into()));
}

/// A list that was cut is another run, wherever it was cut. What is left of its last line is no end either.
#[test]
fn a_list_that_was_cut_anywhere_is_no_list() {
    let mut kernel = Kernel::new();
    busy_run(&mut kernel, random(2));
    let recorded = kernel.deviations();
    assert!(recorded.list.len() >= 10, "the last line must have two digits");
    let text = recorded.to_string();
    let whole = text.trim_end();
    for length in 0..whole.len() {
        assert!(text[..length].parse::<Deviations>().is_err(), "cut after {length} bytes of {text}");
    }
    assert_eq!(whole.parse::<Deviations>().as_ref(), Ok(&recorded));
    let lines: Vec<&str> = text.lines().collect();
    for left_out in 1..lines.len() {
        let others = [&lines[..left_out], &lines[left_out + 1..]].concat().join("\n");
        assert!(others.parse::<Deviations>().is_err(), "without line {left_out}");
    }
    let parse = |text: &str| text.parse::<Deviations>();
    assert_eq!(parse("lkesim-schedule 3\na@1 first\n"), Err(ParseError::Cut(1)));
    assert_eq!(parse("lkesim-schedule 3\na@1 first\nend\n"), Err(ParseError::Count(3, "end".into(), 1)));
    assert_eq!(parse("lkesim-schedule 3\nend 0\n\n# more\na@1 first\n"), Err(ParseError::AfterEnd(5)));
    assert_eq!(parse("lkesim-schedule 3\na@1 last\nend 1\n# more\n"), parse("lkesim-schedule 2\na@1 last\n"));
}

#[test]
fn lines_alone_are_read_back() {
    let mut kernel = Kernel::new();
    busy_run(&mut kernel, random(2));
    let (recorded, lines) = (kernel.deviations(), kernel.deviations().lines());
    assert_eq!(Deviations::of_lines(lines.iter().map(String::as_str)), Ok(recorded));
    assert_eq!(Deviations::of_lines(["a@1 first", "b"]), Err(ParseError::Line(2)));
}

/// The text of a path hashes to what the kernel computed piece by piece, whatever is in the names.
#[test]
fn a_path_s_text_and_hash_agree() {
    let kernel = Kernel::new();
    let (runtime, handle) = (kernel.runtime(), kernel.handle());
    let paths = super::Log::default();
    let names = ["x", "a/b", "a b", "c#2", "d@e:f%", "ümlaut"];
    for object in names.into_iter().chain(names) {
        let (inner, handle, paths) = (runtime.clone(), handle.clone(), paths.clone());
        runtime.spawn(TaskName::on("kind", object.into()), async move {
            paths.borrow_mut().push(handle.current());
            let paths = paths.clone();
            inner.spawn("child", async move {
                paths.borrow_mut().push(handle.current());
                yield_now().await;
            });
        });
    }
    runtime.spawn("last", std::future::pending());
    kernel.run_until(Time::from_millis(1)).unwrap();
    let text = format!("lkesim-schedule 3\n{0}@1 before {0}@2\nend 1\n", paths.borrow()[4]);
    assert_eq!(text.parse::<Deviations>().unwrap().to_string(), text);
    let mut seen: Vec<String> = paths.borrow().iter().map(TaskPath::to_string).collect();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 24);
    assert!(seen.contains(&"kind/a%20b#2:child".to_owned()));
    assert!(seen.contains(&"kind/c%232:child".to_owned()));
}

#[test]
fn a_deviation_is_known_by_the_hash_of_its_text() {
    let kernel = Kernel::with(random(4));
    let runtime = kernel.runtime();
    for object in ["a b", "a/b", "ü#"] {
        let inner = runtime.clone();
        runtime.spawn(TaskName::on("x:y", object.into()), async move {
            for _ in 0..12 {
                inner.spawn("child", yield_now());
            }
            inner.sleep(millis(1)).await;
        });
    }
    kernel.run_until(Time::MAX).unwrap();
    let (hash, text) = (kernel.hash(), kernel.deviations().to_string());
    assert!(text.contains("#12"), "{text}");
    let replayed = Kernel::with(Schedule::replay(&text.parse().unwrap()));
    let runtime = replayed.runtime();
    for object in ["a b", "a/b", "ü#"] {
        let inner = runtime.clone();
        runtime.spawn(TaskName::on("x:y", object.into()), async move {
            for _ in 0..12 {
                inner.spawn("child", yield_now());
            }
            inner.sleep(millis(1)).await;
        });
    }
    replayed.run_until(Time::MAX).unwrap();
    assert_eq!((replayed.hash(), replayed.unmatched()), (hash, vec![]));
}

/// Pairs of polls: a path of plain letters, and one of letters from afar.
fn keys() -> impl Strategy<Value = Vec<(String, u32, String, u32)>> {
    let near = "[a-z/]{1,9}(#[0-9])?(:[a-z%]{1,5})?";
    let far = "[^ -~\\s\u{0}-\u{1f}\u{80}-\u{2fff}]{1,4}";
    proptest::collection::vec((near, 1u32.., far, 1u32..), 0..20)
}

proptest! {
    #[test]
    fn lists_survive_their_text(keys in keys()) {
        let key = |task: &str, poll| PollKey { task: TaskPath::new(task), poll };
        let verb = |b: &str, n: u32| match n % 5 {
            0 => Verb::Before(key(b, n)),
            1 => Verb::After(key(b, n)),
            2 => Verb::First,
            3 => Verb::Last,
            _ => Verb::Delay(std::time::Duration::from_nanos(u64::from(n) * 1_000)),
        };
        let list = keys.iter().map(|(a, m, b, n)| crate::Deviation { key: key(a, *m), verb: verb(b, *n) });
        let deviations = Deviations { list: list.collect() };
        prop_assert_eq!(deviations.to_string().parse::<Deviations>().unwrap(), deviations);
    }
}
