//! `lkesim serve` and `fake-linode`: the fake API over HTTP.

use crate::args::Serve as Args;
use crate::served::{self, Served};
use crate::{Failure, Out, Terminal, exit, input, interrupt, output};
use fake_linode::http::{Bounds, Pace, Server, Sink, Source, serve as serve_on};
use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::sync::Notify;

/// Runs the command, until a signal ends it.
pub fn serve(args: &Args, terminal: &mut Terminal) -> Result<u8, Failure> {
    if let Some(twice) = args.token.iter().enumerate().find(|(place, token)| args.token[..*place].contains(token)) {
        return Err(Failure::Usage(format!("--token {} stands twice", twice.1)));
    }
    let sets = sets(args);
    let scenario = match &args.scenario {
        Some(named) => input::scenario(named, &sets, &[], terminal)?.scenario,
        None => served::without_scenario(&sets)
            .map_err(|mistakes| Failure::Scenario(mistakes.render(terminal.err_style.colour)))?,
    };
    let served = Served::new(scenario, sets, args.token.clone(), args.seed);
    let served = served.from_epoch(args.epoch).with_latency(args.latency);
    let source = Rc::new(served.with_snapshot(args.snapshot.clone()));
    let pace = if args.manual { Pace::ByHand } else { Pace::Running(args.speed) };
    let log = args.log.as_deref().map(|path| LogFile::open(path, terminal.err.clone())).transpose()?;
    let sink = log.as_ref().map(|file| Box::new(file.clone()) as Sink);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::Bug(format!("the runtime did not start: {error}")))?;
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let listener = listen(args.listen).await?;
        let server = Server::new(source.clone(), pace, sink).map_err(Failure::Input)?;
        if let Some(path) = &args.snapshot {
            begin_with(&server, path, args, terminal)?;
        }
        let at = listener.local_addr().map_err(|error| Failure::write(args.listen, error))?;
        if !at.ip().is_loopback() {
            terminal.tell(&format!(
                "warning: {at} can be reached from other machines; whoever has a token can use the fake"
            ));
        }
        // Who reads the line may ask the process to end at once.
        let ended = ended();
        terminal.print(&format!("listening on http://{at}\n"))?;
        serve_on(listener, server.clone(), bounds(), ended).await;
        if args.snapshot.is_some() {
            source.keep(&server.snapshot()).map_err(Failure::Kept)?;
        }
        match log.and_then(|log| log.failure()) {
            Some(failure) => Err(failure),
            None => Ok(exit::OK),
        }
    })
}

/// The usual bounds, with no more connections than the process may have files open. As many as the system lets it have.
fn bounds() -> Bounds {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let most = getrlimit(Resource::Nofile);
    // Where more are not to be had, those that there are have to do.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: most.maximum, ..most });
    let files = getrlimit(Resource::Nofile).current.map_or(usize::MAX, |files| files as usize);
    let usual = Bounds::default();
    Bounds { connections: usual.connections.min(files.saturating_sub(OTHER_FILES).max(1)), ..usual }
}

/// Files beside connections: streams, the log, a snapshot, a connection that is about to be refused.
const OTHER_FILES: usize = 64;

/// Begins with the snapshot in the file, if there is one, and says what it takes the place of. A file that could not be
/// written at the end is refused here.
fn begin_with(server: &Server, path: &Path, args: &Args, terminal: &mut Terminal) -> Result<(), Failure> {
    output::sweep(path);
    match std::fs::metadata(path) {
        Ok(file) if !file.is_file() => {
            return Err(Failure::read(path.display(), io::Error::other("it is no regular file")));
        }
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            return match folder.is_dir() {
                true => Ok(()),
                false => Err(Failure::write(path.display(), error)),
            };
        }
        Err(error) => return Err(Failure::read(path.display(), error)),
    }
    let snapshot = std::fs::read(path).map_err(|error| Failure::read(path.display(), error))?;
    server.restore(&snapshot).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))?;
    let set = !sets(args).is_empty() || args.scenario.is_some() || !args.token.is_empty() || args.epoch.is_some();
    if set || args.seed != 1 {
        terminal.tell(&format!(
            "warning: {} is there: cloud, luck and tokens are the snapshot's; the scenario and the flags count from the \
             first reset on",
            path.display()
        ));
    }
    Ok(())
}

/// Flags that stand for fields of the scenario, before those that are set by their path.
fn sets(args: &Args) -> Vec<String> {
    let mut sets = Vec::new();
    sets.extend(args.tier.as_ref().map(|tier| format!("cloud.tier={tier}")));
    sets.extend(args.region.as_ref().map(|region| format!("cloud.region={}", serde_json::Value::from(&**region))));
    if !args.cluster.is_empty() {
        let named: Vec<_> = args.cluster.iter().map(|name| serde_json::json!({"name": name})).collect();
        sets.push(format!("clusters={}", serde_json::Value::from(named)));
    }
    sets.extend(args.set.iter().cloned());
    sets
}

async fn listen(at: SocketAddr) -> Result<TcpListener, Failure> {
    TcpListener::bind(at).await.map_err(|error| match error.kind() {
        std::io::ErrorKind::AddrInUse => {
            Failure::Usage(format!("{at} is in use: name another address with --listen; port 0 takes a free one"))
        }
        _ => Failure::Usage(format!("cannot listen on {at}: {error}")),
    })
}

/// The file that requests are appended to. The first failure to write is told at once, and is what the server ends
/// with.
#[derive(Clone)]
struct LogFile {
    path: PathBuf,
    file: Rc<File>,
    err: Out,
    failed: Rc<Cell<Option<io::Error>>>,
}

impl LogFile {
    fn open(path: &Path, err: Out) -> Result<LogFile, Failure> {
        let opened = OpenOptions::new().append(true).create(true).open(path);
        let file = Rc::new(opened.map_err(|error| Failure::write(path.display(), error))?);
        Ok(LogFile { path: path.to_owned(), file, err, failed: Rc::default() })
    }

    fn failure(&self) -> Option<Failure> {
        self.failed.take().map(|error| Failure::write(self.path.display(), error))
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        (&*self.file).write(line).inspect_err(|error| {
            // Where nobody reads it, the exit code tells.
            let told = format!("warning: {}: {error}; requests are no longer logged", self.path.display());
            let _ = writeln!(self.err, "{told}");
            self.failed.set(Some(io::Error::new(error.kind(), error.to_string())));
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        (&*self.file).flush()
    }
}

/// Is ready once the process is asked to end.
fn ended() -> impl Future<Output = ()> {
    let asked = Arc::new(Notify::new());
    let ended = asked.clone();
    interrupt::first(move || asked.notify_one());
    async move { ended.notified().await }
}
