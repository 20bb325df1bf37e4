//! Who takes part in a drawn scenario: clusters, NodePools, NodeClaims, and what is there at the start.

use crate::dice::Dice;
use lkesim_scenario::start::{ClaimState, NO_TAG, StartClaim, StartLinode, StartLkePool};
use lkesim_scenario::workload::{Create, Delete, Which};
use lkesim_scenario::{Cluster, Scenario, Span, Step};

/// The instance types that are drawn; the first is that of most.
pub const TYPES: [&str; 3] = ["g6-standard-4", "g6-standard-2", "g6-standard-6"];

/// The names of the clusters where there are two.
pub const CLUSTERS: [&str; 2] = ["one", "two"];

/// A NodePool whose name begins with that of the usual one: tags that are compared in part mistake it.
const OTHER_NODE_POOL: &str = "default-2";

pub fn draw(dice: Dice, scenario: &mut Scenario) {
    around(dice, scenario);
    claims(dice, scenario);
}

/// The clusters, and what is there at the start.
pub fn around(dice: Dice, scenario: &mut Scenario) {
    if dice.one_in("clusters", 10) {
        let one = |name: &str| Cluster {
            name: name.to_owned(),
            id: None,
            tier: None,
            account: None,
            region: None,
            design: None,
            token: None,
            base_pool: None,
        };
        scenario.clusters = CLUSTERS.map(one).to_vec();
        if dice.one_in("token", 3) {
            scenario.clusters[1].token = Some("second".to_owned());
        }
    }
    if dice.one_in("start", 4) {
        start(dice.part("start", 0), scenario);
    }
}

/// The NodeClaims that come and go, beside those of the start.
pub fn claims(dice: Dice, scenario: &mut Scenario) {
    let steps = if scenario.clusters.is_empty() { dice.weighted("steps", &[(3, 1), (1, 2)]) } else { 2 };
    for n in 0..steps {
        let create = create(dice.part("create", n), scenario, n as usize);
        scenario.workload.push(Step::Create(create));
    }
    for n in 0..dice.weighted("deletes", &[(3, 0), (3, 1), (1, 2)]) {
        delete(dice.part("delete", n), scenario);
    }
}

fn create(dice: Dice, scenario: &Scenario, step: usize) -> Create {
    let gaps = [(4, 0), (1, 1), (1, 10), (2, 100), (3, 1_000), (2, 5_000)];
    let plan = dice.weighted("type", &[(5, 0), (1, 1), (1, 2)]);
    let later = dice.weighted("at", &[(3, 0), (1, 200), (2, 2_000), (2, 11_000), (1, 40_000)]);
    let mut create = Create {
        claims: dice.weighted("claims", &[(4, 1), (5, 2), (3, 3), (1, 4)]),
        at: Span::millis(later * (step as u64).min(1)),
        every: Span::millis(dice.weighted("every", &gaps)),
        plan: Some(TYPES[plan].to_owned()),
        ..Create::default()
    };
    if dice.one_in("types", 8) {
        (create.plan, create.types) = (None, TYPES[..2].iter().map(|plan| (*plan).to_owned()).collect());
    }
    if step > 0 && dice.one_in("node_pool", 3) {
        create.node_pool = OTHER_NODE_POOL.to_owned();
    }
    if step > 0 && !scenario.clusters.is_empty() {
        create.cluster = Some(CLUSTERS[1].to_owned());
    }
    create
}

/// The deletion of a NodeClaim that is there by then, often while it is made.
fn delete(dice: Dice, scenario: &mut Scenario) {
    let at = Span::millis(match dice.weighted("when", &[(3, 0), (3, 1), (3, 2)]) {
        0 => dice.below("soon", 20_000),
        1 => 20_000 + dice.below("while", 60_000),
        _ => dice.below("ever", scenario.duration.nanos() / 1_000_000),
    });
    let of_first = |cluster: &Option<String>| scenario.cluster_place(cluster.as_deref()) == Some(0);
    let started = scenario.start.lke_pools.iter().filter(|lke_pool| of_first(&lke_pool.cluster));
    let mut there: u32 = started.map(|lke_pool| lke_pool.claims).sum();
    there += scenario.start.claims.iter().filter(|claim| of_first(&claim.cluster)).count() as u32;
    for step in &scenario.workload {
        match step {
            Step::Create(create) if of_first(&create.cluster) && create.at <= at => {
                let every = create.every.nanos().max(1);
                let made = (at.nanos() - create.at.nanos()) / every + 1;
                there += u64::from(create.claims).min(made) as u32;
            }
            // One by one is enough: no earlier step may find that fewer are left.
            Step::Delete(_) => there = there.saturating_sub(1),
            _ => {}
        }
    }
    let last = scenario.workload.iter().rev().find_map(|step| match step {
        Step::Delete(delete) => Some(delete.at),
        _ => None,
    });
    if there > 0 && last.is_none_or(|last| last <= at) {
        scenario.workload.push(Step::Delete(Delete { claims: Which::First(1), at, ..Delete::default() }));
    }
}

fn start(dice: Dice, scenario: &mut Scenario) {
    let age = Span::secs(dice.of("age", &[10, 200, 290, 310, 3_600]));
    let mut lke_pool = StartLkePool {
        claims: dice.weighted("claims", &[(1, 0), (3, 1), (1, 2)]),
        orphans: dice.weighted("orphans", &[(3, 0), (1, 1), (1, 2)]),
        age,
        ..StartLkePool::default()
    };
    if dice.one_in("odd", 2) {
        let (linode, claim) = odd(dice);
        lke_pool.linodes.push(linode);
        scenario.start.claims.extend(claim);
    }
    if lke_pool.size() > 0 {
        scenario.start.lke_pools.push(lke_pool);
    }
}

/// A Linode about which store, tag and cloud do not agree.
fn odd(dice: Dice) -> (StartLinode, Option<StartClaim>) {
    let named = |tag: Option<&str>| StartLinode {
        name: Some("odd".to_owned()),
        claim_tag: tag.map(str::to_owned),
        ..StartLinode::default()
    };
    let held = |linode: Option<&str>, state| StartClaim {
        name: "odd".to_owned(),
        cluster: None,
        node_pool: "default".to_owned(),
        plan: None,
        linode: linode.map(str::to_owned),
        state,
    };
    match dice.below("kind", 5) {
        // Its claim was stored, and its tag was lost.
        0 => (named(Some(NO_TAG)), Some(held(Some("odd"), None))),
        // Its tag was written, and its claim was not stored.
        1 => (named(Some("odd")), Some(held(None, None))),
        // Its claim is gone.
        2 => (named(Some("gone")), None),
        3 => (StartLinode { dying: true, ..named(None) }, None),
        _ => (named(None), Some(held(Some("odd"), Some(ClaimState::Launched)))),
    }
}
