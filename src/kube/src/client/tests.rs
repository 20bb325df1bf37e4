use super::*;
use crate::object::NodeClaim;
use crate::object::node_claim::NodeClaimSpec;
use lkesim_kernel::Kernel;
use lkesim_runtime::Time;
use std::time::Duration;

fn claim(name: &str) -> NodeClaim {
    NodeClaim::new(name, NodeClaimSpec::default())
}

/// Runs `calls` on a client whose calls take `latency`, and returns the end.
fn run<F: Future<Output = ()> + 'static>(latency: Quantiles, calls: impl FnOnce(Client, Runtime) -> F) -> Time {
    let kernel = Kernel::new();
    let runtime = kernel.runtime();
    let client = Client::new(runtime.clone(), Store::new(), Seed(1), latency);
    kernel.runtime().spawn("test", calls(client, runtime));
    kernel.run_until(Time::MAX).unwrap();
    kernel.now()
}

fn ten_millis() -> Quantiles {
    Quantiles::constant(Duration::from_millis(10))
}

#[test]
fn a_write_commits_halfway_through_its_call() {
    let end = run(ten_millis(), |client, _| async move {
        let created = client.create(claim("a")).await.unwrap();
        assert_eq!(created.metadata.creation_timestamp, Time::from_millis(5));
    });
    assert_eq!(end, Time::from_millis(10));
}

#[test]
fn calls_without_latency_take_no_time() {
    let end = run(Quantiles::zero(), |client, _| async move {
        client.create(claim("a")).await.unwrap();
        assert!(client.create(claim("a")).await.unwrap_err().is_already_exists());
        let read = client.get::<NodeClaim>("a").await.unwrap();
        client.delete(&*read).await.unwrap();
        assert!(client.delete(&*read).await.unwrap_err().is_not_found());
        assert!(client.list::<NodeClaim>().await.unwrap().is_empty());
    });
    assert_eq!(end, Time::ZERO);
}

/// Other calls in between do not move the luck of a call: it belongs to verb, object and number.
#[test]
fn the_luck_of_a_call_is_its_own() {
    let wide = || Quantiles::through(&[(1_000_000, Duration::from_secs(1))]).unwrap();
    let lengths = |noise: bool| {
        let lengths = Rc::new(RefCell::new(Vec::new()));
        let kept = lengths.clone();
        run(wide(), move |client, runtime| async move {
            for _ in 0..3 {
                if noise {
                    let _ = client.get::<NodeClaim>("b").await;
                    let _ = client.list::<NodeClaim>().await;
                }
                let start = runtime.now();
                let _ = client.get::<NodeClaim>("a").await;
                kept.borrow_mut().push(runtime.now() - start);
            }
        });
        lengths.take()
    };
    assert_eq!(lengths(false), lengths(true));
}

struct LoseCreates;

impl CallFault for LoseCreates {
    fn judge(&self, call: &Call<'_>) -> CallVerdict {
        match call.verb {
            Verb::Create => CallVerdict::LoseAnswer(ApiError::Unavailable),
            Verb::Delete => CallVerdict::Refuse(ApiError::Unavailable),
            _ => CallVerdict::Serve,
        }
    }
}

#[test]
fn a_fault_refuses_a_call_or_loses_its_answer() {
    run(ten_millis(), |client, _| async move {
        client.set_fault(Some(Rc::new(LoseCreates)));
        assert_eq!(client.create(claim("a")).await, Err(ApiError::Unavailable));
        let there = client.get::<NodeClaim>("a").await.unwrap();
        assert_eq!(client.delete(&*there).await, Err(ApiError::Unavailable));
        client.set_fault(None);
        client.delete(&*there).await.unwrap();
    });
}
