//! The command line as its users meet it: what is printed where, and the exit code.

mod examples;
mod exploring;
mod manifests;
mod many;
mod pages;

use crate::{Out, Terminal, exit, main_with};
use lkesim_report::style::Style;
use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Cursor, Write};
use std::path::PathBuf;
use std::rc::Rc;

/// Memory in place of a stream.
#[derive(Clone, Default)]
struct Memory(Rc<RefCell<Vec<u8>>>);

impl Memory {
    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A stream that always fails.
struct Broken(io::ErrorKind);

impl Write for Broken {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(self.0.into())
    }
}

/// What a call of the program came to.
#[derive(Debug, PartialEq, Eq)]
struct Called {
    code: u8,
    out: String,
    err: String,
}

fn terminal(input: &str, out: Out, err: Out) -> Terminal {
    Terminal {
        input: Box::new(Cursor::new(input.as_bytes().to_vec())),
        out,
        style: Style::PLAIN,
        err,
        err_style: Style::PLAIN,
    }
}

fn call_with(args: &[&str], input: &str) -> Called {
    let (out, err) = (Memory::default(), Memory::default());
    let mut terminal = terminal(input, Out::new(out.clone()), Out::new(err.clone()));
    let args = ["lkesim"].iter().chain(args).map(OsString::from);
    let code = main_with(args, &mut terminal);
    Called { code, out: out.text(), err: err.text() }
}

fn call(args: &[&str]) -> Called {
    call_with(args, "")
}

/// What standard output and error take with a broken output.
fn call_broken(args: &[&str], kind: io::ErrorKind) -> (u8, String) {
    let err = Memory::default();
    let mut terminal = terminal("", Out::new(Broken(kind)), Out::new(err.clone()));
    let args = ["lkesim"].iter().chain(args).map(OsString::from);
    (main_with(args, &mut terminal), err.text())
}

/// A folder that goes with its test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("lkesim-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("an entry").file_name().display().to_string());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SMALL: &str = "\
about: One NodeClaim where nothing takes any time.
preset: zero
cloud: {tier: enterprise}
workload:
  - create: {claims: 1, type: g6-standard-4}
";

/// The scenario as a file, run with a trace.
fn traced(folder: &Folder) -> String {
    let (scenario, trace) = (folder.path("small.yaml"), folder.path("small.jsonl"));
    std::fs::write(&scenario, SMALL).expect("it is written");
    let called = call(&["run", &scenario, "--trace", &trace]);
    assert!(called.code <= exit::FAILED, "{called:?}");
    trace
}

#[test]
fn help_of_every_command() {
    insta::assert_snapshot!("help", call(&["--help"]).out);
    let commands = [
        "run", "explore", "shrink", "merge", "compare", "sweep", "screen", "check", "replay", "show", "diff", "list",
        "explain", "schema", "serve",
    ];
    for command in commands {
        let called = call(&[command, "--help"]);
        assert_eq!((called.code, called.err.as_str()), (exit::OK, ""));
        insta::assert_snapshot!(format!("help_{command}"), called.out);
    }
}

#[test]
fn wrong_usage_is_exit_2_and_says_what_is_right() {
    let cases: &[&[&str]] = &[
        &[],
        &["rum"],
        &["run"],
        &["run", "burst-enterprise", "--format", "yaml"],
        &["run", "burst-enterprise", "--sead", "1"],
        &["run", "burst-enterprise", "--seed", "-1"],
        &["run", "burst-enterprise", "--design", "documentd"],
        &["run", "burst-enterprise", "--set", "cloud.teer=standard"],
        &["run", "burst-enterprize"],
        &["run", "nothing-like-it"],
        &["run", "/"],
        &["run", "one-claim-enterprise", "--design", "documented,documented", "--trace", "x"],
        &["show", "missing.jsonl"],
        &["show", "/"],
        &["diff", "-", "-"],
        &["list", "design"],
        &["explain", "one-claim-per-instanc"],
        &["explain", "zzz"],
        &["schema", "rum"],
    ];
    let mut text = String::new();
    for args in cases {
        let called = call(args);
        assert_eq!(called.code, exit::WRONG_INPUT, "{args:?}: {called:?}");
        assert_eq!(called.out, "", "{args:?}");
        text.push_str(&format!("$ lkesim {}\n{}\n", args.join(" "), called.err));
    }
    insta::assert_snapshot!("usage", text);
}

