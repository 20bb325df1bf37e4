//! The simulator as a library, for property tests of a design of one's own; and the command line, all but the process's
//! own streams, so that tests call it.
//!
//! A design is written against the traits of [`lke`]: a `Design` is a value that says how its `Provider` is built. It
//! needs no entry in a list:
//!
//! ```
//! // A team's own would stand here.
//! let mine = lkesim::lke::design("documented-strict").expect("it is built in");
//! let scenario = lkesim::scenario::Scenario::new("Nothing happens.");
//! let outcome = lkesim::run(mine, &scenario, 1).expect("all of it is modelled");
//! lkesim::assert_all_hold(&outcome);
//! ```
//!
//! [`check`] looks by itself for what breaks it, and fails with the smallest scenario that does. [`assert_holds`] takes
//! one invariant by its name. With the feature `proptest`, `strategies` draws scenarios for tests of other properties.
//!
//! A command reads its arguments, does its work through the other crates, and writes to a [`Terminal`]. Errors are
//! values of one type, [`Failure`], which alone knows words and exit codes. Results go to standard output, all else
//! to standard error.

mod args;
mod catalogue;
mod checking;
mod commands;
pub mod exit;
mod failure;
mod input;
pub mod interrupt;
mod log;
mod output;
mod pace;
mod parts;
mod progress;
pub mod runner;
pub mod served;
mod sink;
#[cfg(feature = "proptest")]
pub mod strategies;
mod terminal;

pub use args::{Cli, FakeLinode};
pub use checking::{Check, assert_all_hold, assert_holds, check, run};
pub use failure::Failure;
pub use terminal::{Out, Terminal};

// What a design of one's own is written against, and what comes of its runs.
pub use lkesim_explore::{Explored, Palette};
pub use lkesim_judge::Outcome;
pub use lkesim_karpenter as karpenter;
pub use lkesim_kube as kube;
pub use lkesim_linode_api as linode_api;
pub use lkesim_lke as lke;
pub use lkesim_runtime as runtime;
pub use lkesim_scenario as scenario;

use clap::Parser;
use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// Runs the program with these arguments, the first of which is its own name, and gives its exit code.
pub fn main_with(args: impl IntoIterator<Item = OsString>, terminal: &mut Terminal) -> u8 {
    match Cli::try_parse_from(args) {
        Ok(cli) => end(cli.verbose, terminal, |terminal| commands::run(&cli.command, terminal)),
        Err(error) => usage(&or_file(error), terminal),
    }
}

/// Where a scenario is lacking, files with Kubernetes objects would do as well, which clap does not say.
fn or_file(mut error: clap::Error) -> clap::Error {
    let is_scenario = |lacking: &String| lacking.starts_with("<SCENARIO>");
    if let Some(ContextValue::Strings(lacking)) = error.get(ContextKind::InvalidArg)
        && error.kind() == ErrorKind::MissingRequiredArgument
        && lacking.iter().any(is_scenario)
    {
        let tip = StyledStr::from("in place of a scenario there can be Kubernetes objects: `-f FILE`");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}

/// The same for the program `fake-linode`.
pub fn fake_linode_with(args: impl IntoIterator<Item = OsString>, terminal: &mut Terminal) -> u8 {
    match FakeLinode::try_parse_from(args) {
        Ok(args) => end(args.verbose, terminal, |terminal| commands::serve::serve(&args.serve, terminal)),
        Err(error) => usage(&error, terminal),
    }
}

fn end(verbose: u8, terminal: &mut Terminal, work: impl FnOnce(&mut Terminal) -> Result<u8, Failure>) -> u8 {
    let done = log::with(verbose, terminal.err.clone(), || work(terminal));
    let flushed = terminal.out.flush_all().map_err(Failure::stdout);
    match done.and_then(|code| flushed.map(|()| code)) {
        Ok(code) => code,
        Err(failure) => failure.tell(terminal),
    }
}

/// Help and versions are results; anything else is a mistake in the arguments.
fn usage(error: &clap::Error, terminal: &mut Terminal) -> u8 {
    let to_stdout = !error.use_stderr();
    let text = error.render();
    let style = if to_stdout { terminal.style } else { terminal.err_style };
    let text = if style.colour { text.ansi().to_string() } else { text.to_string() };
    if !to_stdout {
        terminal.tell(&text);
        return exit::WRONG_INPUT;
    }
    match terminal.print(&text) {
        Ok(()) => exit::OK,
        Err(failure) => failure.tell(terminal),
    }
}

#[cfg(test)]
mod tests;
