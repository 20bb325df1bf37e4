//! A trace's first and last line.

use super::{EventLine, SCHEMA};
use crate::outcome::{Outcome, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All that a run depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// `lkesim.trace/1`.
    pub schema: String,
    /// The program and its version: only the same one promises to repeat the run.
    pub program: String,
    /// The scenario's name, or its path.
    pub name: String,
    /// The design that ran.
    pub design: String,
    /// The seed that all luck came from.
    pub seed: u64,
    /// The `--set` overrides; `scenario` has them in it already.
    pub sets: Vec<String>,
    /// The wall-clock time that virtual time 0 stands for, such as `2026-01-01T00:00:00Z`.
    pub starts_at: String,
    /// The order in which tasks went.
    pub schedule: Schedule,
    /// The whole checked scenario.
    pub scenario: serde_json::Value,
}

impl Header {
    /// A header of this format and program, with the given name, design and seed and first-in-first-out order.
    pub fn new(name: &str, design: &str, seed: u64, scenario: serde_json::Value) -> Header {
        Header {
            schema: SCHEMA.to_owned(),
            program: format!("lkesim {}", env!("CARGO_PKG_VERSION")),
            name: name.to_owned(),
            design: design.to_owned(),
            seed,
            sets: Vec::new(),
            starts_at: "2026-01-01T00:00:00Z".to_owned(),
            schedule: Schedule::default(),
            scenario,
        }
    }
}

/// The order in which tasks that were ready together went. The departures from first-in-first-out stand in the footer,
/// as they are known at the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Its name: `fifo`, or `random`, which is drawn from the run's seed.
    pub name: String,
}

impl Default for Schedule {
    fn default() -> Schedule {
        Schedule { name: "fifo".to_owned() }
    }
}

/// What came of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Footer {
    /// The run's digest, as in the outcome.
    pub digest: String,
    /// How many event lines there are.
    pub events: u64,
    /// Whether everything came as expected.
    pub verdict: Verdict,
    /// Every departure from first-in-first-out, one a line, in the order of the run. With the header they repeat the
    /// run; none where the schedule was first-in-first-out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deviations: Vec<String>,
    /// The figures, so that they can be read and compared without running again.
    pub outcome: Outcome,
}

/// Any line of a trace. A header is told by its `schema`, an event by its `event`, a footer by its `digest`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum TraceLine {
    /// The first line.
    Header(Box<Header>),
    /// Each line between.
    Event(Box<EventLine>),
    /// The last line.
    Footer(Box<Footer>),
}

/// The members that tell what a line is.
#[derive(Deserialize)]
struct Marks {
    schema: Option<serde::de::IgnoredAny>,
    event: Option<serde::de::IgnoredAny>,
    digest: Option<serde::de::IgnoredAny>,
}

impl TraceLine {
    /// Reads one line. It is told by its marks first, so that an error is about the line that it is.
    pub fn parse(line: &[u8]) -> serde_json::Result<TraceLine> {
        let marks: Marks = serde_json::from_slice(line)?;
        if marks.event.is_some() {
            serde_json::from_slice(line).map(TraceLine::Event)
        } else if marks.schema.is_some() {
            serde_json::from_slice(line).map(TraceLine::Header)
        } else if marks.digest.is_some() {
            serde_json::from_slice(line).map(TraceLine::Footer)
        } else {
            Err(serde::de::Error::custom("none of the members `event`, `schema` and `digest` is there"))
        }
    }
}
