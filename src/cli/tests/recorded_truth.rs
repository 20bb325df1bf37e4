//! What was recorded of the live API, held against the served fake: status, keys and their order, what is null and what
//! is empty.
//!
//! The rows are data, in `recorded_truth/rows.json`; each names its recording. A row has a fake of its own tier, does
//! what `first` says, asks once, and looks at the answer.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

/// One thing that was recorded.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// What it is about.
    what: String,
    /// Which recording, or whose notes of live runs.
    source: String,
    /// The fake's tier.
    #[serde(default = "standard")]
    tier: String,
    /// What is done before.
    #[serde(default)]
    first: Vec<Step>,
    /// What is asked.
    ask: Ask,
    status: u16,
    /// Headers that are there, with these values; with any where the value is null.
    #[serde(default)]
    headers: BTreeMap<String, Option<String>>,
    /// Headers that are not there.
    #[serde(default)]
    no_headers: Vec<String>,
    /// The whole body.
    body: Option<String>,
    /// The object whose keys are looked at, as a JSON pointer.
    #[serde(default)]
    at: String,
    /// All its keys, in order.
    keys: Option<Vec<String>>,
    /// Values by JSON pointer, from `at` on.
    #[serde(default)]
    values: BTreeMap<String, Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Advance { advance: String },
    Ask(Ask),
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ask {
    method: String,
    path: String,
    filter: Option<String>,
    body: Option<Value>,
    /// The token; none where it is empty.
    token: Option<String>,
    /// Under which name the id of the answer is known later.
    id_as: Option<String>,
    /// Where in the answer that id stands.
    id_at: Option<String>,
}

fn standard() -> String {
    "standard".to_owned()
}

struct Fake {
    child: Child,
    address: String,
    ids: BTreeMap<String, String>,
}

struct Answer {
    status: u16,
    headers: BTreeMap<String, String>,
    body: String,
}

impl Drop for Fake {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Fake {
    fn start(tier: &str) -> Fake {
        let args = ["serve", "--listen", "127.0.0.1:0", "--manual", "--tier", tier];
        let mut child = Command::new(env!("CARGO_BIN_EXE_lkesim"))
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("its output is a pipe");
        BufReader::new(out).read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("listening on http://").expect("it says where it listens").to_owned();
        Fake { child, address, ids: BTreeMap::new() }
    }

    /// Sends one request on a connection of its own.
    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).expect("it can be reached");
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: fake\r\nConnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()));
        stream.write_all(head.as_bytes()).expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers with text");
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer has a head");
        let mut lines = head.lines();
        let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
        let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_lowercase(), value.to_owned()));
        Answer { status, headers: lines.filter_map(header).collect(), body: body.to_owned() }
    }

    /// Puts known ids in the place of their names: `{pool}`.
    fn filled(&self, text: &str) -> String {
        self.ids.iter().fold(text.to_owned(), |text, (name, id)| text.replace(&format!("{{{name}}}"), id))
    }

    fn ask(&mut self, ask: &Ask) -> Answer {
        let bearer = format!("Bearer {}", ask.token.as_deref().unwrap_or("fake-token"));
        let filter = ask.filter.as_ref().map(|filter| self.filled(filter));
        let mut headers = Vec::new();
        if ask.token.as_deref() != Some("") {
            headers.push(("Authorization", &*bearer));
        }
        headers.extend(filter.as_deref().map(|filter| ("X-Filter", filter)));
        let body = ask.body.as_ref().map_or(String::new(), |body| self.filled(&body.to_string()));
        let answer = self.send(&ask.method, &self.filled(&ask.path), &headers, &body);
        if let Some(name) = &ask.id_as {
            let shown: Value = serde_json::from_str(&answer.body).expect("an answer with an id is JSON");
            let id = shown.pointer(ask.id_at.as_deref().unwrap_or("/id"));
            let id = id.unwrap_or_else(|| panic!("no `{name}` in {}", answer.body));
            self.ids.insert(name.clone(), id.as_str().map_or_else(|| id.to_string(), str::to_owned));
        }
        answer
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Advance { advance } => {
                let body = serde_json::json!({ "by": advance }).to_string();
                assert_eq!(self.send("POST", "/_fake/advance", &[], &body).status, 200);
            }
            Step::Ask(ask) => {
                let answer = self.ask(ask);
                assert_eq!(answer.status, 200, "{} {}: {}", ask.method, ask.path, answer.body);
            }
        }
    }
}

/// What is wrong with the answer.
fn differences(row: &Row, answer: &Answer) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut differ = |what: &str, found: &str, wanted: &str| {
        if found != wanted {
            wrong.push(format!("{what} is {found}, recorded {wanted}"));
        }
    };
    differ("the status", &answer.status.to_string(), &row.status.to_string());
    for (name, wanted) in &row.headers {
        let found = answer.headers.get(name).map(String::as_str);
        differ(
            &format!("the header `{name}`"),
            found.unwrap_or("absent"),
            match (wanted, found) {
                (Some(wanted), _) => wanted,
                (None, Some(found)) => found,
                (None, None) => "there",
            },
        );
    }
    for name in &row.no_headers {
        differ(&format!("the header `{name}`"), answer.headers.get(name).map_or("absent", String::as_str), "absent");
    }
    if let Some(body) = &row.body {
        differ("the body", &answer.body, body);
    }
    let whole: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    let part = whole.pointer(&row.at).unwrap_or(&Value::Null);
    if let Some(keys) = &row.keys {
        let found: Vec<&str> = part.as_object().map(|map| map.keys().map(String::as_str).collect()).unwrap_or_default();
        differ(&format!("the list of keys of `{}`", row.at), &found.join(" "), &keys.join(" "));
    }
    for (pointer, wanted) in &row.values {
        let found = part.pointer(pointer).map_or("absent".to_owned(), ToString::to_string);
        differ(&format!("`{}{pointer}`", row.at), &found, &wanted.to_string());
    }
    wrong
}

#[test]
fn the_served_fake_answers_as_the_live_api_was_recorded() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("recorded_truth/rows.json")).expect("the rows are in form");
    let mut wrong = Vec::new();
    for row in &rows {
        assert!(!row.source.is_empty(), "{}: a row names its recording", row.what);
        let mut fake = Fake::start(&row.tier);
        let clusters = ask_of("GET", "/v4beta/lke/clusters", "cluster", "/data/0/id");
        let linodes = ask_of("GET", "/v4beta/linode/instances", "linode", "/data/0/id");
        for ask in [clusters, linodes] {
            assert_eq!(fake.ask(&ask).status, 200);
        }
        row.first.iter().for_each(|step| fake.step(step));
        let answer = fake.ask(&row.ask);
        let found = differences(row, &answer);
        wrong.extend(found.iter().map(|found| format!("{} ({}): {found}", row.what, row.source)));
    }
    assert!(rows.len() >= 40, "{} rows", rows.len());
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
}

fn ask_of(method: &str, path: &str, id_as: &str, id_at: &str) -> Ask {
    Ask {
        method: method.to_owned(),
        path: path.to_owned(),
        filter: None,
        body: None,
        token: None,
        id_as: Some(id_as.to_owned()),
        id_at: Some(id_at.to_owned()),
    }
}
