use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

type Model = BTreeMap<&'static str, i64>;

fn model() -> impl Strategy<Value = Model> {
    let name = prop::sample::select(vec!["cpu", "memory", "pods", "example.com/device"]);
    prop::collection::btree_map(name, -3_i64..4, 0..4)
}

fn listed(model: &Model) -> ResourceList {
    model.iter().map(|(name, milli)| (*name, Quantity::from_milli(*milli))).collect()
}

proptest! {
    #[test]
    fn sums_and_comparisons_are_those_of_maps(one in model(), other in model()) {
        let mut sum = listed(&one);
        sum.add(&listed(&other));
        let mut expected = one.clone();
        other.iter().for_each(|(name, milli)| *expected.entry(name).or_default() += milli);
        prop_assert_eq!(sum, listed(&expected));

        let fits = !other.values().any(|milli| *milli < 0)
            && one.iter().all(|(name, milli)| *milli <= other.get(name).copied().unwrap_or(0));
        prop_assert_eq!(listed(&one).fits(&listed(&other)), fits);

        let left: Model = one.iter().map(|(name, milli)| (*name, milli - other.get(name).unwrap_or(&0))).collect();
        prop_assert_eq!(listed(&one).without(&listed(&other)), listed(&left));
    }
}

#[test]
fn it_is_shown_as_json_sorted_by_name() {
    let list: ResourceList = [("pods", "2"), ("cpu", "1500m"), ("memory", "1Gi")]
        .map(|(name, text)| (name, text.parse().unwrap()))
        .into_iter()
        .collect();
    assert_eq!(list.to_string(), r#"{"cpu":"1500m","memory":"1Gi","pods":"2"}"#);
    assert_eq!(ResourceList::EMPTY.to_string(), "{}");
}

#[test]
fn what_resources_have_no_room_for_is_named() {
    let list: ResourceList =
        [("cpu", Quantity::from_milli(250)), ("example.com/device", Quantity::from_units(1))].into_iter().collect();
    assert_eq!(list.to_resources(), Err("example.com/device".into()));
    let all = Resources { cpu_milli: 250, memory: 1 << 30, ephemeral_storage: 5, pods: 3, gpus: 1 };
    assert_eq!(ResourceList::from(&all).to_resources(), Ok(all));
}
