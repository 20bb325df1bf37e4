//! What happens later.
//!
//! Two queues: one of what changes the truth, for which a driver must wake, and one of what a view comes to see, which
//! can wait for whoever looks. Both are worked off in one order of time and of planning.

use crate::saved::Saved;
use lkesim_linode_api::{ClusterId, LkePoolId};
use lkesim_runtime::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A machine's place in the list of all that ever were.
pub(crate) type MachineIx = u32;

/// Which answers show an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum View {
    Get,
    List,
}

/// Something that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Event {
    Boot(MachineIx),
    Propagate(MachineIx),
    Vanish(MachineIx),
    Heal(MachineIx),
    Resync(MachineIx),
    Turned(MachineIx),
    ClusterVanish(ClusterId),
    Appear(MachineIx, View),
    TagsSeen(MachineIx, View),
    LkePoolSeen(LkePoolId, View),
    Member(LkePoolId, MachineIx),
    SlotId(LkePoolId, MachineIx),
}

impl Event {
    /// Whether it changes the truth.
    const fn is_loud(self) -> bool {
        matches!(
            self,
            Event::Boot(_)
                | Event::Propagate(_)
                | Event::Vanish(_)
                | Event::Heal(_)
                | Event::Resync(_)
                | Event::Turned(_)
                | Event::ClusterVanish(_)
        )
    }
}

type Queue = BinaryHeap<Reverse<(Time, u64, Event)>>;

/// The two queues.
#[derive(Default)]
pub(crate) struct Agenda {
    loud: Queue,
    quiet: Queue,
    planned: u64,
}

impl Agenda {
    pub fn plan(&mut self, at: Time, event: Event) {
        self.planned += 1;
        let queue = if event.is_loud() { &mut self.loud } else { &mut self.quiet };
        queue.push(Reverse((at, self.planned, event)));
    }

    /// When the truth changes next.
    pub fn next_loud(&self) -> Option<Time> {
        self.loud.peek().map(|Reverse((at, ..))| *at)
    }

    /// Takes the first event that is due at `now`.
    #[inline]
    pub fn pop_due(&mut self, now: Time) -> Option<(Time, Event)> {
        let first = |queue: &Queue| queue.peek().map_or((Time::MAX, u64::MAX), |Reverse((at, n, _))| (*at, *n));
        let (loud, quiet) = (first(&self.loud), first(&self.quiet));
        if loud.min(quiet).0 > now || loud == quiet {
            return None;
        }
        let queue = if loud < quiet { &mut self.loud } else { &mut self.quiet };
        queue.pop().map(|Reverse((at, _, event))| (at, event))
    }
}

impl Agenda {
    /// The machines that planned events are about.
    pub fn machines(&self) -> impl Iterator<Item = MachineIx> {
        let events = self.loud.iter().chain(&self.quiet).map(|Reverse((_, _, event))| *event);
        events.filter_map(|event| match event {
            Event::Boot(machine)
            | Event::Propagate(machine)
            | Event::Vanish(machine)
            | Event::Heal(machine)
            | Event::Resync(machine)
            | Event::Turned(machine)
            | Event::Appear(machine, _)
            | Event::TagsSeen(machine, _)
            | Event::Member(_, machine)
            | Event::SlotId(_, machine) => Some(machine),
            Event::ClusterVanish(_) | Event::LkePoolSeen(..) => None,
        })
    }
}

/// When an event is due, the how-manieth it was planned as, and what it is.
type Written = ((Time, u64), Event);

/// In the order in which they are due.
impl Saved for Agenda {
    fn save(&self) -> serde_json::Value {
        let mut planned: Vec<_> = self.loud.iter().chain(&self.quiet).map(|Reverse(planned)| *planned).collect();
        planned.sort_unstable();
        let planned: Vec<_> = planned.into_iter().map(|(at, n, event)| ((at, n), event)).collect();
        (planned, self.planned).save()
    }

    fn load(value: &serde_json::Value) -> Option<Agenda> {
        let (events, planned): (Vec<Written>, u64) = Saved::load(value)?;
        if !events.is_sorted_by_key(|(due, _)| *due) {
            return None;
        }
        let mut agenda = Agenda { planned, ..Agenda::default() };
        for ((at, n), event) in events {
            let queue = if event.is_loud() { &mut agenda.loud } else { &mut agenda.quiet };
            queue.push(Reverse((at, n, event)));
        }
        Some(agenda)
    }
}
