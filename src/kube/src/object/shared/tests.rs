use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

type Model = BTreeMap<String, String>;

fn map() -> impl Strategy<Value = Model> {
    prop::collection::btree_map("[a-d]", "[x-z]", 0..4)
}

fn shared(model: &Model) -> StringMap {
    model.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
}

fn plain(map: &StringMap) -> Model {
    map.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect()
}

proptest! {
    #[test]
    fn a_shared_map_is_a_map(model in map(), key in "[a-d]", value in "[x-z]", other in map()) {
        let mut map = shared(&model);
        let copy = map.clone();
        prop_assert_eq!(map.get(&key).map(|value| value.to_string()), model.get(&key).cloned());
        map.insert(key.as_str(), value.as_str());
        let mut expected = model.clone();
        expected.insert(key.clone(), value);
        prop_assert_eq!(plain(&map), expected.clone());
        map.remove(&key);
        expected.remove(&key);
        prop_assert_eq!(plain(&map), expected.clone());
        map.extend(&shared(&other));
        expected.extend(other);
        prop_assert_eq!(plain(&map), expected);
        prop_assert_eq!(plain(&copy), model);
    }

    /// A merge does what a JSON merge patch of the difference does, entry by entry.
    #[test]
    fn a_merge_writes_the_difference_alone(live in map(), base in map(), changed in map()) {
        let mut merged = shared(&live);
        merged.merge(&shared(&base), &shared(&changed));
        let mut expected = live;
        for (key, value) in &changed {
            if base.get(key) != Some(value) {
                expected.insert(key.clone(), value.clone());
            }
        }
        expected.retain(|key, _| !base.contains_key(key) || changed.contains_key(key));
        prop_assert_eq!(plain(&merged), expected);
    }
}

#[test]
fn an_unchanged_list_stays_shared() {
    let mut list = List::from(vec![1, 2, 3]);
    let copy = list.clone();
    list.retain(|_| true);
    assert!(list.is_same(&copy));
    list.retain(|entry| *entry != 2);
    assert_eq!((&list[..], &copy[..]), (&[1, 3][..], &[1, 2, 3][..]));
}
