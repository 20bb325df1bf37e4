//! What many runs say of designs: samples, paired differences with their uncertainty, and a verdict in words.
//!
//! 1. A run becomes a [`Sample`]: the [`FIGURES`] as numbers, its calls by kind, what it broke, and its times.
//! 2. Samples of the same scenario and seed are pairs: what two designs have in common, such as a Linode that boots
//!    slowly, falls out of their difference. [`pair`] gives it with a bootstrap interval over seeds.
//! 3. [`compare`](Comparing) makes of them the document `lkesim.compare/1`, [`sweep`](Sweeping) `lkesim.sweep/1`,
//!    [`screen`](Screening) `lkesim.screen/1`.
//!
//! It runs nothing, reads no clock, and uses integers alone: equal samples give equal bytes on every machine.

mod baseline;
mod bootstrap;
mod comparing;
pub mod document;
mod figure;
mod growth;
pub mod pair;
mod pareto;
mod sample;
mod screening;
mod summary;
mod sweeping;
mod tallies;
mod times;
mod verdict;

pub use baseline::{Baseline, Regression};
pub use bootstrap::Bootstrap;
pub use comparing::{Comparing, Settings};
pub use figure::{Better, FIGURES, Figure, Unit};
pub use growth::Growing;
pub use sample::Sample;
pub use screening::Screening;
pub use sweeping::Sweeping;
