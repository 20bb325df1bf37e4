//! Why an attempt of Create came to nothing, as the shipped providers tell their errors apart.

use lkesim_karpenter::cloud_provider::CreateError;
use lkesim_linode_api::{CallError, FROM_ERROR, Sdk};

/// Why an attempt came to nothing. The first four are tried again whatever caused them (pkg/providers/lke/lke.go:52-55,
/// 546).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// A slot of the pool has no Linode yet, and all others are taken.
    NodesProvisioning,
    /// All Linodes of the pool are taken.
    NoClaimableInstance,
    /// The claim's tag was not written, or not seen again in time.
    ClaimFailed(String),
    /// The pool's count was not raised.
    PoolScaleFailed(String),
    /// A call failed while this was done.
    Call(&'static str, CallError),
    /// A call failed, and the failure has a name.
    Named {
        /// The reason of the condition Launched.
        reason: &'static str,
        /// Its message.
        message: String,
        /// The call's error.
        error: CallError,
    },
}

impl Failure {
    /// Whether it is one of those that are tried again whatever caused them.
    pub fn is_of_the_loop(&self) -> bool {
        !matches!(self, Failure::Call(..) | Failure::Named { .. })
    }

    /// Whether Create tries again.
    pub fn is_retryable(&self, sdk: Sdk) -> bool {
        match self {
            Failure::Call(_, error) | Failure::Named { error, .. } => is_retryable(error, sdk),
            _ => true,
        }
    }
}

/// Whether the provider takes an error for one that passes (pkg/utils/utils.go:263).
pub fn is_retryable(error: &CallError, sdk: Sdk) -> bool {
    matches!(error.code(sdk), Some(429 | 500 | 502..=504 | FROM_ERROR))
}

impl From<Failure> for CreateError {
    fn from(failure: Failure) -> CreateError {
        match failure {
            Failure::Named { reason, message, .. } => CreateError::Create { reason, message },
            Failure::NodesProvisioning => CreateError::Other("creating instance, nodes provisioning".into()),
            Failure::NoClaimableInstance => CreateError::Other("creating instance, no claimable instance".into()),
            Failure::ClaimFailed(text) => CreateError::Other(format!("creating instance, claim failed: {text}")),
            Failure::PoolScaleFailed(text) => {
                CreateError::Other(format!("creating instance, pool scale failed: {text}"))
            }
            Failure::Call(doing, error) => CreateError::Other(format!("creating instance, {doing}: {error}")),
        }
    }
}