#[test]
fn a_scenario_comes_from_a_path_a_name_or_standard_input() {
    let folder = Folder::new("sources");
    traced(&folder);
    let of_file = call(&["run", &folder.path("small.yaml"), "--format", "json"]);
    let of_input = call_with(&["run", "-", "--format", "json"], SMALL);
    let digest = |called: &Called| called.out.lines().find(|line| line.contains("\"digest\"")).map(str::to_owned);
    assert!(digest(&of_file).is_some());
    assert_eq!(digest(&of_file), digest(&of_input));
    assert_eq!(call(&["check", "one-claim-standard", &folder.path("small.yaml")]).code, exit::OK);
}

#[test]
fn check_goes_on_after_a_mistake() {
    let folder = Folder::new("check");
    std::fs::write(folder.path("bad.yaml"), "about: x\nworkload: [{creat: {}}]\n").expect("it is written");
    let called = call(&["check", &folder.path("bad.yaml"), "one-claim-standard"]);
    assert_eq!((called.code, called.out.as_str()), (exit::WRONG_INPUT, "one-claim-standard: ok\n"));
    assert!(called.err.contains("did you mean `create`?"), "{}", called.err);
}

#[test]
fn a_trace_is_whole_replays_and_is_shown() {
    let folder = Folder::new("trace");
    let trace = traced(&folder);
    assert_eq!(folder.files(), ["small.jsonl", "small.yaml"]);
    let replayed = call(&["replay", &trace]);
    assert_eq!(replayed.code, exit::OK, "{replayed:?}");
    let shown = call(&["show", &trace]);
    assert!(shown.out.contains("has providerID"), "{}", shown.out);
    let drawn = call(&["show", &trace, "--format", "mermaid"]);
    assert!(drawn.out.contains("CP-->>NC: return nodeClaim with providerID set"), "{}", drawn.out);
    let wrong = call(&["show", &trace, "--claim", "claim-2"]);
    assert_eq!(wrong.code, exit::WRONG_INPUT);
    assert!(wrong.err.contains("did you mean `claim-1`?"), "{}", wrong.err);
    let same = call(&["diff", &trace, &trace]);
    assert!(same.out.starts_with("equal"), "{}", same.out);
}

#[test]
fn a_replay_that_diverges_is_exit_3() {
    let folder = Folder::new("diverge");
    let trace = traced(&folder);
    let whole = std::fs::read_to_string(&trace).expect("it is there");
    std::fs::write(
        &trace,
        whole.replacen("\"event\":\"linode.booted\",\"linode\":1", "\"event\":\"linode.booted\",\"linode\":9", 1),
    )
    .expect("it is written");
    let called = call(&["replay", &trace]);
    assert_eq!(called.code, exit::DIVERGED, "{called:?}");
    assert!(called.out.contains("The first event that differs is number"), "{}", called.out);
}

#[test]
fn a_trace_of_another_version_that_comes_again_is_no_divergence() {
    let folder = Folder::new("version");
    let trace = traced(&folder);
    let whole = std::fs::read_to_string(&trace).expect("it is there");
    let own = format!("lkesim {}", env!("CARGO_PKG_VERSION"));
    let (head, rest) = whole.split_once('\n').expect("a header");
    assert!(head.contains(env!("CARGO_PKG_VERSION")), "{own}: {head}");
    let other = head.replace(env!("CARGO_PKG_VERSION"), "0.0.1-other");
    std::fs::write(&trace, format!("{other}\n{rest}")).expect("it is written");
    let called = call(&["replay", &trace]);
    assert_eq!(called.code, exit::OK, "{called:?}");
    assert!(called.err.starts_with("warning: the trace is of") && called.out.starts_with("repeated:"), "{called:?}");
}

