//! Memory that may become large, in large pages where the system has them.
//!
//! With a hundred thousand tasks each poll looks at memory that nothing looked at for long. That it is in no cache can
//! be hidden by fetching it before; that its page is not known to the processor can't, and a virtual machine looks
//! pages up in two tables. So large memory asks for large pages. Where the system has none, nothing changes.

/// Below so many bytes a list is not large.
const LARGE: usize = 1 << 20;

/// Adds an entry at the end of a list that may become large.
#[inline]
pub fn push<T>(list: &mut Vec<T>, entry: T) {
    if list.len() == list.capacity() {
        grow(list);
    }
    list.push(entry);
}

#[cold]
#[inline(never)]
fn grow<T>(list: &mut Vec<T>) {
    let capacity = list.capacity().saturating_mul(2).max(4);
    if capacity.saturating_mul(size_of::<T>()) < LARGE {
        return list.reserve_exact(capacity - list.len());
    }
    // The advice counts for pages that were not touched yet.
    let mut larger: Vec<T> = Vec::with_capacity(capacity);
    advise(larger.as_mut_ptr().cast(), larger.capacity() * size_of::<T>());
    larger.append(list);
    *list = larger;
}

/// Asks for large pages behind memory of the caller's that was not used yet.
#[cfg(target_os = "linux")]
pub(crate) fn advise(memory: *mut u8, bytes: usize) {
    use rustix::mm::{Advice, madvise};
    /// The advice is given to whole pages; where there are larger ones beside them, they are not larger than this.
    const PAGE: usize = 1 << 16;
    let before = memory.align_offset(PAGE);
    let whole = bytes.saturating_sub(before) & !(PAGE - 1);
    if whole > 0 {
        // SAFETY: the advice changes no content and lies within the caller's memory. That it is not taken is no failure.
        let _ = unsafe { madvise(memory.wrapping_add(before).cast(), whole, Advice::LinuxHugepage) };
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn advise(_: *mut u8, _: usize) {}
