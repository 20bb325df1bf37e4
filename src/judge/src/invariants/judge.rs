//! Watches all invariants over one run.

use super::finding::{Findings, Pending};
use super::registry::INVARIANTS;
use super::{Invariant, Moment, Topics};
use crate::event::Event;
use crate::outcome::{InvariantOutcome, Kind};
use crate::truth::{ClusterFacts, Truth};
use lkesim_runtime::Time;

struct Watched {
    follows: Topics,
    invariant: Box<dyn Invariant>,
    found: Findings,
    promised: bool,
}

/// Holds the truth and watches all invariants over one run.
pub struct Judge {
    truth: Truth,
    watched: Vec<Watched>,
    followed: Topics,
    settled: bool,
    stale: bool,
}

impl Judge {
    /// A judge of a run in these clusters. What one of their designs does not promise is not waited for.
    pub fn new(clusters: Vec<ClusterFacts>) -> Judge {
        let promised = |name: &str| {
            clusters
                .iter()
                .all(|facts| !facts.design.not_promised.contains(&name))
        };
        let watched: Vec<Watched> = INVARIANTS
            .iter()
            .map(|info| {
                let invariant = (info.make)();
                let (follows, found) = (invariant.follows(), Findings::default());
                Watched {
                    follows,
                    invariant,
                    found,
                    promised: promised(info.name),
                }
            })
            .collect();
        let followed = watched
            .iter()
            .fold(Topics::NONE, |all, one| all.and(one.follows));
        Judge {
            truth: Truth::new(clusters),
            watched,
            followed,
            settled: true,
            stale: false,
        }
    }

    /// Takes one event.
    #[inline]
    pub fn see(&mut self, event: &Event) {
        self.truth.apply(event);
        let topics = Topics::of(&event.what, self.truth.facts());
        if self.followed.meets(topics) {
            self.judge(event, topics);
        }
    }

    fn judge(&mut self, event: &Event, topics: Topics) {
        self.stale = true;
        let moment = Moment {
            event,
            truth: &self.truth,
        };
        for watched in self
            .watched
            .iter_mut()
            .filter(|watched| watched.follows.meets(topics))
        {
            watched.invariant.on(&moment, &mut watched.found);
        }
    }

    /// What is true.
    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// Whether everything that must hold in the end, and is promised, holds. It is worked out again after a change alone.
    #[inline]
    pub fn is_settled(&mut self) -> bool {
        if self.stale {
            self.stale = false;
            let mut eventual = self
                .watched
                .iter()
                .zip(INVARIANTS)
                .filter(|(_, info)| info.kind == Kind::Eventually);
            self.settled =
                eventual.all(|(one, _)| !one.promised || one.invariant.holds(&self.truth));
        }
        self.settled
    }

    /// What does not hold yet of what must hold in the end, and what it waits for.
    pub fn unsettled(&self) -> Vec<String> {
        let promised = self.watched.iter().filter(|watched| watched.promised);
        let pending = promised.flat_map(|watched| watched.invariant.waits_for(&self.truth));
        pending.map(|pending| pending.text).collect()
    }

    /// The breaches so far, in the order of [`INVARIANTS`].
    pub fn findings(&self) -> impl Iterator<Item = (&'static str, &Findings)> {
        INVARIANTS
            .iter()
            .map(|info| info.name)
            .zip(self.watched.iter().map(|watched| &watched.found))
    }

    /// Whether an invariant that is promised broke so far.
    pub fn is_broken(&self) -> bool {
        self.watched
            .iter()
            .any(|watched| watched.promised && watched.found.count() > 0)
    }

    /// Ends the run: what must hold in the end and does not becomes a breach. `expected_to_break` is left false, as a
    /// judge knows no scenario.
    pub fn conclude(mut self, at: Time) -> Vec<InvariantOutcome> {
        for watched in &mut self.watched {
            for Pending { text, objects } in watched.invariant.waits_for(&self.truth) {
                watched.found.breach(at, || (text, objects));
            }
        }
        INVARIANTS
            .iter()
            .zip(self.watched)
            .map(|(info, watched)| InvariantOutcome {
                name: info.name.into(),
                kind: info.kind,
                held: watched.found.count() == 0,
                expected_to_break: false,
                not_promised: !watched.promised,
                count: watched.found.count(),
                violations: watched.found.first_few().to_vec(),
            })
            .collect()
    }
}

#[cfg(test)]
impl Judge {
    /// Whether something that must hold in the end does not hold yet, by both ways to ask.
    pub(super) fn does_not_hold(&self, name: &str) -> bool {
        let index = INVARIANTS
            .iter()
            .position(|info| info.name == name)
            .expect("a known invariant");
        let invariant = &self.watched[index].invariant;
        let holds = invariant.holds(&self.truth);
        assert_eq!(holds, invariant.waits_for(&self.truth).is_empty(), "{name}");
        !holds
    }
}
