//! The machines of a NodePool never have more than its limits allow.
//!
//! # Why it matters
//!
//! Limits are how a bill is bounded: whatever pods ask for, a NodePool buys no more than this. They hold by arithmetic
//! alone: a pass counts what is there, what it has opened itself, and the largest type that each may become. A pass that
//! does not see the NodeClaims of another one buys as if they were not.
//!
//! # How it is judged
//!
//! When a NodeClaim's machine becomes known: what the machines of the NodePool's live NodeClaims have in sum is, resource
//! by resource, at most its limit; `nodes` counts them. Each NodeClaim that leaves the sum too high is a
//! breach. NodeClaims that are being deleted do not count. A limit that is lowered breaks nothing by itself, and binds
//! NodeClaims that are made a minute later: what a pass has seen may be a little old. Judged in runs with pods.

use super::{Findings, Invariant, Moment, Topics};
use crate::event::What;
use crate::truth::Exceeded;

#[derive(Default)]
pub struct NodepoolLimitsHold;

impl Invariant for NodepoolLimitsHold {
    fn follows(&self) -> Topics {
        Topics::CAPACITY
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        let What::ClaimCapacity { claim, .. } = moment.what() else {
            return;
        };
        let Some(of) = moment.truth.claim(claim.uid).filter(|of| of.is_live()) else {
            return;
        };
        let exceeded: Vec<Exceeded> = moment.truth.exceeded(of).collect();
        if exceeded.is_empty() {
            return;
        }
        found.breach(moment.at(), || {
            let all: Vec<String> = exceeded.iter().map(described).collect();
            let node_pool = format!("nodepool/{}", of.node_pool);
            (format!("with {claim}, {node_pool} has {}", all.join(" and ")), vec![claim.to_string(), node_pool])
        });
    }
}

fn described(one: &Exceeded) -> String {
    format!("{} of {} where {} are allowed", units(one.used), one.resource, units(one.limit))
}

/// `2`, or `1.5`.
fn units(milli: u64) -> String {
    let (whole, rest) = (milli / 1_000, milli % 1_000);
    match rest {
        0 => whole.to_string(),
        rest => format!("{whole}.{rest:03}").trim_end_matches('0').to_owned(),
    }
}
