//! Departures from first-in-first-out: what makes a schedule, and replays it.

use crate::path::TaskPath;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The first line of the text form. The number rises when there is what an older program does not read.
const HEADER: &str = "lkesim-schedule 3";

/// The first line of lists that do not tell their end.
const ENDLESS_HEADER: &str = "lkesim-schedule 2";

/// The first line of those that have no other verb than `before` either.
const OLDEST_HEADER: &str = "lkesim-schedule 1";

/// The first word of the last line, before the number of departures.
const END: &str = "end";

/// Units of a delay and their nanoseconds, the longest first.
const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];

/// One poll of one task, under every schedule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PollKey {
    /// The task.
    pub task: TaskPath,
    /// Which of its polls; the first is 1.
    pub poll: u32,
}

/// What is different for a poll.
///
/// A kernel records [`Verb::Before`] and [`Verb::Delay`] alone, which together give back every choice. The others say
/// the same in fewer lines, for lists that are written by hand or made small.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verb {
    /// It goes just before this poll of another task, once that has become the first in line and both are ready.
    Before(PollKey),
    /// It goes before all others, as soon as it is ready.
    First,
    /// It stays behind as long as any other is ready, so that it is the last of its instant.
    Last,
    /// It stays behind as long as the other task is ready and has not had this poll.
    After(PollKey),
    /// The timers that are set in it fire so much later. A sleep that is polled for another reason when its time has
    /// come is over nevertheless.
    Delay(Duration),
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
/// The text form is a header, one line a departure, and a last line with their number, which a list that was cut
/// short lacks: another run would come of it. `#` begins a comment line.
///
/// ```text
/// lkesim-schedule 3
/// lifecycle/claim-2@7 before lifecycle/claim-1@3
/// lifecycle/claim-4@1 first
/// lifecycle/claim-5@1 last
/// lifecycle/claim-6@2 after lifecycle/claim-5@9
/// api#12@1 delay 100ms
/// end 5
/// ```
///
/// Lists of versions 1 and 2, which have no last line, are read as well; those of version 1 have `before` alone.
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
        let key = &self.key;
        match &self.verb {
            Verb::Before(other) => write!(f, "{key} before {other}"),
            Verb::First => write!(f, "{key} first"),
            Verb::Last => write!(f, "{key} last"),
            Verb::After(other) => write!(f, "{key} after {other}"),
            Verb::Delay(by) => {
                let nanos = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
                let fits = |&&(_, unit): &&(&str, u64)| nanos.is_multiple_of(unit);
                let &(unit, length) = UNITS.iter().find(fits).unwrap_or(&UNITS[UNITS.len() - 1]);
                write!(f, "{key} delay {}{unit}", nanos / length)
            }
        }
    }
}

impl fmt::Display for Deviations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        self.list.iter().try_for_each(|deviation| writeln!(f, "{deviation}"))?;
        writeln!(f, "{END} {}", self.list.len())
    }
}

/// Why a text is no list of deviations. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The first line is not the header of a known version.
    #[error(
        "the first line is neither `{HEADER}` nor that of an older version, `{ENDLESS_HEADER}` or `{OLDEST_HEADER}`"
    )]
    Header,
    /// The last line is not there, so that more may be lacking.
    #[error(
        "it ends without its last line `{END} <number of departures>`, after {0} of them: it was cut short; \
         one that is written by hand may begin with `{ENDLESS_HEADER}`, which needs no such line"
    )]
    Cut(usize),
    /// The last line tells another number of departures.
    #[error("line {0} is `{1}`, after {2} departures: expected `{END} {2}`; it was cut short or changed")]
    Count(usize, String, usize),
    /// There is something after the last line.
    #[error("line {0} stands after the last line `{END} …`: expected nothing but comments there")]
    AfterEnd(usize),
    /// A line is not of the form `<path>@<poll> <verb> …`.
    #[error(
        "line {0} is not of the form `<path>@<poll> before|after <path>@<poll>`, `<path>@<poll> first|last` or \
         `<path>@<poll> delay <time>`"
    )]
    Line(usize),
    /// A verb is unknown.
    #[error("line {0} has the unknown verb `{1}`")]
    Verb(usize, String),
    /// A key is not a path, an `@` and a number above 0.
    #[error("line {0} has `{1}` where a key `<path>@<poll>` should be")]
    Key(usize, String),
    /// A delay is not a whole number with a unit.
    #[error("line {0} has `{1}` where a time such as `100ms` should be")]
    Delay(usize, String),
}

impl FromStr for Deviations {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Deviations, ParseError> {
        let mut lines = text.lines();
        let has_end = match lines.next().map(str::trim_end) {
            Some(HEADER) => true,
            Some(ENDLESS_HEADER | OLDEST_HEADER) => false,
            _ => return Err(ParseError::Header),
        };
        let (mut list, mut is_over) = (Vec::new(), false);
        // The header is line 1.
        for (number, line) in (2..).zip(lines.map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if is_over {
                return Err(ParseError::AfterEnd(number));
            }
            match line.split_ascii_whitespace().next() {
                Some(END) if has_end => {
                    if line != format!("{END} {}", list.len()) {
                        return Err(ParseError::Count(number, line.into(), list.len()));
                    }
                    is_over = true;
                }
                _ => list.push(parse_line(number, line)?),
            }
        }
        match has_end && !is_over {
            true => Err(ParseError::Cut(list.len())),
            false => Ok(Deviations { list }),
        }
    }
}

impl Deviations {
    /// Reads departures alone, one a line, from where something else tells that none is lacking, such as a trace.
    ///
    /// # Errors
    /// A line that is no departure; lines count from 1.
    pub fn of_lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Result<Deviations, ParseError> {
        let list = (1..).zip(lines).map(|(number, line)| parse_line(number, line.trim()));
        list.collect::<Result<_, _>>().map(|list| Deviations { list })
    }

    /// The departures, one a line, as [`Self::of_lines`] reads them.
    pub fn lines(&self) -> Vec<String> {
        self.list.iter().map(Deviation::to_string).collect()
    }
}

fn parse_line(number: usize, line: &str) -> Result<Deviation, ParseError> {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let (&[key, verb], arguments) = words.split_first_chunk().ok_or(ParseError::Line(number))?;
    let verb = match (verb, arguments) {
        ("before", [other]) => Verb::Before(parse_key(number, other)?),
        ("after", [other]) => Verb::After(parse_key(number, other)?),
        ("first", []) => Verb::First,
        ("last", []) => Verb::Last,
        ("delay", [by]) => Verb::Delay(parse_delay(by).ok_or_else(|| ParseError::Delay(number, (*by).into()))?),
        ("before" | "after" | "first" | "last" | "delay", _) => return Err(ParseError::Line(number)),
        (verb, _) => return Err(ParseError::Verb(number, verb.into())),
    };
    Ok(Deviation { key: parse_key(number, key)?, verb })
}

fn parse_delay(word: &str) -> Option<Duration> {
    let (digits, unit) = word.split_at(word.find(|c: char| !c.is_ascii_digit())?);
    let (_, length) = UNITS.iter().find(|(name, _)| *name == unit)?;
    digits.parse::<u64>().ok()?.checked_mul(*length).map(Duration::from_nanos)
}

fn parse_key(number: usize, word: &str) -> Result<PollKey, ParseError> {
    word.rsplit_once('@')
        .and_then(|(task, poll)| Some((task, poll.parse().ok()?)))
        .filter(|&(task, poll)| !task.is_empty() && poll > 0)
        .map(|(task, poll)| PollKey { task: TaskPath::new(task), poll })
        .ok_or_else(|| ParseError::Key(number, word.into()))
}
