//! What goes wrong in a drawn scenario, beside its luck: faults, crashes, hands, limits, shortages.

use super::cast::TYPES;
use super::cloud::{constant, up_to};
use super::faults;
use crate::dice::Dice;
use lkesim_linode_api::Endpoint;
use lkesim_scenario::by_hand::{OneLinode, OnePool, Pick, ResizePool, RetagLinode, RetagPool};
use lkesim_scenario::chaos::{Crash, LeaderChange, Pause};
use lkesim_scenario::cloud::{Limits, Most, RateLimits, SoldOut};
use lkesim_scenario::fault::Calls;
use lkesim_scenario::{ByHand, Chaos, Client, Rate, Scenario, Span};

/// When something happens: mostly while NodeClaims are made.
pub fn moment(dice: Dice, end: Span) -> Span {
    let end = end.nanos() / 1_000_000;
    let (from, to) = dice.weighted("moment", &[(4, (0, 15_000)), (4, (15_000, 90_000)), (2, (0, end))]);
    let millis = from + dice.below("millis", to - from);
    Span::millis(millis.min(end - 1) / 100 * 100)
}

/// One more trouble.
pub fn add(dice: Dice, scenario: &mut Scenario) {
    let end = scenario.duration;
    match dice.weighted("kind", &[(40, 0), (16, 1), (12, 2), (4, 3), (6, 4), (6, 5), (6, 6)]) {
        0 => scenario.faults.push(faults::draw(dice.part("fault", 0), end)),
        1 => chaos(dice, scenario),
        2 => scenario.by_hand.push(by_hand(dice, scenario)),
        3 => client(dice, scenario),
        4 => scenario.cloud.limits = tight(dice),
        5 => shortage(dice, scenario),
        _ => slow_machines(dice, scenario),
    }
}

fn chaos(dice: Dice, scenario: &mut Scenario) {
    let at = moment(dice, scenario.duration);
    let cluster = None;
    let calls = [Endpoint::CreatePool, Endpoint::UpdatePool, Endpoint::UpdateInstance, Endpoint::DeleteNode];
    scenario.chaos.push(match dice.below("chaos", 6) {
        0 => Chaos::Crash(Crash { at: Some(at), after: None, nth: 1, cluster }),
        1..=3 => {
            let after = Some(Calls::Of(vec![dice.of("call", &calls)]));
            Chaos::Crash(Crash { at: None, after, nth: dice.of("nth", &[1, 1, 2, 3]), cluster })
        }
        4 => {
            scenario.karpenter.replicas = Some(2);
            let overlap = Span::secs(dice.of("overlap", &[0, 2, 10]));
            Chaos::LeaderChange(LeaderChange { at, overlap, cluster })
        }
        _ => {
            scenario.karpenter.replicas = Some(2);
            Chaos::Pause(Pause { at, length: Span::secs(dice.of("length", &[3, 12, 20, 45])), cluster })
        }
    });
}

fn by_hand(dice: Dice, scenario: &Scenario) -> ByHand {
    let (at, cluster, plan) = (moment(dice, scenario.duration), None, None);
    let which = Some(dice.of("which", &[Pick::Newest, Pick::Oldest]));
    let node_pool = "default".to_owned();
    let tags = |tag: &str| vec![tag.to_owned()];
    match dice.below("act", 8) {
        0 | 1 => ByHand::DeleteLinode(OneLinode { at, claim: None, cluster, node_pool: None, which }),
        2 => ByHand::DeleteNode(OneLinode { at, claim: None, cluster, node_pool: None, which }),
        3 => {
            let remove = tags(dice.of("tag", &["karpenter.sh/nodeclaim", "karpenter.sh/nodepool"]));
            ByHand::RetagLinode(RetagLinode {
                at,
                claim: None,
                cluster,
                node_pool: None,
                which,
                remove,
                add: Vec::new(),
            })
        }
        4 => ByHand::ResizePool(ResizePool {
            at,
            cluster,
            node_pool,
            plan,
            to: None,
            by: Some(dice.of("by", &[-1, 1, 2])),
        }),
        5 => {
            let remove = tags("karpenter.sh/nodepool");
            ByHand::RetagPool(RetagPool { at, cluster, node_pool, plan, remove, add: Vec::new() })
        }
        6 => ByHand::DeletePool(OnePool { at, cluster, node_pool, plan }),
        _ => ByHand::RecyclePool(OnePool { at, cluster, node_pool, plan }),
    }
}

/// Another client eats most of the lists that the token may ask for, for a minute or two.
fn client(dice: Dice, scenario: &mut Scenario) {
    let from = moment(dice, scenario.duration);
    let until = Some(Span::from(from.get() + Span::secs(dice.of("for", &[60, 120])).get()));
    let client = Client {
        name: format!("other-{}", scenario.clients.len() + 1),
        token: scenario.karpenter.token.clone(),
        calls: Calls::Of(vec![Endpoint::ListInstances]),
        rate: Rate::new(dice.of("rate", &[180, 240]), Span::mins(1)),
        from,
        until,
    };
    scenario.clients.push(client);
}

fn tight(dice: Dice) -> Limits {
    let list = dice.of("list", &[4, 12, 30]);
    let other = dice.of("other", &[10, 60, 1_600]);
    Limits::Limited(RateLimits {
        list: Rate::new(list, Span::mins(1)),
        other: Rate::new(other, Span::mins(1)),
        ..RateLimits::default()
    })
}

fn shortage(dice: Dice, scenario: &mut Scenario) {
    let (has_pods, end) = (scenario.has_pods(), scenario.duration);
    let (plan, cloud) = (TYPES[0].to_owned(), &mut scenario.cloud);
    // For pods Karpenter tries again and again: where nothing ever can be had, nothing settles.
    let kind = if has_pods { 4 } else { dice.below("shortage", 5) };
    match kind {
        0 => drop(cloud.capacity.insert(plan, dice.of("capacity", &[0, 1, 2]))),
        1 => cloud.nodes_per_pool = Some(Most::Of(dice.of("per_pool", &[1, 2]))),
        2 => cloud.account_limit = Most::Of(dice.of("account", &[4, 5, 6])),
        _ => {
            let from = moment(dice, end);
            let ends = dice.one_in("ends", 2) || has_pods;
            let until = ends.then(|| Span::from(from.get() + Span::secs(60).get()));
            let status = dice.of("status", &[None, Some(400)]);
            cloud.sold_out.push(SoldOut { plan, region: None, from, until, status });
        }
    }
}

/// Linodes that boot or join late, or not while anyone waits for them.
fn slow_machines(dice: Dice, scenario: &mut Scenario) {
    let slow = match dice.below("slow", 3) {
        0 => constant(40 * 60_000),
        1 => up_to(20 * 60_000),
        _ => up_to(6 * 60_000),
    };
    match dice.one_in("boot", 2) {
        true => scenario.cloud.lags.boot = Some(slow),
        false => scenario.kubernetes.join = Some(slow),
    }
}
