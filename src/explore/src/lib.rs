//! Many runs: looks for what breaks a design, and groups what it finds.
//!
//! 1. A seed draws a whole scenario from a [`Palette`], and an order of tasks from the [`portfolio`]: which faults and how
//!    strong, tier, lags, limits, workload, settings. What it draws is a plain value, so that a finding is a YAML file.
//! 2. A [`trial`] runs it, and while it runs a scribe notes what could matter ([`notes`]).
//! 3. What broke gets a [`mechanism`]: a signature by which failures of one cause are one finding.
//! 4. A [`Search`] does this for many seeds on many threads, and merges in the order of seeds ([`Tally`]): equal seeds
//!    give the same [`Explored`] document whatever the number of threads.
//! 5. [`shrink`] makes one failure small: its scenario first, then its schedule.
//! 6. [`merge`] makes one document of those of a search that ran in parts.
//!
//! [`Exhaustive`] draws nothing: it tries all orders of one tiny scenario.
//!
//! It reads no clock and prints nothing: its caller says when to stop, and hears of progress.

mod dice;
pub mod exhaustive;
pub mod explored;
mod fold;
mod grid;
mod kept;
mod mechanism;
mod merge;
mod notes;
mod palette;
pub mod portfolio;
mod search;
pub mod shrink;
mod tally;
mod threads;
pub mod trial;

pub use exhaustive::{Exhausted, Exhaustive};
pub use explored::{Explored, Finding, Part, Verdict};
pub use fold::fold;
pub use grid::{Grid, Spot, Stuck, Why};
pub use kept::Kept;
pub use merge::{NotOne, merge};
pub use palette::{Drawn, First, GENERAL, Palette, Twist};
pub use search::Search;
pub use tally::Tally;
pub use trial::{Breach, Ending, Trial};

/// The version of this program, which documents name: another one may draw other scenarios.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
