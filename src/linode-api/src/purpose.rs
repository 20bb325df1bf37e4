//! Why a call is made. Every call carries it, so that budgets can be told by operation, cause and caller.

use std::sync::Arc;

/// The innermost provider function that makes a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// `Create`: finds or makes the Linode of a NodeClaim.
    Create,
    /// `Get`: one Linode by providerID.
    Get,
    /// `List`: all Linodes of the cluster that Karpenter manages.
    List,
    /// `Delete`: removes a NodeClaim's Linode.
    Delete,
    /// `CreateTags`: adds tags to a Linode.
    CreateTags,
    /// The refresh of instance types and their availability.
    Offerings,
    /// What the operator asks once, when it starts.
    Boot,
    /// Another client that shares the token.
    Foreign,
    /// `UpdateTags`: replaces a Linode's tags.
    UpdateTags,
    /// The look whether a NodeClass can be used.
    Validate,
}

impl Operation {
    /// Every operation, in the order of reports.
    pub const ALL: [Operation; 10] = [
        Operation::Create,
        Operation::Get,
        Operation::List,
        Operation::Delete,
        Operation::CreateTags,
        Operation::Offerings,
        Operation::Boot,
        Operation::Foreign,
        Operation::UpdateTags,
        Operation::Validate,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Operation::Create => "Create",
            Operation::Get => "Get",
            Operation::List => "List",
            Operation::Delete => "Delete",
            Operation::CreateTags => "CreateTags",
            Operation::Offerings => "Offerings",
            Operation::Boot => "Boot",
            Operation::Foreign => "Foreign",
            Operation::UpdateTags => "UpdateTags",
            Operation::Validate => "Validate",
        }
    }
}

/// What within an operation a call is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// Looking for a Linode and taking it, in the first attempt of a NodeClaim's first Create.
    Claim,
    /// The same in a later attempt of that first Create, which waits for a Linode to become visible.
    Wait,
    /// The same in a later Create of the same NodeClaim, which the controller queued again.
    Requeue,
    /// Making a pool or raising its count.
    Scale,
    /// Reading back what was written.
    Verify,
    /// Removing the Linode of a NodeClaim that is deleted.
    Termination,
    /// Adding a Linode's tags once its node is known.
    Tagging,
    /// Looking for orphans and removing them.
    Gc,
    /// Learning types, prices and availability.
    Offerings,
    /// Starting up.
    Boot,
    /// Another client's own reasons.
    Foreign,
    /// Looking whether a NodeClass can be used.
    Validation,
}

impl Cause {
    /// Every cause, in the order of reports.
    pub const ALL: [Cause; 12] = [
        Cause::Claim,
        Cause::Wait,
        Cause::Requeue,
        Cause::Scale,
        Cause::Verify,
        Cause::Termination,
        Cause::Tagging,
        Cause::Gc,
        Cause::Offerings,
        Cause::Boot,
        Cause::Foreign,
        Cause::Validation,
    ];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Cause::Claim => "claim",
            Cause::Wait => "wait",
            Cause::Requeue => "requeue",
            Cause::Scale => "scale",
            Cause::Verify => "verify",
            Cause::Termination => "termination",
            Cause::Tagging => "tagging",
            Cause::Gc => "gc",
            Cause::Offerings => "offerings",
            Cause::Boot => "boot",
            Cause::Foreign => "foreign",
            Cause::Validation => "validation",
        }
    }
}

/// Who makes a call, in which run of which operation, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purpose {
    /// The controller's pass that called the operation, such as `nodeclaim.lifecycle`.
    pub caller: &'static str,
    /// The operation.
    pub operation: Operation,
    /// The n-th run of an operation in this simulation, from 1; 0 outside any.
    pub invocation: u64,
    /// The n-th attempt of the operation's own loop, from 1; 0 where it has none.
    pub attempt: u32,
    /// The NodeClaim, instance or key that the operation is about.
    pub subject: Arc<str>,
    /// What the call is for.
    pub cause: Cause,
    /// Further runs of the operation that share the call, by their numbers; none, as a rule.
    pub joined: Joined,
}

/// The runs of an operation that share a call with the one that makes it: Creates that wait for the same LKE pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined(Option<Arc<[u64]>>);

impl Joined {
    /// Nobody.
    pub const NONE: Joined = Joined(None);

    /// The numbers of the runs, from 1.
    pub fn runs(&self) -> &[u64] {
        self.0.as_deref().unwrap_or_default()
    }
}

impl FromIterator<u64> for Joined {
    fn from_iter<I: IntoIterator<Item = u64>>(runs: I) -> Joined {
        let runs: Vec<u64> = runs.into_iter().collect();
        Joined((!runs.is_empty()).then(|| runs.into()))
    }
}
