use super::*;
use crate::outcome::Times;

const HORIZON: Duration = Duration::from_secs(3_600);

#[derive(Default)]
struct Story {
    pods: Pods,
}

impl Story {
    fn at(&mut self, secs: u64, uid: u64, change: PodChange) -> &mut Story {
        let pod = PodRef { uid, name: "pod".into() };
        self.pods.changed(Time::from_secs(secs), &pod, &change);
        self
    }

    fn created(&mut self, secs: u64, uid: u64) -> &mut Story {
        self.at(secs, uid, PodChange::Created { kind: PodKind::Usual })
    }

    fn bound(&mut self, secs: u64, uid: u64, by: &'static str) -> &mut Story {
        self.at(secs, uid, PodChange::Bound { node: "node".into(), by })
    }

    fn times(&self) -> (Times, Times) {
        let (bind, ready) = self.pods.lasted(HORIZON);
        (super::super::quantiles::times(&bind), super::super::quantiles::times(&ready))
    }
}

#[test]
fn a_pod_counts_at_each_milestone_once() {
    let mut story = Story::default();
    let text = || PodChange::Unschedulable { text: "no".into() };
    story.created(1, 1).at(1, 1, text()).at(2, 1, text()).bound(61, 1, "kube-scheduler");
    story.at(63, 1, PodChange::Running).at(64, 1, PodChange::Ready);
    story.at(65, 1, PodChange::NotReady).at(70, 1, PodChange::Ready);
    let (bind, ready) = story.times();
    assert_eq!((bind.n, bind.of, bind.max_ms), (1, 1, 60_000));
    assert_eq!((ready.n, ready.of, ready.max_ms), (1, 1, 63_000));
    let (counts, _) = story.pods.finish(&mut HardCases::default());
    let expected = PodCounts { created: 1, bound: 1, running: 1, running_at_end: 1, ..PodCounts::default() };
    assert_eq!(counts, PodCounts { unschedulable: 1, peak: 1, ..expected });
}

#[test]
fn what_never_ran_counts_as_the_horizon_unless_it_was_deleted() {
    let mut story = Story::default();
    story.created(0, 1).created(0, 2).created(0, 3);
    story.bound(5, 2, "kube-scheduler").at(9, 3, PodChange::Deleting { by: "workload" }).at(9, 3, PodChange::Gone);
    let (bind, ready) = story.times();
    assert_eq!((bind.n, bind.of, bind.max_ms), (1, 2, 3_600_000));
    assert_eq!((ready.n, ready.of), (0, 2));
    let (counts, _) = story.pods.finish(&mut HardCases::default());
    assert_eq!((counts.created, counts.pending_at_end, counts.running_at_end, counts.peak), (3, 1, 0, 3));
}

#[test]
fn what_ran_before_the_run_took_no_time() {
    let mut story = Story::default();
    story.created(0, 1).bound(0, 1, "start").at(0, 1, PodChange::Running).at(0, 1, PodChange::Ready);
    let (bind, ready) = story.times();
    assert_eq!((bind.of, ready.of), (0, 0));
    assert_eq!(story.pods.finish(&mut HardCases::default()).0.running_at_end, 1);
}

#[test]
fn pods_of_daemon_sets_are_counted_by_themselves() {
    let mut story = Story::default();
    story.at(0, 1, PodChange::Created { kind: PodKind::DaemonSet });
    assert_eq!(story.times().0.of, 0);
    let expected = PodCounts { of_daemon_sets: 1, ..PodCounts::default() };
    assert_eq!(story.pods.finish(&mut HardCases::default()).0, expected);
}

#[test]
fn evictions_are_told_apart_from_other_deletions() {
    let mut story = Story::default();
    for (uid, by) in [(1, "kube-scheduler"), (2, "eviction-queue"), (3, "workload")] {
        story.created(0, uid).bound(1, uid, "kube-scheduler").at(2, uid, PodChange::Deleting { by });
    }
    story.created(3, 4).at(4, 4, PodChange::FailedScheduling { text: "no".into() });
    let mut cases = HardCases::default();
    let (counts, _) = story.pods.finish(&mut cases);
    assert_eq!((counts.preempted, counts.evicted, counts.running_at_end), (1, 1, 0));
    let of = |case| cases.of(case);
    assert_eq!((of(HardCase::PodBound), of(HardCase::PodHadNoRoom), of(HardCase::PodPreempted)), (3, 1, 1));
}

#[test]
fn passes_are_counted_with_their_pods() {
    let mut story = Story::default();
    for (pods, claims) in [(3, 1), (50, 4), (2, 0)] {
        story.pods.passed(&Pass { pods, claims, ..Pass::default() });
    }
    let (_, passes) = story.pods.finish(&mut HardCases::default());
    assert_eq!((passes.count, passes.pods, passes.claims, passes.buying), (3, 55, 5, 2));
    assert_eq!(passes.pods_a_pass, Spread { min: 2, median: 3, max: 50 });
}
