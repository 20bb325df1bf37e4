//! A count above the one that its operation read never lowers the real count.
//!
//! # Why it matters
//!
//! A count is written as a number, not as a difference. Written from an old reading, a scale-up deletes Linodes that
//! others have claimed in between.
//!
//! # How it is judged
//!
//! When a PUT of a count is accepted and lowers the real one, though it is above what the same operation last read of
//! that LKE pool in a list, a GET or a reply to a PUT.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::What;

#[derive(Default)]
pub struct ScaleUpNeverShrinks;

impl Invariant for ScaleUpNeverShrinks {
    fn follows(&self) -> Topics {
        Topics::POOL_COUNT
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        let What::PoolCountChanged { lke_pool, from, to, call, by_count: true } = moment.what() else {
            return;
        };
        let Some(write) = moment.truth.write(*call).filter(|write| to < from && write.raise().is_some()) else {
            return;
        };
        found.breach(moment.at(), || {
            let (name, doer) = (words::lke_pool(*lke_pool), words::doer(moment.truth, *call));
            let read = write.read.unwrap_or_default();
            let text =
                format!("{doer} read a count of {read} and wrote {to}, which lowered {name} from {from} to {to}");
            (text, vec![name])
        });
    }
}
