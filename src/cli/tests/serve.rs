//! The built programs `lkesim serve` and `fake-linode`: they begin, are asked, and end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

const LKESIM: &str = env!("CARGO_BIN_EXE_lkesim");
const FAKE_LINODE: &str = env!("CARGO_BIN_EXE_fake-linode");

/// A running server, which ends with its test.
struct Running {
    child: Child,
    at: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn start(program: &str, args: &[&str]) -> Running {
    let mut command = Command::new(program);
    if program == LKESIM {
        command.arg("serve");
    }
    begun(command.arg("--manual").args(args))
}

/// A server whose clock runs.
fn start_running(args: &[&str]) -> Running {
    begun(Command::new(FAKE_LINODE).args(args))
}

fn begun(command: &mut Command) -> Running {
    command.args(["--listen", "127.0.0.1:0"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let mut first = String::new();
    BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut first).expect("a line");
    let at = first.trim_end().strip_prefix("listening on http://").unwrap_or_else(|| panic!("{first:?}")).to_owned();
    Running { child, at }
}

impl Running {
    /// The status and the body of an answer.
    fn ask(&self, method: &str, path: &str, token: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.at).expect("a connection");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
        .expect("the request goes out");
        let mut came = String::new();
        stream.read_to_string(&mut came).expect("the answer comes");
        let (head, body) = came.split_once("\r\n\r\n").expect("a head");
        (head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status"), body.to_owned())
    }

    fn get(&self, path: &str) -> String {
        self.ask("GET", path, "fake-token", "").1
    }

    /// Asks it to end, and waits until it has.
    fn end(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().expect("kill is there");
        self.child.wait().expect("it ends").code()
    }
}

/// A folder of this test's own, which is empty.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn refused(args: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = Command::new(FAKE_LINODE).args(args).output().expect("the program starts");
    (status.code(), String::from_utf8(stderr).expect("text"))
}

#[test]
fn both_programs_serve_and_end_when_they_are_asked_to() {
    for program in [LKESIM, FAKE_LINODE] {
        let server = start(program, &["--tier", "standard", "--cluster", "one", "--cluster", "two"]);
        assert!(server.get("/_fake/health").starts_with(r#"{"status": "ok", "now": "00:00:00.000""#));
        let clusters = server.get("/v4beta/lke/clusters");
        assert!(clusters.contains(r#""label": "one""#) && clusters.contains(r#""label": "two""#), "{clusters}");
        assert!(clusters.contains(r#""tier": "standard""#), "{clusters}");
        assert_eq!(server.end(), Some(0));
    }
}

#[test]
fn tokens_are_those_that_are_named() {
    let server = start(FAKE_LINODE, &["--token", "a", "--token", "b"]);
    let status = |token: &str| server.ask("GET", "/v4/lke/clusters", token, "").0;
    assert_eq!([status("a"), status("b"), status("fake-token")], [200, 200, 401]);
}

#[test]
fn a_scenario_gives_its_cloud_its_start_and_its_faults() {
    let folder = folder("serve-scenario");
    let path = folder.join("cloud.yaml");
    let text = "about: x\ncloud: {tier: standard, region: de-fra-2}\nworkload: [create: {claims: 1, type: g6-standard-4}]\n\
                faults: [refuse: {call: GetInstance, status: 500}]\n";
    std::fs::write(&path, text).expect("it is written");
    let server = start(LKESIM, &[path.to_str().expect("a path of text")]);
    assert!(server.get("/v4beta/lke/clusters").contains("de-fra-2"));
    assert_eq!(server.ask("GET", "/v4beta/linode/instances/1001", "fake-token", "").0, 500);
    assert!(server.get("/_fake/faults").contains("faults[0].refuse"));
    let fault = r#"{"refuse": {"call": "GetInstanc"}}"#;
    let (status, body) = server.ask("POST", "/_fake/faults", "", fault);
    assert_eq!(status, 400);
    assert!(body.contains("did you mean `GetInstance`?"), "{body}");
}

#[test]
fn a_served_cloud_begins_with_the_linodes_of_a_run() {
    let server = start(LKESIM, &["orphans-standard"]);
    let state: serde_json::Value = serde_json::from_str(&server.get("/_fake/state")).expect("JSON");
    assert!(state["instances"].as_array().is_some_and(|all| !all.is_empty()));
}

#[test]
fn a_snapshot_outlives_a_kill_and_is_whole() {
    let folder = folder("serve-snapshot");
    let path = folder.join("cloud.json");
    let file = path.to_str().expect("a path of text");
    let mut server = start(FAKE_LINODE, &["--snapshot", file]);
    let pools = server.get("/v4beta/lke/clusters/12345/pools");
    assert_eq!(server.ask("POST", "/_fake/snapshot", "", "").0, 200);
    server.ask("DELETE", "/v4beta/lke/clusters/12345/pools/101", "fake-token", "");
    server.child.kill().expect("it dies");
    server.child.wait().expect("it is dead");
    let server = start(FAKE_LINODE, &["--snapshot", file]);
    assert_eq!(server.get("/v4beta/lke/clusters/12345/pools"), pools);
    server.ask("DELETE", "/v4beta/lke/clusters/12345/pools/101", "fake-token", "");
    let pools = server.get("/v4beta/lke/clusters/12345/pools");
    assert_eq!(server.end(), Some(0));
    let server = start(FAKE_LINODE, &["--snapshot", file]);
    assert_eq!(server.get("/v4beta/lke/clusters/12345/pools"), pools);
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 1, "nothing unfinished stays");
}

#[test]
fn each_request_goes_to_the_log() {
    let folder = folder("serve-log");
    let path = folder.join("log.jsonl");
    let server = start(FAKE_LINODE, &["--log", path.to_str().expect("a path of text")]);
    server.get("/v4beta/linode/instances?page=1");
    let log = std::fs::read_to_string(&path).expect("the log");
    assert_eq!(log, server.get("/_fake/requests"));
    assert!(log.contains(r#""path": "/v4beta/linode/instances", "query": "page=1""#), "{log}");
}

#[test]
fn a_log_that_cannot_be_written_is_told_once_and_ends_with_4() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    let mut server = start(FAKE_LINODE, &["--log", "/dev/full"]);
    let mut told = server.child.stderr.take().expect("it is piped");
    server.get("/v4beta/linode/types");
    server.get("/v4beta/linode/types");
    assert_eq!(server.end(), Some(4));
    let mut text = String::new();
    told.read_to_string(&mut text).expect("text");
    assert_eq!(text.matches("no longer logged").count(), 1, "{text}");
}

#[test]
fn a_snapshot_file_that_can_never_be_one_is_refused_at_once() {
    let folder = folder("serve-no-snapshot");
    let nowhere = folder.join("nowhere").join("cloud.json");
    for path in [folder.to_str(), nowhere.to_str(), Some("/dev/null")] {
        let (code, err) = refused(&["--listen", "127.0.0.1:0", "--snapshot", path.expect("a path of text")]);
        assert_eq!((code, err.lines().count()), (Some(4), 1), "{err}");
    }
}

#[test]
fn the_largest_numbers_are_refused() {
    let server = start(FAKE_LINODE, &[]);
    let ask = |method: &str, path: &str, body: &str| server.ask(method, path, "fake-token", body).0;
    let pools = "/v4beta/lke/clusters/12345/pools";
    for count in ["4294967295", "2147483648", "18446744073709551616", "-1", "1e300"] {
        let created = format!("{{\"type\": \"g6-standard-2\", \"count\": {count}}}");
        assert_eq!(ask("POST", pools, &created), 400, "{count}");
        assert_eq!(ask("PUT", &format!("{pools}/101"), &format!("{{\"count\": {count}}}")), 400, "{count}");
    }
    assert!(server.get(&format!("{pools}?page=18446744073709551616")).contains(r#""page": 1, "pages": 1"#));
    assert_eq!(ask("POST", "/_fake/advance", r#"{"by": "18446744073s"}"#), 400);
    assert_eq!(ask("POST", "/_fake/advance", r#"{"by": "1s", "foo": 1}"#), 400);
    assert_eq!(ask("GET", pools, ""), 200);
}

#[test]
fn what_cannot_be_served_is_told_in_a_line() {
    let taken = start(FAKE_LINODE, &[]);
    let (code, err) = refused(&["--listen", &taken.at]);
    assert_eq!((code, err.lines().count()), (Some(2), 1), "{err}");
    assert!(err.contains("is in use"), "{err}");
    let folder = folder("serve-refused");
    let damaged = folder.join("damaged.json");
    std::fs::write(&damaged, "{\"schema\": \"other\"}").expect("it is written");
    let damaged = damaged.to_str().expect("a path of text");
    for args in [
        &["--speed", "0"][..],
        &["--speed", "2", "--manual"],
        &["--epoch", "18446744073709551615"],
        &["--seed", "-1"],
        &["--listen", "nowhere"],
        &["--token", ""],
        &["--token", "two words"],
        &["--token", "one", "--token", "one"],
        &["--latency", "--manual"],
        &["--tier", "gold"],
        &["no-such-scenario"],
        &["--set", "cloud.tire=standard"],
        &["--cluster", ""],
        &["--snapshot", damaged, "--listen", "127.0.0.1:0"],
    ] {
        let (code, err) = refused(args);
        assert_eq!(code, Some(2), "{args:?}: {err}");
        assert!(!err.is_empty());
    }
}

#[test]
fn an_address_is_asked_for_where_a_name_is_given() {
    let (code, err) = refused(&["--listen", "localhost"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("expected an IP address and a port, such as 127.0.0.1:8080"), "{err}");
}

#[test]
fn what_a_killed_process_left_unfinished_is_gone_with_the_next_start() {
    let folder = folder("serve-unfinished");
    let path = folder.join("cloud.json");
    // A process that has ended, and this one, which lives.
    let mut ended = Command::new(FAKE_LINODE).arg("--help").stdout(Stdio::null()).spawn().expect("it starts");
    ended.wait().expect("it ends");
    let left = folder.join(format!(".cloud.json.{}.unfinished", ended.id()));
    let kept = [
        folder.join(format!(".cloud.json.{}.unfinished", std::process::id())),
        folder.join(format!(".other.json.{}.unfinished", ended.id())),
    ];
    for file in kept.iter().chain([&left]) {
        std::fs::write(file, "half").expect("it is written");
    }
    let server = start(FAKE_LINODE, &["--snapshot", path.to_str().expect("a path of text")]);
    assert!(!left.exists());
    assert!(kept.iter().all(|file| file.exists()));
    assert_eq!(server.end(), Some(0));
}

#[test]
fn latency_is_that_of_the_scenario_and_counts_where_it_is_asked_for() {
    let sets = ["--set", "cloud.latency.list=30m", "--set", "cloud.latency.get=0s"];
    let now = |server: &Running| -> u64 {
        let health: serde_json::Value = serde_json::from_str(&server.get("/_fake/health")).expect("JSON");
        health["now_ns"].as_u64().expect("a number") / 1_000_000_000
    };
    // Half an hour of virtual time is 36 ms at this speed.
    let fast = ["--speed", "50000", "--latency"];
    let server = start_running(&[&sets[..], &fast].concat());
    let before = now(&server);
    assert_eq!(server.ask("GET", "/v4beta/lke/clusters", "fake-token", "").0, 200);
    assert!(now(&server) >= before + 30 * 60);
    let server = start(FAKE_LINODE, &sets);
    assert_eq!(server.ask("GET", "/v4beta/lke/clusters", "fake-token", "").0, 200);
    assert_eq!(now(&server), 0);
}

#[test]
fn the_settings_of_a_scenario_reach_the_served_cloud() {
    let sets = [
        "cloud.tier=standard",
        "cloud.limits=none",
        "cloud.lags={kubeconfig: 7s, api_endpoints: 8s, cluster_deletion: 9s, shutdown: 5s, boot: 1s}",
        "cloud.autoscaler_bounds=moved",
        "cloud.cluster_labels=any",
        "cloud.tags_allowed=2",
        "cloud.more_versions=['1.99']",
        "cloud.enterprise_fields=accepted",
        "cloud.empty_pools=accepted",
        "cloud.dying_delete=busy",
    ];
    let args: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let server = start(FAKE_LINODE, &args);
    let ask = |method: &str, path: &str, body: &str| server.ask(method, &format!("/v4beta{path}"), "fake-token", body);
    let at = |to: &str| server.ask("POST", "/_fake/advance", "", &format!("{{\"to\": \"{to}\"}}"));
    let pool = r#"{"type": "g6-standard-2", "count": 0, "k8s_version": "1.99"}"#;
    let (status, made) = ask("POST", "/lke/clusters/12345/pools", pool);
    assert_eq!(status, 200, "{made}");
    assert!(made.contains(r#""k8s_version": "1.99""#), "{made}");
    let (_, counted) = ask("PUT", "/lke/clusters/12345/pools/101", r#"{"count": 5}"#);
    assert!(counted.contains(r#""autoscaler": {"enabled": false, "min": 5, "max": 5}"#), "{counted}");
    assert_eq!(ask("PUT", "/linode/instances/1001", r#"{"tags": ["aaa", "bbb", "ccc"]}"#).0, 400);
    let cluster = r#"{"label": "a b", "region": "us-ord", "k8s_version": "1.99",
                      "node_pools": [{"type": "g6-standard-2", "count": 1}]}"#;
    let (status, made) = ask("POST", "/lke/clusters", cluster);
    assert_eq!(status, 200, "{made}");
    let made: serde_json::Value = serde_json::from_str(&made).expect("JSON");
    let own = format!("/lke/clusters/{}", made["id"]);
    let ready = |part: &str| ask("GET", &format!("{own}/{part}"), "").0;
    at("6s");
    assert_eq!((ready("kubeconfig"), ready("api-endpoints")), (503, 503));
    at("7s");
    assert_eq!((ready("kubeconfig"), ready("api-endpoints")), (200, 503));
    at("8s");
    assert_eq!(ready("api-endpoints"), 200);
    assert_eq!(ask("POST", "/linode/instances/1001/shutdown", "").0, 200);
    assert_eq!(ask("DELETE", "/linode/instances/1002", "").0, 200);
    assert_eq!(ask("DELETE", "/linode/instances/1002", "").0, 400);
    assert_eq!(ask("DELETE", &own, "").0, 200);
    at("12s");
    assert!(ask("GET", "/linode/instances/1001", "").1.contains(r#""status": "shutting_down""#));
    at("13s");
    assert!(ask("GET", "/linode/instances/1001", "").1.contains(r#""status": "offline""#));
    at("16s");
    assert_eq!(ask("GET", &own, "").0, 200);
    at("17s");
    assert_eq!(ask("GET", &own, "").0, 404);
}
