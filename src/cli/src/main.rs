//! The program: the process's arguments and streams, given to the library.

use lkesim::{Terminal, interrupt};
use std::process::ExitCode;

/// A run makes and drops thousands of small values: a tenth of its time was the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    interrupt::watch();
    let mut terminal = Terminal::of_process();
    ExitCode::from(lkesim::main_with(std::env::args_os(), &mut terminal))
}
