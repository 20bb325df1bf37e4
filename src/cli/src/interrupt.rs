//! What happens at an interrupt, or where the process is asked to end: files that are not whole go, and the exit code
//! is 130.

use crate::exit;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Files that are written and not yet under their final name.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Listens for interrupts of this process. Where that fails, the system's own way to end a process stays.
pub fn watch() {
    let _ = ctrlc::set_handler(|| {
        for path in unfinished().iter() {
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(exit::INTERRUPTED.into());
    });
}

/// From here on an interrupt removes the file.
pub(crate) fn remember(path: &Path) {
    unfinished().push(path.to_owned());
}

/// The file is whole, or gone.
pub(crate) fn forget(path: &Path) {
    unfinished().retain(|other| other != path);
}

fn unfinished() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
