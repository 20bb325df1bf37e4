//! `lkesim check`: reads and validates scenarios, and runs nothing.

use crate::args::Check as Args;
use crate::{Failure, Terminal, exit, input};
use lkesim_report::style::harmless;

/// Runs the command. All scenarios are checked, whatever the first ones say; the worst code wins.
pub fn check(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let mut worst = exit::OK;
    for argument in &args.scenario {
        match input::scenario(argument, &args.set, &args.design, terminal) {
            Ok(loaded) => terminal.print(&format!("{}: ok\n", harmless(&loaded.name)))?,
            Err(failure) => worst = worst.max(failure.tell(terminal)),
        }
    }
    Ok(worst)
}
