//! Memory of very many futures: large chunks, each of which is cut into blocks of one size.
//!
//! A chunk begins at a multiple of its size, so that a block's chunk is found from its address alone. Chunks ask the system
//! for large pages: among a hundred thousand futures the page of the next one is in no table of the processor.

use crate::large;
use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ptr::NonNull;

/// A chunk's size, and what its address is a multiple of: that of a large page on most systems.
const CHUNK: usize = 1 << 21;
/// Sizes of blocks are multiples of this: a line of the processor's caches.
const LINE: usize = 64;
/// Larger futures are left on the heap: few of them fill a page.
const BLOCK_MAX: usize = 1 << 11;

/// The begin of a chunk.
#[repr(C, align(64))]
struct Chunk {
    /// The block that was given back last; each holds the address of the one before.
    free: Cell<Option<NonNull<u8>>>,
    /// Where what was never used begins.
    fresh: Cell<usize>,
    block: usize,
    /// How many blocks are in use.
    live: Cell<usize>,
    /// Whether its slab is gone: then the last block takes it along.
    is_left: Cell<bool>,
}

const LAYOUT: Layout = match Layout::from_size_align(CHUNK, CHUNK) {
    Ok(layout) => layout,
    Err(_) => panic!("a power of two"),
};

/// Memory for the futures of one driver.
#[derive(Default)]
pub struct Slab {
    /// By the size of their blocks.
    classes: BTreeMap<usize, Class>,
}

#[derive(Default)]
struct Class {
    chunks: Vec<NonNull<Chunk>>,
    /// The chunk that is asked first.
    at: usize,
}

impl Slab {
    /// An empty one.
    pub fn new() -> Slab {
        Slab::default()
    }

    /// A block for this layout, if such ones are kept here. The caller gives it back once.
    pub(super) fn take(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.size() > BLOCK_MAX || layout.align() > LINE {
            return None;
        }
        let block = layout.size().next_multiple_of(LINE);
        let class = self.classes.entry(block).or_default();
        for _ in 0..class.chunks.len() {
            if let Some(place) = take_of(class.chunks[class.at]) {
                return Some(place);
            }
            class.at = (class.at + 1) % class.chunks.len();
        }
        class.at = class.chunks.len();
        class.chunks.push(new_chunk(block));
        take_of(class.chunks[class.at])
    }
}

impl Drop for Slab {
    fn drop(&mut self) {
        for chunk in self.classes.values().flat_map(|class| &class.chunks) {
            // SAFETY: a slab's chunks live as long as it does, and longer where a block is in use.
            let shared = unsafe { chunk.as_ref() };
            if shared.live.get() > 0 {
                shared.is_left.set(true);
            } else {
                // SAFETY: it was allocated with this layout, and nobody uses a block of it.
                unsafe { dealloc(chunk.as_ptr().cast(), LAYOUT) };
            }
        }
    }
}

fn new_chunk(block: usize) -> NonNull<Chunk> {
    // SAFETY: the layout is not empty.
    let memory = unsafe { alloc(LAYOUT) };
    let Some(chunk) = NonNull::new(memory.cast::<Chunk>()) else { handle_alloc_error(LAYOUT) };
    large::advise(memory, CHUNK);
    let fresh = Cell::new(size_of::<Chunk>());
    let free = Cell::new(None);
    // SAFETY: the memory is new, and larger and better aligned than the begin of a chunk.
    unsafe { chunk.write(Chunk { free, fresh, block, live: Cell::new(0), is_left: Cell::new(false) }) };
    chunk
}

fn take_of(chunk: NonNull<Chunk>) -> Option<NonNull<u8>> {
    // SAFETY: the slab that asks has the chunk.
    let shared = unsafe { chunk.as_ref() };
    let place = match shared.free.get() {
        Some(place) => {
            // SAFETY: a free block holds the address of the one before.
            shared.free.set(unsafe { place.cast::<Option<NonNull<u8>>>().read() });
            place
        }
        None => {
            let fresh = shared.fresh.get();
            if fresh + shared.block > CHUNK {
                return None;
            }
            shared.fresh.set(fresh + shared.block);
            // SAFETY: the block ends within the chunk's memory.
            unsafe { chunk.cast::<u8>().add(fresh) }
        }
    };
    shared.live.set(shared.live.get() + 1);
    Some(place)
}

/// Gives a block back.
///
/// # Safety
/// It was taken from a slab of this thread, and nobody uses it any more.
pub(super) unsafe fn give_back(place: NonNull<u8>) {
    let begin = place.as_ptr().map_addr(|address| address & !(CHUNK - 1)).cast::<Chunk>();
    // SAFETY: blocks lie behind the begin of their chunk, which lives as long as one of them is in use; its address is a
    // multiple of its size.
    let shared = unsafe { &*begin };
    // SAFETY: a block is large enough for an address, and aligned for one.
    unsafe { place.cast::<Option<NonNull<u8>>>().write(shared.free.get()) };
    shared.free.set(Some(place));
    let live = shared.live.get() - 1;
    shared.live.set(live);
    if live == 0 && shared.is_left.get() {
        // SAFETY: its slab is gone, and this was the last block in use.
        unsafe { dealloc(begin.cast(), LAYOUT) };
    }
}
