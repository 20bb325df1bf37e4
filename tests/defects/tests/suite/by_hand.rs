//! Runs made by hand that show defects which drawn ones show seldom, so that these are defects at all; and that the
//! careful design keeps all it promises in the same runs.

use lkesim_defects::{accusations, find};
use lkesim_explore::trial::{Case, Trier};
use lkesim_scenario::{Names, Scenario, load};
use lkesim_sim::Order;

/// Two Linodes are nobody's. The first Create looks at both and takes one; a hand deletes the other before the second.
const SEEN_BEFORE_IT_WENT: &str = "
about: A hand deletes a Linode that one Create has looked at and another is to take.
duration: 4m
cloud: {self_heal: never, dying_update: accepted, lags: {deletion: 40s}}
start: {lke_pools: [{claims: 0, orphans: 2}]}
workload:
  - create: {claims: 1}
  - create: {claims: 1, at: 12s}
by_hand:
  - delete_linode: {at: 8s, which: newest}
";

/// While a Linode is to be deleted, the API says of its pool that there is none.
const NO_SUCH_POOL: &str = "
about: The API answers 404 to each write to a LKE pool while a NodeClaim is deleted.
duration: 4m
workload:
  - create: {claims: 1}
  - delete: {claims: 1, at: 120s}
faults:
  - refuse: {call: UpdateLKENodePool, status: 404, from: 110s, until: 150s}
";

fn scenario(text: &str) -> Scenario {
    load("by-hand", text, &[], &Names::default()).unwrap_or_else(|mistakes| panic!("{}", mistakes.render(false)))
}

/// The promised invariants that break in it with one of a few seeds, and all that broke.
fn broken(design: &str, text: &str) -> (Vec<String>, String) {
    let entry = find(design).expect("it is in the suite");
    let (mut broken, mut told) = (Vec::new(), String::new());
    for seed in 1..=10 {
        let case =
            Case { name: "by-hand".into(), scenario: scenario(text), design: &entry.design, seed, order: Order::Fifo };
        let trial = Trier::new().run(&case);
        broken.extend(accusations(&case, &trial).into_iter().map(|breach| breach.invariant.clone()));
        told += &format!("{:?} {:?}\n", trial.ending, trial.breaches);
    }
    (broken, told)
}

#[test]
fn what_the_search_shows_seldom_is_shown_by_hand() {
    let shown = [
        ("look-remembered", SEEN_BEFORE_IT_WENT, "create-returns-a-living-linode"),
        ("one-question", NO_SUCH_POOL, "finalizer-after-instance"),
    ];
    for (defect, text, invariant) in shown {
        assert_eq!(broken("careful", text).0, Vec::<String>::new(), "careful, where {defect} breaks");
        let (broken, told) = broken(defect, text);
        assert!(broken.iter().any(|broken| broken == invariant), "{defect}:\n{told}");
    }
}
