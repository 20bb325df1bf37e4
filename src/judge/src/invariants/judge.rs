//! Watches all invariants over one run.

use super::finding::{Findings, Pending};
use super::registry::{INVARIANTS, InvariantInfo};
use super::{Beliefs, Invariant, Moment, Topics};
use crate::event::Event;
use crate::outcome::{InvariantOutcome, Kind};
use crate::truth::{ClusterFacts, Truth};
use lkesim_runtime::Time;

struct Watched {
    follows: Topics,
    invariant: Box<dyn Invariant>,
    found: Findings,
    promised: bool,
    kind: Kind,
    /// Of what must hold in the end: whether it held when it was last asked, and whether it was asked since something
    /// changed that it follows.
    held: bool,
    stale: bool,
}

/// Holds the truth and watches all invariants over one run.
pub struct Judge {
    truth: Truth,
    watched: Vec<Watched>,
    /// What some invariant follows, and what one of those that must hold in the end does.
    followed: Topics,
    followed_to_the_end: Topics,
    settled: bool,
    stale: bool,
    has_pods: bool,
}

impl Judge {
    /// A judge of a run in these clusters. What one of their designs does not promise is not waited for.
    pub fn new(clusters: Vec<ClusterFacts>) -> Judge {
        let promised = |name: &str| clusters.iter().all(|facts| !facts.design.not_promised.contains(&name));
        let watch = |info: &InvariantInfo| {
            let invariant = (info.make)();
            Watched {
                follows: invariant.follows(),
                invariant,
                found: Findings::default(),
                promised: promised(info.name),
                kind: info.kind,
                held: true,
                stale: true,
            }
        };
        let watched: Vec<Watched> = INVARIANTS.iter().map(watch).collect();
        let both = |all: Topics, one: &Watched| all.and(one.follows);
        let eventual = watched.iter().filter(|one| one.kind == Kind::Eventually);
        Judge {
            truth: Truth::new(clusters),
            followed: watched.iter().fold(Topics::NONE, both),
            followed_to_the_end: eventual.fold(Topics::NONE, both),
            watched,
            settled: true,
            stale: false,
            has_pods: false,
        }
    }

    /// The same for a run with pods: its invariants are judged too.
    pub fn of_pods(self) -> Judge {
        Judge { has_pods: true, ..self }
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
        if self.followed_to_the_end.meets(topics) {
            self.stale = true;
            self.watched.iter_mut().for_each(|one| one.stale |= one.follows.meets(topics));
        }
        let moment = Moment { event, truth: &self.truth };
        let is_called = |watched: &&mut Watched| watched.kind == Kind::Always && watched.follows.meets(topics);
        for watched in self.watched.iter_mut().filter(is_called) {
            watched.invariant.on(&moment, &mut watched.found);
        }
    }

    /// What is true.
    pub fn truth(&self) -> &Truth {
        &self.truth
    }

    /// Whether everything that must hold in the end, and is promised, holds. Each invariant is asked again only after a
    /// change of what it follows.
    #[inline]
    pub fn is_settled(&mut self) -> bool {
        if self.stale {
            self.stale = false;
            let awaited = |one: &&mut Watched| one.kind == Kind::Eventually && one.promised;
            let mut awaited = self.watched.iter_mut().filter(awaited);
            self.settled = awaited.all(|one| {
                if std::mem::take(&mut one.stale) {
                    one.held = one.invariant.holds(&self.truth);
                }
                one.held
            });
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
        INVARIANTS.iter().map(|info| info.name).zip(self.watched.iter().map(|watched| &watched.found))
    }

    /// Whether an invariant that is promised broke so far.
    pub fn is_broken(&self) -> bool {
        self.watched.iter().any(|watched| watched.promised && watched.found.count() > 0)
    }

    /// Ends the run: what must hold in the end and does not becomes a breach, and so does what processes that lead
    /// believe and is not so. `expected_to_break` is left false, as a
    /// judge knows no scenario.
    pub fn conclude(mut self, at: Time, beliefs: &[Beliefs]) -> Vec<InvariantOutcome> {
        for watched in &mut self.watched {
            let believed = beliefs.iter().flat_map(|of_one| watched.invariant.misbelieved(&self.truth, of_one));
            let pending: Vec<Pending> = watched.invariant.waits_for(&self.truth).into_iter().chain(believed).collect();
            for Pending { text, objects } in pending {
                watched.found.breach(at, || (text, objects));
            }
        }
        INVARIANTS
            .iter()
            .zip(self.watched)
            .filter(|(info, _)| self.has_pods || !info.of_pods)
            .map(|(info, watched)| InvariantOutcome {
                name: info.name.into(),
                kind: info.kind,
                held: watched.found.count() == 0,
                expected_to_break: false,
                not_promised: !watched.promised,
                count: watched.found.count(),
                violations: watched.found.into_first_few(),
            })
            .collect()
    }
}

#[cfg(test)]
impl Judge {
    /// Whether all that is waited for holds, each asked anew.
    pub(super) fn is_settled_by_asking_all(&self) -> bool {
        let mut awaited = self.watched.iter().filter(|one| one.kind == Kind::Eventually && one.promised);
        awaited.all(|one| one.invariant.holds(&self.truth))
    }

    /// Whether something that must hold in the end does not hold yet, by both ways to ask.
    pub(super) fn does_not_hold(&self, name: &str) -> bool {
        let index = INVARIANTS.iter().position(|info| info.name == name).expect("a known invariant");
        let invariant = &self.watched[index].invariant;
        let holds = invariant.holds(&self.truth);
        assert_eq!(holds, invariant.waits_for(&self.truth).is_empty(), "{name}");
        !holds
    }
}
