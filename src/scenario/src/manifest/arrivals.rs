//! Pods that arrive one by one: when, and how long each runs.
//!
//! Integers alone decide. An exponential draw is a logarithm by squaring, as `ln` differs between platforms; a rate
//! that changes between day and night stretches the time between arrivals, so that the same luck serves any rate.

use crate::pods::Arrive;
use crate::value::{Rate, Span};
use lkesim_kube::object::{Pod, PodTemplate};
use lkesim_runtime::{Entity, Key, Quantiles, Time, Word};
use std::rc::Rc;

/// Pods that arrive one by one.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrivals {
    /// What their names begin with.
    pub name: Rc<str>,
    /// Their namespace.
    pub namespace: Rc<str>,
    /// What they are like.
    pub template: Rc<PodTemplate>,
    /// How long each runs; `None` is for ever.
    pub runs_for: Option<Quantiles>,
    when: When,
    /// So many at most.
    most: usize,
}

#[derive(Clone, Debug, PartialEq)]
enum When {
    Times(Vec<Time>),
    Poisson { from: Time, until: Time, pace: Pace },
}

/// How many arrive on average, by day and by night.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pace {
    rate: Rate,
    night: Option<crate::pods::Night>,
}

impl Arrivals {
    /// What a step says. Where it names no end, pods arrive until `end`.
    pub(super) fn of(step: &Arrive, template: PodTemplate, end: Span) -> Arrivals {
        let since_start = |span: Span| Time::ZERO + span.get();
        let when = match step.rate {
            Some(rate) => When::Poisson {
                from: since_start(step.from),
                until: since_start(step.until.unwrap_or(end)),
                pace: Pace { rate, night: step.night },
            },
            None => {
                let mut times: Vec<Time> = step.times.iter().map(|at| since_start(*at)).collect();
                times.sort_unstable();
                When::Times(times)
            }
        };
        Arrivals {
            name: step.name.as_str().into(),
            namespace: step.namespace.as_str().into(),
            template: Rc::new(template),
            runs_for: step.runs_for.as_ref().map(|delay| delay.quantiles().clone()),
            when,
            most: step.most.map_or(usize::MAX, |most| most as usize),
        }
    }

    fn entity(&self, purpose: &str) -> Entity {
        Entity::named(purpose).and_name(&self.namespace).and_name(&self.name)
    }

    /// When they arrive, in order.
    pub fn times(&self, key: Key) -> Vec<Time> {
        match &self.when {
            When::Times(times) => times.iter().copied().take(self.most).collect(),
            When::Poisson { from, until, pace } => {
                let entity = self.entity("arrival");
                let mut at = *from;
                let gaps = (0..).map(|n| exponential(key.draw(entity, n)));
                let arrive = |gap: u64| {
                    at = pace.after(at, gap, *until)?;
                    Some(at)
                };
                gaps.map_while(arrive).take(self.most).collect()
            }
        }
    }

    /// The `n`-th pod, from 0. How long it runs is drawn with `key`.
    pub fn pod(&self, n: u64, key: Key) -> Pod {
        let name = format!("{}-{}", self.name, n + 1);
        let mut pod = Pod::new_in(self.namespace.clone(), &name, Default::default());
        pod.metadata.labels = self.template.labels.clone();
        pod.metadata.annotations = self.template.annotations.clone();
        pod.spec = self.template.spec.clone();
        pod.runs_for = self.runs_for.as_ref().map(|runs_for| runs_for.draw(key.draw(self.entity("runs_for"), n)));
        pod
    }
}

impl Pace {
    /// When the next one arrives after `at`, if its gap is so many times the mean gap, in parts of 2³²; none from
    /// `until` on.
    fn after(self, mut at: Time, mut gap: u64, until: Time) -> Option<Time> {
        while at < until {
            let (rate, end) = self.at(at);
            let end = end.min(until);
            let (calls, window) = (u128::from(rate.calls), u128::from(rate.window.nanos()));
            let length = u128::from(end.since(at).as_nanos() as u64);
            // What of the gap passes until the rate changes.
            let passes = ((length * calls) << 32) / window;
            if u128::from(gap) < passes {
                let nanos = (u128::from(gap) * window / calls) >> 32;
                return Some(at + std::time::Duration::from_nanos(nanos as u64));
            }
            gap -= passes as u64;
            at = end;
        }
        None
    }

    /// The rate at a time, and until when it holds.
    fn at(self, at: Time) -> (Rate, Time) {
        let Some(night) = self.night else { return (self.rate, Time::MAX) };
        let day = night.day.nanos();
        let (from, until) = (night.from.nanos(), night.until.nanos());
        let nanos = at.since(Time::ZERO).as_nanos() as u64;
        let (begins, now) = (nanos - nanos % day, nanos % day);
        let is_night = match from <= until {
            true => (from..until).contains(&now),
            false => now >= from || now < until,
        };
        let next = [from, until].into_iter().filter(|border| *border > now).min().unwrap_or(day);
        let end = Time::ZERO + std::time::Duration::from_nanos(begins.saturating_add(next.min(day)));
        (if is_night { night.rate } else { self.rate }, end)
    }
}

/// 2³² times the natural logarithm of 2.
const LN_2: u64 = 2_977_044_472;

/// An exponential draw of mean 1, in parts of 2³²: minus the logarithm of a uniform one.
fn exponential(word: Word) -> u64 {
    let word = word.0.max(1);
    let zeros = word.leading_zeros();
    // From 1 to below 2, in parts of 2⁶³.
    let mut rest = u128::from(word << zeros);
    let mut log_2: u64 = 0;
    for _ in 0..32 {
        rest = (rest * rest) >> 63;
        log_2 <<= 1;
        if rest >= 1 << 64 {
            log_2 |= 1;
            rest >>= 1;
        }
    }
    let minus_log_2 = (u64::from(zeros) << 32) + ((1 << 32) - log_2);
    ((u128::from(minus_log_2) * u128::from(LN_2)) >> 32) as u64
}

#[cfg(test)]
mod tests;
