//! What the API server answers when it refuses.

use crate::object::Kind;
use std::rc::Rc;

/// A refused call to the API server. The reasons are those of Kubernetes' `metav1.StatusReason`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// No object of this name. Karpenter's controllers take it as success where they wanted the object gone.
    #[error("{kind} {name:?} not found")]
    NotFound {
        /// The kind asked for.
        kind: Kind,
        /// The name asked for.
        name: Rc<str>,
    },
    /// An object of this name exists, perhaps one that is being deleted.
    #[error("{kind} {name:?} already exists")]
    AlreadyExists {
        /// The kind to be created.
        kind: Kind,
        /// The name to be created.
        name: Rc<str>,
    },
    /// The object changed since the version that the write was based on: read again and retry.
    #[error("{kind} {name:?} has been modified since it was read")]
    Conflict {
        /// The kind written to.
        kind: Kind,
        /// The name written to.
        name: Rc<str>,
    },
    /// The write breaks a rule of the API server; the same write will be refused again.
    #[error("{kind} {name:?} is invalid: {reason}")]
    Invalid {
        /// The kind written to.
        kind: Kind,
        /// The name written to.
        name: Rc<str>,
        /// The rule.
        reason: &'static str,
    },
    /// An eviction would break a PodDisruptionBudget: 429. Ask again later.
    #[error("Cannot evict pod as it would violate the pod's disruption budget: {name:?}")]
    TooManyRequests {
        /// The pod.
        name: Rc<str>,
    },
    /// More than one PodDisruptionBudget is about the pod, so that it can't be evicted: 500.
    #[error("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")]
    SeveralBudgets {
        /// The pod.
        name: Rc<str>,
    },
    /// The API server failed or was not reached; whether a write took effect is unknown to the caller.
    #[error("the API server is unavailable")]
    Unavailable,
}

impl ApiError {
    /// Whether the object is not there.
    pub fn is_not_found(&self) -> bool {
        matches!(self, ApiError::NotFound { .. })
    }

    /// Whether an optimistic lock was lost.
    pub fn is_conflict(&self) -> bool {
        matches!(self, ApiError::Conflict { .. })
    }

    /// Whether the name is taken.
    pub fn is_already_exists(&self) -> bool {
        matches!(self, ApiError::AlreadyExists { .. })
    }
}
