//! The Create calls of one NodeClaim as a Mermaid sequence diagram.
//!
//! Participants, their order and the names of messages are those of the diagram in the design document ("High-level
//! Create() flow"), so that the two can be laid side by side. It shows what happened and no more: loops are unrolled,
//! and steps that make no event, such as filtering and the keyed mutex, are left out.

use crate::story::Cast;
use crate::units::length;
use lkesim_judge::trace::{EventLine, Failure, Request, Returned, Seen, Trace, TraceEvent};
use std::collections::BTreeMap;
use std::io::{self, Write};

const HEAD: &str = "sequenceDiagram
    autonumber
    actor NC as NodeClaim Controller
    participant CP as CloudProvider.Create()
    participant LKE as LKE Provider
    participant POOL as LKE NodePool API
    participant INST as Linode Instance API
";

/// Writes the diagram of the NodeClaims with this name.
pub fn write(trace: &Trace, claim: &str, out: &mut dyn Write) -> io::Result<()> {
    let header = &trace.header;
    let title = format!("{claim} in {} under {}, seed {}", header.name, header.design, header.seed);
    writeln!(out, "%% {}", one_line(&title))?;
    writeln!(out, "%% The keyed mutex and filtering make no events and are not shown.")?;
    out.write_all(HEAD.as_bytes())?;
    let mut scene = Scene::new(trace, claim);
    let mut is_empty = true;
    for event in &trace.events {
        let lines = scene.lines(event);
        is_empty &= scene.creates.is_empty();
        for line in lines {
            writeln!(out, "    {line}")?;
        }
    }
    if is_empty {
        let text =
            format!("no Create of {claim} is in this trace: it has its Linode from the start, or never got so far");
        writeln!(out, "    Note over NC,INST: {}", label(&text))?;
    }
    Ok(())
}

struct Scene<'a> {
    claim: &'a str,
    cast: Cast,
    /// Runs of Create that have not returned.
    creates: BTreeMap<u64, Progress>,
    /// Runs of Create that others run beside, and their processes.
    overlapping: BTreeMap<u64, u32>,
    answers: BTreeMap<u64, (Option<&'a Seen>, Option<&'a Failure>)>,
    /// By call, what it did to tags and counts.
    added_tags: BTreeMap<u64, Vec<&'a str>>,
    raised: BTreeMap<u64, i64>,
    calls: BTreeMap<u64, (u64, &'a Request)>,
}

/// How far a Create has come.
#[derive(Default)]
struct Progress {
    attempt: u32,
    last_ns: u64,
}

