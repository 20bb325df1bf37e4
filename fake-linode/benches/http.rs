//! How many requests a second the served cloud answers over loopback, client and server on one thread.
//!
//! Run: `cargo bench -p fake-linode --features http --bench http`. What is to be reached: 5,000 GETs of a Linode among
//! 1,000, and 500 lists of 500. Beside it stands the least that a server can do, in the same run: hyper alone, which
//! answers each request with a body as long as the fake's.

use fake_linode::http::{Beginning, Bounds, Pace, Server, Source, serve};
use fake_linode::settings::{BaseLkePool, Limit, TokenSettings};
use fake_linode::{Cloud, Fault, Settings};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use lkesim_linode_api::Tier;
use lkesim_linode_api::http::io::Stream;
use lkesim_runtime::Seed;
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

const LINODES: u32 = 1_000;

/// A cloud without limits and with a thousand Linodes.
struct Large;

impl Source for Large {
    fn begin(&self, _scenario: Option<&str>, _seed: Option<u64>) -> Result<Beginning, String> {
        let mut settings = Settings::quiet(Tier::Standard);
        let none = Limit { count: u32::MAX, window: Duration::from_secs(60), header: u32::MAX };
        (settings.limits.list, settings.limits.other) = (none, none);
        settings.tokens = ["token", "nobody"].map(TokenSettings::new).into();
        settings.clusters[0].base_lke_pool =
            Some(BaseLkePool { plan: "g6-standard-2".into(), count: LINODES, tags: Default::default() });
        Ok(Beginning { cloud: Cloud::new(settings, Seed(1)), tokens: vec!["token".into()], latency: None })
    }

    fn fault(&self, _written: &serde_json::Value) -> Result<Fault, String> {
        Err("no faults here".to_owned())
    }

    fn keep(&self, _snapshot: &[u8]) -> Result<(), String> {
        Err("no file here".to_owned())
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let at = listener.local_addr().expect("an address");
        let server = Server::new(Rc::new(Large), Pace::ByHand, None).expect("a cloud");
        tokio::task::spawn_local(serve(listener, server, Bounds::default(), std::future::pending()));
        let get = |n: u64| format!("/v4beta/linode/instances/{}", 1_001 + n % u64::from(LINODES));
        let list = |n: u64| format!("/v4beta/linode/instances?page={}&page_size=500", 1 + n % 2);
        let (_, one) = rate(at, 1, get).await;
        let (_, many) = rate(at, 1, list).await;
        let peer = hyper_alone(one, many).await;
        // The first round warms up.
        for is_counted in [false, true] {
            for (name, requests, path) in [("get", 20_000, &get as &dyn Fn(u64) -> String), ("list", 2_000, &list)] {
                let ((own, _), (peers, _)) = (rate(at, requests, path).await, rate(peer, requests, path).await);
                if is_counted {
                    println!("rate http/{name} {own:.0}");
                    println!("rate http/{name}/hyper-alone {peers:.0}");
                    println!("ratio http/{name}/hyper-alone {:.2}", own / peers);
                }
            }
        }
    });
}

/// A server that answers lists with a body of `many` bytes and all else with one of `one`.
async fn hyper_alone(one: usize, many: usize) -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let at = listener.local_addr().expect("an address");
    let bodies = [one, many].map(|length| Bytes::from(vec![b'x'; length]));
    tokio::task::spawn_local(async move {
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            stream.set_nodelay(true).expect("an option of the connection");
            let bodies = bodies.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                let body = bodies[usize::from(request.uri().query().is_some())].clone();
                async { Ok::<_, std::convert::Infallible>(Response::new(Full::new(body))) }
            });
            let stream = Stream::new(stream, Duration::from_secs(20));
            tokio::task::spawn_local(http1::Builder::new().serve_connection(stream, service));
        }
    });
    at
}

/// Requests a second, one after the other on one connection, and the length of the last body.
async fn rate(at: std::net::SocketAddr, requests: u64, path: impl Fn(u64) -> String) -> (f64, usize) {
    let mut length = 0;
    let mut stream = TcpStream::connect(at).await.expect("a connection");
    stream.set_nodelay(true).expect("an option of the connection");
    let mut answer = Vec::with_capacity(1 << 20);
    #[allow(clippy::disallowed_methods, reason = "a benchmark measures real time")]
    let began = Instant::now();
    for n in 0..requests {
        let head = format!("GET {} HTTP/1.1\r\nHost: fake\r\nAuthorization: Bearer token\r\n\r\n", path(n));
        stream.write_all(head.as_bytes()).await.expect("the request goes out");
        length = read_answer(&mut stream, &mut answer).await;
    }
    (requests as f64 / began.elapsed().as_secs_f64(), length)
}

/// Reads one answer of a known length, and checks its status. Gives the length of its body.
async fn read_answer(stream: &mut TcpStream, answer: &mut Vec<u8>) -> usize {
    answer.clear();
    let mut body = 0;
    let mut whole = None;
    while whole.is_none_or(|whole| answer.len() < whole) {
        let read = stream.read_buf(answer).await.expect("the answer comes");
        assert!(read > 0, "the connection stays");
        if whole.is_none()
            && let Some(end) = answer.windows(4).position(|four| four == b"\r\n\r\n")
        {
            let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
            assert!(head.starts_with("http/1.1 200"), "{head}");
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).expect("a length");
            body = length.parse().expect("a number");
            whole = Some(end + 4 + body);
        }
    }
    body
}
