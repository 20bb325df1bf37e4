//! Why a run can't go on.

use crate::path::TaskPath;
use lkesim_runtime::Time;

/// Why the kernel gave up a run. After either, only [`crate::Kernel::reset`] makes sense.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KernelError {
    /// A task keeps waking itself, or a few tasks each other, so that the clock can't move.
    #[error("task {task} spins at {at}: {polls} polls and the instant has not ended")]
    Spinning {
        /// The task polled most often of late.
        task: TaskPath,
        /// The instant that doesn't end.
        at: Time,
        /// Polls of all tasks in this instant.
        polls: u64,
    },
    /// A task panicked, while polled or while dropped.
    #[error("task {task} panicked at {at}: {message}")]
    Panicked {
        /// The task whose code panicked.
        task: TaskPath,
        /// The present at the time.
        at: Time,
        /// The panic's words, if it had any.
        message: String,
    },
}