#[test]
fn a_design_beside_itself_is_refused() {
    let called = call_with(&["run", "-", "--design", "shipped,shipped"], SMALL);
    assert_eq!(called.code, exit::WRONG_INPUT);
    assert!(called.err.contains("--design names `shipped` twice"), "{}", called.err);
}

#[test]
fn check_refuses_what_run_refuses() {
    let sets = ["--set", "provider.owner_tags=any"];
    for (designs, code) in [("documented", exit::OK), ("documented,shipped", exit::WRONG_INPUT)] {
        let refused = |command: &str| {
            let arguments = [&[command, "-", "--design", designs], &sets[..]].concat();
            call_with(&arguments, SMALL)
        };
        let (checked, ran) = (refused("check"), refused("run"));
        assert_eq!((checked.code, ran.code), (code, code), "{checked:?} {ran:?}");
        assert_eq!(checked.err, ran.err);
    }
    assert_eq!(call_with(&["check", "-", "--design", "shiped"], SMALL).code, exit::WRONG_INPUT);
}

#[test]
fn the_command_line_names_the_design_of_all_clusters() {
    let text = format!("{SMALL}clusters: [{{name: east}}, {{name: west, design: shipped}}]\n");
    let ran = call_with(&["run", "-"], &text);
    assert!(ran.out.contains("under documented (east), shipped (west), seed 1"), "{}", ran.out);
    let ran = call_with(&["run", "-", "--design", "v0.1.3"], &text);
    assert!(ran.out.contains("under v0.1.3, seed 1"), "{}", ran.out);
    let json = call_with(&["run", "-", "--design", "v0.1.3", "--format", "json"], &text);
    let value: serde_json::Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!(value["clusters"][1], serde_json::json!({ "name": "west", "design": "v0.1.3" }));
}

#[test]
fn what_comes_to_nothing_is_told() {
    let text = format!(
        "{SMALL}by_hand:\n- resize_pool: {{at: 5m, to: 5000}}\n- delete_pool: {{at: 10m}}\n- delete_pool: {{at: 10m}}\n\
         chaos:\n- crash: {{after: CreateLKENodePool, nth: 7}}\n"
    );
    let ran = call_with(&["run", "-"], &text);
    let warned = |text: &str| assert!(ran.out.contains(text), "{text}: {}", ran.out);
    warned("warning  by_hand[2].delete_pool: came to nothing, at 10:00.000");
    warned("the NodePool default has no live LKE pool");
    warned("warning  by_hand[0].resize_pool: came to nothing, at 05:00.000");
    warned("the API refused it: [400]");
    warned("chaos[0].crash");
    warned("the crash is after 7 such calls that the cloud accepts, and it accepted 1");
    let json = call_with(&["run", "-", "--format", "json"], &text);
    let value: serde_json::Value = serde_json::from_str(&json.out).expect("it is JSON");
    assert_eq!(value["warnings"][0]["path"], "by_hand[0].resize_pool");
}

#[test]
fn a_trace_that_is_cut_short_is_exit_2() {
    let folder = Folder::new("cut");
    let trace = traced(&folder);
    let whole = std::fs::read(&trace).expect("it is there");
    for cut in [0, 10, whole.len() / 2, whole.len() - 2] {
        std::fs::write(&trace, &whole[..cut]).expect("it is written");
        for command in ["show", "replay"] {
            let called = call(&[command, &trace]);
            assert_eq!((called.code, called.out.as_str()), (exit::WRONG_INPUT, ""), "{called:?}");
            assert_eq!(called.err.lines().count(), 1, "{}", called.err);
        }
    }
}