impl<'a> Scene<'a> {
    fn new(trace: &'a Trace, claim: &'a str) -> Scene<'a> {
        let mut scene = Scene {
            claim,
            cast: Cast::of(trace, claim),
            creates: BTreeMap::new(),
            overlapping: BTreeMap::new(),
            answers: BTreeMap::new(),
            added_tags: BTreeMap::new(),
            raised: BTreeMap::new(),
            calls: BTreeMap::new(),
        };
        trace.events.iter().for_each(|event| scene.note(&event.what));
        scene.overlapping = scene.overlapping(trace);
        scene
    }

    /// Two processes may create for one NodeClaim at the same time.
    fn overlapping(&self, trace: &Trace) -> BTreeMap<u64, u32> {
        let (mut running, mut found) = (BTreeMap::new(), BTreeMap::new());
        for event in &trace.events {
            match &event.what {
                TraceEvent::OperationStarted { run, process, operation, .. }
                    if operation == "Create" && self.cast.runs.contains(run) =>
                {
                    running.insert(*run, *process);
                    if running.len() > 1 {
                        found.extend(&running);
                    }
                }
                TraceEvent::OperationReturned { run, .. } => drop(running.remove(run)),
                _ => {}
            }
        }
        found
    }

    /// Whose message it is, where several Creates run beside each other.
    fn mark(&self, run: u64) -> String {
        let of = |process| format!(" (Create {run} of process {process})");
        self.overlapping.get(&run).map_or_else(String::new, of)
    }

    /// What a call will have done, to name it when it leaves.
    fn note(&mut self, what: &'a TraceEvent) {
        match what {
            TraceEvent::ApiAnswered { call, seen, failure } => {
                self.answers.insert(*call, (seen.as_ref(), failure.as_ref()));
            }
            TraceEvent::LinodeTagged { before, after, call: Some(call), .. } => {
                let added = after.iter().filter(|tag| !before.contains(tag));
                self.added_tags.insert(*call, added.map(String::as_str).collect());
            }
            TraceEvent::LkePoolCountChanged { from, to, call: Some(call), .. } => {
                self.raised.insert(*call, i64::from(*to) - i64::from(*from));
            }
            _ => {}
        }
    }

    fn lines(&mut self, event: &'a EventLine) -> Vec<String> {
        match &event.what {
            TraceEvent::OperationStarted { run, operation, .. }
                if operation == "Create" && self.cast.runs.contains(run) =>
            {
                self.creates.insert(*run, Progress::default());
                let create = format!("Create({}){}", label(self.claim), self.mark(*run));
                vec![format!("NC->>CP: {create}"), format!("CP->>LKE: {create}")]
            }
            TraceEvent::ApiCalled { call, request, purpose, attempt, .. }
                if self.creates.contains_key(&purpose.run) =>
            {
                self.calls.insert(*call, (purpose.run, request));
                let mut lines = self.pause(purpose.run, purpose.attempt, event.at_ns);
                let mut text = self.message(*call, request, &purpose.cause);
                if *attempt > 0 {
                    text.push_str(&format!(", SDK retry {attempt}"));
                }
                text.push_str(&self.mark(purpose.run));
                lines.push(format!("LKE->>{}: {}", target(request), label(&text)));
                lines
            }
            TraceEvent::ApiAnswered { call, .. } => self.answered(*call, event.at_ns).into_iter().collect(),
            TraceEvent::OperationReturned { run, result } if self.creates.remove(run).is_some() => {
                let mark = self.mark(*run);
                returned(result).into_iter().map(|line| line + &mark).collect()
            }
            TraceEvent::ProcessStopped { .. } => {
                vec!["Note over NC,LKE: the process died".to_owned()]
            }
            _ => Vec::new(),
        }
    }

    /// A note on the wait before a later attempt.
    fn pause(&mut self, run: u64, attempt: u32, at_ns: u64) -> Vec<String> {
        let Some(progress) = self.creates.get_mut(&run) else {
            return Vec::new();
        };
        let waited = at_ns.saturating_sub(progress.last_ns) / 1_000_000;
        let later = progress.attempt > 0 && attempt > progress.attempt;
        progress.attempt = progress.attempt.max(attempt);
        match later {
            true => vec![format!("Note over LKE: sleep {}, retry{}", length(waited), self.mark(run))],
            false => Vec::new(),
        }
    }

    fn answered(&mut self, call: u64, at_ns: u64) -> Option<String> {
        let (run, request) = self.calls.remove(&call)?;
        if let Some(progress) = self.creates.get_mut(&run) {
            progress.last_ns = at_ns;
        }
        let (_, failure) = self.answers.get(&call)?;
        let failure = (*failure)?;
        Some(format!("{}--xLKE: {}{}", target(request), label(&failure.text), self.mark(run)))
    }

    /// The message, named as in the document.
    fn message(&self, call: u64, request: &Request, cause: &str) -> String {
        match request.endpoint.as_str() {
            "ListInstances" => format!("ListInstances({})", tags_of(request)),
            "ListLKENodePools" => "ListPools(cluster)".to_owned(),
            "CreateLKENodePool" => {
                let count = request.body.as_ref().map_or(0, |body| body["count"].as_u64().unwrap_or(0));
                format!("CreatePool(count={count}, pool tags)")
            }
            "GetLKENodePool" => format!("GetPool({})", last_id(request)),
            "UpdateLKENodePool" => match self.raised.get(&call) {
                Some(by) => format!("UpdatePool(count{by:+})"),
                None => {
                    let count = request.body.as_ref().and_then(|body| body["count"].as_u64());
                    format!("UpdatePool({})", count.map_or("tags".to_owned(), |count| format!("count={count}")))
                }
            },
            "UpdateInstance" => format!("UpdateInstance({})", self.tag_change(call)),
            "GetInstance" if cause == "verify" => "GetInstance (verify tags applied)".to_owned(),
            "GetInstance" => format!("GetInstance({})", last_id(request)),
            other => other.to_owned(),
        }
    }

    fn tag_change(&self, call: u64) -> String {
        let added = self.added_tags.get(&call).map_or(&[][..], Vec::as_slice);
        let own =
            added.iter().find(|tag| tag.ends_with(self.claim.rsplit('/').next().unwrap_or_default())).or(added.first());
        match (own, added.len()) {
            (None, _) => "tags".to_owned(),
            (Some(own), 1) => format!("tags += {own}"),
            (Some(own), n) => format!("tags += {own} and {} more", n - 1),
        }
    }
}

/// Pools and Linodes have a participant each; anything else is drawn at the Linode API.
fn target(request: &Request) -> &'static str {
    if request.endpoint.contains("LKE") { "POOL" } else { "INST" }
}

/// The id that ends the path.
fn last_id(request: &Request) -> &str {
    request.line.rsplit('/').next().unwrap_or_default()
}

/// The tags that a filter names, as the document writes them.
fn tags_of(request: &Request) -> String {
    let filter = request.filter.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let mut tags = Vec::new();
    if let Some(filter) = filter {
        collect(&filter, &mut tags);
    }
    let short = |tag: String| match tag.strip_prefix("karpenter.k8s.linode/lke-managed") {
        Some(_) => "managed=true".to_owned(),
        None => tag,
    };
    match tags.len() {
        1 => format!("tag={}", tags.remove(0)),
        _ => tags.into_iter().map(short).collect::<Vec<_>>().join(", "),
    }
}

/// Every text in a filter, in order.
fn collect(value: &serde_json::Value, into: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) => into.push(text.clone()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, into)),
        serde_json::Value::Object(members) => members.values().for_each(|item| collect(item, into)),
        _ => {}
    }
}

fn returned(result: &Returned) -> Vec<String> {
    let text = match result {
        Returned::Linode(_) => {
            return vec![
                "LKE-->>CP: return instance (with providerID)".to_owned(),
                "CP-->>NC: return nodeClaim with providerID set".to_owned(),
            ];
        }
        Returned::Linodes(_) | Returned::Done => "return".to_owned(),
        Returned::NotFound(text) => format!("not found: {text}"),
        Returned::InsufficientCapacity(text) => format!("InsufficientCapacityError: {text}"),
        Returned::Failed(text) => format!("CreateError: {text}"),
        Returned::Dropped => return Vec::new(),
    };
    let text = label(&text);
    vec![format!("LKE-->>CP: {text}"), format!("CP-->>NC: {text}")]
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Text that Mermaid reads as text: a semicolon would end the message, a hash begin an entity.
fn label(text: &str) -> String {
    let mut safe = String::new();
    for c in one_line(text).chars() {
        match c {
            '#' => safe.push_str("#35;"),
            ';' => safe.push_str("#59;"),
            c => safe.push(c),
        }
    }
    safe
}
