//! Our scheduling simulation beside Karpenter's own, and beside an independent look at what it decides.

mod checker;
mod price;
mod recorded;
mod sound;
