//! Reads a trace line by line, and says what is wrong in words that name the file and the line.

use super::{EventLine, Footer, Header, SCHEMA, TraceLine};
use serde::Deserialize;
use std::io::{self, BufRead, Read};

/// The longest line that is read. A longer one is no trace, and would fill the memory.
const LONGEST_LINE: u64 = 64 << 20;

/// A whole trace in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Where it came from, for messages.
    pub source: String,
    /// The first line.
    pub header: Header,
    /// The events, in order.
    pub events: Vec<EventLine>,
    /// The last line.
    pub footer: Footer,
}

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The input could not be read.
    #[error("cannot read {source_name}: {error}")]
    Io {
        /// The file.
        source_name: String,
        /// Why.
        error: io::Error,
    },
    /// The file has nothing in it.
    #[error("{source_name} is empty: a trace begins with a line whose `schema` is `{SCHEMA}`")]
    Empty {
        /// The file.
        source_name: String,
    },
    /// The first line is not a trace's.
    #[error("{source_name} is no trace: its first line has no `schema` that is `{SCHEMA}`{hint}")]
    NoTrace {
        /// The file.
        source_name: String,
        /// What it may be instead, from a colon on; or empty.
        hint: String,
    },
    /// The format is of another version.
    #[error("{source_name} is written in `{found}`, and this program reads `{SCHEMA}`: use the lkesim that wrote it")]
    Version {
        /// The file.
        source_name: String,
        /// Its format.
        found: String,
    },
    /// A line is not what it should be.
    #[error("{source_name}:{line}: expected {expected}: {problem}")]
    Line {
        /// The file.
        source_name: String,
        /// The line, from 1.
        line: u64,
        /// What should stand there.
        expected: &'static str,
        /// What is wrong.
        problem: String,
    },
    /// The footer is missing.
    #[error("{source_name} is cut short: it ends after line {line}, without the last line that has the digest")]
    CutShort {
        /// The file.
        source_name: String,
        /// The last line that is there.
        line: u64,
    },
    /// Lines are missing or were added.
    #[error("{source_name} was changed: its last line counts {counted} events, and there are {there}")]
    Count {
        /// The file.
        source_name: String,
        /// The footer's number.
        counted: u64,
        /// Event lines in the file.
        there: u64,
    },
}

/// A trace that is read as it comes.
pub struct TraceReader<R> {
    source_name: String,
    input: R,
    /// The last line that was read, from 1.
    line: u64,
    events: u64,
    header: Header,
    footer: Option<Footer>,
}

