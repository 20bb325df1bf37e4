//! Our scheduling simulation held to Karpenter's own: problems by seed, as JSON that both read, and how outcomes compare.

pub mod compare;
pub mod decode;
pub mod draw;
pub mod generate;
pub mod outcome;
