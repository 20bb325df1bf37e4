//! The command line. Help texts are written to be used without reading anything else.

pub mod many;

use crate::catalogue::Kinds;
use crate::exit;
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use lkesim_explore::Twist;
use lkesim_report::format::FORMATS;
use many::Paged;
use std::path::PathBuf;

/// Simulates node provisioning with Karpenter on Linode Kubernetes Engine
///
/// A scenario says what happens; a design is a way to give each NodeClaim its Linode. A run plays the scenario on
/// virtual time against a fake Linode API, and judges it: was one Linode given to two NodeClaims, was one leaked, how
/// many API calls did it cost, how long did it take. Equal scenario, design, seed and version give equal bytes.
#[derive(Debug, Parser)]
#[command(name = "lkesim", version, term_width = 80, after_help = after_help())]
pub struct Cli {
    /// Log what goes wrong to standard error, with virtual time; -vv also each event
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,

    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The names of the formats, from their table.
fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(FORMATS.iter().map(|format| format.name()))
}

fn after_help() -> String {
    format!("{EXAMPLES}\n\n{}\n\n`lkesim COMMAND --help` has more about each command.", exit::HELP)
}

const EXAMPLES: &str = "\
Examples:
  lkesim run burst-enterprise             run a built-in scenario, and read the verdict
  lkesim run mine.yaml --trace run.jsonl  run your own, and keep all that happened
  lkesim show run.jsonl --claim claim-07  the story of one NodeClaim
  lkesim list scenarios                   what there is to run
  lkesim explain one-claim-per-instance   what an invariant says, and why it matters";

/// The commands, one file each under `commands/`.
#[derive(Debug, Subcommand)]
#[allow(missing_docs, reason = "each has its arguments' own")]
pub enum Command {
    Run(Run),
    Explore(Explore),
    Shrink(Shrink),
    Merge(Merge),
    Compare(many::Compare),
    Sweep(many::Sweep),
    Screen(many::Screen),
    Check(Check),
    Replay(Replay),
    Show(Show),
    Diff(Diff),
    List(List),
    Explain(Explain),
    Schema(Schema),
    Serve(Serve),
}

/// Run a scenario and judge it
#[derive(Debug, Args)]
#[command(after_help = "\
SCENARIO is a path, the name of a built-in scenario (see `lkesim list scenarios`), \
or `-` for standard input. FILE holds Kubernetes objects, one document or several, or \
what `kubectl get -o yaml` prints: NodePools, Deployments, Pods and the like. Without \
SCENARIO they are the whole scenario; `--set duration=6h` and the like still hold. Beside \
them there are three nodes of the cluster's own pool, cordoned so that no pod goes there, \
and where no NodePool is given, one named `default` of all types: an Enterprise cluster in \
us-ord unless `--set` says otherwise.

Examples:
  lkesim run burst-enterprise
  lkesim run -f node-pool.yaml -f shop.yaml
  kubectl get nodepools,deployments -o yaml | lkesim run -f -
  lkesim run burst-enterprise --design documented,shipped   side by side
  lkesim run burst-enterprise --set cloud.tier=standard
  lkesim run mine.yaml --set 'cloud.lags.instance_seen={p50: 30s, p99: 90s}'
  lkesim run mine.yaml --format json | jq .api.by_operation
  lkesim run mine.yaml --trace run.jsonl                    then: lkesim show run.jsonl

The exit code is 0 if all that was expected held, and 1 if an invariant or an \
expectation failed. A failure prints the command that repeats it. With another \
seed than 1, --order random or --set, expected figures are shown and do not decide.")]
pub struct Run {
    /// A path, a built-in name, or `-`
    #[arg(required_unless_present = "file")]
    pub scenario: Option<PathBuf>,

    /// Kubernetes objects that are there too, a path or `-`; may be given again
    #[arg(short, long, value_name = "FILE")]
    pub file: Vec<PathBuf>,

    /// Take fields of Kubernetes objects that would matter and are not modelled for mistakes
    #[arg(long)]
    pub strict: bool,

    /// The design of all clusters, whatever the scenario names; several for a comparison [default: the scenario's own,
    /// or documented]
    #[arg(long, value_name = "D[,D...]", value_delimiter = ',')]
    pub design: Vec<String>,

