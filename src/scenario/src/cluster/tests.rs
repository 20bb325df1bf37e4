use crate::tests::read;

const TWO: &str = "about: x
clusters: [{name: blue}, {name: green, id: 123456}]
node_pools: [{name: default, types: [g6-standard-2, g6-standard-4]}, {name: other, cluster: green}]
start:
  lke_pools: [{claims: 2, cluster: green}]
  claims: [{name: old}, {name: old, cluster: green}]
workload:
- create: {claims: 2}
- create: {claims: 9, cluster: green}
- delete: {claims: [claim-11], at: 1m, cluster: green}
- delete: {claims: 1, at: 2m}
";

#[test]
fn each_cluster_has_its_own_and_names_are_as_long_in_all() {
    let scenario = read(&TWO.replace("{name: other, cluster", "{name: default, cluster"));
    let resolved = scenario.resolved();
    let names = |place: usize| -> Vec<String> {
        let of = &resolved.clusters[place];
        let start = of.start.claims.iter().map(|claim| claim.name.clone());
        start.chain(of.claims.iter().map(|claim| claim.name.clone())).collect()
    };
    assert_eq!(names(0), ["old", "claim-01", "claim-02"]);
    let green = names(1);
    assert_eq!((green.len(), &*green[0], &*green[2], &*green[3]), (12, "claim-01", "old", "claim-03"));
    assert_eq!(resolved.clusters[0].deletions[0].claims, ["old"]);
    assert_eq!(resolved.clusters[1].deletions[0].claims, ["claim-11"]);
    assert_eq!(resolved.clusters[0].node_pools[0].types.len(), 2);
    assert_eq!(resolved.clusters[1].node_pools[0].types, ["g6-standard-4"]);
}

#[test]
fn ids_that_are_not_set_are_no_beginnings_of_each_other() {
    let ids: Vec<String> = (0..super::MOST).map(|place| super::usual_id(place).to_string()).collect();
    for (place, id) in ids.iter().enumerate() {
        assert!(ids.iter().enumerate().all(|(other, longer)| place == other || !longer.contains(id.as_str())), "{id}");
    }
}
