//! What happens at an interrupt, or where the process is asked to end: files that are not whole go, and the exit code
//! is 130.

use crate::exit;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether an interrupt asked what runs to end by itself.
static ASKED: AtomicBool = AtomicBool::new(false);

/// Files that are written and not yet under their final name.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What happens in place of the end, once.
static INSTEAD: Mutex<Option<Box<dyn FnOnce() + Send>>> = Mutex::new(None);

/// Listens for interrupts of this process. Where that fails, the system's own way to end a process stays. A file that
/// may not grow further is an error of its write, and no end of the process.
pub fn watch() {
    #[cfg(unix)]
    ignore_file_limit();
    let _ = ctrlc::set_handler(|| {
        let instead = INSTEAD.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        if let Some(instead) = instead {
            return instead();
        }
        for path in unfinished().iter() {
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(exit::INTERRUPTED.into());
    });
}

/// A signal tells of the limit of a file's size before the write fails. Ignored, the write fails alone.
#[cfg(unix)]
fn ignore_file_limit() {
    use nix::sys::signal::{SigHandler, Signal, signal};
    // SAFETY: no handler is set that could run amid other code.
    let _ = unsafe { signal(Signal::SIGXFSZ, SigHandler::SigIgn) };
}

/// From here on the first interrupt does this in place of ending the process; a second one ends it.
pub(crate) fn first(instead: impl FnOnce() + Send + 'static) {
    *INSTEAD.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(Box::new(instead));
}

/// From here on the first interrupt asks what runs to end by itself, with what it has; a second one ends the process.
pub(crate) fn patiently() {
    first(|| ASKED.store(true, Ordering::Relaxed));
}

/// Whether an interrupt asked what runs to end.
pub(crate) fn was_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
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
