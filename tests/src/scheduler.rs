//! Karpenter's scheduler beside ours: problems as JSON of Kubernetes objects, made from a seed or given, and what came.

pub mod decode;
pub mod generate;
pub mod outcome;
