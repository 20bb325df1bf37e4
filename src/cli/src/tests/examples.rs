//! The examples in help texts: each is a command line that the program takes, about scenarios that there are.

use super::manifests::{DEPLOYMENT, NODE_POOL};
use super::{Folder, SMALL, call};
use crate::args::{Cli, FakeLinode};
use crate::exit;
use clap::{ArgMatches, Command, CommandFactory};

/// A line of a help text.
struct Example {
    program: Command,
    line: String,
}

/// All of them, in the order of the commands.
fn examples() -> Vec<Example> {
    let programs = [Cli::command(), FakeLinode::command()];
    let mut found = Vec::new();
    for program in programs {
        let helps = std::iter::once(&program).chain(program.get_subcommands());
        let texts = helps.filter_map(|command| command.get_after_help().map(ToString::to_string));
        for line in texts.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()) {
            let mark = format!("{} ", program.get_name());
            // What stands before it in a pipe is another program.
            let from = line.find(&mark).filter(|at| line.starts_with("  ") && !line[..*at].contains('`'));
            if let Some(from) = from {
                found.push(Example { program: program.clone(), line: line[from..].to_owned() });
            }
        }
    }
    found
}

/// The words of a command as a shell reads them, up to a pipe, a file for the output, or a remark.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut is_quoted) = (vec![String::new()], false);
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' => is_quoted = !is_quoted,
            '|' | '>' if !is_quoted => break,
            ' ' if !is_quoted && rest.peek() == Some(&' ') => break,
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().expect("there is one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The values of an argument, where the command has it.
fn values(matches: &ArgMatches, name: &str) -> Vec<String> {
    let raw = matches.try_get_raw(name).ok().flatten();
    raw.into_iter().flatten().map(|value| value.to_string_lossy().into_owned()).collect()
}

/// What would be run, checked in its place: every scenario that is named, under the designs, with each value.
fn check(matches: &ArgMatches, line: &str) {
    let designs: Vec<String> = [values(matches, "design"), values(matches, "designs")].concat();
    let mut sets: Vec<Vec<String>> = vec![values(matches, "set")];
    for varied in [values(matches, "vary"), values(matches, "scale")].concat() {
        let (path, values) = varied.split_once('=').unwrap_or_else(|| panic!("{line}: {varied}"));
        sets.extend(values.split(',').map(|value| vec![format!("{path}={value}")]));
    }
    let mut files = values(matches, "file");
    // Results of searches, as a shell's pattern.
    files.retain(|file| !file.contains('*'));
    let mut scenarios: Vec<Vec<String>> = values(matches, "scenario").into_iter().map(|name| vec![name]).collect();
    if scenarios.is_empty() && !files.is_empty() {
        scenarios.push(Vec::new());
    }
    for scenario in &scenarios {
        for sets in &sets {
            let mut args = vec!["check".to_owned()];
            args.extend(scenario.iter().cloned());
            args.extend(files.iter().flat_map(|file| ["-f".to_owned(), file.clone()]));
            args.extend(designs.iter().flat_map(|design| ["--design".to_owned(), design.clone()]));
            args.extend(sets.iter().flat_map(|set| ["--set".to_owned(), set.clone()]));
            let called = call(&args.iter().map(String::as_str).collect::<Vec<_>>());
            assert_eq!(called.code, exit::OK, "`{line}`, as {args:?}: {}", called.err);
        }
    }
}

/// Commands that take no time are run, in the order in which they stand; what others would run is checked.
#[test]
fn every_example_in_a_help_text_works() {
    let folder = Folder::new("examples");
    for (name, text) in [
        ("mine.yaml", &*SMALL.replace("claims: 1,", "claims: 10,")),
        ("node-pool.yaml", NODE_POOL),
        ("shop.yaml", DEPLOYMENT),
    ] {
        std::fs::write(folder.path(name), text).expect("it is written");
    }
    let trace = folder.path("run.jsonl");
    assert_eq!(call(&["run", "burst-enterprise", "--trace", &trace]).code, exit::OK);
    let examples = examples();
    assert!(examples.len() > 40, "{} examples", examples.len());
    for Example { program, line } in examples {
        // Their own files are in the folder.
        let own = |word: String| match word.rsplit_once('.') {
            _ if word.starts_with("found/") || word.contains(['*', '=']) => word,
            Some((_, "yaml" | "jsonl" | "json" | "xml")) => folder.path(&word),
            _ => word,
        };
        // A pattern and what a pipe brings are as one file each.
        let full = |word: String| match word.as_str() {
            "scenarios/*.yaml" | "-" => folder.path(if line.contains(" -f -") { "shop.yaml" } else { "mine.yaml" }),
            _ => word,
        };
        let words: Vec<String> = words(&line).into_iter().map(own).map(full).collect();
        let matches = program.try_get_matches_from(&words);
        let matches = matches.unwrap_or_else(|error| panic!("`{line}`: {error}"));
        let Some((command, matches)) = matches.subcommand() else {
            check(&matches, &line);
            continue;
        };
        check(matches, &line);
        if ["run", "check", "list", "explain", "schema", "show", "replay", "diff"].contains(&command) {
            let called = call(&words[1..].iter().map(String::as_str).collect::<Vec<_>>());
            let differs = command == "diff" && called.code == exit::DIVERGED;
            assert!(called.code <= exit::FAILED || differs, "`{line}`: {}", called.err);
        }
    }
}

#[test]
fn the_help_of_a_command_is_found_by_its_name_too() {
    let (by_name, by_option) = (call(&["help", "run"]), call(&["run", "--help"]));
    assert_eq!((by_name.code, by_name.err.as_str()), (exit::OK, ""));
    assert_eq!(by_name.out, by_option.out);
    assert_eq!(call(&["help"]), call(&["--help"]));
}

#[test]
fn files_are_offered_where_a_scenario_is_lacking() {
    for args in [&["run"][..], &["check"], &["compare", "--designs", "shipped"], &["sweep", "--vary", "calm=1m,2m"]] {
        let called = call(args);
        assert_eq!(called.code, exit::WRONG_INPUT);
        assert!(called.err.contains("<SCENARIO>") && called.err.contains("`-f FILE`"), "{}", called.err);
    }
}
