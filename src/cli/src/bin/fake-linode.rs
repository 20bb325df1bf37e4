//! The served cloud under its own name: `lkesim serve` without the rest.

use lkesim::{Terminal, interrupt};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    interrupt::watch();
    let mut terminal = Terminal::of_process();
    ExitCode::from(lkesim::fake_linode_with(std::env::args_os(), &mut terminal))
}
