//! Our scheduling simulation beside Karpenter's own.
