//! What traces are written to beside files.

use lkesim_sim::Sink;
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

/// Memory that a run writes to and its caller reads.
#[derive(Clone, Default)]
pub struct Memory(Rc<RefCell<Vec<u8>>>);

impl Memory {
    /// What was written.
    pub fn take(&self) -> Vec<u8> {
        self.0.take()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Two that are each given everything.
pub struct Both(pub Sink, pub Memory);

impl Write for Both {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.0.write(bytes)?;
        self.1.write_all(&bytes[..written])?;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
