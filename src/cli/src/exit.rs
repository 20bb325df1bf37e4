//! Exit codes. Scripts may rely on them; a number never changes its meaning.

/// All that was expected held; or what was asked for was shown.
pub const OK: u8 = 0;

/// An invariant or an expectation failed.
pub const FAILED: u8 = 1;

/// The input or the usage is wrong: an unknown option or name, a scenario with a mistake, a file that is missing or cut
/// short. Also: the scenario asks for something that is not modelled.
pub const WRONG_INPUT: u8 = 2;

/// A replay did not repeat what the trace recorded.
pub const DIVERGED: u8 = 3;

/// A file or a stream could not be read or written, as the disk is full or permission is missing.
pub const UNREADABLE: u8 = 4;

/// A bug of lkesim itself, the code that a panic ends with.
pub const BUG: u8 = 101;

/// Interrupted from the keyboard.
pub const INTERRUPTED: u8 = 130;

/// The list for `--help`.
pub const HELP: &str = "\
Exit codes:
  0    all that was expected held
  1    an invariant or an expectation failed
  2    the input or the usage is wrong, or asks for what is not modelled
  3    a replay diverged
  4    a file could not be read or written
  130  interrupted";
