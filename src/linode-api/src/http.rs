//! The API over HTTP, for clients that run on a tokio `LocalSet`. It goes to this machine alone: the model's client is
//! no client of the live API.

pub mod io;

use crate::error::CallError;
use crate::request::{Answer, CallNumber, Headers, Request};
use crate::wire::{Arrived, HttpRequest, read_answer};
use http_body_util::{BodyExt, Full};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use io::Stream;
use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::spawn_local;

/// How long the server may take nothing of a request.
const PATIENCE: Duration = Duration::from_secs(10);

/// The address is of another machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not of this machine, to which alone the model's client goes")]
pub struct NotLoopback(pub SocketAddr);

/// A client of a served API. Clones share connections.
#[derive(Clone)]
pub struct HttpLinode(Rc<Connections>);

struct Connections {
    server: SocketAddr,
    /// Before each path, such as `/v4beta`.
    version: &'static str,
    authorization: String,
    /// Connections that carry nothing at present.
    idle: RefCell<Vec<SendRequest<Full<Bytes>>>>,
}

impl HttpLinode {
    /// A client of the API at `server` in its beta version, by this token.
    ///
    /// # Errors
    /// Where the server is another machine.
    pub fn new(server: SocketAddr, token: &str) -> Result<HttpLinode, NotLoopback> {
        if !server.ip().is_loopback() {
            return Err(NotLoopback(server));
        }
        Ok(HttpLinode(Rc::new(Connections {
            server,
            version: "/v4beta",
            authorization: format!("Bearer {token}"),
            idle: RefCell::default(),
        })))
    }

    /// Sends one request and waits for its answer.
    pub async fn exchange(&self, request: &Request) -> Answer {
        self.0.exchange(request, None).await
    }

    /// The same, telling a served cloud that a run drives by which number the run knows the call.
    pub async fn exchange_numbered(&self, request: &Request, number: CallNumber) -> Answer {
        self.0.exchange(request, Some(number)).await
    }
}

impl Connections {
    async fn exchange(&self, request: &Request, number: Option<CallNumber>) -> Answer {
        match self.try_exchange(request, number).await {
            Some(answer) => answer,
            None => Answer { result: Err(CallError::ConnectionLost), headers: Headers::default() },
        }
    }

    /// None where the connection broke.
    async fn try_exchange(&self, request: &Request, number: Option<CallNumber>) -> Option<Answer> {
        let http = self.http(&HttpRequest::of(request), number)?;
        let mut connection = self.connection().await?;
        let response = connection.send_request(http).await.ok()?;
        let (parts, body) = response.into_parts();
        let body = body.collect().await.ok()?.to_bytes();
        let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
        let answer = read_answer(request, &Arrived { status: parts.status.as_u16(), header: &header, body: &body });
        if connection.ready().await.is_ok() {
            self.idle.borrow_mut().push(connection);
        }
        Some(answer)
    }

    fn http(&self, written: &HttpRequest, number: Option<CallNumber>) -> Option<hyper::Request<Full<Bytes>>> {
        let query = if written.query.is_empty() { String::new() } else { format!("?{}", written.query) };
        let mut builder = hyper::Request::builder()
            .method(written.method.name())
            .uri(format!("{}{}{query}", self.version, written.path))
            .header(HOST, self.server.to_string())
            .header(AUTHORIZATION, &self.authorization)
            .header(CONTENT_TYPE, "application/json");
        if let Some(filter) = &written.x_filter {
            builder = builder.header("x-filter", filter);
        }
        if let Some(number) = number {
            builder = builder.header("x-fake-call", number);
        }
        builder.body(Full::new(written.body.clone().unwrap_or_default().into())).ok()
    }

    /// A connection that carries nothing: one of before, or one more.
    async fn connection(&self) -> Option<SendRequest<Full<Bytes>>> {
        loop {
            let idle = self.idle.borrow_mut().pop();
            match idle {
                Some(idle) if idle.is_closed() => {}
                Some(idle) => return Some(idle),
                None => break,
            }
        }
        let stream = TcpStream::connect(self.server).await.ok()?;
        stream.set_nodelay(true).ok()?;
        let (sender, connection) = handshake(Stream::new(stream, PATIENCE)).await.ok()?;
        spawn_local(async move {
            // It ends when either side lets go; who waits on it hears of that.
            let _ = connection.await;
        });
        Some(sender)
    }
}
