//! The server, asked as clients ask: over a socket.

mod api;
mod bounds;
mod control;
mod same;
mod still;

use super::{Beginning, Bounds, Pace, Server, Source, serve};
use crate::settings::{Settings, TokenSettings};
use crate::{Action, Cloud, Cut, Fault, Refusal};
use lkesim_linode_api::Tier;
use lkesim_runtime::{Quantiles, Seed};
use serde_json::Value;
use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// A cloud of these settings. Its faults are written `{"<kind>": {}}`.
struct Plain {
    settings: Settings,
    kept: RefCell<Vec<u8>>,
}

impl Source for Plain {
    fn begin(&self, scenario: Option<&str>, seed: Option<u64>) -> Result<Beginning, String> {
        if let Some(text) = scenario {
            return Err(format!("no scenario is read here: {text}"));
        }
        let mut settings = self.settings.clone();
        settings.tokens = ["token", "other", "nobody"].map(TokenSettings::new).into();
        let tokens = vec!["token".into(), "other".into()];
        let latency = None;
        Ok(Beginning { latency, cloud: Cloud::new(settings, Seed(seed.unwrap_or(1))), tokens })
    }

    fn fault(&self, written: &Value) -> Result<Fault, String> {
        let action = match written.as_object().and_then(|map| map.keys().next()).map(String::as_str) {
            Some("refuse") => Action::Refuse(Refusal::status(500)),
            Some("lose") => Action::Lose,
            Some("garble") => Action::Garble,
            Some("partial") => Action::Partial(Cut::After(2)),
            Some("double") => Action::Double,
            Some("stale") => Action::Stale(Duration::from_secs(10)),
            Some("delay") => Action::Delay(Quantiles::constant(Duration::from_secs(30))),
            _ => return Err("no such fault".to_owned()),
        };
        Ok(Fault::new("posted", action))
    }

    fn keep(&self, snapshot: &[u8]) -> Result<(), String> {
        *self.kept.borrow_mut() = snapshot.to_vec();
        Ok(())
    }
}

/// A served cloud.
pub(super) struct Served {
    pub at: SocketAddr,
    pub server: Rc<Server>,
    stop: RefCell<Option<oneshot::Sender<()>>>,
    task: RefCell<Option<tokio::task::JoinHandle<()>>>,
}

/// An answer as it came.
#[derive(Debug)]
pub(super) struct Came {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Came {
    /// A header's value, by its name in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(": ")?;
            key.eq_ignore_ascii_case(name).then_some(value)
        })
    }

    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

fn runtime(paused: bool) -> tokio::runtime::Runtime {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(paused);
    builder.build().expect("a runtime of tokio")
}

/// Serves a cloud by hand while `test` runs.
pub(super) fn served(settings: Settings, bounds: Bounds, paused: bool, test: impl AsyncFnOnce(Served)) {
    let tokio = runtime(paused);
    tokio::task::LocalSet::new().block_on(&tokio, async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("an address");
        let source = Rc::new(Plain { settings, kept: RefCell::default() });
        let server = Server::new(source, Pace::ByHand, None).expect("a cloud");
        let (stop, stopped) = oneshot::channel();
        let serving = serve(listener, server.clone(), bounds, async {
            let _ = stopped.await;
        });
        let task = tokio::task::spawn_local(serving);
        test(Served { at, server, stop: RefCell::new(Some(stop)), task: RefCell::new(Some(task)) }).await;
    });
}

pub(super) fn standard(test: impl AsyncFnOnce(Served)) {
    // Nobody here waits in silence for a lost answer.
    let bounds = Bounds { silence: Duration::ZERO, ..Bounds::default() };
    served(Settings::quiet(Tier::Standard), bounds, false, test);
}

impl Served {
    /// Sends bytes on a connection of its own, and reads what comes until it closes.
    pub async fn raw(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.at).await.expect("a connection");
        stream.write_all(bytes).await.expect("the request goes out");
        let mut came = Vec::new();
        let _ = stream.read_to_end(&mut came).await;
        came
    }

    /// Asks with these headers; none where the connection closes without an answer.
    pub async fn asked(&self, method: &str, path: &str, headers: &str, body: &str) -> Option<Came> {
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: fake\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        );
        let came = String::from_utf8(self.raw(head.as_bytes()).await).expect("text");
        let (head, body) = came.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Some(Came { status, head: head.to_owned(), body: body.to_owned() })
    }

    /// Asks the API as the holder of a token.
    pub async fn api(&self, method: &str, path: &str, body: &str) -> Came {
        let path = format!("/v4beta{path}");
        self.asked(method, &path, "Authorization: Bearer token\r\n", body).await.expect("an answer")
    }

    /// Asks the administration.
    pub async fn fake(&self, method: &str, path: &str, body: &str) -> Came {
        self.asked(method, &format!("/_fake/{path}"), "", body).await.expect("an answer")
    }

    /// Ends the server, and waits until it has ended.
    pub async fn end(&self) {
        let stop = self.stop.borrow_mut().take();
        drop(stop);
        let task = self.task.borrow_mut().take();
        if let Some(task) = task {
            task.await.expect("the server ends well");
        }
    }
}