#[test]
fn a_trace_to_standard_output_leaves_the_report_to_standard_error() {
    let called = call_with(&["run", "-", "--trace", "-"], SMALL);
    assert!(called.out.starts_with("{\"schema\":\"lkesim.trace/1\""), "{}", called.out);
    assert!(called.err.contains("invariants held"), "{}", called.err);
    let shown = call_with(&["show", "-"], &called.out);
    assert_eq!(shown.code, exit::OK, "{}", shown.err);
}

#[test]
fn a_closed_standard_output_ends_quietly() {
    for args in [&["--help"][..], &["list", "scenarios"], &["explain", "assumptions"], &["schema", "run"]] {
        let called = call_broken(args, io::ErrorKind::BrokenPipe);
        assert_eq!(called, (exit::OK, String::new()), "{args:?}");
    }
    let (_, err) = call_broken(&["run", "one-claim-enterprise"], io::ErrorKind::BrokenPipe);
    assert_eq!(err, "");
    let (_, err) = call_broken(&["run", "one-claim-enterprise", "--trace", "-"], io::ErrorKind::BrokenPipe);
    assert_eq!(err, "");
}

#[test]
fn a_full_standard_output_is_exit_4_in_one_line() {
    for args in [&["list", "scenarios"][..], &["run", "one-claim-enterprise"]] {
        let (code, err) = call_broken(args, io::ErrorKind::StorageFull);
        assert_eq!((code, err.lines().count()), (exit::UNREADABLE, 1), "{err}");
        assert!(err.starts_with("error: cannot write standard output: "), "{err}");
    }
}

#[test]
fn a_trace_that_cannot_be_written_is_exit_4_in_one_line() {
    let folder = Folder::new("unwritable");
    let into_nothing = folder.path("no/such/folder.jsonl");
    let a_folder = folder.path("");
    for target in [into_nothing.as_str(), a_folder.as_str(), "/dev/full"] {
        let called = call_with(&["run", "-", "--trace", target], SMALL);
        assert_eq!((called.code, called.err.lines().count()), (exit::UNREADABLE, 1), "{target}: {called:?}");
    }
    assert_eq!(folder.files(), Vec::<String>::new());
}

/// A file that nobody else may read stays one.
#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new("mode");
    let (scenario, trace) = (folder.path("small.yaml"), folder.path("small.jsonl"));
    std::fs::write(&scenario, SMALL).expect("it is written");
    for mode in [0o600, 0o640, 0o666] {
        std::fs::write(&trace, "old").expect("it is written");
        std::fs::set_permissions(&trace, std::fs::Permissions::from_mode(mode)).expect("it is set");
        assert!(call(&["run", &scenario, "--trace", &trace]).code <= exit::FAILED);
        let replaced = std::fs::metadata(&trace).expect("it is there");
        assert!(replaced.len() > 3);
        assert_eq!(replaced.permissions().mode() & 0o777, mode);
    }
}

#[test]
fn what_is_not_finished_leaves_the_old_file() {
    let folder = Folder::new("unfinished");
    let path = PathBuf::from(folder.path("out.jsonl"));
    std::fs::write(&path, "old").expect("it is written");
    let terminal = terminal("", Out::new(Memory::default()), Out::new(Memory::default()));
    let begin = || crate::output::Output::begin(&path, &terminal).expect("it begins");
    let (output, mut sink) = begin();
    sink.write_all(b"half").expect("there is room");
    drop((output, sink));
    assert_eq!(
        (folder.files(), std::fs::read_to_string(&path).ok()),
        (vec!["out.jsonl".to_owned()], Some("old".to_owned()))
    );
    let (output, mut sink) = begin();
    sink.write_all(b"whole").and_then(|()| sink.flush()).expect("there is room");
    output.finish().expect("it is renamed");
    assert_eq!(
        (folder.files(), std::fs::read_to_string(&path).ok()),
        (vec!["out.jsonl".to_owned()], Some("whole".to_owned()))
    );
}

