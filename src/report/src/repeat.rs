//! The one command that repeats a run.

use std::fmt::Write;

/// What a run's order came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// An order by name: `fifo`, `random`.
    Named(&'static str),
    /// A file of departures from first-in-first-out.
    Deviations(String),
}

/// The command for this scenario, design, seed, order and overrides, quoted for a POSIX shell.
///
/// `scenario` is what the user gave: a path, a built-in name, or `-`, which the user has to feed again. No design is
/// given where each cluster has the one that it names in the scenario, which `--design` would replace.
pub fn command(scenario: &str, design: Option<&str>, seed: u64, order: &Order, sets: &[String]) -> String {
    with_files(Some(scenario), &[], design, seed, order, sets)
}

/// The same with `files` of Kubernetes objects, beside a scenario or alone.
pub fn with_files(
    scenario: Option<&str>,
    files: &[String],
    design: Option<&str>,
    seed: u64,
    order: &Order,
    sets: &[String],
) -> String {
    // A name that begins with a dash would be read as an option.
    let path = |path: &str| match path {
        "-" => "-".to_owned(),
        _ if path.starts_with('-') => quoted(&format!("./{path}")),
        _ => quoted(path),
    };
    let mut text = "lkesim run".to_owned();
    for word in scenario.map(path).into_iter().chain(files.iter().map(|file| format!("-f {}", path(file)))) {
        let _ = write!(text, " {word}");
    }
    let design = design.map_or_else(String::new, |design| format!(" --design {}", quoted(design)));
    let _ = write!(text, "{design} --seed {seed}");
    match order {
        Order::Named("fifo") => {}
        Order::Named(order) => drop(write!(text, " --order {}", quoted(order))),
        Order::Deviations(file) => drop(write!(text, " --deviations {}", quoted(file))),
    }
    for set in sets {
        let _ = write!(text, " --set {}", quoted(set));
    }
    text
}

/// A word as a shell reads it back.
pub fn quoted(word: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(harmless) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
