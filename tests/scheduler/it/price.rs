//! What a greedy packing costs beside the best one.

use lkesim_scheduler_tests::decode;
use lkesim_scheduler_tests::draw::Draw;
use lkesim_scheduling::{Problem, solve};
use serde_json::{Value, json};

/// One to eight pods of which each fits into one of one to four types; a type's price is that of its cores and its memory, more or
/// less a tenth.
fn small(draw: &mut Draw) -> Value {
    let mut types = Vec::new();
    for number in 0..draw.between(1, 4) {
        let name = format!("type-{number}");
        let cpu = if number == 0 { 16 } else { draw.number(&[2, 4, 8, 16]) };
        let memory = if number == 0 { 64 } else { cpu * draw.number(&[2, 4, 8]) };
        let price = (cpu * 20 + memory * 5) * draw.between(90, 110) * 100_000_000;
        types.push(json!({
            "name": name,
            "requirements": [{"key": "node.kubernetes.io/instance-type", "operator": "In", "values": [name]}],
            "offerings": [{"requirements": [], "priceUnits": price, "available": true}],
            "capacity": {"cpu": cpu.to_string(), "memory": format!("{memory}Gi"), "pods": "110"},
        }));
    }
    let pods: Vec<Value> = (0..draw.between(1, 8))
        .map(|number| {
            let requests =
                json!({"cpu": draw.between(1, 12).to_string(), "memory": format!("{}Gi", draw.between(1, 30))});
            json!({
                "metadata": {"name": format!("pod-{number}"), "namespace": "default", "uid": format!("{number:x}")},
                "spec": {"containers": [{"resources": {"requests": requests}}]},
            })
        })
        .collect();
    json!({
        "nodePools": [{"metadata": {"name": "default"}, "spec": {"template": {"spec": {"nodeClassRef": {}}}}}],
        "instanceTypes": {"default": types},
        "pods": pods,
    })
}

/// The lowest price of machines that hold all pods, by trying every way to put them together.
fn optimum(problem: &Problem) -> u64 {
    let types = &problem.instance_types["default"];
    let count = problem.pods.len();
    let cheapest = |set: usize| {
        let mut sum = lkesim_kube::object::ResourceList::EMPTY;
        (0..count).filter(|pod| set >> pod & 1 == 1).for_each(|pod| sum.add(&problem.pods[pod].requests()));
        let holding = types.iter().filter(|one| sum.fits(&one.allocatable));
        holding.map(|one| one.offerings[0].price.0).min()
    };
    let together: Vec<Option<u64>> = (0..1 << count).map(cheapest).collect();
    let mut best = vec![u64::MAX; 1 << count];
    best[0] = 0;
    for set in 1..1_usize << count {
        let mut part = set;
        while part > 0 {
            if let Some(price) = together[part] {
                best[set] = best[set].min(best[set & !part].saturating_add(price));
            }
            part = (part - 1) & set;
        }
    }
    best[(1 << count) - 1]
}

#[test]
fn no_decision_is_cheaper_than_the_optimum_and_most_are_near() {
    const CASES: u64 = 2000;
    let mut hundredths: Vec<u64> = Vec::new();
    for number in 0..CASES {
        let (problem, options) = decode::problem(&small(&mut Draw::new(7, number)));
        let results = solve(&problem, &options, false).expect("problems are sound");
        assert!(results.pod_errors.is_empty(), "each pod fits into the first type");
        let price: u64 = results.new_node_claims.iter().map(|claim| claim.instance_types[0].offerings[0].price.0).sum();
        let best = optimum(&problem);
        assert!(price >= best, "{number}: {price} is below {best}");
        hundredths.push(price * 100 / best);
    }
    hundredths.sort_unstable();
    let at = |percent: usize| hundredths[(hundredths.len() - 1) * percent / 100];
    let mean = hundredths.iter().sum::<u64>() / CASES;
    let optimal = hundredths.iter().filter(|ratio| **ratio == 100).count();
    let report = format!(
        "price / optimum in hundredths: mean {mean}, p50 {}, p90 {}, p99 {}, most {}; optimal {optimal} of {CASES}",
        at(50),
        at(90),
        at(99),
        at(100)
    );
    let expected = "price / optimum in hundredths: mean 102, p50 100, p90 105, p99 145, most 210; optimal 1765 of 2000";
    assert_eq!(report, expected);
}
