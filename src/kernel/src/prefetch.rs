//! Fetches what a task needs into the cache while it waits for its turn.
//!
//! The tasks of an instant are known before the first of them is polled, and so are the timers of the next; with a
//! thousand tasks few are in the nearest cache. On other processors than x86-64 it does nothing.

/// The processor's unit of memory.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Asks for the first lines of `target`'s memory, without waiting. How large it is isn't asked: that would cost more
/// than fetching a line that nobody needs.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn prefetch<const LINES: usize, T: ?Sized>(target: *const T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let start = target.cast::<i8>();
    for line in 0..LINES {
        // SAFETY: a prefetch is a hint. It reads nothing that the program could see, and faults at no address, so it
        // may go beyond the end of a target.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line * LINE)) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn prefetch<const LINES: usize, T: ?Sized>(_: *const T) {}
