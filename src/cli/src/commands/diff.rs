//! `lkesim diff`: the first event and the figures in which two traces differ.

use crate::args::Diff as Args;
use crate::{Failure, Terminal, exit, input};
use lkesim_report::diff;

/// Runs the command.
pub fn diff(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    if args.left.as_os_str() == "-" && args.right.as_os_str() == "-" {
        return Err(Failure::Usage("only one of the two traces can be standard input".to_owned()));
    }
    let left = input::trace(&args.left, terminal)?;
    let right = input::trace(&args.right, terminal)?;
    let style = terminal.style;
    terminal.put(|out| diff::write(&left, &right, style, out))?;
    Ok(exit::OK)
}
