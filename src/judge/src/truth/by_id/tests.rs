use super::ById;
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    #[test]
    fn it_is_a_map_whatever_the_numbers(
        writes in prop::collection::vec((0_u64..40, any::<u8>(), any::<bool>()), 0..60),
        first in prop_oneof![Just(0), Just(1_000), Just(u64::MAX - 40)],
    ) {
        let (mut map, mut model) = (ById::new(), BTreeMap::new());
        for (number, value, keeps) in writes {
            let id = first + number;
            if keeps {
                prop_assert_eq!(map.get_or_insert_with(id, || value), model.entry(id).or_insert(value));
            } else {
                map.insert(id, value);
                model.insert(id, value);
            }
            prop_assert!(map.iter().eq(model.iter().map(|(&id, value)| (id, value))));
            prop_assert!(map.values().eq(model.values()));
        }
        for id in (0..42).map(|number| first.saturating_add(number)) {
            prop_assert_eq!(map.get(id), model.get(&id));
            prop_assert_eq!(map.get_mut(id), model.get_mut(&id));
        }
    }
}