impl<R: BufRead> TraceReader<R> {
    /// Reads the header. `source_name` is what messages call the input.
    pub fn open(source_name: &str, mut input: R) -> Result<TraceReader<R>, TraceError> {
        let Some(line) = read_line(&mut input).map_err(|error| unreadable(source_name, error))? else {
            let source_name = source_name.to_owned();
            return Err(TraceError::Empty { source_name });
        };
        Ok(TraceReader {
            source_name: source_name.to_owned(),
            input,
            line: 1,
            events: 0,
            header: header(source_name, &line)?,
            footer: None,
        })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The footer, once all events were read.
    pub fn footer(&self) -> Option<&Footer> {
        self.footer.as_ref()
    }

    /// The next event; none after the last one, whose footer was then read and agrees.
    pub fn next_event(&mut self) -> Result<Option<EventLine>, TraceError> {
        if self.footer.is_some() {
            return Ok(None);
        }
        let line = self.next_line()?.ok_or_else(|| self.cut_short())?;
        let expected = "an event, or the digest that ends the trace";
        match TraceLine::parse(&line) {
            Ok(TraceLine::Event(event)) => {
                self.events += 1;
                Ok(Some(*event))
            }
            Ok(TraceLine::Footer(footer)) => self.finish(*footer).map(|()| None),
            Ok(TraceLine::Header(_)) => Err(self.wrong(expected, "a second header".to_owned())),
            // The last line of a file that was cut has no end.
            Err(_) if line.last() != Some(&b'\n') => {
                self.line -= 1;
                Err(self.cut_short())
            }
            Err(error) => Err(self.wrong(expected, reason(&error))),
        }
    }

    /// Reads to the end.
    pub fn read_all(mut self) -> Result<Trace, TraceError> {
        let mut events = Vec::new();
        while let Some(event) = self.next_event()? {
            events.push(event);
        }
        let cut_short = self.cut_short();
        Ok(Trace { source: self.source_name, header: self.header, events, footer: self.footer.ok_or(cut_short)? })
    }

    fn finish(&mut self, footer: Footer) -> Result<(), TraceError> {
        if footer.events != self.events {
            return Err(TraceError::Count {
                source_name: self.source_name.clone(),
                counted: footer.events,
                there: self.events,
            });
        }
        if self.next_line()?.is_some() {
            return Err(self.wrong("the end of the file", "there is more".to_owned()));
        }
        self.footer = Some(footer);
        Ok(())
    }

    fn next_line(&mut self) -> Result<Option<Vec<u8>>, TraceError> {
        let line = read_line(&mut self.input).map_err(|error| unreadable(&self.source_name, error))?;
        self.line += u64::from(line.is_some());
        Ok(line)
    }

    fn wrong(&self, expected: &'static str, problem: String) -> TraceError {
        TraceError::Line { source_name: self.source_name.clone(), line: self.line, expected, problem }
    }

    fn cut_short(&self) -> TraceError {
        TraceError::CutShort { source_name: self.source_name.clone(), line: self.line }
    }
}

impl Trace {
    /// Reads a whole trace. `source_name` is what messages call the input.
    pub fn read(source_name: &str, input: impl BufRead) -> Result<Trace, TraceError> {
        TraceReader::open(source_name, input)?.read_all()
    }
}

/// The member that tells a format, before the rest of the line is understood.
#[derive(Deserialize)]
struct Format {
    schema: Option<String>,
}

fn header(source_name: &str, line: &[u8]) -> Result<Header, TraceError> {
    let no_trace = |hint: &str| TraceError::NoTrace { source_name: source_name.to_owned(), hint: hint.to_owned() };
    let format: Format = serde_json::from_slice(line).map_err(|error| {
        // A pretty-printed document's first line is `{` alone.
        let pretty = error.is_eof() && line.ends_with(b"\n") && line.trim_ascii() == b"{";
        let cut = error.is_eof() && !pretty && line.last() != Some(&b'\n');
        match (pretty, cut) {
            (true, _) => no_trace(": a trace is JSON Lines, one object a line"),
            (_, true) => TraceError::CutShort { source_name: source_name.to_owned(), line: 0 },
            _ => no_trace(""),
        }
    })?;
    match format.schema {
        Some(found) if found == SCHEMA => {}
        Some(found) if found.starts_with("lkesim.trace/") => {
            let source_name = source_name.to_owned();
            return Err(TraceError::Version { source_name, found });
        }
        Some(found) => return Err(no_trace(&format!(", but one that is `{found}`"))),
        None => return Err(no_trace("")),
    }
    serde_json::from_slice(line).map_err(|error| TraceError::Line {
        source_name: source_name.to_owned(),
        line: 1,
        expected: "a trace's header",
        problem: reason(&error),
    })
}

fn unreadable(source_name: &str, error: io::Error) -> TraceError {
    TraceError::Io { source_name: source_name.to_owned(), error }
}

/// A line with its end; none at the end of the input.
fn read_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.len() as u64 == LONGEST_LINE {
        return Err(io::Error::other("a line is longer than 64 MiB"));
    }
    Ok((!line.is_empty()).then_some(line))
}

/// An error of the JSON reader without its own line, which counts within one line of the file.
fn reason(error: &serde_json::Error) -> String {
    /// Beyond so many characters a message quotes more of the file than anybody reads.
    const LONGEST: usize = 300;
    let text = error.to_string();
    let (words, column) = match text.rfind(" at line ") {
        Some(at) => (&text[..at], error.column()),
        None => (&*text, 0),
    };
    let mut shown: String = words.chars().take(LONGEST).collect();
    if shown.len() < words.len() {
        shown.push('…');
    }
    if column > 0 { format!("{shown} (column {column})") } else { shown }
}
