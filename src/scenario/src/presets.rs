//! What is assumed where a scenario does not say otherwise, as two tables: of delays, and of all other settings. Each
//! row has its mark and its source, and every knob of `cloud`, `kubernetes` and `karpenter` has a row. Those of
//! `provider` are listed by each design. How far off a guess may be is in [`ranges`].

pub mod ranges;
mod settings;
mod table;

pub use settings::SETTINGS;
pub use table::TABLE;

use lkesim_linode_api::object::Tier;
use lkesim_runtime::Quantiles;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A set of delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Only what the design document states, and the nodes' way into the cluster; all else takes no time.
    Document,
    /// What was measured or documented, and a guess where nothing is known. A design holds its lock across calls, so
    /// that latency decides outcomes: it is not zero here.
    #[default]
    Default,
    /// Nothing takes any time.
    Zero,
    /// As `default`, with what the Helm chart sets: two replicas, and batches of pods that end after 1
    /// minute without another one, or after 5 minutes. NodeClaims as workload come without batches.
    Chart,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Preset; 4] = [Preset::Document, Preset::Default, Preset::Zero, Preset::Chart];

    /// The name, as the file writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Preset::Document => "document",
            Preset::Default => "default",
            Preset::Zero => "zero",
            Preset::Chart => "chart",
        }
    }
}

/// How sure a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// Read from recordings of the live API or from a real cluster.
    Measured,
    /// Stated by the design document, by Linode's documentation or by upstream's code.
    Documented,
    /// Told by somebody outside, and seen by nobody here.
    Reported,
    /// A guess.
    Unknown,
}

impl Mark {
    /// The mark in words.
    pub const fn name(self) -> &'static str {
        match self {
            Mark::Measured => "measured",
            Mark::Documented => "documented",
            Mark::Reported => "reported",
            Mark::Unknown => "unknown",
        }
    }
}

/// A value of a preset.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The field's path in a scenario.
    pub knob: &'static str,
    /// The tier that it holds for; both if left out.
    pub tier: Option<Tier>,
    /// The presets that have it.
    pub presets: &'static [Preset],
    /// Quantiles: the place in percent, and milliseconds.
    pub points: &'static [(u32, u64)],
    /// How sure it is.
    pub mark: Mark,
    /// Where it comes from.
    pub source: &'static str,
}

impl Row {
    /// The distribution.
    pub fn quantiles(&self) -> Quantiles {
        let points: Vec<_> =
            self.points.iter().map(|&(percent, millis)| (percent * 10_000, Duration::from_millis(millis))).collect();
        // The table's points rise, which a test holds; a row that did not would take no time.
        Quantiles::through(&points).unwrap_or_else(|_| Quantiles::zero())
    }
}

/// The preset's delay for a knob; no time where the table has no row.
pub fn delay(preset: Preset, tier: Tier, knob: &str) -> Quantiles {
    let row = TABLE
        .iter()
        .find(|row| row.knob == knob && row.presets.contains(&preset) && row.tier.is_none_or(|of| of == tier));
    row.map_or_else(Quantiles::zero, Row::quantiles)
}

/// A setting that is no delay: its path, default, mark and source.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The field's path in a scenario.
    pub knob: &'static str,
    /// The default, as the file would write it; in words where it is none that a file could write.
    pub default: &'static str,
    /// How sure it is.
    pub mark: Mark,
    /// Where it comes from.
    pub source: &'static str,
}

#[cfg(test)]
mod tests;
