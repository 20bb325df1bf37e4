//! A count above the one that its operation read raises the real count by exactly that difference.
//!
//! # Why it matters
//!
//! Two Creates that read the same count and each write one more get one Linode between them. One of the two then waits
//! for a Linode that nobody asked for, until its deadline.
//!
//! # How it is judged
//!
//! When a PUT of a count above the last reading of the same operation is accepted: the change of the real count is laid
//! beside the difference that was meant. A PUT that changes nothing is judged when its success is answered. The SDK's
//! repetition of a PUT that took effect, though its answer was lost, means no further difference.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::What;
use crate::truth::{Fact, Write};

#[derive(Default)]
pub struct NoLostScale;

impl Invariant for NoLostScale {
    fn follows(&self) -> Topics {
        Topics::POOL_COUNT.and(Topics::SCALE_LOST)
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        for fact in moment.truth.facts() {
            let Fact::ScaleLost { call } = fact else {
                continue;
            };
            if let Some(write) = moment.truth.write(Some(*call)) {
                lost(moment, write, 0, found);
            }
        }
        let What::PoolCountChanged { from, to, call, by_count: true, .. } = moment.what() else {
            return;
        };
        let Some(write) = moment.truth.write(*call) else {
            return;
        };
        let change = i64::from(*to) - i64::from(*from);
        // What an earlier try has done, its repetition need not do again.
        let meant = write.raise().map(|raise| if write.repeats { 0 } else { i64::from(raise) });
        if meant.is_some_and(|meant| meant != change) {
            lost(moment, write, change, found);
        }
    }
}

fn lost(moment: &Moment<'_>, write: &Write, change: i64, found: &mut Findings) {
    found.breach(moment.at(), || {
        let objects: Vec<String> = write.lke_pool.map(words::lke_pool).into_iter().collect();
        let (read, asked) = (write.read.unwrap_or_default(), write.asked.unwrap_or_default());
        let doer = words::doer(moment.truth, Some(write.call));
        (format!("{doer} read a count of {read} and wrote {asked}, which changed the real count by {change}"), objects)
    });
}
