//! A few workers over a list, as client-go's `ParallelizeUntil`.

use lkesim_runtime::{Bell, Runtime};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::rc::Rc;

struct Shared<T, R, F> {
    items: RefCell<std::iter::Enumerate<std::vec::IntoIter<T>>>,
    results: RefCell<Vec<Option<R>>>,
    running: Cell<usize>,
    done: Bell,
    work: F,
}

/// Does `work` for each item, at most `workers` at once, and returns the results in the order of the items. The tasks
/// are named `name`.
pub async fn map<T, R, F, W>(runtime: &Runtime, name: &'static str, workers: usize, items: Vec<T>, work: F) -> Vec<R>
where
    T: 'static,
    R: 'static,
    F: Fn(T) -> W + 'static,
    W: Future<Output = R> + 'static,
{
    let workers = workers.clamp(1, items.len().max(1));
    let shared = Rc::new(Shared {
        results: RefCell::new(items.iter().map(|_| None).collect()),
        items: RefCell::new(items.into_iter().enumerate()),
        running: Cell::new(workers),
        done: Bell::new(),
        work,
    });
    if workers == 1 {
        run(&shared).await;
    } else {
        for _ in 0..workers {
            let shared = shared.clone();
            runtime.spawn(name, async move { run(&shared).await });
        }
        shared.done.heard().await;
    }
    let results = shared.results.take();
    results.into_iter().flatten().collect()
}

async fn run<T, R, F, W>(shared: &Shared<T, R, F>)
where
    F: Fn(T) -> W,
    W: Future<Output = R>,
{
    loop {
        let next = shared.items.borrow_mut().next();
        let Some((place, item)) = next else { break };
        let result = (shared.work)(item).await;
        shared.results.borrow_mut()[place] = Some(result);
    }
    shared.running.set(shared.running.get() - 1);
    if shared.running.get() == 0 {
        shared.done.ring();
    }
}

#[cfg(test)]
mod tests;
