//! The commands, one file each.

mod check;
mod compare;
mod diff;
mod explain;
mod explore;
mod list;
mod many;
mod merge;
mod replay;
mod run;
mod schema;
mod screen;
pub mod serve;
mod show;
mod shrink;
mod sweep;

use crate::args::Command;
use crate::{Failure, Terminal};

/// Runs a command and gives its exit code.
pub fn run(command: &Command, terminal: &mut Terminal) -> Result<u8, Failure> {
    match command {
        Command::Run(args) => run::run(args, terminal),
        Command::Explore(args) => explore::explore(args, terminal),
        Command::Shrink(args) => shrink::shrink(args, terminal),
        Command::Merge(args) => merge::merge(args, terminal),
        Command::Compare(args) => compare::compare(args, terminal),
        Command::Sweep(args) => sweep::sweep(args, terminal),
        Command::Screen(args) => screen::screen(args, terminal),
        Command::Check(args) => check::check(args, terminal),
        Command::Replay(args) => replay::replay(args, terminal),
        Command::Show(args) => show::show(args, terminal),
        Command::Diff(args) => diff::diff(args, terminal),
        Command::List(args) => list::list(args, terminal),
        Command::Explain(args) => explain::explain(args, terminal),
        Command::Schema(args) => schema::schema(args, terminal),
        Command::Serve(args) => serve::serve(args, terminal),
    }
}
