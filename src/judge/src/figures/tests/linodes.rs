use super::*;
use crate::figures::linodes::{bill, share};
use crate::outcome::Dollars;
use proptest::prelude::*;
use std::collections::BTreeSet;

#[test]
fn linodes_of_other_pools_neither_count_nor_cost() {
    let mut story = Story::new();
    story.lke_pool(1, Some("general")).lke_pool(2, None);
    story.linode(101, 1, Some(1)).linode(201, 2, None);
    let measured = story.finish(100);
    assert_eq!((measured.instances.created, measured.instances.peak), (1, 1));
    assert_eq!(measured.cost.total_usd, Dollars(36_000));
}

#[test]
fn a_linode_without_a_lke_pool_counts_and_costs_if_its_tags_name_a_node_pool() {
    let mut story = Story::new();
    story.direct_linode(101, &["karpenter.sh/nodepool=general"], Some(1)).direct_linode(201, &["mine"], Some(2));
    let measured = story.finish(100);
    assert_eq!((measured.instances.created, measured.instances.peak), (1, 1));
    assert_eq!(measured.cost.total_usd, Dollars(36_000));
}

#[test]
fn what_stands_there_at_the_start_is_billed_and_not_created() {
    let mut story = Story::new();
    story.lke_pool(1, Some("general")).linode(101, 1, None);
    story.at(1).linode(102, 1, None);
    let measured = story.finish(100);
    assert_eq!((measured.instances.created, measured.instances.peak), (1, 2));
    assert_eq!(measured.cost.total_usd, Dollars(72_000));
}

#[test]
fn each_started_hour_costs_up_to_the_monthly_price() {
    let hours = |count: u64| Duration::from_secs(3_600 * count);
    assert_eq!(bill(PRICE, Duration::ZERO), 36_000);
    assert_eq!(bill(PRICE, hours(1)), 36_000);
    assert_eq!(bill(PRICE, hours(1) + Duration::from_nanos(1)), 72_000);
    assert_eq!(bill(PRICE, hours(700)), 24_000_000);
    assert_eq!(bill(PRICE, hours(744)), 24_000_000);
    assert_eq!(bill(PRICE, hours(745)), 24_036_000);
}

#[test]
fn the_calm_is_not_billed() {
    let mut story = Story::new();
    story.lke_pool(1, Some("general")).at(600).linode(101, 1, Some(1));
    story.at(1_201).linode(102, 1, Some(2));
    let measured = story.finish(3_600 * 5);
    assert_eq!(measured.cost.total_usd, Dollars(36_000));
    assert_eq!(measured.instances.created, 2);
}

#[test]
fn a_linode_costs_for_nothing_by_the_share_of_its_billed_life_without_a_holder() {
    let mut story = Story::new();
    story.lke_pool(1, Some("general")).linode(101, 1, Some(1));
    story.at(300).held(101, true);
    let measured = story.finish(1_800);
    assert_eq!(measured.cost.unclaimed_usd, Dollars(9_000), "300 of 1200 seconds");
    assert_eq!(measured.instances.unclaimed_minutes, 5);
    assert_eq!(measured.instances.unclaimed_at_end, 0);
}

#[test]
fn created_per_100_launched_is_whole_and_zero_without_launches() {
    let mut story = Story::new();
    story.lke_pool(1, Some("general"));
    for id in 1..=4 {
        story.linode(100 + id, 1, Some(id));
    }
    assert_eq!(story.figures.linodes.finish(Time::ZERO, &mut Default::default()).0.created_per_100_launched, 0);
    let mut story = Story::new();
    story.lke_pool(1, Some("general"));
    for id in 1..=4 {
        story.linode(100 + id, 1, Some(id));
    }
    for uid in 1..=3 {
        let claim = story.claim_created(uid);
        story.launched(&claim, 100 + uid);
    }
    assert_eq!(story.finish(1).instances.created_per_100_launched, 133);
}

#[test]
fn a_linode_that_is_held_before_it_is_seen_is_held_from_its_first_moment() {
    let mut story = Story::new();
    story.lke_pool(1, Some("general")).held(101, true).linode(101, 1, None);
    let measured = story.finish(1_200);
    assert_eq!(measured.cost.unclaimed_usd, Dollars(0));
}

/// A step of one second in the lives of a few Linodes.
#[derive(Clone, Debug)]
enum Step {
    Make(u64),
    Kill(u64),
    Hold(u64, bool),
    Wait(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0_u64..4).prop_map(Step::Make),
        (0_u64..4).prop_map(Step::Kill),
        (0_u64..4, any::<bool>()).prop_map(|(id, held)| Step::Hold(id, held)),
        (1_u64..400).prop_map(Step::Wait),
    ];
    prop::collection::vec(step, 0..60)
}

