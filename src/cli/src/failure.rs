//! Why a command could not do its work: the words, and the exit code.

use crate::{Terminal, exit};
use lkesim_report::style::{Tone, harmless};
use std::io;

/// Why a command ended without its result. Text is given without `error: ` before it.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An argument names something that is not there.
    #[error("{0}")]
    Usage(String),
    /// A scenario's mistakes, already laid out beside their lines.
    #[error("{0}")]
    Scenario(String),
    /// A file that is missing, no file, or not what it should be.
    #[error("{0}")]
    Input(String),
    /// The scenario asks for something that nothing models.
    #[error("not modelled: {0}")]
    NotModelled(String),
    /// A replay ended otherwise than its trace. What differs was told already.
    #[error("the replay diverged from the trace")]
    Diverged,
    /// A file could not be read or written.
    #[error("cannot {doing} {what}: {error}")]
    Io {
        /// `read` or `write`.
        doing: &'static str,
        /// The file.
        what: String,
        /// Why.
        error: io::Error,
    },
    /// A snapshot could not be kept.
    #[error("{0}")]
    Kept(String),
    /// Who read standard output has left.
    #[error("standard output was closed")]
    Closed {
        /// The code that the command had come to.
        code: u8,
    },
    /// A bug of this program.
    #[error("a bug of lkesim: {0}")]
    Bug(String),
}

impl Failure {
    /// A file that could not be written.
    pub fn write(what: impl ToString, error: io::Error) -> Failure {
        let what = what.to_string();
        Failure::Io { doing: "write", what, error }
    }

    /// A file that could not be read.
    pub fn read(what: impl ToString, error: io::Error) -> Failure {
        let what = what.to_string();
        Failure::Io { doing: "read", what, error }
    }

    /// Standard output could not be written. Where its reader left, the program ends quietly.
    pub fn stdout(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed { code: exit::OK },
            _ => Failure::write("standard output", error),
        }
    }

    /// The same, where a closed output leaves the command with this code.
    pub fn with_code(self, code: u8) -> Failure {
        match self {
            Failure::Closed { .. } => Failure::Closed { code },
            other => other,
        }
    }

    /// The exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Usage(_) | Failure::Scenario(_) | Failure::Input(_) | Failure::NotModelled(_) => exit::WRONG_INPUT,
            Failure::Diverged => exit::DIVERGED,
            Failure::Io { .. } | Failure::Kept(_) => exit::UNREADABLE,
            Failure::Closed { code } => *code,
            Failure::Bug(_) => exit::BUG,
        }
    }

    /// Says it on standard error, and gives the exit code.
    pub fn tell(&self, terminal: &mut Terminal) -> u8 {
        match self {
            Failure::Closed { .. } => {}
            Failure::Scenario(text) => terminal.tell(text),
            other => {
                let text = other.to_string();
                let lines: Vec<_> = text.lines().map(harmless).collect();
                let mark = terminal.err_style.paint(Tone::Bad, "error:").to_string();
                terminal.tell(&format!("{mark} {}", lines.join("\n")));
            }
        }
        self.code()
    }
}
