use super::{Chosen, ReadySet};
use crate::path::PathId;
use crate::schedule::Schedule;
use lkesim_runtime::random::mix;
use lkesim_runtime::{Seed, Time};
use proptest::prelude::*;

/// What a test does to the set.
#[derive(Clone, Debug)]
enum Step {
    /// So many become ready.
    Push(u32),
    /// So many are taken, as far as there are any.
    Take(u32),
    /// One of all that ever were must not be polled.
    Forget(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let some = || prop_oneof![3 => 0u32..5, 2 => 0u32..40, 1 => 0u32..1_500];
    let step = prop_oneof![
        3 => some().prop_map(Step::Push),
        3 => some().prop_map(Step::Take),
        1 => any::<u32>().prop_map(Step::Forget),
    ];
    proptest::collection::vec(step, 0..40)
}

/// The model: who is ready, in the order of their coming, and whether each was overtaken.
#[derive(Default)]
struct Model(Vec<(u32, bool)>);

fn rank(slot: u32) -> u64 {
    mix(u64::from(slot)) | 16
}

impl Model {
    /// Who is taken, who was first, and whether the former had been overtaken.
    fn take(&mut self, by_rank: bool) -> Option<(u32, u32, bool)> {
        let first = self.0.first()?.0;
        let places = 0..self.0.len();
        let place = if by_rank { places.max_by_key(|&place| rank(self.0[place].0)).unwrap_or(0) } else { 0 };
        self.0[0].1 |= place > 0;
        let (taken, overtaken) = self.0.remove(place);
        Some((taken, first, overtaken))
    }
}

fn take(set: &mut ReadySet, schedule: &mut Schedule) -> Option<(u32, u32, bool)> {
    let few = set.take_of_few(schedule.way(), schedule, Time::ZERO);
    let Chosen { place, first } = few.or_else(|| set.take_of_many(schedule, Time::ZERO))?;
    Some((set.at(place).slot, set.at(first).slot, set.at(place).overtaken))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_highest_rank_goes_and_the_first_is_known(steps in steps(), by_rank in any::<bool>()) {
        let mut schedule = if by_rank { Schedule::random(Seed(1)) } else { Schedule::fifo() };
        let (mut set, mut model) = (ReadySet::new(), Model::default());
        let mut slots = 0;
        for step in steps {
            match step {
                Step::Push(count) => for _ in 0..count {
                    set.push(0, 1, slots, PathId::ROOT, rank(slots));
                    model.0.push((slots, false));
                    slots += 1;
                },
                Step::Take(count) => for _ in 0..count {
                    prop_assert_eq!(take(&mut set, &mut schedule), model.take(by_rank));
                },
                Step::Forget(which) if slots > 0 => {
                    let place = model.0.iter().position(|&(slot, _)| slot == which % slots);
                    let overtaken = place.is_some_and(|place| model.0.remove(place).1);
                    prop_assert_eq!(set.forget(which % slots), overtaken);
                }
                Step::Forget(_) => {}
            }
        }
        while let Some(expected) = model.take(by_rank) {
            prop_assert_eq!(take(&mut set, &mut schedule), Some(expected));
        }
        prop_assert_eq!(take(&mut set, &mut schedule), None);
    }
}
