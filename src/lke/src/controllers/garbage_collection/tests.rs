use super::is_owned;
use crate::OwnerTags;
use crate::tags::of_node_claim;
use lkesim_linode_api::Tags;
use std::collections::BTreeSet;
use std::rc::Rc;

fn tagged(names: &[&str]) -> Tags {
    names.iter().map(|name| of_node_claim(name)).collect()
}

#[test]
fn of_several_tags_the_first_names_the_owner_unless_any_does() {
    let exist = BTreeSet::from([Rc::from("b")]);
    let owned =
        |names: &[&str]| [OwnerTags::First, OwnerTags::Any].map(|which| is_owned(&tagged(names), which, &exist));
    assert_eq!(owned(&[]), [false, false]);
    assert_eq!(owned(&["a"]), [false, false]);
    assert_eq!(owned(&["b", "a"]), [true, true]);
    assert_eq!(owned(&["a", "b"]), [false, true]);
}
