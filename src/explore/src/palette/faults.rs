//! A fault of the API, drawn.

use crate::dice::Dice;
use lkesim_linode_api::Endpoint;
use lkesim_scenario::fault::{
    Body, Calls, Double, Garble, Lose, Maintenance, Partial, Refuse, RetryAfter, Slow, Stale, Twice,
};
use lkesim_scenario::{Delay, Fault, Percent, Range, Span};

/// Calls by which something changes.
const WRITES: [Endpoint; 5] =
    [Endpoint::CreatePool, Endpoint::UpdatePool, Endpoint::UpdateInstance, Endpoint::DeleteNode, Endpoint::DeletePool];

const READS: [Endpoint; 4] = [Endpoint::ListPools, Endpoint::GetPool, Endpoint::ListInstances, Endpoint::GetInstance];

const LISTS: [Endpoint; 2] = [Endpoint::ListPools, Endpoint::ListInstances];

/// When a fault applies.
struct When {
    chance: Percent,
    nth: Option<Range<u64>>,
    from: Span,
    until: Option<Span>,
}

/// One of the kinds that there are, before `end`.
pub fn draw(dice: Dice, end: Span) -> Fault {
    let when = when(dice, end);
    let When { chance, nth, from, until } = when;
    let one_of = |endpoints: &[Endpoint]| Calls::Of(vec![dice.of("call", endpoints)]);
    let writes = || one_of(&WRITES);
    let any = || if dice.one_in("reads", 2) { one_of(&READS) } else { one_of(&WRITES) };
    let reads = || one_of(&READS);
    let kinds = [(6, 0), (4, 1), (5, 2), (3, 3), (5, 4), (3, 5), (2, 6), (1, 7), (2, 8)];
    match dice.weighted("kind", &kinds) {
        0 => refuse(dice, any(), when),
        1 => {
            let by = Delay::constant(Span::secs(dice.of("by", &[2, 6, 12, 40])));
            Fault::Delay(Slow { call: any(), by, chance, nth, from, until })
        }
        2 => Fault::Lose(Lose { call: writes(), chance, nth, from, until }),
        3 => Fault::Twice(Twice { call: writes(), chance, nth, from, until }),
        4 => {
            let age = Span::secs(dice.of("age", &[2, 10, 30, 120]));
            Fault::Stale(Stale { call: reads(), age, chance, nth, from, until })
        }
        5 => {
            let keep = dice.of("keep", &[None, Some(0), Some(1)]);
            let missing = keep.is_none().then(|| Percent::from_ppm(500_000));
            Fault::Partial(Partial { call: one_of(&LISTS), missing, keep, chance, nth, from, until })
        }
        6 => Fault::Double(Double { call: one_of(&LISTS), chance, nth, from, until }),
        7 => {
            let until = Some(Span::from(from.get() + Span::secs(dice.of("for", &[10, 60, 200])).get()));
            Fault::Maintenance(Maintenance { call: Calls::Any, chance: Percent::ALWAYS, nth: None, from, until })
        }
        _ => Fault::Garble(Garble { call: writes(), chance, nth, from, until }),
    }
}

fn refuse(dice: Dice, call: Calls, When { chance, nth, from, until }: When) -> Fault {
    let status = dice.of("status", &[400, 404, 409, 429, 500, 502, 503]);
    let reason = dice.one_in("busy", 3).then(|| "Linode busy.".to_owned());
    let bodies = [Body::Empty, Body::NginxPage, Body::Garbled];
    let body = (reason.is_none() && dice.one_in("body", 6)).then(|| dice.of("bodies", &bodies));
    let afters =
        [RetryAfter::After(Span::secs(1)), RetryAfter::After(Span::secs(20)), RetryAfter::None, RetryAfter::Date];
    let retry_after = dice.one_in("retry_after", 3).then(|| dice.of("after", &afters));
    Fault::Refuse(Refuse { call, status, reason, retry_after, body, maintenance: false, chance, nth, from, until })
}

fn when(dice: Dice, end: Span) -> When {
    let (mut chance, mut nth, mut from, mut until) = (Percent::ALWAYS, None, Span::ZERO, None);
    match dice.below("when", 4) {
        0 | 1 => {
            let low = dice.weighted("low", &[(4, 1), (3, 2), (2, 3), (1, 5)]);
            nth = Some(Range { low: Some(low), high: Some(low + dice.of("more", &[0, 0, 0, 2])) });
        }
        2 => chance = Percent::from_ppm(dice.of("chance", &[50_000, 200_000, 500_000])),
        _ => {
            from = super::trouble::moment(dice, end);
            until = Some(Span::from(from.get() + Span::secs(dice.of("for", &[2, 15, 60])).get()));
        }
    }
    When { chance, nth, from, until }
}
