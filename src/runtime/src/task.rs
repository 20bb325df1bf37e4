//! A task's body: a future whose type nobody knows any more.
//!
//! A driver that has very many tasks wants to say where their futures lie, which a box can't. So a body is a pointer and a
//! table of functions, as a box of a trait object is, and its memory is the heap's or that of a [`Slab`].

mod slab;

pub use slab::Slab;

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::ptr::{self, NonNull};
use std::task::{Context, Poll};

/// What is known of a future's type.
struct Table {
    /// Polls the future there.
    poll: unsafe fn(NonNull<u8>, &mut Context<'_>) -> Poll<()>,
    /// Drops the future there.
    drop: unsafe fn(NonNull<u8>),
    /// Of its memory: never empty, and at even addresses.
    layout: Layout,
}

struct TableOf<F>(PhantomData<F>);

impl<F: Future<Output = ()> + 'static> TableOf<F> {
    const TABLE: Table = Table { poll: poll::<F>, drop: drop::<F>, layout: layout::<F>() };
}

const fn layout<F>() -> Layout {
    let (size, align) = (size_of::<F>(), align_of::<F>());
    let (size, align) = (if size == 0 { 1 } else { size }, if align < 2 { 2 } else { align });
    match Layout::from_size_align(size, align) {
        Ok(layout) => layout,
        Err(_) => panic!("a future of this size can't be"),
    }
}

/// # Safety
/// There is an `F` at `data`, which was not moved since it was first polled, and is not dropped.
unsafe fn poll<F: Future<Output = ()>>(data: NonNull<u8>, context: &mut Context<'_>) -> Poll<()> {
    // SAFETY: as demanded; memory of a started body is given up only after the future was dropped in it.
    unsafe { Pin::new_unchecked(data.cast::<F>().as_mut()) }.poll(context)
}

/// # Safety
/// There is an `F` at `data`, which nobody uses after.
unsafe fn drop<F>(data: NonNull<u8>) {
    // SAFETY: as demanded.
    unsafe { ptr::drop_in_place(data.cast::<F>().as_ptr()) }
}

/// A future that was not polled yet: it can still be moved.
pub struct Task(LocalFuture);

impl Task {
    /// The task that runs this future.
    #[inline]
    pub fn new<F: Future<Output = ()> + 'static>(future: F) -> Task {
        let table = &TableOf::<F>::TABLE;
        // SAFETY: the layout is not empty.
        let memory = unsafe { alloc(table.layout) };
        let Some(data) = NonNull::new(memory) else { handle_alloc_error(table.layout) };
        // SAFETY: the memory is new, large enough for an `F`, and aligned for one.
        unsafe { data.cast::<F>().write(future) };
        Task(LocalFuture { data, table })
    }

    /// Its future, to be polled where it lies.
    #[inline]
    pub fn start(self) -> LocalFuture {
        self.0
    }

    /// Its future, to be polled in memory of `slab`, if that takes such ones.
    pub fn start_in(self, slab: &mut Slab) -> LocalFuture {
        let LocalFuture { data, table } = self.0;
        let Some(place) = slab.take(table.layout) else { return self.0 };
        std::mem::forget(self);
        // SAFETY: the place is as large as the layout, and nobody else's. The future was never polled, so it may be
        // moved; behind, its old memory is given up without dropping it.
        unsafe {
            ptr::copy_nonoverlapping(data.as_ptr(), place.as_ptr(), table.layout.size());
            dealloc(data.as_ptr(), table.layout);
        }
        LocalFuture { data: place.map_addr(|address| address | IN_SLAB), table }
    }
}

/// In the address of a future: its memory is a slab's. Layouts have even addresses.
const IN_SLAB: usize = 1;

/// A task's future, for the driver that runs it.
pub struct LocalFuture {
    data: NonNull<u8>,
    table: &'static Table,
}

impl LocalFuture {
    /// Where it lies, for who wants to fetch its memory.
    #[inline]
    pub fn address(&self) -> *const u8 {
        self.place().as_ptr()
    }

    #[inline]
    fn place(&self) -> NonNull<u8> {
        let bare = self.data.as_ptr().map_addr(|address| address & !IN_SLAB);
        // SAFETY: an even address of memory is not null, and is its own without the lowest bit.
        unsafe { NonNull::new_unchecked(bare) }
    }
}

impl Future for LocalFuture {
    type Output = ();

    #[inline]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        // SAFETY: the future lies there until this body is dropped, and is moved by nobody: a task is moved before it
        // starts alone.
        unsafe { (self.table.poll)(self.place(), context) }
    }
}

impl Drop for LocalFuture {
    #[inline]
    fn drop(&mut self) {
        let place = self.place();
        // SAFETY: the future is there, and this was its last use. Its memory is of this layout, from where the mark says.
        unsafe {
            (self.table.drop)(place);
            if self.data.addr().get() & IN_SLAB == 0 {
                dealloc(place.as_ptr(), self.table.layout);
            } else {
                slab::give_back(place);
            }
        }
    }
}

#[cfg(test)]
mod tests;