/// One life, second by second: whether it lacked a holder in each.
#[derive(Default)]
struct Lived {
    from: u64,
    unheld: Vec<bool>,
}

/// The obvious reading: the state of every Linode in every second.
#[derive(Default)]
struct Model {
    now: u64,
    live: std::collections::BTreeMap<u64, Lived>,
    dead: Vec<Lived>,
    held: BTreeSet<u64>,
    peak: usize,
}

impl Model {
    fn wait(&mut self, secs: u64) {
        for _ in 0..secs {
            for (id, lived) in &mut self.live {
                lived.unheld.push(!self.held.contains(id));
            }
            self.now += 1;
        }
    }

    fn all(&self) -> impl Iterator<Item = &Lived> {
        self.dead.iter().chain(self.live.values())
    }

    fn cost(&self) -> (u64, u64) {
        let (mut total, mut unclaimed) = (0, 0);
        for lived in self.all().filter(|lived| lived.from < DURATION.as_secs()) {
            let billed = lived.unheld.len().min((DURATION.as_secs() - lived.from) as usize);
            let hours = billed.div_ceil(3_600).max(1) as u64;
            let bill = hours * PRICE.hourly_micro_usd;
            total += bill;
            let unheld = lived.unheld[..billed].iter().filter(|unheld| **unheld).count();
            unclaimed += if billed == 0 { bill } else { bill * unheld as u64 / billed as u64 };
        }
        (total, unclaimed)
    }
}

proptest! {
    #[test]
    fn counts_and_bill_are_those_of_a_reading_second_by_second(steps in steps()) {
        let (mut story, mut model) = (Story::new(), Model::default());
        story.lke_pool(1, Some("general"));
        let mut made = 0;
        for step in steps {
            story.at(model.now);
            match step {
                Step::Make(id) if !model.live.contains_key(&id) => {
                    made += 1;
                    model.held.remove(&id);
                    story.held(id, false).linode(id, 1, Some(made));
                    model.live.insert(id, Lived { from: model.now, unheld: Vec::new() });
                    model.peak = model.peak.max(model.live.len());
                }
                Step::Kill(id) => {
                    story.linode_deleted(id, None);
                    model.dead.extend(model.live.remove(&id));
                }
                Step::Hold(id, held) if model.live.contains_key(&id) => {
                    story.held(id, held);
                    if held { model.held.insert(id) } else { model.held.remove(&id) };
                }
                Step::Wait(secs) => model.wait(secs),
                Step::Make(_) | Step::Hold(..) => {}
            }
        }
        let measured = story.finish(model.now);
        prop_assert_eq!((measured.cost.total_usd.0, measured.cost.unclaimed_usd.0), model.cost());
        let unheld: usize = model.all().map(|lived| lived.unheld.iter().filter(|unheld| **unheld).count()).sum();
        prop_assert_eq!(measured.instances.unclaimed_minutes, unheld as u64 / 60);
        prop_assert_eq!(measured.instances.created, made);
        prop_assert_eq!(measured.instances.peak, model.peak as u64);
        let unclaimed = model.live.keys().filter(|id| !model.held.contains(id)).count();
        prop_assert_eq!(measured.instances.unclaimed_at_end, unclaimed as u64);
    }

    #[test]
    fn a_bill_adds_one_price_for_each_hour_that_starts(secs in 0_u64..4_000_000) {
        let (mut hours, mut sum) = (0, 0);
        while hours == 0 || hours * 3_600 < secs {
            if hours % 744 == 0 {
                sum = sum / PRICE.monthly_micro_usd * PRICE.monthly_micro_usd;
            }
            let before = hours / 744 * PRICE.monthly_micro_usd;
            sum = (sum + PRICE.hourly_micro_usd).min(before + PRICE.monthly_micro_usd);
            hours += 1;
        }
        prop_assert_eq!(bill(PRICE, Duration::from_secs(secs)), sum);
    }

    #[test]
    fn a_share_and_the_rest_are_the_whole_bill_but_for_rounding(
        bill in 0_u64..1 << 40,
        part in 0_u64..1 << 50,
        rest in 1_u64..1 << 50,
    ) {
        let (part, rest) = (Duration::from_nanos(part), Duration::from_nanos(rest));
        let sum = share(bill, part, part + rest) + share(bill, rest, part + rest);
        prop_assert!(sum == bill || sum + 1 == bill);
    }
}
