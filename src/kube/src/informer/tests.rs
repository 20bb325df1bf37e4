use super::*;
use crate::object::NodeClaim;
use crate::object::node_claim::NodeClaimSpec;
use crate::store::{Lock, Part, Store, Write};
use lkesim_kernel::{Kernel, Schedule};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn millis(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn lag(most: u64) -> Quantiles {
    Quantiles::through(&[(1_000_000, millis(most))]).unwrap()
}

/// Writes something to one of a few claims: makes it, marks it, or asks for its deletion, as it stands.
fn write(store: &Store, at: Time, name: usize, delete: bool) {
    let (text, write) = (name.to_string(), Write { at, by: "test" });
    let Some(base) = store.get::<NodeClaim>(&text) else {
        store.create(write, NodeClaim::new(text, NodeClaimSpec::default())).unwrap();
        return;
    };
    if delete {
        store.delete::<NodeClaim>(write, &text).unwrap();
        return;
    }
    let mut changed = NodeClaim::clone(&base);
    let id = crate::object::ProviderId::linode(store.resource_version() % 3);
    changed.metadata.labels.insert("version", store.resource_version().to_string());
    changed.status.provider_id = Some(id);
    store.patch(write, &*base, &changed, Part::Object, Lock::None).unwrap();
    store.patch(write, &*base, &changed, Part::Status, Lock::None).unwrap();
}

type Heard = Rc<RefCell<Vec<Change<NodeClaim>>>>;

/// A cache that follows a store to which writes are made at the given times.
fn follow_writes(writes: Vec<(u64, usize, bool)>, most: u64, seed: u64) -> (Store, Informer<NodeClaim>, Heard) {
    let kernel = Kernel::with(Schedule::random(Seed(seed)));
    let (runtime, store) = (kernel.runtime(), Store::new());
    write(&store, Time::ZERO, 0, false);
    let client = Client::new(runtime.clone(), store.clone(), Seed(seed), lag(20));
    let informer = Informer::start(&runtime, &client, WatchLag::new(Seed(seed), 1, lag(most)));
    let heard = Heard::default();
    let ears = heard.clone();
    informer.on_change(move |change| ears.borrow_mut().push(change.clone()));
    let truth = store.clone();
    runtime.clone().spawn("writer", async move {
        for (pause, name, delete) in writes {
            runtime.sleep(millis(pause)).await;
            write(&truth, runtime.now(), name, delete);
        }
    });
    kernel.run_until(Time::MAX).unwrap();
    (store, informer, heard)
}

proptest! {
    /// Whatever the lags, an informer hears of versions in their order, of each object's versions one by one, and in
    /// the end knows what the store knows, by name and by machine.
    #[test]
    fn a_cache_never_goes_back_and_arrives(
        writes in prop::collection::vec((0u64..30, 0usize..3, prop::bool::weighted(0.2)), 0..40),
        most in 0u64..200,
        seed in any::<u64>(),
    ) {
        let (store, informer, heard) = follow_writes(writes, most, seed);
        let mut known: BTreeMap<Rc<str>, Rc<NodeClaim>> = BTreeMap::new();
        let (mut latest, mut listing) = (0, true);
        for change in heard.borrow().iter() {
            let name = change.latest().name().clone();
            prop_assert_eq!(known.remove(&name), change.before.clone());
            if let Some(after) = &change.after {
                // The first list comes in the order of names.
                listing &= change.before.is_none();
                let version = after.metadata.resource_version;
                prop_assert!(listing || version > latest);
                latest = latest.max(version);
                known.insert(name, after.clone());
            }
        }
        prop_assert_eq!(known.into_values().collect::<Vec<_>>(), store.list::<NodeClaim>());
        prop_assert_eq!(informer.list(), store.list::<NodeClaim>());
        for id in (0..3).map(ProviderId::linode) {
            let mut of_machine = store.list::<NodeClaim>();
            of_machine.retain(|claim| claim.status.provider_id.as_ref() == Some(&id));
            prop_assert_eq!(informer.by_provider_id(&id), of_machine);
        }
    }
}

#[test]
fn a_change_is_not_seen_before_its_lag() {
    let kernel = Kernel::new();
    let (runtime, store) = (kernel.runtime(), Store::new());
    let client = Client::new(runtime.clone(), store.clone(), Seed(1), Quantiles::zero());
    let lag = WatchLag::new(Seed(1), 1, Quantiles::constant(millis(100)));
    let informer = Informer::<NodeClaim>::start(&runtime, &client, lag);
    kernel.run_until(Time::MAX).unwrap();
    assert!(informer.is_synced());
    write(&store, Time::ZERO, 0, false);
    kernel.run_until(Time::from_millis(99)).unwrap();
    assert!(informer.get("0").is_none());
    kernel.run_until(Time::from_millis(100)).unwrap();
    assert!(informer.get("0").is_some());
}

#[test]
fn the_cache_of_a_stopped_process_ends_and_a_new_one_lists() {
    let kernel = Kernel::new();
    let store = Store::new();
    let client = Client::new(kernel.runtime(), store.clone(), Seed(1), Quantiles::zero());
    let lag = WatchLag::new(Seed(1), 1, Quantiles::zero());
    let (runtime, process) = kernel.runtime().process("karpenter");
    let old = Informer::<NodeClaim>::start(&runtime, &client, lag.clone());
    kernel.run_until(Time::MAX).unwrap();
    process.stop();
    write(&store, Time::ZERO, 0, false);
    let new = Informer::<NodeClaim>::start(&kernel.runtime(), &client, lag);
    kernel.run_until(Time::MAX).unwrap();
    assert!(old.get("0").is_none() && new.get("0").is_some());
}

#[test]
fn caches_that_are_not_kept_alive_are_there_as_long_as_their_process() {
    for has_pods in [false, true] {
        let (kernel, store) = (Kernel::new(), Store::new());
        let client = Client::new(kernel.runtime(), store, Seed(1), Quantiles::zero());
        let lag = WatchLag::new(Seed(1), 1, Quantiles::zero());
        let (runtime, process) = kernel.runtime().process("karpenter");
        let start = if has_pods { Informers::start_with_pods } else { Informers::start };
        let weak = start(&runtime, &client, &lag).downgrade();
        assert!(weak.upgrade().is_some_and(|caches| !caches.are_synced()));
        kernel.run_until(Time::MAX).unwrap();
        let caches = weak.upgrade().unwrap();
        assert!(caches.are_synced() && caches.pods.is_some() == has_pods);
        drop(caches);
        process.stop();
        assert!(weak.upgrade().is_none());
    }
}
