//! Work over threads, with results in the order of the work: which thread was faster decides nothing.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;

/// Does each piece of work on one of `jobs` threads, each with a `worker` of its own, and hands the results on in order,
/// until `each` breaks off. `is_over` is asked after each piece, by any thread; what was begun is then finished.
pub(crate) fn in_order<W, T: Send, F: FnMut(W) -> T>(
    jobs: usize,
    work: impl Iterator<Item = W> + Send,
    is_over: &(dyn Fn() -> bool + Sync),
    worker: &(impl Fn() -> F + Sync),
    mut each: impl FnMut(T) -> ControlFlow<()>,
) {
    let (over, work) = (AtomicBool::new(false), Mutex::new(work.enumerate()));
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..jobs.max(1) {
            let (sender, over, work) = (sender.clone(), &over, &work);
            scope.spawn(move || {
                let mut worker = worker();
                while !over.load(Ordering::Relaxed) {
                    let next = work.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some((place, piece)) = next else { return };
                    if sender.send((place, worker(piece))).is_err() {
                        return;
                    }
                    if is_over() {
                        over.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
        drop(sender);
        let (mut waiting, mut next) = (BTreeMap::new(), 0);
        for (place, result) in receiver {
            waiting.insert(place, result);
            while let Some(result) = waiting.remove(&next) {
                next += 1;
                if each(result).is_break() {
                    over.store(true, Ordering::Relaxed);
                    return;
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn results_come_in_the_order_of_the_work_whatever_the_number_of_threads() {
        for jobs in [0, 1, 3, 8] {
            let mut seen = Vec::new();
            let square = || |n: u64| n * n;
            in_order(jobs, 0..500, &|| false, &square, |result| {
                seen.push(result);
                ControlFlow::Continue(())
            });
            assert_eq!(seen, (0..500).map(|n| n * n).collect::<Vec<_>>(), "{jobs} jobs");
        }
    }

    #[test]
    fn a_break_is_the_last_result_and_what_is_over_has_a_beginning_without_gaps() {
        let mut seen = Vec::new();
        in_order(4, 0.., &|| false, &|| |n: u64| n, |n| {
            seen.push(n);
            if n == 20 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(seen, (0..=20).collect::<Vec<_>>());
        let (asked, mut count) = (AtomicU64::new(0), 0);
        in_order(4, 0.., &|| asked.fetch_add(1, Ordering::Relaxed) >= 10, &|| |n: u64| n, |n| {
            assert_eq!(n, count);
            count += 1;
            ControlFlow::Continue(())
        });
        assert!((11..20).contains(&count), "{count}");
    }
}
