//! Where a command reads and writes.
//!
//! Handles are shared, not borrowed: a trace that goes to standard output outlives the call that was given it. Tests
//! put memory in their place.

use crate::Failure;
use lkesim_report::style::Style;
use std::cell::RefCell;
use std::io::{self, IsTerminal, Read, Write};
use std::rc::Rc;

/// An output that can be handed on.
#[derive(Clone)]
pub struct Out(Rc<RefCell<dyn Write>>);

impl Out {
    /// An output that writes to `inner`.
    pub fn new(inner: impl Write + 'static) -> Out {
        Out(Rc::new(RefCell::new(inner)))
    }

    /// Writes out what is held back.
    pub fn flush_all(&mut self) -> io::Result<()> {
        self.flush()
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.borrow_mut().flush()
    }
}

/// Standard input, output and error, and how to write to them.
pub struct Terminal {
    /// Standard input.
    pub input: Box<dyn Read>,
    /// Standard output: results.
    pub out: Out,
    /// How results are emphasized.
    pub style: Style,
    /// Standard error: progress, logs, errors.
    pub err: Out,
    /// How errors are emphasized.
    pub err_style: Style,
}

impl Terminal {
    /// The process's own. Colour is for terminals alone, and never where `NO_COLOR` is set to anything but nothing.
    pub fn of_process() -> Terminal {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
            || std::env::var_os("TERM").is_some_and(|value| value == "dumb");
        let style = |is_terminal: bool| Style { colour: is_terminal && !unwanted };
        Terminal {
            input: Box::new(io::stdin()),
            style: style(io::stdout().is_terminal()),
            out: Out::new(io::BufWriter::new(io::stdout())),
            err_style: style(io::stderr().is_terminal()),
            err: Out::new(io::stderr()),
        }
    }

    /// Writes a result.
    pub fn print(&mut self, text: &str) -> Result<(), Failure> {
        self.put(|out| out.write_all(text.as_bytes()))
    }

    /// Writes a document for programs.
    pub fn print_json(&mut self, document: &impl serde::Serialize) -> Result<(), Failure> {
        self.put(|mut out| {
            serde_json::to_writer_pretty(&mut out, document)?;
            out.write_all(b"\n")
        })
    }

    /// Writes a result with `write`, to the end.
    pub fn put(&mut self, write: impl FnOnce(&mut Out) -> io::Result<()>) -> Result<(), Failure> {
        write(&mut self.out).and_then(|()| self.out.flush_all()).map_err(Failure::stdout)
    }

    /// Says something that is no result. Nothing is done about a standard error that can't be written.
    pub fn tell(&mut self, text: &str) {
        let _ = writeln!(self.err, "{}", text.trim_end());
        let _ = self.err.flush();
    }
}
