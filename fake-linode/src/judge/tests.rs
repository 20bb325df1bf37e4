use super::Judge;
use crate::settings::{ContainsList, TagMatch};
use lkesim_linode_api::{ClusterId, Filter, Instance, InstanceId, InstanceStatus, UnixSeconds};
use proptest::prelude::*;

fn tagged(tags: &[String]) -> Instance {
    Instance {
        id: InstanceId(7),
        label: "linode".into(),
        status: InstanceStatus::Running,
        created: UnixSeconds(0),
        plan: "g6-standard-1".into(),
        region: "us-ord".into(),
        tags: tags.iter().map(String::as_str).collect(),
        lke_cluster: Some(ClusterId(1)),
        rest: None,
    }
}

/// Filters that are taken apart, and such that are not.
fn filters() -> impl Strategy<Value = Filter> {
    let leaf = prop_oneof![
        3 => "[ab]{0,3}".prop_map(|text| Filter::tag(&text)),
        3 => "[ab]{0,3}".prop_map(|text| Filter::tag_contains(&text)),
        1 => (6u64..9).prop_map(|id| Filter::field("id", id)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let some = prop::collection::vec(inner, 1..4);
        prop_oneof![4 => some.clone().prop_map(Filter::all), 1 => some.prop_map(Filter::any)]
    })
}

proptest! {
    #[test]
    fn a_filter_taken_apart_finds_what_the_whole_one_does(filter in filters(), tags in prop::collection::vec("[ab]{1,4}", 0..4)) {
        let instance = tagged(&tags);
        prop_assert_eq!(Judge::new(Some(&filter), TagMatch::Contains, ContainsList::Each).finds(&instance), filter.matches(&instance));
    }

    /// Where parts mean whole tags, a filter is judged as if each `+contains` on tags were an equality.
    #[test]
    fn parts_can_mean_whole_tags(filter in filters(), tags in prop::collection::vec("[ab]{1,4}", 0..4)) {
        let instance = tagged(&tags);
        let whole = filter.to_header().replace(r#"{"tags":{"+contains":"#, r#"{"tags":"#).replace(r#""}}"#, r#""}"#);
        let whole = Filter::parse(&whole).unwrap();
        prop_assert_eq!(Judge::new(Some(&filter), TagMatch::Equal, ContainsList::Each).finds(&instance), whole.matches(&instance));
    }
}

#[test]
fn an_array_below_contains_is_read_as_set() {
    let filter = Filter::tag_contains_list(["nodepool", "nodeclass"]);
    let found = |as_set, tags: &[&str]| {
        let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
        Judge::new(Some(&filter), TagMatch::Contains, as_set).finds(&tagged(&tags))
    };
    let (both, one, none) = (["nodepool=a", "nodeclass=b"], ["nodepool=a"], ["c"]);
    let by = |as_set| [found(as_set, &both), found(as_set, &one), found(as_set, &none)];
    assert_eq!(by(ContainsList::Each), [true, false, false]);
    assert_eq!(by(ContainsList::Any), [true, true, false]);
    assert_eq!(by(ContainsList::Ignored), [true, true, true]);
}
