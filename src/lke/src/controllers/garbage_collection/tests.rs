use super::is_owned;
use crate::OwnerTags;
use lkesim_karpenter::cloud_provider::{Machine, MachineType, ProviderId};
use lkesim_kube::object::{Resources, StringMap};
use std::collections::BTreeSet;
use std::rc::Rc;

fn tagged(names: &[&str]) -> Machine {
    let none = Resources::NONE;
    let of_machines = MachineType { name: "small".into(), labels: StringMap::EMPTY, capacity: none, allocatable: none };
    Machine {
        provider_id: ProviderId::linode(1),
        machine_type: Rc::new(of_machines),
        annotations: StringMap::EMPTY,
        creation_timestamp: 0,
        claim_tags: names.iter().map(|name| Rc::from(*name)).collect(),
    }
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
