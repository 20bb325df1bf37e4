//! The defects suite: does the search find what is wrong, and nothing where nothing is?
//!
//! The careful design is right. Each defect is that design with one decision changed; a few more are other designs that
//! are right too. The search of `lkesim explore` looks at all of them with the palette `general` alone, and is judged by
//! what it finds.

mod accused;
mod careful;
mod defects;
mod hunt;
pub mod interval;
pub mod pairs;
pub mod report;

pub use accused::{EXCUSES, Excuse, accusations, excuse};
pub use defects::{ENTRIES, Entry, find};
pub use hunt::{Hunt, Hunted, Small, small};
