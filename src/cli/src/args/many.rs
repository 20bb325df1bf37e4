//! The command line of what runs many seeds and compares.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Compare designs over scenarios and seeds, under the same luck
#[derive(Debug, Args)]
#[command(after_help = "\
Every design meets the same seeds, and under one seed the same luck: the third Linode boots equally slowly for all. So the
differences are taken seed by seed. The first design is the reference; a change is shown where its interval, corrected for
all figures that the verdict speaks of, leaves no doubt, and is otherwise `~`.

Examples:
  lkesim compare burst-enterprise --designs documented,shipped
  lkesim compare burst-standard burst-enterprise --designs documented,shipped,v0.1.3 --seeds 200 --format html > c.html
  lkesim compare -f node-pool.yaml -f shop.yaml --designs documented,shipped
  lkesim compare burst-standard --designs documented,shipped --scale workload[0].create.claims=10,30,100,300
  lkesim compare burst-enterprise --designs shipped --format json > before.json    on the main branch, then
  lkesim compare burst-enterprise --designs shipped --baseline before.json         on the branch of a change

The exit code is 0 whatever broke, and 1 only where --baseline says that a figure got worse.")]
pub struct Compare {
    /// Paths, built-in names, or `-`
    #[arg(required_unless_present = "file")]
    pub scenario: Vec<PathBuf>,

    /// Kubernetes objects that are there too, a path or `-`; without a scenario they are the whole one
    #[arg(short, long, value_name = "FILE")]
    pub file: Vec<PathBuf>,

    /// The designs; the first is what the others are compared with
    #[arg(long, alias = "design", value_name = "D[,D...]", value_delimiter = ',', required = true)]
    pub designs: Vec<String>,

    /// Repeat each scenario with one field at these values, and show how calls grow with it
    #[arg(long, value_name = "PATH=V1,V2,...")]
    pub scale: Option<String>,

    /// An earlier comparison, written with --format json: whatever got worse since fails
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,

    /// Override one field of each scenario, or take it back with `null`; may be given again
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Which seeds, and how to report.
    #[command(flatten)]
    pub many: Many,
}

/// Run a scenario with one field or two at several values
#[derive(Debug, Args)]
#[command(after_help = "\
Every point runs the same seeds. Differences are taken from the first value, seed by seed.

Examples:
  lkesim sweep requeue-overscale --vary cloud.lags.instance_seen=0s,5s,10s,30s,60s
  lkesim sweep burst-standard --vary provider.create_deadline=5s,10s,30s --design documented,shipped
  lkesim sweep orphans-standard --vary provider.orphan_ttl=30s,2m,5m --vary cloud.lags.instance_seen=5s,60s --format html > s.html

The exit code is 0 whatever broke.")]
pub struct Sweep {
    /// A path, a built-in name, or `-`
    #[arg(required_unless_present = "file")]
    pub scenario: Option<PathBuf>,

    /// Kubernetes objects that are there too, a path or `-`; without a scenario they are the whole one
    #[arg(short, long, value_name = "FILE")]
    pub file: Vec<PathBuf>,

    /// A field and its values; given twice, each value of one meets each of the other
    #[arg(long, value_name = "PATH=V1,V2,...", required = true)]
    pub vary: Vec<String>,

    /// The design, or several [default: the scenario's own, or documented]
    #[arg(long, alias = "designs", value_name = "D[,D...]", value_delimiter = ',')]
    pub design: Vec<String>,

    /// The two figures that pull against each other: which points does no other beat in both
    #[arg(
        long,
        value_name = "FIGURE,FIGURE",
        value_delimiter = ',',
        num_args = 1,
        default_value = "ready_p99,unclaimed_usd"
    )]
    pub pareto: Vec<String>,

    /// Override one field of the scenario, or take it back with `null`; may be given again
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Which seeds, and how to report.
    #[command(flatten)]
    pub many: Many,
}

/// Try what nobody knows about Linode: would it turn the verdict?
#[derive(Debug, Args)]
#[command(after_help = "\
The comparison is made at the defaults, and again with one unknown knob at a time at each end of its range, or at each
other choice. `lkesim explain assumptions` names the unknown knobs with their ranges. A knob that the scenario states is
left out. Compared are designs, or with --vary the values of one field; the first is the reference.

Examples:
  lkesim screen burst-enterprise --designs documented,recommended
  lkesim screen burst-enterprise --vary provider.create_deadline=10s,40s
  lkesim screen burst-enterprise --designs documented,shipped --knob cloud.lags --knob cloud.lags.members=5s,3m

The exit code is 0 whatever turns.")]
pub struct Screen {
    /// A path, a built-in name, or `-`
    pub scenario: PathBuf,

    /// The designs; the first is what the others are compared with [default: the scenario's own, or documented]
    #[arg(long, alias = "design", value_name = "D[,D...]", value_delimiter = ',')]
    pub designs: Vec<String>,

    /// Compare these values of one field, under one design
    #[arg(long, value_name = "PATH=V1,V2,...")]
    pub vary: Option<String>,

    /// Try this knob alone, or all below it, over its range or at these values; may be given again
    #[arg(long, value_name = "PATH[=V1,V2,...]")]
    pub knob: Vec<String>,

    /// Override one field of the scenario, or take it back with `null`; may be given again
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Which seeds, and how to report.
    #[command(flatten)]
    pub many: Many,
}

/// What commands over many seeds have in common.
#[derive(Debug, Args)]
pub struct Many {
    /// How many seeds
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub seeds: u64,

    /// The first seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub start_seed: u64,

    /// How many threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// A change smaller than this share of the reference counts as none
    #[arg(long, value_name = "PERCENT", default_value = "1", value_parser = percent)]
    pub smallest_effect: u64,

    /// How to report
    #[arg(long, value_enum, default_value_t)]
    pub format: Paged,
}

/// How what came of many runs is reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Paged {
    /// The verdict and the main tables
    #[default]
    Text,
    /// All tables, for a pull request or a page
    Markdown,
    /// All of it, for programs
    Json,
    /// All tables, for a spreadsheet
    Csv,
    /// All tables and charts, one file for a browser
    Html,
}

/// A share, in millionths.
fn percent(text: &str) -> Result<u64, String> {
    let wrong = || "expected a percentage from 0 to 100, such as 1 or 0.5".to_owned();
    let number: lkesim_judge::outcome::Quantity = text.trim_end_matches('%').trim().parse().map_err(|_| wrong())?;
    let ppm = u64::try_from(number.0 / 100).map_err(|_| wrong())?;
    if ppm > 1_000_000 { Err(wrong()) } else { Ok(ppm) }
}
