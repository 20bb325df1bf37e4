use super::Tally;
use crate::Entity;
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    /// Some things often, and so many that the table grows several times.
    #[test]
    fn it_counts_as_a_map_does(things in prop::collection::vec(0u64..500, 0..3_000)) {
        let (mut tally, mut model) = (Tally::default(), BTreeMap::new());
        for thing in things {
            let count = model.entry(thing).or_insert(0u64);
            *count += 1;
            prop_assert_eq!(tally.next(Entity::numbered(thing)), *count);
        }
    }
}
