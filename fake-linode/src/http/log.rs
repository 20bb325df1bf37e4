//! The log of requests: a line of JSON each, in memory for who asks, and in a file for who wants all of them.

use hyper::body::Bytes;
use lkesim_linode_api::wire::dumps;
use lkesim_runtime::Time;
use serde::Serialize;
use serde_json::Value;
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;

/// Where lines go beside the memory, each flushed.
pub type Sink = Box<dyn Write>;

/// Memory keeps so many bytes of bodies; the oldest requests are forgotten first.
const MOST_BYTES: usize = 64 << 20;

/// Memory keeps so many requests.
const MOST_REQUESTS: usize = 200_000;

/// A longer reply is told by its length alone.
const LONGEST_REPLY: usize = 64 << 10;

/// A reply's body, or its length where it is long: a page of a list would be kept for the log alone.
pub(super) enum Replied {
    Short(Bytes),
    Long(usize),
}

impl From<Bytes> for Replied {
    fn from(body: Bytes) -> Replied {
        if body.len() > LONGEST_REPLY { Replied::Long(body.len()) } else { Replied::Short(body) }
    }
}

/// A request and what came of it.
pub(super) struct Entry {
    pub n: u64,
    pub at: Time,
    pub token: Option<Arc<str>>,
    pub method: String,
    pub path: String,
    pub query: String,
    pub x_filter: Option<String>,
    pub body: Option<String>,
    /// None where the answer was lost.
    pub status: Option<u16>,
    pub reply: Replied,
    pub fault: Option<Arc<str>>,
}

#[derive(Serialize)]
struct Line<'a> {
    n: u64,
    at_ns: u64,
    token: Option<&'a str>,
    method: &'a str,
    path: &'a str,
    query: &'a str,
    x_filter: Option<&'a str>,
    body: Option<Value>,
    status: Option<u16>,
    reply: Option<Value>,
    reply_bytes: usize,
    fault: Option<&'a str>,
}

impl Entry {
    fn bytes(&self) -> usize {
        let body = self.body.as_ref().map_or(0, String::len);
        let reply = match &self.reply {
            Replied::Short(body) => body.len(),
            Replied::Long(_) => 0,
        };
        let filter = self.x_filter.as_ref().map_or(0, String::len);
        200 + self.method.len() + self.path.len() + self.query.len() + filter + body + reply
    }

    /// Its line, without an end.
    fn line(&self) -> Vec<u8> {
        let json_or_text = |text: &str| match serde_json::from_str(text) {
            Ok(value) => value,
            Err(_) => Value::from(text),
        };
        let (reply, reply_bytes) = match &self.reply {
            Replied::Short(body) => (self.status.map(|_| json_or_text(&String::from_utf8_lossy(body))), body.len()),
            Replied::Long(bytes) => (None, *bytes),
        };
        dumps(&Line {
            n: self.n,
            at_ns: self.at.as_nanos(),
            token: self.token.as_deref(),
            method: &self.method,
            path: &self.path,
            query: &self.query,
            x_filter: self.x_filter.as_deref(),
            body: self.body.as_deref().map(json_or_text),
            status: self.status,
            reply,
            reply_bytes,
            fault: self.fault.as_deref(),
        })
    }
}

/// The log.
#[derive(Default)]
pub(super) struct Log {
    entries: VecDeque<Entry>,
    bytes: usize,
    sink: Option<Sink>,
}

impl Log {
    pub fn new(sink: Option<Sink>) -> Log {
        Log { sink, ..Log::default() }
    }

    /// Keeps a request. A sink that fails is left alone from then on: who made it knows of it, and tells.
    pub fn push(&mut self, entry: Entry) {
        if let Some(sink) = &mut self.sink {
            let mut line = entry.line();
            line.push(b'\n');
            if sink.write_all(&line).and_then(|()| sink.flush()).is_err() {
                self.sink = None;
            }
        }
        self.bytes += entry.bytes();
        self.entries.push_back(entry);
        while self.bytes > MOST_BYTES || self.entries.len() > MOST_REQUESTS {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= oldest.bytes();
        }
    }

    /// Forgets all requests.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
    }

    /// The lines from the n-th request on.
    pub fn lines(&self, from: u64) -> Vec<u8> {
        let mut lines = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.n >= from) {
            lines.extend_from_slice(&entry.line());
            lines.push(b'\n');
        }
        lines
    }
}