    /// The seed of all luck
    #[arg(long, value_name = "N", default_value_t = crate::runner::DEFAULT_SEED)]
    pub seed: u64,

    /// Which of the tasks that are ready at one instant goes first
    #[arg(long, value_enum, default_value_t)]
    pub order: crate::runner::Ready,

    /// Repeat the order of another run from FILE, as `explore --keep` and `shrink` write it
    #[arg(long, value_name = "FILE", conflicts_with = "order")]
    pub deviations: Option<PathBuf>,

    /// Override one field of the scenario, or take it back with `null`; may be given again
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Write all that happened to FILE; `-` is standard output, and the report goes to standard error
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// How to report
    #[arg(long, default_value = FORMATS[0].name(), value_parser = formats())]
    pub format: String,
}

/// Search many seeds for what breaks a design
#[derive(Debug, Args)]
#[command(after_help = "\
Each seed draws a scenario, its luck and an order of tasks. Without SCENARIO they come from the palette `general`, which
covers all that is modelled, pods in one seed of eight; with one or several, from them and what is near them. What a
scenario expects is left aside: whatever breaks is found. Failures of one mechanism are one finding; the list begins with
the most frequent.

Examples:
  lkesim explore --design shipped                         a thousand seeds
  lkesim explore --design shipped --time 10m --keep found  as many as there is time for, and keep one of each finding
  lkesim explore mine.yaml --seeds 20000 --junit out.xml  in continuous integration
  lkesim explore --start-seed 4711 --seeds 1              one seed again
  lkesim explore --seeds 1000000 --shard 3/100 --format json > 3.json   one part of many; then: lkesim merge *.json
  lkesim explore tiny-two-claims --exhaustive 2           all orders with at most two departures

The exit code is 0 if nothing broke, and 1 if something did or a declared hard case never occurred: those under
`expect.sometimes` of a scenario, and for `general` those of its list, from 1000 runs on. Ctrl-C ends the search with what
was found so far. Equal seeds give equal results, whatever the number of jobs.

--exhaustive K takes one tiny scenario (at most 2 NodeClaims, 2 LKE pools and 1 fault) and the luck of --start-seed, and
tries every order of what is due at one instant in which at most K choices are not first in, first out. If nothing
breaks, nothing can within that bound. Where --time ends it before all were tried it says NOT COVERED, which proves
nothing: the exit code is then 0 as long as nothing broke, and `covered` is false in JSON.")]
pub struct Explore {
    /// Paths, built-in names, or `-`; none for the palette `general`
    pub scenario: Vec<PathBuf>,

    /// Kubernetes objects that are there too, a path or `-`; without a scenario they are the whole one
    #[arg(short, long, value_name = "FILE")]
    pub file: Vec<PathBuf>,

    /// The design [default: the scenario's own, or documented]
    #[arg(long, value_name = "D")]
    pub design: Option<String>,

    /// How many seeds [default: 1000, or with --time as many as there is time for]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub seeds: Option<u64>,

    /// Stop after so much time, such as 30s or 10m
    #[arg(long, value_name = "TIME")]
    pub time: Option<lkesim_scenario::Span>,

    /// How many threads [default: one for each core]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,

    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub start_seed: u64,

    /// Stop at the first seed that breaks something
    #[arg(long)]
    pub stop_on_first: bool,

    /// Run one of N parts of the seeds, I from 0 to N-1; `lkesim merge` makes one of their results
    #[arg(long, value_name = "I/N", value_parser = shard, conflicts_with_all = ["time", "stop_on_first"])]
    pub shard: Option<Shard>,

    /// Try every order of one tiny scenario with at most K departures from first in, first out
    #[arg(long, value_name = "K", conflicts_with_all = ["seeds", "shard", "stop_on_first"])]
    pub exhaustive: Option<u32>,

    /// Make all lags of the cloud in what is drawn N times as long
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100), conflicts_with = "exhaustive")]
    pub stretch_lags: Option<u32>,

    /// In what is drawn, let this view show a new Linode at once, and the other one 30 to 60 s later
    #[arg(long, value_enum, value_name = "VIEW", conflicts_with = "exhaustive")]
    pub first: Option<First>,

    /// Write a folder for each finding into DIR: scenario.yaml, deviations.txt and the command that repeats it
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,

    /// How to report
    #[arg(long, value_enum, default_value_t)]
    pub format: Paged,

    /// Write the result to FILE as JUnit XML too
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

