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

    /// A tally that is made of another's counts goes on as that one does.
    #[test]
    fn its_counts_are_all_of_it(
        before in prop::collection::vec(0u64..500, 0..1_000), after in prop::collection::vec(0u64..600, 0..1_000),
    ) {
        let mut tally = Tally::default();
        for thing in before {
            tally.next(Entity::numbered(thing));
        }
        let mut again = Tally::of(tally.counts());
        for thing in after {
            let entity = Entity::numbered(thing);
            prop_assert_eq!(tally.next(entity), again.next(entity));
        }
    }
}
