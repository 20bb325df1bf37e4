use super::{Slab, Task};
use proptest::prelude::*;
use std::cell::Cell;
use std::future::{Future, pending, ready};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Counts the drops of what a future holds.
struct Held(Rc<Cell<u32>>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

/// Sums up what it holds in so many polls, and keeps a reference into itself across them.
async fn summing<const N: usize>(seed: u8, polls: u8, held: Held, sum: Rc<Cell<u64>>) {
    let own = [seed; N];
    let into_itself = &own;
    for poll in 0..polls {
        let mut is_second = false;
        std::future::poll_fn(|_| {
            let ends = is_second;
            is_second = true;
            if ends { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        sum.set(sum.get() + u64::from(into_itself[poll as usize % N]));
    }
    drop(held);
}

fn poll(future: &mut super::LocalFuture) -> Poll<()> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn task(kind: u8, polls: u8, drops: &Rc<Cell<u32>>, sum: &Rc<Cell<u64>>) -> Task {
    let (held, sum) = (Held(drops.clone()), sum.clone());
    match kind % 4 {
        0 => Task::new(summing::<3>(kind, polls, held, sum)),
        1 => Task::new(summing::<60>(kind, polls, held, sum)),
        2 => Task::new(summing::<500>(kind, polls, held, sum)),
        _ => Task::new(summing::<5_000>(kind, polls, held, sum)),
    }
}

proptest! {
    #[test]
    fn a_future_does_in_a_slab_what_it_does_on_the_heap(
        acts in proptest::collection::vec((any::<u8>(), 0_u8..6, any::<bool>(), any::<prop::sample::Index>()), 1..200),
        slab_goes_first: bool,
    ) {
        let mut slab = Slab::new();
        let (drops, made, sum, expected) = (Rc::default(), acts.len(), Rc::default(), Rc::default());
        let mut living = Vec::new();
        for (kind, polls, ends, index) in acts {
            let housed = task(kind, polls, &drops, &sum).start_in(&mut slab);
            let boxed = task(kind, polls, &drops, &expected).start();
            living.push((housed, boxed));
            let at = index.index(living.len());
            let (housed, boxed) = &mut living[at];
            let ended = poll(housed);
            prop_assert_eq!(ended, poll(boxed));
            prop_assert_eq!(sum.get(), expected.get());
            if ends || ended.is_ready() {
                living.swap_remove(at);
            }
        }
        if slab_goes_first {
            std::mem::drop(slab);
        }
        living.clear();
        prop_assert_eq!(drops.get() as usize, 2 * made);
    }
}

#[test]
fn futures_without_content_have_memory_too() {
    let mut slab = Slab::new();
    let mut futures = [
        Task::new(ready(())).start(),
        Task::new(ready(())).start_in(&mut slab),
        Task::new(async {}).start(),
        Task::new(async {}).start_in(&mut slab),
    ];
    assert!(futures.iter_mut().all(|future| poll(future).is_ready()));
    assert!(poll(&mut Task::new(pending()).start_in(&mut slab)).is_pending());
}

#[test]
fn memory_that_is_given_back_is_used_again() {
    let mut slab = Slab::new();
    let first = Task::new(pending()).start_in(&mut slab);
    let place = first.address();
    std::mem::drop(first);
    assert_eq!(Task::new(pending()).start_in(&mut slab).address(), place);
}

#[test]
fn a_task_that_is_never_started_drops_its_future() {
    let drops = Rc::new(Cell::new(0));
    let held = Held(drops.clone());
    std::mem::drop(Task::new(async move {
        let _held = held;
        pending::<()>().await;
    }));
    assert_eq!(drops.get(), 1);
}
