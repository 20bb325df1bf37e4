//! One run of an operation: what every call it makes says of itself.

use lkesim_karpenter::cloud_provider::Caller;
use lkesim_kube::object::NodeClass;
use lkesim_linode_api::{Cause, Operation, Purpose};
use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::sync::Arc;

/// A run of an operation.
pub struct Run {
    caller: Caller,
    operation: Operation,
    subject: Arc<str>,
    again: bool,
    attempt: Cell<u32>,
    node_class: OnceCell<Rc<NodeClass>>,
}

impl Run {
    pub(crate) fn new(caller: Caller, operation: Operation, subject: Arc<str>, again: bool) -> Run {
        Run { caller, operation, subject, again, attempt: Cell::new(0), node_class: OnceCell::new() }
    }

    /// The number of the run, by which others that it shares a call with are told.
    pub const fn number(&self) -> u64 {
        self.caller.run
    }

    /// Remembers the NodeClass that a Create resolved: what it makes is as that one says, though it changes meanwhile.
    pub fn resolve(&self, node_class: Rc<NodeClass>) {
        // A Create resolves it once.
        let _ = self.node_class.set(node_class);
    }

    /// The NodeClass that a Create resolved.
    pub fn node_class(&self) -> Option<&NodeClass> {
        self.node_class.get().map(|node_class| &**node_class)
    }

    /// Counts an attempt of the operation's loop.
    pub fn next_attempt(&self) {
        self.attempt.set(self.attempt.get() + 1);
    }

    /// The purpose of a call that looks for a Linode or takes it. Attempts after the first wait for one to show; a
    /// later Create of the same NodeClaim is a requeue.
    pub fn claiming(&self) -> Purpose {
        self.purpose(match (self.again, self.attempt.get()) {
            (true, _) => Cause::Requeue,
            (false, 0 | 1) => Cause::Claim,
            (false, _) => Cause::Wait,
        })
    }

    /// The purpose of a call that is for `cause`.
    pub fn purpose(&self, cause: Cause) -> Purpose {
        Purpose {
            caller: self.caller.pass,
            operation: self.operation,
            invocation: self.caller.run,
            attempt: self.attempt.get(),
            subject: self.subject.clone(),
            cause,
            joined: Default::default(),
        }
    }
}
