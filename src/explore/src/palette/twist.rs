//! What is changed in every scenario that a palette draws: all lags longer, or one view before the other.

use lkesim_scenario::cloud::Lags;
use lkesim_scenario::{Delay, Scenario, Span};
use std::fmt;

/// A change of every scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Twist {
    /// All lags of the cloud, and the calm, are so many times as long; none for as they are.
    pub stretch: Option<u32>,
    /// Which view shows a new Linode first; none for as it comes.
    pub first: Option<First>,
}

/// Which view shows a new Linode at once, while the other one shows it 30 to 60 s late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// The LKE pool that it is in.
    Members,
    /// The list of Linodes.
    List,
}

impl Twist {
    /// Whether it changes nothing.
    pub fn is_none(&self) -> bool {
        *self == Twist::default()
    }

    /// Changes the scenario.
    pub(super) fn apply(&self, scenario: &mut Scenario) {
        let lags = &mut scenario.cloud.lags;
        let (at_once, late) = (Delay::constant(Span::ZERO), late());
        match self.first {
            None => {}
            Some(First::Members) => {
                (lags.members, lags.slot_id) = (Some(at_once.clone()), Some(at_once));
                lags.instance_list = Some(late);
            }
            Some(First::List) => {
                lags.members = Some(late);
                lags.instance_list = Some(at_once);
            }
        }
        if let Some(times) = self.stretch {
            stretch(scenario, times);
        }
        super::pods::wait_for_machines(scenario);
    }
}

impl fmt::Display for Twist {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.first.map(|first| match first {
            First::Members => "members first".to_owned(),
            First::List => "list first".to_owned(),
        });
        let stretch = self.stretch.map(|times| format!("lags {times} times as long"));
        let words: Vec<String> = first.into_iter().chain(stretch).collect();
        f.write_str(&words.join(", "))
    }
}

/// 30 to 60 s.
fn late() -> Delay {
    through([(0, Span::secs(30)), (1_000_000, Span::secs(60))])
}

fn through(points: impl IntoIterator<Item = (u32, Span)>) -> Delay {
    let points: Vec<_> = points.into_iter().map(|(place, length)| (place, length.get())).collect();
    match lkesim_runtime::Quantiles::through(&points) {
        Ok(quantiles) => quantiles.into(),
        Err(error) => unreachable!("lengths that rise, times a number, rise: {error:?}"),
    }
}

/// Also what the preset says becomes longer; and the calm, in which all has to settle.
fn stretch(scenario: &mut Scenario, times: u32) {
    let lags = scenario.lags();
    let longer = |lag: &lkesim_runtime::Quantiles| {
        Some(through(lag.points().map(|(place, length)| (place, Span::from(length * times)))))
    };
    scenario.calm = Span::from(scenario.calm.get() * times);
    scenario.cloud.lags = Lags {
        pool_list: longer(&lags.pool_list),
        pool_get: longer(&lags.pool_get),
        members: longer(&lags.members),
        slot_id: longer(&lags.slot_id),
        instance_seen: None,
        instance_get: longer(&lags.instance_get),
        instance_list: longer(&lags.instance_list),
        tag_to_get: longer(&lags.tag_to_get),
        tag_to_list: longer(&lags.tag_to_list),
        propagation: longer(&lags.propagation),
        boot: longer(&lags.boot),
        deletion: longer(&lags.deletion),
        heal: longer(&lags.heal),
        ..scenario.cloud.lags.clone()
    };
}