#[test]
fn a_link_that_leads_to_nothing_keeps_its_place() {
    let folder = Folder::new("link");
    std::os::unix::fs::symlink("there.jsonl", folder.path("link.jsonl")).expect("a link");
    let called = call_with(&["run", "-", "--trace", &folder.path("link.jsonl")], SMALL);
    assert!(called.code <= exit::FAILED, "{called:?}");
    assert!(std::fs::symlink_metadata(folder.path("link.jsonl")).is_ok_and(|link| link.is_symlink()));
    assert_eq!(folder.files(), ["link.jsonl", "there.jsonl"]);
}

#[test]
fn a_trace_does_not_overwrite_its_scenario() {
    let folder = Folder::new("overwrite");
    let scenario = folder.path("small.yaml");
    std::fs::write(&scenario, SMALL).expect("it is written");
    let called = call(&["run", &scenario, "--trace", &folder.path("./small.yaml")]);
    assert_eq!(called.code, exit::WRONG_INPUT);
    assert!(called.err.contains("--trace would overwrite"), "{}", called.err);
    assert_eq!(std::fs::read_to_string(&scenario).ok().as_deref(), Some(SMALL));
}

#[test]
fn a_byte_order_mark_before_a_trace_is_skipped() {
    let folder = Folder::new("mark");
    let trace = traced(&folder);
    let whole = std::fs::read_to_string(&trace).expect("it is there");
    assert_eq!(call_with(&["replay", "-"], &format!("\u{feff}{whole}")).code, exit::OK);
}

#[test]
fn a_region_without_the_clusters_tier_is_refused() {
    let clusters = "clusters: [{name: a, region: us-central}, {name: b, tier: standard, region: us-central}]";
    let several = format!("about: x\n{clusters}\nworkload: [create: {{cluster: b}}]\n");
    for (args, text, wrong) in [
        (vec!["--set", "cloud.region=us-den-1"], SMALL, "`us-den-1` has no LKE Enterprise"),
        (vec!["--set", "cloud.region=us-den-1", "--set", "cloud.tier=standard"], SMALL, "`us-den-1` has no LKE;"),
        (vec!["--set", "cloud.region=us-central"], SMALL, "`us-central` has no LKE Enterprise"),
        (Vec::new(), &several, "`us-central` has no LKE Enterprise"),
    ] {
        let args: Vec<&str> = ["run", "-"].into_iter().chain(args).collect();
        let called = call_with(&args, text);
        assert_eq!(called.code, exit::WRONG_INPUT, "{args:?}");
        assert!(called.err.contains(wrong) && called.err.contains("such as `us-ord`"), "{}", called.err);
        assert!(!called.err.contains("clusters[1]"), "{}", called.err);
    }
}

#[test]
fn names_that_begin_with_a_wrong_one_are_suggested() {
    let called = call(&["run", "orphans"]);
    let wanted = "did you mean `orphans-by-pool`, `orphans-enterprise` or `orphans-standard`?";
    assert_eq!(called.code, exit::WRONG_INPUT, "{}", called.err);
    assert!(called.err.contains(wanted), "{}", called.err);
}

#[test]
fn hard_cases_and_figures_can_be_listed_and_explained() {
    for name in ["sometimes", "figures"] {
        let (listed, explained) = (call(&["list", name]), call(&["explain", name]));
        assert_eq!((listed.code, explained.code), (exit::OK, exit::OK), "{}{}", listed.err, explained.err);
        assert!(listed.out.lines().count() > 20, "{}", listed.out);
        for line in listed.out.lines() {
            let name = line.split_whitespace().next().expect("a name");
            assert!(explained.out.contains(name), "{name}");
        }
    }
}

#[test]
fn a_region_that_is_not_is_refused_with_the_nearest() {
    let called = call_with(&["run", "-", "--set", "cloud.region=us-orb"], SMALL);
    assert_eq!(called.code, exit::WRONG_INPUT);
    assert!(called.err.contains("did you mean `us-ord`?"), "{}", called.err);
}

