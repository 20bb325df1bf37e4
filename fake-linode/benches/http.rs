//! How many requests a second the served cloud answers over loopback, client and server on one thread.
//!
//! Run: `cargo bench -p fake-linode --features http --bench http`. What is to be reached: 5,000 GETs of a Linode among
//! 1,000, and 500 lists of 500.

use fake_linode::http::{Beginning, Bounds, Pace, Server, Source, serve};
use fake_linode::settings::{BaseLkePool, Limit, TokenSettings};
use fake_linode::{Cloud, Fault, Settings};
use lkesim_linode_api::Tier;
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
        settings.tokens = ["token", "nobody"].map(|client| TokenSettings { client: client.into() }).into();
        settings.clusters[0].base_lke_pool =
            Some(BaseLkePool { plan: "g6-standard-2".into(), count: LINODES, tags: Default::default() });
        Ok(Beginning { cloud: Cloud::new(settings, Seed(1)), tokens: vec!["token".into()] })
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
        for n in 0..2 {
            let get =
                rate(at, 20_000, |n| format!("/v4beta/linode/instances/{}", 1_001 + n % u64::from(LINODES))).await;
            let list = rate(at, 2_000, |n| format!("/v4beta/linode/instances?page={}&page_size=500", 1 + n % 2)).await;
            // The first round warms up.
            if n == 1 {
                println!("rate http/get {get:.0}");
                println!("rate http/list {list:.0}");
            }
        }
    });
}

/// Requests a second, one after the other on one connection.
async fn rate(at: std::net::SocketAddr, requests: u64, path: impl Fn(u64) -> String) -> f64 {
    let mut stream = TcpStream::connect(at).await.expect("a connection");
    stream.set_nodelay(true).expect("an option of the connection");
    let mut answer = Vec::with_capacity(1 << 20);
    #[allow(clippy::disallowed_methods, reason = "a benchmark measures real time")]
    let began = Instant::now();
    for n in 0..requests {
        let head = format!("GET {} HTTP/1.1\r\nHost: fake\r\nAuthorization: Bearer token\r\n\r\n", path(n));
        stream.write_all(head.as_bytes()).await.expect("the request goes out");
        read_answer(&mut stream, &mut answer).await;
    }
    requests as f64 / began.elapsed().as_secs_f64()
}

/// Reads one answer of a known length, and checks its status.
async fn read_answer(stream: &mut TcpStream, answer: &mut Vec<u8>) {
    answer.clear();
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
            whole = Some(end + 4 + length.parse::<usize>().expect("a number"));
        }
    }
}
