use super::*;
use crate::testing::{Cluster, claim};
use crate::{CreateError, ProviderError};
use lkesim_kernel::{Kernel, Schedule};
use lkesim_kube::object::labels;
use lkesim_kube::store::{ObjectChange, StoreChange, StoreObserver};
use lkesim_runtime::{Quantiles, Seed};
use proptest::prelude::*;

#[test]
fn concurrency_grows_in_a_straight_line_with_the_cpus() {
    assert_eq!([1, 2, 30, 60, 99].map(|cpus| concurrency(cpus, 1_000, 5_000)), [1_000, 1_067, 2_966, 5_000, 5_000]);
    assert_eq!(concurrency(0, 100, 5_000), 100);
}

#[test]
fn the_bucket_grows_with_the_concurrency() {
    let of = |cpus| bucket(10, 100, concurrency(cpus, 100, 5_000));
    assert_eq!((of(1).qps, of(1).burst), (10, 100));
    assert_eq!((of(2).qps, of(2).burst), (19, 190));
}

/// What trouble there is, and how long after the last one.
#[derive(Clone, Debug)]
enum Trouble {
    Create(u8),
    DeleteClaim(u8),
    DeleteNode(u8),
    LoseMachine(u8),
    Restart,
    CreateFails(bool),
    DeleteFails(bool),
    ListFails(bool),
}

fn troubles() -> impl Strategy<Value = Vec<(u64, Trouble)>> {
    let trouble = prop_oneof![
        4 => (0u8..4).prop_map(Trouble::Create),
        2 => (0u8..4).prop_map(Trouble::DeleteClaim),
        1 => (0u8..4).prop_map(Trouble::DeleteNode),
        2 => (0u8..4).prop_map(Trouble::LoseMachine),
        1 => Just(Trouble::Restart),
        1 => any::<bool>().prop_map(Trouble::CreateFails),
        1 => any::<bool>().prop_map(Trouble::DeleteFails),
        1 => any::<bool>().prop_map(Trouble::ListFails),
    ];
    prop::collection::vec((0u64..40, trouble), 0..25)
}

impl Trouble {
    fn make(&self, cluster: &mut Cluster) {
        let (store, write) = (cluster.store.clone(), cluster.write());
        let claim_of = |n: &u8| store.get::<NodeClaim>(&format!("claim-{n}"));
        match self {
            // The name may be taken, and what is to go may be gone.
            Trouble::Create(n) => drop(store.create(write, claim(&format!("claim-{n}")))),
            Trouble::DeleteClaim(n) => drop(store.delete::<NodeClaim>(write, &format!("claim-{n}"))),
            Trouble::DeleteNode(n) => {
                if let Some(node) = claim_of(n).and_then(|claim| claim.status.node_name.clone()) {
                    let _ = store.delete::<Node>(write, &node);
                }
            }
            Trouble::LoseMachine(n) => {
                if let Some(id) = claim_of(n).and_then(|claim| claim.status.provider_id.clone()) {
                    cluster.cloud.lose(&id);
                }
            }
            Trouble::Restart => cluster.restart(),
            Trouble::CreateFails(fails) => cluster.cloud.create_fails(fails.then(no_answer)),
            Trouble::DeleteFails(fails) => {
                cluster.cloud.delete_fails(fails.then(|| ProviderError::Other("no answer".into())));
            }
            Trouble::ListFails(fails) => cluster.cloud.list_fails.set(*fails),
        }
    }
}

fn no_answer() -> CreateError {
    CreateError::Other("no answer".into())
}

/// The rules that hold at every moment, whatever the trouble.
struct Rules;

impl StoreObserver for Rules {
    fn on_change(&self, change: &StoreChange) {
        let ObjectChange::NodeClaim(change) = &change.object else {
            return;
        };
        if let Some(after) = &change.after {
            assert!(!after.is_launched() || after.status.provider_id.is_some());
            assert!(!after.is_initialized() || after.is_registered());
        }
        let (Some(before), Some(after)) = (&change.before, &change.after) else {
            return;
        };
        let id = &before.status.provider_id;
        assert!(id.is_none() || *id == after.status.provider_id, "a providerID changed");
        assert!(!before.metadata.is_deleting() || after.metadata.is_deleting());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// However tasks, latencies, restarts, errors and losses fall: once the trouble ends, each claim is initialized
    /// with a Node and a machine, or gone, and so is each Node.
    #[test]
    fn after_the_trouble_claims_are_initialized_or_gone(troubles in troubles(), seed in any::<u64>()) {
        let millis = Duration::from_millis;
        let latency = Quantiles::through(&[(500_000, millis(5)), (990_000, millis(50))]).unwrap();
        let lag = Quantiles::through(&[(500_000, millis(10)), (1_000_000, millis(3_000))]).unwrap();
        let kernel = Kernel::with(Schedule::random(Seed(seed)));
        let mut cluster = Cluster::on(kernel, Seed(seed), latency, lag);
        cluster.cloud.joins.set(true);
        cluster.store.observe(Rc::new(Rules));
        let mut now = 0;
        for (pause, trouble) in troubles {
            now += pause;
            cluster.run_until(now);
            trouble.make(&mut cluster);
        }
        for end in [Trouble::CreateFails(false), Trouble::DeleteFails(false), Trouble::ListFails(false)] {
            end.make(&mut cluster);
        }
        cluster.run_until(now + 3_600);
        let claims = cluster.store.list::<NodeClaim>();
        for claim in &claims {
            prop_assert!(claim.is_live() && claim.is_initialized(), "{:?}", claim);
            let id = claim.status.provider_id.as_ref().unwrap();
            prop_assert!(cluster.cloud.machines.borrow().contains_key(id));
        }
        let registered = |node: &Rc<Node>| node.metadata.has_finalizer(labels::TERMINATION_FINALIZER);
        let nodes = cluster.store.list::<Node>();
        prop_assert_eq!(nodes.iter().filter(|node| registered(node)).count(), claims.len());
    }
}

#[test]
fn a_stopped_process_leaves_nothing_behind() {
    let mut cluster = Cluster::new();
    cluster.create(claim("a"));
    cluster.run_until(1);
    let holders = Rc::strong_count(&cluster.cloud);
    for _ in 0..3 {
        cluster.restart();
        cluster.run_until(cluster.kernel.now().as_secs() + 1);
    }
    assert_eq!(Rc::strong_count(&cluster.cloud), holders);
}
