//! The administration interface under `/_fake`: what tests ask and do beside the API. It takes no token, and serves
//! this machine alone.

mod faults;
mod truth;

use super::span;
use super::state::{DRIVEN, Server};
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue, ORIGIN};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use lkesim_linode_api::wire::dumps;
use lkesim_runtime::Time;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

/// Where it begins.
const ROOT: &str = "/_fake";

/// Whether a path is one of the administration's.
pub(super) fn is_path(path: &str) -> bool {
    path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// What comes of a request: a document, or lines of documents.
pub(super) enum Said {
    Json(Value),
    /// A document that is text already.
    Written(Vec<u8>),
    Lines(Vec<u8>),
}

/// A refusal: its status, and what was wrong.
pub(super) struct Wrong(u16, String);

impl Wrong {
    pub fn input(what: impl Into<String>) -> Wrong {
        Wrong(400, what.into())
    }

    pub fn absent(what: impl Into<String>) -> Wrong {
        Wrong(404, what.into())
    }
}

type Done = Result<Said, Wrong>;

/// Whether a client may administrate.
pub(super) fn serves(peer: SocketAddr) -> bool {
    peer.ip().to_canonical().is_loopback()
}

pub(super) fn respond(server: &Server, parts: &Parts, body: Option<Bytes>, peer: SocketAddr) -> Response<Full<Bytes>> {
    let said = match body {
        _ if !serves(peer) => {
            Err(Wrong(403, format!("{}: the administration serves this machine alone", parts.uri.path())))
        }
        // A page that somebody's browser shows is on this machine too.
        _ if parts.headers.contains_key(ORIGIN) => {
            Err(Wrong(403, "the administration serves no web pages: the request has an Origin".to_owned()))
        }
        None => Err(Wrong(413, format!("the body of {} is too large", parts.uri.path()))),
        Some(body) => route(server, parts, &body),
    };
    let (status, kind, body) = match said {
        Ok(Said::Json(value)) => (200, "application/json", dumps(&value)),
        Ok(Said::Written(text)) => (200, "application/json", text),
        Ok(Said::Lines(lines)) => (200, "application/x-ndjson", lines),
        Err(Wrong(status, what)) => (status, "application/json", dumps(&json!({"error": what}))),
    };
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

const PATHS: &str =
    "GET health, state, requests, faults, snapshot; POST advance, faults, reset, snapshot, restore; DELETE faults";

/// What there is, for who looks around.
const INDEX: [(&str, &str, &str); 14] = [
    ("GET", "/_fake/health", "the time, and how many requests there were"),
    ("GET", "/_fake/state", "what is true, whatever the API shows; ?all=true also what is gone"),
    ("GET", "/_fake/requests", "the last requests, a line of JSON each; ?from=N"),
    ("POST", "/_fake/advance", "moves the clock: {\"by\": \"30s\"} or {\"to\": \"2m\"}"),
    ("GET", "/_fake/faults", "each fault with its hits"),
    ("POST", "/_fake/faults", "puts a fault on, written as under `faults:` of a scenario"),
    ("POST", "/_fake/faults/NAME", "switches it: {\"on\": false} or {\"on\": true}"),
    ("DELETE", "/_fake/faults/NAME", "takes it away"),
    ("DELETE", "/_fake/faults", "takes all of them away"),
    ("POST", "/_fake/reset", "back to the beginning: {\"seed\": 7}, or a scenario as application/yaml"),
    ("GET", "/_fake/snapshot", "the whole state"),
    ("POST", "/_fake/snapshot", "writes it to the file of --snapshot"),
    ("POST", "/_fake/restore", "takes a snapshot back"),
    ("GET", "/_fake", "this list"),
];

fn index() -> Value {
    let one = |(method, path, about)| json!({"method": method, "path": path, "about": about});
    json!({"paths": INDEX.map(one)})
}

fn route(server: &Server, parts: &Parts, body: &[u8]) -> Done {
    let path = parts.uri.path();
    let query = parts.uri.query().unwrap_or_default();
    let segments: Vec<&str> = path[ROOT.len()..].split('/').skip(1).collect();
    if server.state.borrow().is_driven && parts.method != Method::GET {
        return Err(Wrong::input(DRIVEN));
    }
    match (&parts.method, &segments[..]) {
        (&Method::GET, [] | [""]) => Ok(Said::Json(index())),
        (&Method::GET, ["health"]) => Ok(Said::Json(health(server))),
        (&Method::GET, ["state"]) => {
            let now = server.now();
            let mut state = server.state.borrow_mut();
            state.advance(now);
            Ok(Said::Json(truth::state(&state, now, value_of(query, "all") == Some("true"))))
        }
        (&Method::GET, ["requests"]) => requests(server, query),
        (&Method::POST, ["advance"]) => advance(server, &object(body)?),
        (&Method::POST, ["reset"]) => reset(server, parts, body),
        (&Method::GET, ["snapshot"]) => Ok(Said::Written(server.snapshot())),
        (&Method::POST, ["snapshot"]) => keep(server),
        (&Method::POST, ["restore"]) => {
            server.restore(body).map_err(Wrong::input)?;
            Ok(Said::Json(json!({"now_ns": server.now().as_nanos()})))
        }
        (method, ["faults"]) => faults::all(server, method, body),
        (method, ["faults", name]) => faults::one(server, method, name, body),
        (_, [] | [""] | ["health" | "state" | "requests" | "advance" | "reset" | "snapshot" | "restore"]) => {
            Err(Wrong(405, format!("{} {path}: expected one of {PATHS}", parts.method)))
        }
        _ => Err(Wrong::absent(format!("there is no {} {path}; there is {PATHS}", parts.method))),
    }
}

/// Keeps the state in the server's file.
fn keep(server: &Server) -> Done {
    let snapshot = server.snapshot();
    server.source.keep(&snapshot).map_err(Wrong::input)?;
    Ok(Said::Json(json!({"saved": true, "bytes": snapshot.len()})))
}

/// The value of a key in a query.
fn value_of<'a>(query: &'a str, key: &str) -> Option<&'a str> {
    query.split('&').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))
}

