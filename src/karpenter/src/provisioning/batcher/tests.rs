use super::*;
use lkesim_kernel::{Kernel, Schedule};
use lkesim_runtime::Time;
use proptest::prelude::*;
use std::rc::Rc;

/// When a window ended, and its pods.
type Window = (u64, Vec<u64>);

/// Windows of 1 s and 10 s over pods that come at these milliseconds: when each ended, and which pods came since the last.
fn windows(arrivals: &[(u64, u64)]) -> Vec<Window> {
    let kernel = Kernel::with(Schedule::fifo());
    let runtime = kernel.runtime();
    let batcher = Rc::new(Batcher::new(&runtime, Duration::from_secs(1), Duration::from_secs(10)));
    let came: Rc<RefCell<Vec<u64>>> = Rc::default();
    let ended: Rc<RefCell<Vec<Window>>> = Rc::default();
    let mut arrivals = arrivals.to_vec();
    arrivals.sort_unstable();
    let (clock, trigger, coming) = (runtime.clone(), batcher.clone(), came.clone());
    runtime.spawn("pods", async move {
        for (at, pod) in arrivals {
            clock.sleep_until(Time::ZERO + Duration::from_millis(at)).await;
            coming.borrow_mut().push(pod);
            trigger.trigger(Uid(pod));
        }
    });
    let (clock, ends) = (runtime.clone(), ended.clone());
    runtime.spawn("provisioner", async move {
        loop {
            batcher.wait().await;
            let at = (clock.now() - Time::ZERO).as_millis();
            ends.borrow_mut().push((u64::try_from(at).expect("a few minutes"), came.take()));
        }
    });
    kernel.run_until(Time::from_secs(600)).expect("no task panics");
    ended.take()
}

#[test]
fn the_articles_five_pods_are_two_batches() {
    let pods = [(0, 1), (300, 2), (600, 3), (3_000, 4), (3_300, 5)];
    assert_eq!(windows(&pods), [(1_600, vec![1, 2, 3]), (4_300, vec![4, 5])]);
}

#[test]
fn fifty_pods_at_once_are_one_batch() {
    let pods: Vec<(u64, u64)> = (0..50).map(|pod| (100, pod)).collect();
    let found = windows(&pods);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].0, found[0].1.len()), (1_100, 50));
}

#[test]
fn a_sustained_burst_is_cut_after_ten_seconds() {
    let pods: Vec<(u64, u64)> = (0..50).map(|pod| (pod * 500 + 250, pod)).collect();
    let ends: Vec<u64> = windows(&pods).into_iter().map(|(end, _)| end).collect();
    // Each window begins with the first pod after the last one ended.
    assert_eq!(ends, [10_250, 20_750, 25_750]);
}

#[test]
fn a_pod_that_triggers_again_makes_no_window_longer() {
    let pods: Vec<(u64, u64)> = (0..9).map(|n| (n * 500, 7)).collect();
    assert_eq!(windows(&pods)[0], (1_000, vec![7, 7]));
}

proptest! {
    #[test]
    fn windows_are_as_a_model_cuts_them(arrivals in prop::collection::btree_set(0..60_000_u64, 1..80)) {
        // Each pod comes once, at a time of its own that no window ends at.
        let pods: Vec<(u64, u64)> = arrivals.iter().map(|at| (at * 2 + 1, *at)).collect();
        let mut model: Vec<Window> = Vec::new();
        let mut open: Option<(u64, u64, Vec<u64>)> = None;
        for (at, pod) in &pods {
            if let Some((begin, last, _)) = &open
                && *at > (last + 1_000).min(begin + 10_000)
            {
                let (begin, last, pods) = open.take().expect("it is open");
                model.push(((last + 1_000).min(begin + 10_000), pods));
            }
            let (_, last, pods) = open.get_or_insert((*at, *at, Vec::new()));
            *last = *at;
            pods.push(*pod);
        }
        let (begin, last, rest) = open.expect("some pod came");
        model.push(((last + 1_000).min(begin + 10_000), rest));
        // A pod at the very end of a window may fall on either side.
        let is_tie = |at: &u64| model.iter().any(|(end, _)| end == at);
        prop_assume!(!pods.iter().any(|(at, _)| is_tie(at)));
        prop_assert_eq!(windows(&pods), model);
    }
}
