//! `lkesim check`: reads and validates scenarios, and runs nothing.

use crate::args::Check as Args;
use crate::{Failure, Terminal, exit, input};
use lkesim_report::style::harmless;

/// Runs the command. All scenarios are checked, whatever the first ones say; the worst code wins.
pub fn check(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    let mut worst = exit::OK;
    // Files alone are a scenario, and beside scenarios a part of each.
    let scenarios = args.scenario.iter().map(|scenario| Some(scenario.as_path()));
    let alone = args.scenario.is_empty().then_some(None);
    for scenario in scenarios.chain(alone) {
        let (files, sets, designs, strict) = (&args.file, &args.set, &args.design, args.strict);
        match input::read(&input::Wanted { scenario, files, sets, designs, strict }, terminal) {
            Ok(loaded) => terminal.print(&format!("{}: ok\n", harmless(&loaded.name)))?,
            Err(failure) => worst = worst.max(failure.tell(terminal)),
        }
    }
    Ok(worst)
}
