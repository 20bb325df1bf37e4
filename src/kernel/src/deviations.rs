//! Departures from first-in-first-out: what makes a schedule, and replays it.

use crate::path::TaskPath;
use std::fmt;
use std::str::FromStr;

/// The first line of the text form. The number rises when old lists would mean something else.
const HEADER: &str = "lkesim-schedule 1";

/// One poll of one task, under every schedule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PollKey {
    /// The task.
    pub task: TaskPath,
    /// Which of its polls; the first is 1.
    pub poll: u32,
}

/// What is different for a poll.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verb {
    /// It goes just before this poll of another task, once that has become the first in line and both are ready.
    Before(PollKey),
}

/// One departure from first-in-first-out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deviation {
    /// The poll that is moved.
    pub key: PollKey,
    /// Where it is moved to.
    pub verb: Verb,
}

/// The departures of a run, in the order in which they happened.
///
/// Together they give back the run's every choice. Where several polls go before the same one, the earlier line goes
/// first. A line can be left out: the poll then keeps its place in line, and the others stay as they are.
///
/// The text form is a header and one line a departure, and `#` begins a comment line:
///
/// ```text
/// lkesim-schedule 1
/// lifecycle/claim-2@7 before lifecycle/claim-1@3
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deviations {
    /// The departures.
    pub list: Vec<Deviation>,
}

impl fmt::Display for PollKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.task, self.poll)
    }
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verb {
            Verb::Before(other) => write!(f, "{} before {other}", self.key),
        }
    }
}

impl fmt::Display for Deviations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        self.list.iter().try_for_each(|deviation| writeln!(f, "{deviation}"))
    }
}

/// Why a text is no list of deviations. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The first line is not the header of a known version.
    #[error("the first line is not `{HEADER}`")]
    Header,
    /// A line is not of the form `<path>@<poll> <verb> …`.
    #[error("line {0} is not of the form `<path>@<poll> before <path>@<poll>`")]
    Line(usize),
    /// A verb is unknown.
    #[error("line {0} has the unknown verb `{1}`")]
    Verb(usize, String),
    /// A key is not a path, an `@` and a number above 0.
    #[error("line {0} has `{1}` where a key `<path>@<poll>` should be")]
    Key(usize, String),
}

impl FromStr for Deviations {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Deviations, ParseError> {
        let mut lines = text.lines().enumerate();
        match lines.next() {
            Some((_, line)) if line.trim_end() == HEADER => {}
            _ => return Err(ParseError::Header),
        }
        let list = lines
            .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
            .map(|(at, line)| parse_line(at + 1, line.trim()))
            .collect::<Result<_, _>>()?;
        Ok(Deviations { list })
    }
}

fn parse_line(number: usize, line: &str) -> Result<Deviation, ParseError> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    match words[..] {
        [key, "before", other] => {
            Ok(Deviation { key: parse_key(number, key)?, verb: Verb::Before(parse_key(number, other)?) })
        }
        [_, verb, ..] if verb != "before" => Err(ParseError::Verb(number, verb.into())),
        _ => Err(ParseError::Line(number)),
    }
}

fn parse_key(number: usize, word: &str) -> Result<PollKey, ParseError> {
    word.rsplit_once('@')
        .and_then(|(task, poll)| Some((task, poll.parse().ok()?)))
        .filter(|&(task, poll)| !task.is_empty() && poll > 0)
        .map(|(task, poll)| PollKey { task: TaskPath::new(task), poll })
        .ok_or_else(|| ParseError::Key(number, word.into()))
}
