//! Fetches a future into the cache while its task waits for its turn.
//!
//! With a hundred thousand tasks each poll would begin with a wait for memory; the tasks of an instant are known
//! before the first of them is polled. On other processors than x86-64 it does nothing.

/// The processor's unit of memory.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;
/// Larger futures are fetched in part, so that an instant's futures fit the cache.
#[cfg(target_arch = "x86_64")]
const LINES_MAX: usize = 6;

/// Asks for the memory of `target`, without waiting.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn prefetch<T: ?Sized>(target: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let start = (&raw const *target).cast::<i8>();
    let lines = size_of_val(target).div_ceil(LINE).min(LINES_MAX);
    for line in 0..lines {
        // SAFETY: a prefetch is a hint. It reads nothing that the program could see, and faults at no address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line * LINE)) };
    }
}

/// As [`prefetch`], but always so much as the future of a small task has: cheaper than to look how much it is.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(crate) fn prefetch_start<T: ?Sized>(target: &T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    let start = (&raw const *target).cast::<i8>();
    for line in 0..LINES_MAX {
        // SAFETY: as above; also where the target is smaller.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line * LINE)) };
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn prefetch_start<T: ?Sized>(_: &T) {}

#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub(crate) fn prefetch<T: ?Sized>(_: &T) {}
