use super::*;

#[test]
fn of_several_tags_with_one_key_the_last_counts() {
    let map = TagMap::of(["a=1", "b=2", "a=3"]);
    assert_eq!(map.get("a").map(|value| &**value), Some("3"));
    assert_eq!(map.list(), ["a=3", "b=2"].map(Arc::from));
}

#[test]
fn a_tag_is_split_at_its_first_sign() {
    assert_eq!(TagMap::of(["a=b=c"]).get("a").map(|value| &**value), Some("b=c"));
}

#[test]
fn tags_without_key_or_value_are_opaque() {
    let tags = ["web", "=x", "x=", "a=1", "nodepool:7"];
    assert_eq!(opaque(tags), ["web", "=x", "x=", "nodepool:7"].map(Arc::from));
    assert_eq!(TagMap::of(tags).list(), ["a=1"].map(Arc::from));
}

#[test]
fn later_lists_win() {
    let mut joined = TagMap::of(["a=1", "b=2"]);
    joined.assign(&TagMap::of(["b=3", "c=4"]));
    joined.set("c", "5");
    joined.remove("a");
    assert_eq!(joined.list(), ["b=3", "c=5"].map(Arc::from));
}

#[test]
fn a_tag_stays_where_it_stood_first() {
    let tags = ["b", "a", "", "b"].map(Arc::from);
    assert_eq!(deduped(tags), ["b", "a"].map(Arc::from));
}
