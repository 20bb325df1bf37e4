//! A count is never raised above the NodeClaims that need a Linode of that LKE pool.
//!
//! # Why it matters
//!
//! Each Linode beyond demand is billed for at least an hour and claimed by nobody. A Create that scales again on each
//! attempt, because the Linode that it already asked for is not visible yet, multiplies them.
//!
//! # How it is judged
//!
//! At each accepted increase that Karpenter asked for (making a LKE pool is an increase from 0), the count is at most
//! the NodeClaims, live or deleting, that hold a live Linode in that pool, plus the live NodeClaims without a holding
//! whose last Create resolved to that key. A Create for a claim that allows one plan has resolved from its beginning.
//! Any other has resolved to the key of the last LKE pool that it asked for by id, or to its NodePool and the plan of
//! the pool that it asked to be made; until then to what the claim's Create before it did.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::What;
use lkesim_linode_api::{CallNumber, LkePoolId};

#[derive(Default)]
pub struct ScaleMatchesDemand;

impl Invariant for ScaleMatchesDemand {
    fn follows(&self) -> Topics {
        Topics::POOL_CREATED.and(Topics::POOL_COUNT)
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        match moment.what() {
            What::PoolCreated { lke_pool, count, call, .. } => look(moment, *lke_pool, 0, *count, *call, found),
            What::PoolCountChanged { lke_pool, from, to, call, .. } => {
                look(moment, *lke_pool, *from, *to, *call, found);
            }
            _ => {}
        }
    }
}

fn look(moment: &Moment<'_>, id: LkePoolId, from: u32, to: u32, call: Option<CallNumber>, found: &mut Findings) {
    let truth = moment.truth;
    let judged = to > from && truth.write(call).is_some_and(|write| write.is_karpenters());
    let Some(lke_pool) = truth.lke_pool(id).filter(|_| judged) else {
        return;
    };
    let Some(key) = lke_pool.key else { return };
    let (holders, waiting) = (lke_pool.holders, truth.waiting_for(key));
    if to > holders + waiting {
        found.breach(moment.at(), || {
            let (name, doer) = (words::lke_pool(id), words::doer(truth, call));
            let text = format!(
                "{name} was raised from {from} to {to} by {doer}, but {holders} NodeClaims hold a Linode in it and \
                 {waiting} wait for one"
            );
            (text, vec![name])
        });
    }
}
