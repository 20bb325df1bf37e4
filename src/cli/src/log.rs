//! Tracing on standard error, stamped with virtual time.
//!
//! The stamp is the time of the run's last event. Code under test acts in the instant of an event, so that the two
//! differ only after a sleep that nothing else ended.

use crate::Out;
use lkesim_judge::trace::EventLine;
use lkesim_report::story;
use lkesim_report::style::harmless;
use lkesim_report::units::clock;
use std::cell::Cell;
use std::fmt;
use std::io::{self, Write};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::FormatTime;

thread_local! {
    static NOW_MS: Cell<u64> = const { Cell::new(0) };
    static WANTED: Cell<u8> = const { Cell::new(0) };
}

/// Does `work` with what it traces written to `err`: from `-v` on its messages, with `-vv` every event of a run too.
pub fn with<T>(verbose: u8, err: Out, work: impl FnOnce() -> T) -> T {
    WANTED.set(verbose);
    NOW_MS.set(0);
    if verbose == 0 {
        return work();
    }
    ERR.set(Some(err));
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(if verbose == 1 { LevelFilter::DEBUG } else { LevelFilter::TRACE })
        .with_ansi(false)
        .with_timer(VirtualTime)
        .with_writer(ToErr)
        .log_internal_errors(false)
        .finish();
    let done = tracing::subscriber::with_default(subscriber, work);
    ERR.set(None);
    done
}

/// Whether anything is traced.
pub fn is_on() -> bool {
    WANTED.get() > 0
}

struct VirtualTime;

impl FormatTime for VirtualTime {
    fn format_time(&self, writer: &mut Writer<'_>) -> fmt::Result {
        write!(writer, "{}", clock(NOW_MS.get()))
    }
}

thread_local! {
    /// A subscriber may be sent to other threads, which an output of this thread can't; so it looks here.
    static ERR: std::cell::RefCell<Option<Out>> = const { std::cell::RefCell::new(None) };
}

struct ToErr;

impl<'a> MakeWriter<'a> for ToErr {
    type Writer = ToErr;

    fn make_writer(&'a self) -> ToErr {
        ToErr
    }
}

impl Write for ToErr {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        ERR.with_borrow_mut(|err| match err {
            Some(err) => err.write(bytes),
            None => Ok(bytes.len()),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        ERR.with_borrow_mut(|err| err.as_mut().map_or(Ok(()), Write::flush))
    }
}

/// A trace's output that moves the clock of the log, and passes on to where the trace goes, if anywhere.
///
/// The writer of traces writes a line at once, which this relies on.
pub struct Follow(pub Option<Box<dyn Write>>);

impl Write for Follow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Ok(event) = serde_json::from_slice::<EventLine>(bytes) {
            NOW_MS.set(event.at_ms);
            tracing::trace!(target: "event", "{}", harmless(&story::event_words(&event.what)));
        }
        match &mut self.0 {
            Some(inner) => inner.write(bytes),
            None => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.as_mut().map_or(Ok(()), Write::flush)
    }
}
