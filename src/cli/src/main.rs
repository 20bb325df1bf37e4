//! The program: the process's arguments and streams, given to the library.

use lkesim::{Terminal, interrupt};
use std::process::ExitCode;

fn main() -> ExitCode {
    interrupt::watch();
    let mut terminal = Terminal::of_process();
    ExitCode::from(lkesim::main_with(std::env::args_os(), &mut terminal))
}
