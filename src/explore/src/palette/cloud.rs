//! The cloud of a drawn scenario: tier, lags, latency, and what is not known of the real one.

use crate::dice::Dice;
use lkesim_linode_api::object::Tier;
use lkesim_scenario::cloud::{
    Accepts, AvailabilityRows, BasePool, ContainsList, DyingUpdate, EmptyPools, Lags, ListOrder, PoolTagFilter,
    PoolTagResync, SelfHeal, ShrinkVictim, TagMatch,
};
use lkesim_scenario::{Delay, Preset, Scenario, Span};

pub fn draw(dice: Dice, scenario: &mut Scenario) {
    scenario.preset = dice.weighted("preset", &[(7, Preset::Default), (2, Preset::Document), (1, Preset::Zero)]);
    let cloud = &mut scenario.cloud;
    cloud.tier = dice.of("tier", &[Tier::Standard, Tier::Enterprise]);
    cloud.base_pool = BasePool { count: dice.of("base_pool", &[1, 3]), ..BasePool::default() };
    cloud.list_order =
        dice.weighted("list_order", &[(4, ListOrder::Id), (1, ListOrder::Newest), (1, ListOrder::Shuffled)]);
    cloud.shrink_victim = dice.of("victim", &[ShrinkVictim::Random, ShrinkVictim::Newest, ShrinkVictim::Oldest]);
    cloud.self_heal = dice.weighted("self_heal", &[(4, SelfHeal::Replace), (1, SelfHeal::Never)]);
    cloud.dying_update = dice.of("dying_update", &[DyingUpdate::Accepted, DyingUpdate::NotFound, DyingUpdate::Busy]);
    if dice.one_in("pool_ids", 10) {
        cloud.pool_ids = dice.of("ids", &[&[7, 12, 123], &[7, 123, 12], &[7, 71, 1]]).to_vec();
    }
    // Most of what the real API would do otherwise breaks a design at once, so that it is drawn seldom.
    match dice.below("odd", 24) {
        0 => cloud.tag_match = TagMatch::Equal,
        1 => cloud.contains_list = dice.of("contains", &[ContainsList::Any, ContainsList::Refused]),
        2 => cloud.pool_tag_filter = dice.of("filter", &[PoolTagFilter::Applied, PoolTagFilter::Empty]),
        3 => cloud.pool_tag_resync = dice.of("resync", &[PoolTagResync::Merge, PoolTagResync::Replace]),
        4 => cloud.empty_pools = EmptyPools::Refused,
        5 => cloud.last_pool = Accepts::Refused,
        6 => cloud.availability_rows = AvailabilityRows::RestrictedOnly,
        _ => {}
    }
    for n in 0..dice.weighted("lags", &[(4, 0), (3, 1), (2, 2), (1, 3)]) {
        lag(dice.part("lag", n), &mut scenario.cloud.lags);
    }
    for n in 0..dice.weighted("latencies", &[(5, 0), (2, 1), (1, 2)]) {
        latency(dice.part("latency", n), scenario);
    }
}

/// Another lag or latency.
pub fn vary(dice: Dice, scenario: &mut Scenario) {
    match dice.one_in("lag", 2) {
        true => lag(dice, &mut scenario.cloud.lags),
        false => latency(dice, scenario),
    }
}

/// How long a change stays unseen: mostly about as long as a design waits.
fn lag(dice: Dice, lags: &mut Lags) {
    let length = dice.of("length", &[0, 1, 3, 6, 12, 30, 60, 120]);
    let delay = match dice.below("spread", 3) {
        0 => constant(length * 1_000),
        _ => up_to(length * 1_000),
    };
    let knob: fn(&mut Lags) -> &mut Option<Delay> = dice.of::<fn(&mut Lags) -> &mut Option<Delay>>(
        "knob",
        &[
            |lags| &mut lags.pool_list,
            |lags| &mut lags.pool_get,
            |lags| &mut lags.members,
            |lags| &mut lags.slot_id,
            |lags| &mut lags.instance_seen,
            |lags| &mut lags.instance_get,
            |lags| &mut lags.instance_list,
            |lags| &mut lags.tag_to_get,
            |lags| &mut lags.tag_to_list,
            |lags| &mut lags.propagation,
            |lags| &mut lags.boot,
            |lags| &mut lags.deletion,
            |lags| &mut lags.heal,
        ],
    );
    *knob(lags) = Some(delay);
}

/// How long a call takes. One of 8 s is just within what the SDK waits.
fn latency(dice: Dice, scenario: &mut Scenario) {
    let millis = dice.of("length", &[0, 50, 500, 2_000, 8_000]);
    let delay = Some(if dice.one_in("spread", 2) { constant(millis) } else { up_to(millis) });
    let (latency, kubernetes) = (&mut scenario.cloud.latency, &mut scenario.kubernetes);
    match dice.below("knob", 8) {
        0 => latency.get = delay,
        1 => latency.list = delay,
        2 => latency.put = delay,
        3 => latency.delete = delay,
        4 => latency.create_pool = delay,
        5 => latency.post = delay,
        6 => kubernetes.watch = delay,
        _ => kubernetes.call = Some(up_to(millis.min(500))),
    }
}

pub fn constant(millis: u64) -> Delay {
    Delay::constant(Span::millis(millis))
}

/// From no time to this long, half of it in the middle.
pub fn up_to(millis: u64) -> Delay {
    if millis == 0 {
        return constant(0);
    }
    let [middle, most] = [millis / 2, millis].map(std::time::Duration::from_millis);
    let points = [(500_000, middle), (1_000_000, most)];
    lkesim_runtime::Quantiles::through(&points).map_or_else(|_| constant(millis), Delay::from)
}
