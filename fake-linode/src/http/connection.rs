//! Connections: accepted, bounded, and ended with grace.

use super::admin;
use super::api::{Asked, Reply};
use super::headers;
use super::room::{self, Came, Room};
use super::state::Server;
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, HeaderMap};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use lkesim_linode_api::http::io::{Stream, Timers};
use std::cell::Cell;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// What one client can take of a server. Times are real ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Connections that are held; others are closed at once.
    pub connections: usize,
    /// How long a connection may be idle, or take for the head of a request.
    pub head: Duration,
    /// How long a request's body may take.
    pub body: Duration,
    /// How long a client may take nothing of a reply.
    pub reply: Duration,
    /// The largest body of a request of the API.
    pub body_bytes: usize,
    /// The largest body of a request of the administration: a snapshot.
    pub admin_bytes: usize,
    /// The most that bodies of requests take together; who would need more is let go without an answer.
    pub all_bytes: usize,
    /// How long a client that waits for a lost answer is held.
    pub silence: Duration,
    /// How long requests in flight have when the server ends.
    pub grace: Duration,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds {
            connections: 12_000,
            head: Duration::from_secs(60),
            body: Duration::from_secs(20),
            reply: Duration::from_secs(20),
            body_bytes: 1 << 20,
            admin_bytes: 256 << 20,
            all_bytes: 512 << 20,
            silence: Duration::from_secs(60),
            grace: Duration::from_secs(10),
        }
    }
}

/// The connection is to be closed without an answer.
#[derive(Debug, thiserror::Error)]
#[error("the answer is lost")]
struct Lost;

/// One of the connections that are held, however it ends.
struct Seat {
    open: Rc<Cell<usize>>,
}

impl Seat {
    fn take(open: &Rc<Cell<usize>>) -> Seat {
        open.set(open.get() + 1);
        Seat { open: open.clone() }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.open.set(self.open.get() - 1);
    }
}

/// Serves until `stop` is ready; then no connection is accepted any more, requests in flight have their time to end,
/// and it returns. To be called in a tokio `LocalSet`.
pub async fn serve(listener: TcpListener, server: Rc<Server>, bounds: Bounds, stop: impl Future<Output = ()>) {
    let (ending, ended) = watch::channel(false);
    let open = Rc::new(Cell::new(0));
    let room = Room::of(bounds.all_bytes);
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, peer)) if open.get() < bounds.connections => {
                let seat = Seat::take(&open);
                let connection = hold(stream, peer, server.clone(), bounds, room.clone(), ended.clone());
                connections.spawn_local(async move {
                    let _seat = seat;
                    connection.await;
                });
            }
            Ok(_) => {}
            // No file descriptor is free, or the client has gone: others may do better soon.
            Err(_) => pause(Duration::from_millis(20)).await,
        }
    }
    drop(listener);
    let _ = ending.send(true);
    let _ = timeout(bounds.grace, async { while connections.join_next().await.is_some() {} }).await;
    connections.abort_all();
}

#[allow(clippy::disallowed_methods, reason = "a server waits for clients, and these live in real time")]
async fn pause(length: Duration) {
    tokio::time::sleep(length).await;
}

async fn hold(
    stream: TcpStream,
    peer: SocketAddr,
    server: Rc<Server>,
    bounds: Bounds,
    room: Room,
    mut ended: watch::Receiver<bool>,
) {
    let _ = stream.set_nodelay(true);
    let silence_ends = ended.clone();
    let service =
        service_fn(move |request| respond(server.clone(), request, peer, bounds, room.clone(), silence_ends.clone()));
    let mut builder = http1::Builder::new();
    builder.timer(Timers).header_read_timeout(bounds.head).title_case_headers(true).max_buf_size(64 << 10);
    let mut connection = pin!(builder.serve_connection(Stream::new(stream, bounds.reply), service));
    // How a connection ends is the client's affair.
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        _ = ended.changed() => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ = connection.await;
}

async fn respond(
    server: Rc<Server>,
    request: hyper::Request<Incoming>,
    peer: SocketAddr,
    bounds: Bounds,
    room: Room,
    mut ended: watch::Receiver<bool>,
) -> Result<Response<Full<Bytes>>, Lost> {
    let (parts, body) = request.into_parts();
    let is_admin = admin::is_path(parts.uri.path());
    // Nobody else's snapshot is read, not even to be refused.
    let most = if is_admin && admin::serves(peer) { bounds.admin_bytes } else { bounds.body_bytes };
    let (body, share) = match timeout(bounds.body, room::take(body, most, &room)).await {
        Ok(Came::Whole(body, share)) => (Some(body), Some(share)),
        Ok(Came::TooLarge) => (None, None),
        Ok(Came::Lost) | Err(_) => return Err(Lost),
    };
    if is_admin {
        return Ok(admin::respond(&server, &parts, body, peer));
    }
    let asked = asked(&parts, body);
    let life = server.lives.get();
    let latency = server.latency(&asked.method, &asked.path);
    let there = latency / 2;
    if !there.is_zero() {
        server.reach(server.now() + there, life).await;
        if server.lives.get() != life {
            return Err(Lost);
        }
    }
    let now = server.now();
    let outcome = server.state.borrow_mut().answer(now, asked);
    drop(share);
    let late = outcome.delay + (latency - there);
    if !late.is_zero() {
        server.reach(now + late, life).await;
    }
    match outcome.reply {
        Some(reply) if server.lives.get() == life => Ok(response(reply)),
        Some(_) => Err(Lost),
        None => {
            // Silence, as in a simulated run, and no end of the connection: a client sends a read again after that one,
            // and waits for its own time limit here. A server that ends has nothing to wait for.
            tokio::select! {
                biased;
                _ = ended.wait_for(|is_over| *is_over) => {}
                () = pause(bounds.silence) => {}
            }
            Err(Lost)
        }
    }
}

fn asked(parts: &hyper::http::request::Parts, body: Option<Bytes>) -> Asked {
    Asked {
        method: parts.method.as_str().to_owned(),
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().unwrap_or_default().to_owned(),
        authorization: text(&parts.headers, AUTHORIZATION.as_str()),
        x_filter: text(&parts.headers, "x-filter"),
        call: text(&parts.headers, "x-fake-call").and_then(|number| number.parse().ok()),
        body,
    }
}

/// A header's text. Bytes beyond ASCII are read as UTF-8.
pub(super) fn text(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn response(reply: Reply) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(reply.body));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    headers::fill(response.headers_mut(), &reply.about);
    response
}