/// A body that is an object, or nothing, which is as an empty one.
fn object(body: &[u8]) -> Result<Value, Wrong> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(json!({}));
    }
    match serde_json::from_slice(body) {
        Ok(value @ Value::Object(_)) => Ok(value),
        Ok(_) => Err(Wrong::input("the body: expected a JSON object")),
        Err(error) => Err(Wrong::input(format!("the body is not JSON: {error}"))),
    }
}

/// Refuses members that nobody reads.
fn only(body: &Value, known: &[&str]) -> Result<(), Wrong> {
    let mut names = body.as_object().into_iter().flat_map(|map| map.keys());
    match names.find(|name| !known.contains(&name.as_str())) {
        None => Ok(()),
        Some(name) => Err(Wrong::input(format!("{name}: expected one of {}", known.join(", ")))),
    }
}

fn health(server: &Server) -> Value {
    let now = server.now();
    let requests = server.state.borrow().requests;
    json!({"status": "ok", "now": shown(now), "now_ns": now.as_nanos(), "requests": requests})
}

/// Hours, minutes, seconds and milliseconds.
fn shown(at: Time) -> String {
    let millis = at.as_millis();
    let (hours, minutes, seconds) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1_000 % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{:03}", millis % 1_000)
}

fn requests(server: &Server, query: &str) -> Done {
    let from = match value_of(query, "from").map(str::parse) {
        None => 0,
        Some(Ok(from)) => from,
        Some(Err(_)) => return Err(Wrong::input("from: expected the number of a request")),
    };
    Ok(Said::Lines(server.state.borrow().log.lines(from)))
}

/// The clock is moved no further at once.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 86_400);

fn advance(server: &Server, body: &Value) -> Done {
    only(body, &["by", "to"])?;
    let now = server.now();
    let span = |name: &str| -> Result<Option<Duration>, Wrong> {
        let Some(value) = body.get(name) else {
            return Ok(None);
        };
        let read = value.as_str().and_then(span::parse).filter(|span| *span <= LONGEST);
        read.map(Some).ok_or_else(|| {
            Wrong::input(format!(
                "{name}: expected a span such as \"30s\" or \"1m30s\", in h, m, s, ms, us and ns and ten years at the most, \
                 not {value}"
            ))
        })
    };
    let to = match (span("by")?, span("to")?) {
        (Some(by), None) => now + by,
        (None, Some(to)) => Time::ZERO + to,
        _ => return Err(Wrong::input("the body: expected {\"by\": \"30s\"} or {\"to\": \"2m\"}")),
    };
    if to < now {
        return Err(Wrong::input(format!("to: the clock shows {}, and goes forward alone", shown(now))));
    }
    server.clock.set(to);
    server.state.borrow_mut().advance(to);
    Ok(Said::Json(json!({"now_ns": to.as_nanos()})))
}

fn reset(server: &Server, parts: &Parts, body: &[u8]) -> Done {
    let kind = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let beginning = if kind.contains("yaml") {
        let text =
            std::str::from_utf8(body).map_err(|_| Wrong::input("the body is not UTF-8 text; expected a scenario"))?;
        server.source.begin(Some(text), None)
    } else {
        let body = object(body)?;
        only(&body, &["seed"])?;
        let seed = match body.get("seed") {
            None => None,
            Some(seed) => {
                Some(seed.as_u64().ok_or_else(|| Wrong::input(format!("seed: expected a number, not {seed}")))?)
            }
        };
        server.source.begin(None, seed)
    };
    let beginning = beginning.map_err(Wrong::input)?;
    server.begin_anew(beginning);
    Ok(Said::Json(json!({"now_ns": 0})))
}
