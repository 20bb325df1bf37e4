use super::{Numbered, SPAN};
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Step {
    /// Insert under a number this much above the last.
    Insert(u64),
    Remove(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![(1_u64..4).prop_map(Step::Insert), (0_u64..120).prop_map(Step::Remove)];
    prop::collection::vec(step, 0..80)
}

proptest! {
    #[test]
    fn it_is_a_map(steps in steps()) {
        let (mut numbered, mut map, mut last) = (Numbered::default(), BTreeMap::new(), 0);
        for step in steps {
            match step {
                Step::Insert(gap) => {
                    last += gap;
                    numbered.insert(last, last * 10);
                    map.insert(last, last * 10);
                }
                Step::Remove(number) => prop_assert_eq!(numbered.remove(number), map.remove(&number)),
            }
            for number in 0..=last + 1 {
                prop_assert_eq!(numbered.get(number), map.get(&number));
            }
        }
    }
}

#[test]
fn what_is_never_removed_is_forgotten_in_the_end() {
    let mut numbered = Numbered::default();
    for number in 0..3 * SPAN as u64 {
        numbered.insert(number, ());
        if number > 0 {
            numbered.remove(number);
        }
    }
    assert_eq!(numbered.get(0), None);
    assert!(numbered.slots.len() <= SPAN);
}
