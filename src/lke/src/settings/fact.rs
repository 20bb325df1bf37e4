//! A setting as `lkesim explain` tells it.

use super::{LookupFailure, OrphansBy, OwnerTags};
use std::fmt;
use std::time::Duration;

/// A setting of a design: its value where nobody sets it, and where that comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SettingFact {
    /// The name; under `provider:` of a scenario, save where it is fixed.
    pub name: &'static str,
    /// The value.
    pub value: SettingValue,
    /// What it is.
    pub about: &'static str,
    /// The section of the document, or file and line of the source, that says so.
    pub source: &'static str,
    /// Whether the source fixes it, so that no scenario can set it.
    pub fixed: bool,
}

/// The value of a setting, with its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingValue {
    /// A time.
    Span(Duration),
    /// A number of things: how many, and of what.
    Count(u64, &'static str),
    /// One of a few words.
    Word(&'static str),
}

impl SettingFact {
    /// A time that a scenario may set.
    pub const fn span(name: &'static str, value: Duration, about: &'static str, source: &'static str) -> SettingFact {
        SettingFact { name, value: SettingValue::Span(value), about, source, fixed: false }
    }

    /// A number of `unit` that a scenario may set.
    pub const fn count(
        name: &'static str,
        value: u64,
        unit: &'static str,
        about: &'static str,
        source: &'static str,
    ) -> SettingFact {
        SettingFact { name, value: SettingValue::Count(value, unit), about, source, fixed: false }
    }

    /// A word that a scenario may set.
    pub const fn word(
        name: &'static str,
        value: &'static str,
        about: &'static str,
        source: &'static str,
    ) -> SettingFact {
        SettingFact { name, value: SettingValue::Word(value), about, source, fixed: false }
    }

    /// How sure the value is: *documented* where the design document or upstream's source has it, *chosen* where the
    /// design is this project's own.
    pub fn mark(&self) -> &'static str {
        let is_own = self.source.starts_with("this project's choice");
        if is_own { "chosen" } else { "documented" }
    }

    /// The same, which no scenario can set.
    pub const fn fixed(self) -> SettingFact {
        SettingFact { fixed: true, ..self }
    }
}

impl LookupFailure {
    /// As a scenario writes it.
    pub const fn name(self) -> &'static str {
        match self {
            LookupFailure::NotFound => "not_found",
            LookupFailure::Error => "error",
        }
    }
}

impl OrphansBy {
    /// As a scenario writes it.
    pub const fn name(self) -> &'static str {
        match self {
            OrphansBy::List => "list",
            OrphansBy::Pool => "pool",
        }
    }
}

impl OwnerTags {
    /// As scenarios write it.
    pub const fn name(self) -> &'static str {
        match self {
            OwnerTags::First => "first",
            OwnerTags::Any => "any",
        }
    }
}

/// A time in the largest unit that leaves it whole; then the unit.
impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = match self {
            SettingValue::Span(time) => time,
            SettingValue::Count(count, "") => return write!(f, "{count}"),
            SettingValue::Count(count, unit) => return write!(f, "{count} {unit}"),
            SettingValue::Word(word) => return f.write_str(word),
        };
        let units = [(3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")];
        let ms = time.as_millis();
        let (length, unit) = units.into_iter().find(|(length, _)| ms % length == 0).unwrap_or((1, "ms"));
        let unit = if ms == 0 { "s" } else { unit };
        write!(f, "{} {unit}", ms / length)
    }
}

#[cfg(test)]
mod tests;
