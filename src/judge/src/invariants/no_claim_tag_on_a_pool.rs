//! The nodeclaim tag is on instances alone, never on a LKE pool.
//!
//! # Why it matters
//!
//! On Enterprise a pool's tags reach all its Linodes: one claim's tag on the pool makes every Linode of it that
//! claim's, and none claimable.
//!
//! # How it is judged
//!
//! When a LKE pool is made with a nodeclaim tag, or gets one; whoever wrote it is named.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::What;
use lkesim_linode_api::{CallNumber, LkePoolId, Tags};
use std::sync::Arc;

#[derive(Default)]
pub struct NoClaimTagOnAPool;

impl Invariant for NoClaimTagOnAPool {
    fn follows(&self) -> Topics {
        Topics::POOL_CREATED.and(Topics::POOL_TAGS)
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        match moment.what() {
            What::PoolCreated { lke_pool, tags, call, .. } => {
                look(moment, *lke_pool, &Tags::default(), tags, *call, found);
            }
            What::PoolTagged { lke_pool, before, after, call } => {
                look(moment, *lke_pool, before, after, *call, found);
            }
            _ => {}
        }
    }
}

fn look(
    moment: &Moment<'_>,
    id: LkePoolId,
    before: &Tags,
    after: &Tags,
    call: Option<CallNumber>,
    found: &mut Findings,
) {
    let Some(lke_pool) = moment.truth.lke_pool(id) else {
        return;
    };
    let prefix = moment.truth.cluster(lke_pool.cluster).design.claim_tag_prefix;
    let added = |tag: &&Arc<str>| tag.starts_with(prefix) && !before.has(tag);
    if let Some(tag) = after.iter().find(added) {
        found.breach(moment.at(), || {
            let (name, doer) = (words::lke_pool(id), words::doer(moment.truth, call));
            (format!("{name} got the tag {tag} from {doer}"), vec![name])
        });
    }
}
