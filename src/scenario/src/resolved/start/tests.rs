use crate::start::ClaimState;
use crate::tests::read;

const TWO_POOLS: &str = "\
about: x
start:
  lke_pools:
    - {type: g6-standard-4, claims: 2, orphans: 1, age: 10m}
    - type: g6-standard-2
      node_pool: other
      linodes:
        - {count: 2, tags: [a=b]}
        - {name: twin, age: 1m}
        - {name: bare, claim_tag: none}
  claims:
    - {name: one, node_pool: other, linode: twin}
    - {name: two, node_pool: other, linode: twin, state: launched}
    - {name: three, node_pool: other, linode: bare, state: launched}
    - {name: four}
workload:
  - create: {claims: 8}
  - delete: {claims: 3, at: 1m}
";

#[test]
fn a_pools_linodes_are_those_of_its_claims_then_its_orphans_then_those_that_are_listed() {
    let start = read(TWO_POOLS).placed();
    let tags = |pool: usize| -> Vec<Option<String>> {
        start.lke_pools[pool].linodes.iter().map(|linode| linode.claim_tag.clone()).collect()
    };
    let of = |name: &str| Some(name.to_owned());
    assert_eq!(tags(0), [of("claim-01"), of("claim-02"), None]);
    assert_eq!(tags(1), [None, None, of("one"), None]);
    let ages = |pool: usize| start.lke_pools[pool].linodes.iter().map(|linode| linode.age.as_secs());
    assert_eq!(ages(0).chain(ages(1)).collect::<Vec<_>>(), [600, 600, 600, 3_600, 3_600, 60, 3_600]);
}

#[test]
fn a_claim_has_the_plan_of_its_linode_and_two_may_hold_one() {
    let start = read(TWO_POOLS).placed();
    let line = |name: &str| {
        let claim = start.claims.iter().find(|claim| claim.name == name).unwrap();
        (&*claim.plan, claim.linode, claim.state)
    };
    assert_eq!(line("claim-02"), ("g6-standard-4", Some((0, 1)), ClaimState::Initialized));
    assert_eq!(line("one"), ("g6-standard-2", Some((1, 2)), ClaimState::Initialized));
    assert_eq!(line("two"), ("g6-standard-2", Some((1, 2)), ClaimState::Launched));
    assert_eq!(line("four"), ("g6-standard-4", None, ClaimState::Created));
    let holders: Vec<_> = start.lke_pools[1].linodes.iter().map(|linode| linode.holder).collect();
    assert_eq!(holders, [None, None, Some(ClaimState::Initialized), Some(ClaimState::Launched)]);
}

#[test]
fn the_workload_counts_on_from_the_claims_of_the_start_and_they_are_deleted_first() {
    let scenario = read(TWO_POOLS);
    let names: Vec<String> = scenario.claims().into_iter().map(|claim| claim.name).collect();
    assert_eq!((&*names[0], &*names[7]), ("claim-03", "claim-10"));
    assert_eq!(scenario.deletions()[0].claims, ["claim-01", "claim-02", "one"]);
}

#[test]
fn node_pools_follow_from_the_start_too() {
    let node_pools = read(TWO_POOLS).node_pools();
    let named: Vec<_> = node_pools.iter().map(|one| (one.name.as_str(), one.types.join(" "))).collect();
    assert_eq!(named, [("default", "g6-standard-4".to_owned()), ("other", "g6-standard-2".to_owned())]);
}
