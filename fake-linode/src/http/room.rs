//! The memory that bodies of requests take, over all connections together.
//!
//! A connection's body is bounded, and there are thousands of connections: who would not fit any more is let go, as is
//! who is slow.

use http_body_util::BodyExt;
use hyper::body::{Body, Bytes};
use std::cell::Cell;
use std::rc::Rc;

/// The bytes that are free.
#[derive(Clone)]
pub(super) struct Room {
    free: Rc<Cell<usize>>,
}

impl Room {
    pub fn of(bytes: usize) -> Room {
        Room { free: Rc::new(Cell::new(bytes)) }
    }

    /// A share of no bytes.
    fn share(&self) -> Share {
        Share { room: self.clone(), taken: 0 }
    }
}

/// The bytes that one body takes, which are free again when it is dropped.
pub(super) struct Share {
    room: Room,
    taken: usize,
}

impl Share {
    /// Takes so many bytes more; whether they were free.
    fn take(&mut self, bytes: usize) -> bool {
        let Some(free) = self.room.free.get().checked_sub(bytes) else {
            return false;
        };
        self.room.free.set(free);
        self.taken += bytes;
        true
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.room.free.set(self.room.free.get() + self.taken);
    }
}

/// What came of a body.
pub(super) enum Came {
    /// All of it, and its share of the room.
    Whole(Bytes, Share),
    /// It is larger than is taken.
    TooLarge,
    /// It broke off, or there was no room for it.
    Lost,
}

/// So much of a body that is too large is read on and dropped: who is still sending when the connection closes does not
/// see the answer.
const READ_ON: u64 = 16 << 20;

/// Takes a body of `most` bytes at the most.
pub(super) async fn take<B: Body<Data = Bytes> + Unpin>(mut body: B, most: usize, room: &Room) -> Came {
    if body.size_hint().lower() > most as u64 {
        return too_large(body).await;
    }
    let (mut whole, mut share) = (Vec::new(), room.share());
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else {
            return Came::Lost;
        };
        let Some(part) = frame.data_ref() else {
            continue;
        };
        if whole.len() + part.len() > most {
            drop((whole, share));
            return too_large(body).await;
        }
        if !share.take(part.len()) {
            return Came::Lost;
        }
        whole.extend_from_slice(part);
    }
    Came::Whole(whole.into(), share)
}

/// Reads on where the end is near enough.
async fn too_large<B: Body<Data = Bytes> + Unpin>(mut body: B) -> Came {
    let mut left = READ_ON;
    while body.size_hint().lower() <= left
        && let Some(Ok(frame)) = body.frame().await
    {
        let read = frame.data_ref().map_or(0, Bytes::len) as u64;
        let Some(less) = left.checked_sub(read) else { break };
        left = less;
    }
    Came::TooLarge
}

#[cfg(test)]
mod tests;
