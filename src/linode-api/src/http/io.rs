//! What hyper needs of tokio: streams whose writes can't stall for ever, and timers.

use hyper::rt::{Read, ReadBufCursor, Sleep, Timer, Write};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// A connection that breaks where its other end takes nothing for too long.
pub struct Stream {
    inner: TcpStream,
    patience: Duration,
    /// Runs while a write waits.
    stalled: Option<Pin<Box<tokio::time::Sleep>>>,
}

impl Stream {
    /// A stream over `inner` whose other end may take nothing for as long as `patience`.
    pub const fn new(inner: TcpStream, patience: Duration) -> Stream {
        Stream { inner, patience, stalled: None }
    }

    /// Looks at a write's outcome: what waits gets so much time, what goes on ends the wait.
    fn timed<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let deadline = tokio::time::Instant::now() + self.patience;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        match stalled.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [0; 8_192];
        let room = into.remaining().min(bytes.len());
        let mut read = ReadBuf::new(&mut bytes[..room]);
        match Pin::new(&mut self.inner).poll_read(context, &mut read) {
            Poll::Ready(Ok(())) => {
                into.put_slice(read.filled());
                Poll::Ready(Ok(()))
            }
            other => other,
        }
    }
}

impl Write for Stream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(context, bytes);
        self.timed(written, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(context);
        self.timed(flushed, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.inner).poll_shutdown(context);
        self.timed(shut, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(context, parts);
        self.timed(written, context)
    }
}

/// Timers on tokio's clock.
#[derive(Clone, Copy)]
pub struct Timers;

impl Timer for Timers {
    fn sleep(&self, length: Duration) -> Pin<Box<dyn Sleep>> {
        Box::pin(OneSleep(Box::pin(tokio::time::sleep_until(tokio::time::Instant::now() + length))))
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn Sleep>> {
        Box::pin(OneSleep(Box::pin(tokio::time::sleep_until(deadline.into()))))
    }

    fn reset(&self, sleep: &mut Pin<Box<dyn Sleep>>, deadline: Instant) {
        if let Some(mut known) = sleep.as_mut().downcast_mut_pin::<OneSleep>() {
            known.0.as_mut().reset(deadline.into());
        }
    }
}

struct OneSleep(Pin<Box<tokio::time::Sleep>>);

impl Future for OneSleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context)
    }
}

impl Sleep for OneSleep {}
