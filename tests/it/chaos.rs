//! Processes that die, change places and stand still.

use crate::support::{Run, figure};
use lkesim_judge::event::Turn;
use lkesim_judge::trace::TraceEvent;
use lkesim_runtime::Seed;
use lkesim_sim::Order;

const HEAD: &str =
    "about: x\nduration: 10m\ncloud: {tier: enterprise}\nworkload: [create: {claims: 3, at: 55s, every: 2s}]\n";

fn run(rest: &str) -> Run {
    Run::yaml("chaos.yaml", &format!("{HEAD}{rest}"))
}

/// Starts and stops of processes: (milliseconds, which, whether it starts).
fn processes(run: &Run) -> Vec<(u64, u32, bool)> {
    let (_, trace) = run.traced();
    let of = |line: &lkesim_judge::trace::EventLine| match line.what {
        TraceEvent::ProcessStarted { start, .. } => Some((line.at_ms, start, true)),
        TraceEvent::ProcessStopped { start, .. } => Some((line.at_ms, start, false)),
        _ => None,
    };
    trace.events.iter().filter_map(of).collect()
}

#[test]
fn a_process_that_crashes_starts_anew_after_its_restart_time() {
    let ends = processes(&run("karpenter: {restart: 30s}\nchaos: [crash: {at: 65s}]\n"));
    assert_eq!(ends, [(0, 1, true), (65_000, 1, false), (95_000, 2, true)]);
}

#[test]
fn a_crash_after_a_call_comes_between_its_effect_and_its_answer() {
    let (_, trace) = run("chaos: [crash: {after: UpdateInstance}]\n").traced();
    let tagged =
        trace.events.iter().position(|line| matches!(line.what, TraceEvent::LinodeTagged { call: Some(_), .. }));
    let died = trace.events.iter().position(|line| matches!(line.what, TraceEvent::ProcessStopped { .. }));
    let (tagged, died) = (tagged.expect("a tag"), died.expect("a death"));
    assert!(tagged < died && trace.events[tagged].at_ns == trace.events[died].at_ns);
}

#[test]
fn a_leader_change_without_overlap_has_one_leader_at_a_time() {
    let ends = processes(&run("karpenter: {replicas: 2}\nchaos: [leader_change: {at: 60s}]\n"));
    assert_eq!(ends, [(0, 1, true), (0, 2, true), (60_000, 1, false), (80_000, 3, true)]);
    let overlapping = processes(&run("karpenter: {replicas: 2}\nchaos: [leader_change: {at: 60s, overlap: 5s}]\n"));
    let (at, start, _) = overlapping[2];
    assert!(start == 1 && (65_000..=69_400).contains(&at), "{overlapping:?}");
}

#[test]
fn a_short_pause_keeps_the_lease_and_a_long_one_loses_it() {
    let pause = |length: &str, replicas: u32| {
        let chaos = format!("karpenter: {{replicas: {replicas}}}\nchaos: [pause: {{at: 60s, for: {length}}}]\n");
        processes(&run(&chaos)).len()
    };
    assert_eq!(pause("10s", 2), 2, "both live on");
    assert_eq!(pause("30s", 1), 1, "nobody else could take the lease");
    assert_eq!(pause("30s", 2), 4, "the old leader exits and starts anew");
}

#[test]
fn a_leader_that_dies_in_its_pause_leaves_the_lease_to_its_successor() {
    let (_, trace) = run("karpenter: {restart: 60s}\nchaos: [pause: {at: 60s, for: 30s}, crash: {at: 70s}]\n").traced();
    let leads = |what: &TraceEvent| match what {
        TraceEvent::OperationStarted { process: 2, operation, .. } => operation == "Create",
        _ => false,
    };
    assert!(trace.events.iter().any(|line| leads(&line.what)));
}

#[test]
fn a_paused_process_calls_nobody() {
    let (_, trace) = run("chaos: [pause: {at: 61s, for: 20s}]\n").traced();
    let called = |line: &&lkesim_judge::trace::EventLine| matches!(line.what, TraceEvent::ApiCalled { .. });
    let during = trace.events.iter().filter(called).filter(|line| (61_000..81_000).contains(&line.at_ms)).count();
    assert_eq!(during, 0);
    assert!(trace.events.iter().any(|line| called(&line) && line.at_ms >= 81_000));
}

#[test]
fn chaos_under_any_order_is_the_same_twice() {
    for chaos in ["pause: {at: 60s, for: 30s}", "leader_change: {at: 60s, overlap: 5s}", "crash: {after: any, nth: 9}"]
    {
        let run = run(&format!("karpenter: {{replicas: 2}}\nchaos: [{chaos}]\n")).order(Order::Random(Seed(7)));
        assert_eq!(run.outcome(), run.outcome(), "{chaos}");
        assert_eq!(figure(&run.outcome(), "claims.requested"), 3);
    }
}

/// What befell processes, in order: which, and what.
fn turns(run: &Run) -> Vec<(u32, Turn)> {
    let (_, trace) = run.traced();
    let of = |line: &lkesim_judge::trace::EventLine| match line.what {
        TraceEvent::ProcessTurned { start, turn, .. } => Some((start, turn)),
        _ => None,
    };
    trace.events.iter().filter_map(of).collect()
}

#[test]
fn a_trace_tells_of_pauses_and_changes_of_leader() {
    use Turn::{ClockSet, Leads, LostLease, Paused, ToldToStop, WokeUp};
    let two = |chaos: &str| turns(&run(&format!("karpenter: {{replicas: 2}}\nchaos: [{chaos}]\n")));
    assert_eq!(two("leader_change: {at: 60s}"), [(1, Leads), (1, ToldToStop), (2, Leads)]);
    assert_eq!(two("leader_change: {at: 60s, overlap: 5s}"), [(1, Leads), (1, LostLease), (2, Leads)]);
    assert_eq!(turns(&run("chaos: [pause: {at: 60s, for: 3s}]\n")), [(1, Paused), (1, WokeUp)]);
    let set = turns(&run("chaos: [clock_step: {at: 60s, behind: 50s}, clock_step: {at: 70s, ahead: 1500ms}]\n"));
    let to = |ahead_ms| (1, ClockSet { ahead_ms });
    assert_eq!(set, [to(-50_000), to(1_500), to(0)], "it is set right where the calm begins");
}

#[test]
fn a_clock_stays_wrong_for_the_next_process_of_its_machine() {
    let chaos = "chaos: [clock_step: {at: 10s, ahead: 10m}, crash: {at: 20s}]\n";
    let late = "about: x\nduration: 8m\ncloud: {tier: enterprise, lags: {instance_seen: 20s}}\nworkload: [create: {claims: 1, at: 2m}]\n";
    let failed = |chaos: &str| Run::yaml("chaos.yaml", &format!("{late}{chaos}")).outcome().claims.failed;
    assert_eq!((failed(chaos), failed("chaos: [crash: {at: 20s}]\n")), (1, 0));
}