#[test]
fn a_replay_of_another_digest_says_that_the_digests_differ() {
    let folder = Folder::new("digest");
    let trace = traced(&folder);
    let whole = std::fs::read_to_string(&trace).expect("it is there");
    let at = whole.trim_end().rfind('\n').expect("a footer");
    let (events, footer) = whole.split_at(at);
    let from = footer.find("\"digest\":\"").expect("a digest") + 10;
    let mut footer = footer.to_owned();
    footer.replace_range(from..from + 4, "zzzz");
    std::fs::write(&trace, format!("{events}{footer}")).expect("it is written");
    let called = call(&["replay", &trace]);
    assert_eq!(called.code, exit::DIVERGED, "{called:?}");
    assert!(called.out.contains("The digests differ") && !called.out.contains("equal:"), "{}", called.out);
}

#[test]
fn text_of_a_trace_or_an_argument_does_not_reach_the_terminal_raw() {
    let folder = Folder::new("control");
    let scenario = folder.path("small\u{1b}[2J.yaml");
    std::fs::write(&scenario, SMALL).expect("it is written");
    let checked = call(&["check", &scenario]);
    assert!(checked.out.ends_with("small\u{fffd}[2J.yaml: ok\n"), "{checked:?}");
    std::fs::write(&scenario, "about: x\n").expect("it is written");
    let refused = call(&["check", &scenario]);
    assert!(!refused.err.contains('\u{1b}'), "{refused:?}");
}

#[test]
fn verbose_logs_events_with_virtual_time() {
    let called = call_with(&["run", "-", "-vv"], SMALL);
    assert!(called.err.lines().any(|line| line.starts_with("00:00.") && line.contains("claim-1")), "{}", called.err);
    let quiet = call_with(&["run", "-"], SMALL);
    assert_eq!((quiet.err.as_str(), &quiet.out), ("", &called.out));
}

#[test]
fn everything_that_is_listed_is_explained() {
    for kind in ["designs", "scenarios", "invariants", "faults"] {
        let listed = call(&["list", kind]);
        assert_eq!(listed.code, exit::OK);
        assert!(!listed.out.is_empty(), "{kind}");
        for line in listed.out.lines() {
            let name = line.split(' ').next().expect("a name");
            let explained = call(&["explain", name]);
            assert_eq!(explained.code, exit::OK, "{name}");
            assert!(explained.out.lines().count() > 2, "{name}: {}", explained.out);
        }
    }
    for part in
        ["chaos", "clusters", "start", "by_hand", "clients", "faults", "cloud", "crash", "delete_node", "create"]
    {
        let explained = call(&["explain", part]);
        assert_eq!(explained.code, exit::OK, "{part}");
        assert!(explained.out.lines().all(|line| line.chars().count() <= 100), "{}", explained.out);
    }
    insta::assert_snapshot!("explain_part", call(&["explain", "chaos"]).out);
    insta::assert_snapshot!("explain_kind", call(&["explain", "leader_change"]).out);
    insta::assert_snapshot!("explain_fault", call(&["explain", "refuse"]).out);
    insta::assert_snapshot!("explain_invariant", call(&["explain", "one-claim-per-instance"]).out);
    insta::assert_snapshot!(
        "explain_list",
        call(&["explain", "state-agrees"]).out.split("Where it is shown").next().unwrap_or_default()
    );
}

#[test]
fn schemas_are_json_named_as_their_documents() {
    for (name, schema) in [
        ("run", "lkesim.run/1"),
        ("runs", "lkesim.runs/1"),
        ("trace", "lkesim.trace/1"),
        ("scenario", "lkesim.scenario/1"),
        ("explore", "lkesim.explore/1"),
        ("exhausted", "lkesim.exhausted/1"),
        ("compare", "lkesim.compare/1"),
        ("sweep", "lkesim.sweep/1"),
        ("screen", "lkesim.screen/1"),
    ] {
        let called = call(&["schema", name]);
        let value: serde_json::Value = serde_json::from_str(&called.out).expect("it is JSON");
        assert_eq!(value["title"], schema);
    }
}

#[test]
fn arguments_make_sense() {
    use clap::CommandFactory;
    crate::Cli::command().debug_assert();
}
