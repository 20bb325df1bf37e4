//! Clients that are slow, many, or gone.

use super::served;
use crate::http::Bounds;
use crate::settings::Settings;
use lkesim_linode_api::Tier;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

fn bounded(bounds: Bounds, paused: bool, test: impl AsyncFnOnce(super::Served)) {
    served(Settings::quiet(Tier::Standard), bounds, paused, test);
}

/// Tokio's paused clock leaps to the next timer as soon as nothing else is to be done.
#[test]
fn who_is_slow_with_a_head_or_a_body_is_let_go() {
    bounded(Bounds::default(), true, async |served| {
        let began = tokio::time::Instant::now();
        assert!(served.raw(b"GET /v4/regions HTTP/1.1\r\nHost:").await.len() < 200);
        let took = began.elapsed();
        assert!((Duration::from_secs(60)..Duration::from_secs(62)).contains(&took), "{took:?}");
        let half = b"POST /v4/tags HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{";
        assert_eq!(served.raw(half).await, b"");
    });
}

#[test]
fn who_takes_nothing_of_a_reply_is_let_go() {
    bounded(Bounds::default(), true, async |served| {
        let mut stream = TcpStream::connect(served.at).await.expect("a connection");
        // More than the buffers between both hold.
        let one = b"GET /v4/regions?page_size=500 HTTP/1.1\r\nHost: x\r\n\r\n";
        let _ = tokio::time::timeout(Duration::from_secs(600), async {
            for _ in 0..2_000 {
                stream.write_all(one).await?;
            }
            std::io::Result::Ok(())
        })
        .await;
        tokio::time::advance(Duration::from_secs(60)).await;
        assert_eq!(served.fake("GET", "health", "").await.status, 200);
    });
}

#[test]
fn more_connections_than_are_held_are_closed_and_do_no_harm() {
    bounded(Bounds { connections: 20, ..Bounds::default() }, false, async |served| {
        let mut idle = Vec::new();
        for _ in 0..20 {
            idle.push(TcpStream::connect(served.at).await.expect("a connection"));
        }
        for _ in 0..30 {
            let mut refused = TcpStream::connect(served.at).await.expect("a connection");
            let mut came = Vec::new();
            let _ = refused.read_to_end(&mut came).await;
            assert_eq!(came, b"");
        }
        drop(idle);
        // Those that were let go make room.
        while served.asked("GET", "/_fake/health", "", "").await.is_none() {
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn a_server_that_ends_answers_what_it_has_begun() {
    bounded(Bounds::default(), false, async |served| {
        let mut stream = TcpStream::connect(served.at).await.expect("a connection");
        stream
            .write_all(b"POST /_fake/advance HTTP/1.1\r\nHost: x\r\nContent-Length: 12\r\n\r\n{\"by\"")
            .await
            .expect("half");
        while served.fake("GET", "health", "").await.status != 200 {}
        let rest = async {
            tokio::task::yield_now().await;
            stream.write_all(b": \"1s\"}").await.expect("the other half");
            let mut came = Vec::new();
            let _ = stream.read_to_end(&mut came).await;
            String::from_utf8(came).expect("text")
        };
        let ((), came) = tokio::join!(served.end(), rest);
        assert!(came.starts_with("HTTP/1.1 200"), "{came}");
        assert!(TcpStream::connect(served.at).await.is_err());
    });
}

#[test]
fn bodies_of_all_connections_together_are_bounded() {
    bounded(Bounds { all_bytes: 1_000, ..Bounds::default() }, false, async |served| {
        let head = b"POST /v4/tags HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 900\r\n\r\n";
        let mut half = TcpStream::connect(served.at).await.expect("a connection");
        half.write_all(head).await.expect("a head");
        half.write_all(&[b' '; 800]).await.expect("a part of the body");
        let body = format!("{{\"label\": \"{}\"}}", "x".repeat(300));
        let token = "Authorization: Bearer token\r\n";
        let ask = async || served.asked("POST", "/v4/tags", token, &body).await.map(|came| came.status);
        // The part has come once there is no room for another body.
        while ask().await.is_some() {
            tokio::task::yield_now().await;
        }
        assert_eq!(served.fake("GET", "health", "").await.status, 200);
        drop(half);
        while ask().await != Some(400) {
            tokio::task::yield_now().await;
        }
    });
}

/// What hyper itself refuses has no body of the API: the request never becomes one.
#[test]
fn what_is_no_http_is_refused_and_closed() {
    bounded(Bounds::default(), false, async |served| {
        for (bytes, status) in [
            (b"rubbish\r\n\r\n".to_vec(), "400"),
            (format!("GET /v4/regions HTTP/1.1\r\nHost: x\r\nX-Filter: {}\r\n\r\n", "x".repeat(70_000)).into(), "431"),
        ] {
            let came = String::from_utf8(served.raw(&bytes).await).expect("text");
            assert!(came.starts_with(&format!("HTTP/1.1 {status}")) || came.is_empty(), "{came}");
            assert_eq!(served.fake("GET", "health", "").await.status, 200);
        }
    });
}

#[test]
fn who_sends_all_of_a_body_that_is_too_large_reads_the_answer() {
    bounded(Bounds::default(), false, async |served| {
        let large = format!("{{\"label\": \"{}\"}}", "x".repeat(12 << 20));
        assert_eq!(served.api("POST", "/tags", &large).await.status, 400);
        let chunks = format!("{:x}\r\n{large}\r\n0\r\n\r\n", large.len());
        let head = "POST /v4/tags HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token\r\nConnection: close\r\n\
                    Transfer-Encoding: chunked\r\n\r\n";
        let came = served.raw(format!("{head}{chunks}").as_bytes()).await;
        assert!(came.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&came));
    });
}

#[test]
fn a_server_that_ends_does_not_wait_out_a_lost_answer() {
    bounded(Bounds::default(), true, async |served| {
        served.fake("POST", "faults", r#"{"lose": {}}"#).await;
        let mut stream = TcpStream::connect(served.at).await.expect("a connection");
        stream
            .write_all(b"GET /v4/lke/clusters HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer token\r\n\r\n")
            .await
            .expect("the request goes out");
        while served.fake("GET", "health", "").await.json()["requests"] != 1 {}
        let began = tokio::time::Instant::now();
        served.end().await;
        assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    });
}