/// A view of a new Linode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum First {
    /// The LKE pool that it is in
    Members,
    /// The list of Linodes
    List,
}

impl Explore {
    /// The change of what is drawn.
    pub fn twist(&self) -> Twist {
        let first = self.first.map(|first| match first {
            First::Members => lkesim_explore::First::Members,
            First::List => lkesim_explore::First::List,
        });
        Twist { stretch: self.stretch_lags, first }
    }
}

/// Which part of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which, from 0.
    pub index: u64,
    /// Of how many.
    pub of: u64,
}

fn shard(text: &str) -> Result<Shard, String> {
    let expected = || "expected I/N, such as 0/8 for the first of eight and 7/8 for the last".to_owned();
    let (index, of) = text.split_once('/').ok_or_else(expected)?;
    let (index, of) = (index.parse().map_err(|_| expected())?, of.parse().map_err(|_| expected())?);
    if index < of { Ok(Shard { index, of }) } else { Err(expected()) }
}

/// Make one result of those of a search that ran in shards
#[derive(Debug, Args)]
#[command(after_help = "\
Each FILE is what `lkesim explore --shard I/N --format json` printed. The result is that of the whole search, byte for byte.
All shards have to be there, each once and run to its end, of one design, palette and version. Results of searches that
were no shards are joined as well, where their seeds follow each other without a gap. The exit code is that of `explore`;
2 if the files are not the parts of one search.

