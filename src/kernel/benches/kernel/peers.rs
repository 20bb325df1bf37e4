//! Builds the peers and runs the benchmark's processes.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What one process measured.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub nanos: f64,
    pub events: u64,
    pub checksum: u64,
}

/// A process that can be run again and again.
pub struct Process {
    name: String,
    program: PathBuf,
    arguments: Vec<String>,
}

/// The peers that could be built.
pub struct Built {
    peers: Vec<(String, PathBuf)>,
}

impl Built {
    /// The process of `name`: the kernel or a peer, and in which of its ways. None if it could not be built.
    pub fn process(&self, name: &str, variant: &str, runs: u32) -> Option<Process> {
        let (who, way) = name.split_once(' ').unwrap_or((name, ""));
        let mut arguments = vec![variant.to_owned(), runs.to_string(), way.to_owned()];
        let program = match who {
            "kernel" => {
                arguments.insert(0, "--child".into());
                std::env::current_exe().ok()?
            }
            _ => self.peers.iter().find(|(peer, _)| peer == who)?.1.clone(),
        };
        Some(Process { name: name.into(), program, arguments })
    }
}

/// Builds the peers with cargo, each in its own folder below the workspace's target. One that fails costs a line.
pub fn build(names: &[&str]) -> Built {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers");
    let target = target_directory().join("peers");
    let mut peers = Vec::new();
    for name in names {
        eprintln!("building peer {name}");
        match build_one(&sources.join(name), &target.join(name)) {
            Ok(()) => {
                let program = target.join(name).join("release").join(format!("peer-{name}"));
                peers.push(((*name).to_owned(), program));
            }
            Err(reason) => eprintln!("peer {name} can't be built, so it is left out: {reason}"),
        }
    }
    Built { peers }
}

/// The target directory of the build that this program is from: `<target>/release/deps/<program>`.
fn target_directory() -> PathBuf {
    let program = std::env::current_exe().expect("a program has a path");
    program.ancestors().nth(3).expect("cargo's layout").to_owned()
}

fn build_one(source: &Path, target: &Path) -> Result<(), String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--release", "--locked", "--quiet"])
        .arg("--target-dir")
        .arg(target)
        .current_dir(source)
        .env_remove("CARGO_ENCODED_RUSTFLAGS");
    // madsim is empty without this.
    command.env("RUSTFLAGS", if source.ends_with("madsim") { "--cfg madsim" } else { "" });
    let output = command.output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let line = words.lines().find(|line| line.starts_with("error"));
    Err(line.unwrap_or("cargo failed").to_owned())
}

/// Runs all processes `rounds` times, in turns, and gives the median of each.
pub fn interleave(processes: &[Process], rounds: usize) -> Vec<(String, Sample)> {
    let mut samples = vec![Vec::new(); processes.len()];
    for _ in 0..rounds {
        for (process, samples) in processes.iter().zip(&mut samples) {
            samples.push(measure(process));
        }
    }
    let median = |mut samples: Vec<Sample>| {
        samples.sort_by(|a, b| a.nanos.total_cmp(&b.nanos));
        samples[samples.len() / 2]
    };
    let names = processes.iter().map(|process| process.name.clone());
    names.zip(samples.into_iter().map(median)).collect()
}

fn measure(process: &Process) -> Sample {
    let run = |mut command: Command| command.args(&process.arguments).output();
    // The last core: the first ones have most of the machine's interrupts.
    let core = std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1);
    let mut pinned = Command::new("taskset");
    pinned.args(["-c", &core.to_string()]).arg(&process.program);
    let output = match run(pinned) {
        Ok(output) if output.status.success() => output,
        _ => run(Command::new(&process.program)).expect("the process starts"),
    };
    let words = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<&str> = words.split_whitespace().collect();
    match numbers[..] {
        [nanos, events, checksum] => Sample {
            nanos: nanos.parse().expect("nanoseconds"),
            events: events.parse().expect("events"),
            checksum: checksum.parse().expect("a checksum"),
        },
        _ => panic!("{} failed: {}", process.name, String::from_utf8_lossy(&output.stderr)),
    }
}
