//! No pod is placed where it must not run.

use crate::checker::{look_at_all, look_at_each, places};
use lkesim_kube::object::labels;
use lkesim_scheduler_tests::draw::Draw;
use lkesim_scheduler_tests::outcome::Outcome;
use lkesim_scheduler_tests::{decode, generate};
use lkesim_scheduling::solve;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn each_pod_may_run_on_whatever_its_claim_becomes(seed in any::<u64>(), number in 0..1000_u64) {
        let (problem, options) = decode::problem(&generate::problem(seed, number));
        let results = solve(&problem, &options, false).expect("problems are sound");
        for place in places(&problem, &options, &results) {
            let wrong = look_at_each(&problem, &place);
            prop_assert!(wrong.is_empty(), "{wrong:?}");
        }
    }

    #[test]
    fn what_is_remembered_changes_nothing(seed in any::<u64>(), number in 0..1000_u64) {
        let (problem, options) = decode::problem(&generate::problem(seed, number));
        // With steps asked for, each bin is asked each time.
        let [quick, told] = [false, true].map(|steps| solve(&problem, &options, steps).expect("problems are sound"));
        prop_assert_eq!(Outcome::of(&quick), Outcome::of(&told));
        prop_assert!(told.steps.len() >= problem.pods.len());
    }

    #[test]
    fn spread_affinity_and_anti_affinity_hold_at_the_end(seed in any::<u64>()) {
        let (problem, options) = decode::problem(&closed(&mut Draw::new(seed, 0)));
        let results = solve(&problem, &options, false).expect("problems are sound");
        let places = places(&problem, &options, &results);
        let zones: BTreeSet<Rc<str>> = generate::ZONES.map(Rc::from).into();
        let wrong = look_at_all(&places, &BTreeMap::from([(labels::ZONE, zones)]));
        prop_assert!(wrong.is_empty(), "{wrong:?}");
    }
}

/// A problem whose terms speak of the pod's own app, or want to be with another. Of terms that keep apps apart upstream
/// loses sight where a pod without terms went to a NodeClaim whose zone is open, and so does ours.
fn closed(draw: &mut Draw) -> Value {
    let offerings: Vec<Value> = generate::ZONES
        .iter()
        .map(|zone| {
            json!({
                "requirements": [of(labels::ZONE, &[zone]), of(labels::CAPACITY_TYPE, &["on-demand"])],
                "priceUnits": 10_000_000,
                "available": true,
            })
        })
        .collect();
    let types: Vec<Value> = (0..draw.between(1, 5))
        .map(|number| {
            let name = format!("type-{number}");
            let cpu = draw.number(&[2, 4, 8, 16]);
            json!({
                "name": name,
                "requirements": [
                    of(labels::INSTANCE_TYPE, &[&name]),
                    of(labels::ZONE, &generate::ZONES),
                    of(labels::CAPACITY_TYPE, &["on-demand"]),
                ],
                "offerings": offerings,
                "capacity": {"cpu": cpu.to_string(), "memory": format!("{}Gi", cpu * 4), "pods": "10"},
            })
        })
        .collect();
    let mut pods = Vec::new();
    for app in generate::APPS.iter().take(usize::try_from(draw.between(1, 4)).expect("few")) {
        let template = template(draw, app);
        for _ in 0..draw.between(1, 9) {
            let number = pods.len();
            pods.push(json!({
                "metadata": {"name": format!("{app}-{number}"), "namespace": "default", "labels": {"app": app}, "uid": format!("{number:x}")},
                "spec": template,
            }));
        }
    }
    json!({
        "nodePools": [{"metadata": {"name": "default"}, "spec": {"template": {"spec": {"nodeClassRef": {}}}}}],
        "instanceTypes": {"default": types},
        "pods": pods,
    })
}

fn of(key: &str, values: &[&str]) -> Value {
    json!({"key": key, "operator": "In", "values": values})
}

fn template(draw: &mut Draw, app: &str) -> Value {
    let requests = json!({"cpu": format!("{}m", draw.number(&[100, 500, 1000, 3000])), "memory": "1Gi"});
    let mut spec = json!({"containers": [{"resources": {"requests": requests}}]});
    let own = json!({"matchLabels": {"app": app}});
    let key = |draw: &mut Draw| draw.pick(&[labels::ZONE, labels::HOSTNAME]).to_owned();
    if draw.chance(30) {
        spec["nodeSelector"] = json!({labels::ZONE: draw.pick(&generate::ZONES)});
    }
    if draw.chance(60) {
        spec["topologySpreadConstraints"] = json!([{
            "maxSkew": draw.between(1, 3), "topologyKey": key(draw), "whenUnsatisfiable": "DoNotSchedule", "labelSelector": own,
        }]);
    }
    let terms = match draw.below(5) {
        0 => {
            json!({"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": key(draw), "labelSelector": own}]}})
        }
        1 => {
            json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": key(draw), "labelSelector": own}]}})
        }
        2 => {
            let other = json!({"matchLabels": {"app": draw.pick(&generate::APPS)}});
            json!({"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": key(draw), "labelSelector": other}]}})
        }
        _ => Value::Null,
    };
    spec["affinity"] = terms;
    spec
}