Examples:
  lkesim merge results/*.json
  lkesim merge results/*.json --format json --junit out.xml > whole.json")]
pub struct Merge {
    /// Results of `lkesim explore --format json`; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub file: Vec<PathBuf>,

    /// How to report
    #[arg(long, value_enum, default_value_t)]
    pub format: Paged,

    /// Write the result to FILE as JUnit XML too
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

/// Make a finding small, and tell it in a few lines
#[derive(Debug, Args)]
#[command(after_help = "\
DIR is a folder of a finding, as `lkesim explore --keep` writes it. First its scenario is made small, then the order of its
tasks, as long as the same invariant breaks by the same mechanism. What is left is written to DIR/small: scenario.yaml,
deviations.txt, trace.jsonl, story.txt and the command that repeats it. The exit code is 3 if the finding does not repeat.

Examples:
  lkesim explore --design shipped --keep found
  lkesim shrink found/one-claim-per-instance-1a2b3c4d")]
pub struct Shrink {
    /// A folder that `explore --keep` wrote
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Where to write [default: DIR/small]
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
}

/// Read and validate scenarios, and run nothing
#[derive(Debug, Args)]
#[command(after_help = "\
Each mistake is told with its line, path and what was expected. The exit code is 0 \
if all scenarios are valid, else 2.

Examples:
  lkesim check mine.yaml
  lkesim check mine.yaml --design documented,shipped --set cloud.tier=standard
  lkesim check scenarios/*.yaml
  lkesim check -f shop.yaml --strict")]
pub struct Check {
    /// Paths, built-in names, or `-`
    #[arg(required_unless_present = "file")]
    pub scenario: Vec<PathBuf>,

    /// Kubernetes objects that are there too, a path or `-`; may be given again
    #[arg(short, long, value_name = "FILE")]
    pub file: Vec<PathBuf>,

    /// Take fields of Kubernetes objects that would matter and are not modelled for mistakes
    #[arg(long)]
    pub strict: bool,

    /// Check for these designs, as `run` would [default: the scenario's own, or documented]
    #[arg(long, value_name = "D[,D...]", value_delimiter = ',')]
    pub design: Vec<String>,

    /// Override one field of each scenario first, or take it back with `null`; may be given again
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}

/// Run what a trace recorded again, and compare event by event
#[derive(Debug, Args)]
#[command(after_help = "\
The trace holds the whole scenario, so its file is not needed. The exit code is 0 \
if every event and figure came again, and 3 if the replay diverged; the first \
event that differs is then shown. Only the version that wrote a trace promises to \
repeat it; of another one's, the digest alone is compared.

Examples:
  lkesim run burst-enterprise --trace run.jsonl
  lkesim replay run.jsonl")]
pub struct Replay {
    /// A trace, or `-`
    pub trace: PathBuf,
}

/// Tell a trace as a timeline, or draw it
#[derive(Debug, Args)]
#[command(after_help = "\
The mermaid diagram shows the Create calls of one NodeClaim, with the participants \
and messages of the design document's own diagram.

Examples:
  lkesim show run.jsonl | less
  lkesim show run.jsonl --claim claim-07
  lkesim show run.jsonl --claim claim-07 --format mermaid")]
pub struct Show {
    /// A trace, or `-`
    pub trace: PathBuf,

    /// Only the NodeClaim with this name: its operations, API calls, Linodes and node
    #[arg(long, value_name = "NAME")]
    pub claim: Option<String>,

    /// Only this pod, by its name or `namespace/name`: what befell it, how each pass tried it, and where it was to go
    #[arg(long, value_name = "NAME", conflicts_with = "claim")]
    pub pod: Option<String>,

    /// How to tell it
    #[arg(long, value_enum, default_value_t)]
    pub format: Telling,
}

/// How a trace is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Telling {
    /// A line an event
    #[default]
    Text,
    /// A sequence diagram of one NodeClaim; without --claim, of the first that was created
    Mermaid,
}

/// Show the first event and the figures in which two traces differ
#[derive(Debug, Args)]
#[command(after_help = "\
The exit code is 0 whether they differ or not: a difference is an answer.

Examples:
  lkesim run burst-enterprise --seed 1 --trace a.jsonl
  lkesim run burst-enterprise --seed 2 --trace b.jsonl
  lkesim diff a.jsonl b.jsonl")]
pub struct Diff {
    /// A trace, or `-`
    pub left: PathBuf,
    /// Another, or `-`
    pub right: PathBuf,
}

/// List what has a name
#[derive(Debug, Args)]
#[command(after_help = "`lkesim explain NAME` says more about each.")]
pub struct List {
    /// Of which kind
    #[arg(value_enum)]
    pub kind: Kinds,
}

/// Explain a design, invariant, fault, scenario, hard case or part of a scenario, or what is assumed about Linode
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lkesim explain one-claim-per-instance  what it says, why, how it is judged
  lkesim explain documented              what the design does, and its settings
  lkesim explain burst-enterprise        the scenario's YAML
  lkesim explain refuse                  a fault and its fields
  lkesim explain chaos                   a part of a scenario, such as start
  lkesim explain assumptions             every default, how sure it is, its source")]
pub struct Explain {
    /// A name from `lkesim list`, a member of a scenario, or `assumptions`
    pub name: String,
}

/// Print the JSON Schema of a document
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lkesim schema scenario > schema.json  for editors: completion and checks
  lkesim schema run                     what `lkesim run --format json` prints")]
pub struct Schema {
    /// Of which
    #[arg(value_enum)]
    pub name: Document,
}

/// The documents that are read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Document {
    /// A scenario, as written in YAML
    Scenario,
    /// What came of one run
    Run,
    /// What came of several
    Runs,
    /// Each line of a trace
    Trace,
    /// What a search found
    Explore,
    /// What came of all orders of a tiny scenario
    Exhausted,
    /// What a comparison shows
    Compare,
    /// What a sweep shows
    Sweep,
    /// What a screening shows
    Screen,
}

/// Serve the fake Linode API over HTTP
#[derive(Debug, Args)]
#[command(after_help = SERVE_HELP)]
pub struct Serve {
    /// What the cloud is like: a path, a built-in name, or `-` [default: one cluster without trouble]
    pub scenario: Option<PathBuf>,

    /// Where to listen; port 0 takes a free one. Others than this machine reach it only at an address that is named
    /// here
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080", value_parser = address)]
    pub listen: std::net::SocketAddr,

    /// Virtual seconds in a real one, such as 20 or 0.5
    #[arg(long, value_name = "N", default_value = "1", conflicts_with = "manual", value_parser = speed)]
    pub speed: fake_linode::http::Speed,

    /// Let the clock stand still: POST /_fake/advance alone moves it
    #[arg(long)]
    pub manual: bool,

    /// Let calls take as long as the scenario's `cloud.latency` says, in virtual time; without it they are answered at
    /// once
    #[arg(long, conflicts_with = "manual")]
    pub latency: bool,

    /// The seed of all luck
    #[arg(long, value_name = "N", default_value_t = crate::runner::DEFAULT_SEED)]
    pub seed: u64,

    /// The date at which virtual time begins: seconds since 1970, or `now`, for clients that reckon ages by their own
    /// clock [default: 2026-01-01]
    #[arg(long, value_name = "DATE", value_parser = crate::served::epoch)]
    pub epoch: Option<u64>,

    /// The tier of all clusters
    #[arg(long, value_name = "TIER", value_parser = ["standard", "enterprise"])]
    pub tier: Option<String>,

    /// The region of everything
    #[arg(long, value_name = "REGION")]
    pub region: Option<String>,

    /// A cluster's label, in place of the scenario's clusters; may be given again
    #[arg(long, value_name = "LABEL")]
    pub cluster: Vec<String>,

    /// A token that opens the API; may be given again [default: the scenario's, or fake-token]
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    pub token: Vec<String>,

    /// Override one field of the scenario, or take it back with `null`; may be given again
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Begin with this snapshot if the file is there, and write it when the server ends
    #[arg(long, value_name = "FILE")]
    pub snapshot: Option<PathBuf>,

    /// Append each request to this file, a line of JSON each
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

/// The program `fake-linode`
#[derive(Debug, Parser)]
#[command(
    name = "fake-linode",
    version,
    about = "Serves a fake of the Linode API, as far as LKE clusters, their pools and Linodes need it",
    term_width = 80
)]
pub struct FakeLinode {
    /// Log to standard error
    #[arg(short, long, action = clap::ArgAction::Count)]
    pub verbose: u8,

    /// What to serve.
    #[command(flatten)]
    pub serve: Serve,
}

fn address(text: &str) -> Result<std::net::SocketAddr, String> {
    text.parse().map_err(|_| "expected an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080".to_owned())
}

/// What a header `Authorization: Bearer TOKEN` can carry.
fn token(text: &str) -> Result<String, String> {
    match !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(text.to_owned()),
        false => Err("expected one character or more, of ASCII and without spaces".to_owned()),
    }
}

fn speed(text: &str) -> Result<fake_linode::http::Speed, String> {
    fake_linode::http::Speed::parse(text)
        .ok_or_else(|| "expected a number above 0 and at most 1000000, such as 20 or 0.5".to_owned())
}

const SERVE_HELP: &str = "\
The API is at /v4 and /v4beta. The first line on standard output says where,
once connections are accepted:
  listening on http://127.0.0.1:8080

Of a scenario, its `cloud`, `clusters`, `start` and `faults` count, and the
names of its tokens; `cloud.latency` counts with --latency alone. Its workload,
chaos, other clients and what is done by hand are for runs. Faults that name no
end do not end.

Beside the API, for this machine alone and without a token:
  GET    /_fake                   this list
  GET    /_fake/health            the time, and how many requests there were
  GET    /_fake/state             what is true, whatever the API shows;
                                  ?all=true also what is gone
  GET    /_fake/requests          the last 200,000 requests or 64 MiB of them, a
                                  line of JSON each; ?from=N
  POST   /_fake/advance           {\"by\": \"30s\"} or {\"to\": \"2m\"}
  GET    /_fake/faults            each fault with its hits
  POST   /_fake/faults            one fault as under `faults:`
  POST   /_fake/faults/NAME       {\"on\": false} or {\"on\": true}
  DELETE /_fake/faults[/NAME]     takes it away, or all of them
  POST   /_fake/reset             back to the beginning; {\"seed\": 7}, or a
                                  scenario as application/yaml
  GET    /_fake/snapshot          the whole state
  POST   /_fake/snapshot          writes it to the file of --snapshot
  POST   /_fake/restore           takes a snapshot back

Examples:
  lkesim serve --speed 20
  lkesim serve --tier standard --cluster my-cluster --token secret
  lkesim serve burst-enterprise --manual --listen 127.0.0.1:0
  curl -d '{\"refuse\": {\"call\": \"CreateLKENodePool\", \"status\": 500}}' \\
    127.0.0.1:8080/_fake/faults";
