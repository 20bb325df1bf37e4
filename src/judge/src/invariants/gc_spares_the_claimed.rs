//! Garbage collection never deletes a Linode that a live NodeClaim holds, or that a running Create() then returns.
//!
//! # Why it matters
//!
//! Garbage collection works from a list that is older than the deletion. A Linode that was nobody's in the list may be
//! claimed by the time that its deletion is accepted.
//!
//! # How it is judged
//!
//! When a request of garbage collection removes a Linode that a live NodeClaim holds; and when a Create returns a
//! Linode that garbage collection removed while that Create ran.

use super::{Findings, Invariant, Moment, Topics, words};
use crate::event::{Returned, What};
use lkesim_linode_api::{CallNumber, InstanceId, Operation};
use lkesim_runtime::Time;
use std::collections::BTreeMap;

/// A Linode that garbage collection removed.
struct Removed {
    at: Time,
    call: Option<CallNumber>,
    /// The last operation that had started by then: operations are numbered as they start.
    last_run: u64,
}

#[derive(Default)]
pub struct GcSparesTheClaimed {
    removed: BTreeMap<InstanceId, Removed>,
}

impl Invariant for GcSparesTheClaimed {
    fn follows(&self) -> Topics {
        Topics::INSTANCE_DELETED.and(Topics::RETURNED)
    }

    fn on(&mut self, moment: &Moment<'_>, found: &mut Findings) {
        match moment.what() {
            What::InstanceDeleted { instance, call, .. } => self.deleted(moment, *instance, *call, found),
            What::OperationReturned { run, result: Returned::Instance(instance) } => {
                self.returned(moment, *run, *instance, found);
            }
            _ => {}
        }
    }
}

impl GcSparesTheClaimed {
    fn deleted(&mut self, moment: &Moment<'_>, id: InstanceId, call: Option<CallNumber>, found: &mut Findings) {
        let truth = moment.truth;
        if !truth.write(call).is_some_and(|write| write.is_garbage_collection()) {
            return;
        }
        if truth.live_holders(id).next().is_none() {
            self.removed.insert(id, Removed { at: moment.at(), call, last_run: truth.last_run() });
            return;
        }
        found.breach(moment.at(), || {
            let mut objects: Vec<String> = truth.live_holders(id).map(ToString::to_string).collect();
            let (holders, linode, doer) = (words::list(&objects), words::linode(id), words::doer(truth, call));
            objects.push(linode.clone());
            (format!("garbage collection removed {linode}, which {holders} holds, by {doer}"), objects)
        });
    }

    fn returned(&mut self, moment: &Moment<'_>, run: u64, id: InstanceId, found: &mut Findings) {
        let truth = moment.truth;
        let create = truth.operation(run).filter(|running| running.operation == Operation::Create);
        let (Some(create), Some(removed)) = (create, self.removed.get(&id)) else {
            return;
        };
        if run > removed.last_run {
            return;
        }
        found.breach(moment.at(), || {
            let claim = create.claim.map_or("a NodeClaim".into(), |uid| words::claim(truth, uid));
            let (linode, when) = (words::linode(id), removed.at.as_millis());
            let doer = words::doer(truth, removed.call);
            let text = format!(
                "garbage collection removed {linode} at {when} ms, while a Create for {claim} ran that then returned it, \
                 by {doer}"
            );
            (text, vec![claim, linode])
        });
    }
}
