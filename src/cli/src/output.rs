//! Writes files whole or not at all.
//!
//! A file grows under a temporary name beside its final one and is renamed when it is whole, so that a full disk, an
//! error or an interrupt never leaves half a file where a whole one is looked for. What is no regular file, such as a
//! pipe or `/dev/stdout`, is written directly.

use crate::interrupt;
use crate::{Failure, Terminal};
use std::fs::{self, File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file that is being written.
pub struct Output {
    /// What messages call it.
    name: String,
    /// Where it grows and where it will be; none where it is written directly.
    renamed: Option<(PathBuf, PathBuf)>,
}

impl Output {
    /// Begins to write `path`; `-` is standard output. Gives what to write to.
    pub fn begin(path: &Path, terminal: &Terminal) -> Result<(Output, Box<dyn Write>), Failure> {
        if path.as_os_str() == "-" {
            let output = Output { name: "standard output".to_owned(), renamed: None };
            return Ok((output, Box::new(terminal.out.clone())));
        }
        let name = path.display().to_string();
        let begun = match fs::metadata(path) {
            Ok(there) if !there.is_file() => open_directly(path).map(|file| (file, None)),
            // A link keeps its place: what it leads to is replaced.
            Ok(_) => fs::canonicalize(path).and_then(|path| open_beside(&path)),
            Err(_) => led_to(path).and_then(|path| open_beside(&path)),
        };
        let (file, renamed) = begun.map_err(|error| Failure::write(&name, error))?;
        Ok((Output { name, renamed }, Box::new(BufWriter::new(file))))
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Puts the file, all of which was written and flushed, under its final name.
    pub fn finish(mut self) -> Result<(), Failure> {
        let Some((unfinished, path)) = self.renamed.take() else {
            return Ok(());
        };
        let renamed = fs::rename(&unfinished, &path);
        if renamed.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        interrupt::forget(&unfinished);
        renamed.map_err(|error| Failure::write(&self.name, error))
    }
}

/// Writes a whole file: whoever looks, also after the power went, finds the old one or the new one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return open_directly(path)?.write_all(bytes);
    }
    let path = fs::canonicalize(path).or_else(|_| led_to(path))?;
    let (mut file, renamed) = open_beside(&path)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    let Some((unfinished, path)) = renamed else {
        return written;
    };
    let renamed = written.and_then(|()| fs::rename(&unfinished, &path));
    if renamed.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    interrupt::forget(&unfinished);
    renamed?;
    // The new name is as lasting as the bytes. Systems that can't do this to a folder keep it soon enough.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
    Ok(())
}

/// Removes what processes left beside `path` that were killed while they wrote it, see [`write_whole`].
pub fn sweep(path: &Path) {
    let Ok(path) = fs::canonicalize(path).or_else(|_| led_to(path)) else {
        return;
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return;
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let own = entry.file_name();
        let rest = own.to_str().and_then(|own| own.strip_prefix('.')?.strip_prefix(name)?.strip_prefix('.'));
        let process = rest.and_then(|rest| rest.strip_suffix(".unfinished")?.parse().ok());
        let process = process.and_then(rustix::process::Pid::from_raw);
        // One that lives may write it yet.
        if process.is_some_and(|process| rustix::process::test_kill_process(process) == Err(rustix::io::Errno::SRCH)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// What was not finished leaves nothing.
impl Drop for Output {
    fn drop(&mut self) {
        if let Some((unfinished, _)) = self.renamed.take() {
            let _ = fs::remove_file(&unfinished);
            interrupt::forget(&unfinished);
        }
    }
}

type Opened = (File, Option<(PathBuf, PathBuf)>);

/// Where a link leads that leads to nothing yet, so that the link keeps its place.
fn led_to(path: &Path) -> std::io::Result<PathBuf> {
    // As many links as systems follow.
    const MOST: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().map_or(target.clone(), |parent| parent.join(&target)),
            Err(_) => return Ok(path),
        }
    }
    Err(std::io::Error::other("links lead in a circle"))
}

fn open_directly(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().write(true).open(path)
}

/// Makes a file that who may read and write the one it replaces may read and write, and nobody else.
fn create_like(replaced: &Path, path: &Path) -> std::io::Result<File> {
    let Ok(replaced) = fs::metadata(replaced) else {
        return File::create(path);
    };
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    // Never readable by others, not even for a moment.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // Where a file system keeps no modes, there is none to be kept.
    let _ = file.set_permissions(replaced.permissions());
    Ok(file)
}

fn open_beside(path: &Path) -> std::io::Result<Opened> {
    // A file that may not be written is not replaced either.
    if path.exists() {
        open_directly(path)?;
    }
    let Some(name) = path.file_name() else {
        return Err(std::io::ErrorKind::IsADirectory.into());
    };
    // As long as names may be on most systems, less what is added.
    const LONGEST: usize = 220;
    let short = name.to_string_lossy();
    let name =
        if name.len() > LONGEST { short.chars().take(LONGEST / 4).collect::<String>().into() } else { name.to_owned() };
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(format!(".{}.unfinished", std::process::id()));
    let unfinished = path.with_file_name(beside);
    interrupt::remember(&unfinished);
    match create_like(path, &unfinished) {
        Ok(file) => Ok((file, Some((unfinished, path.to_owned())))),
        Err(error) => {
            interrupt::forget(&unfinished);
            Err(error)
        }
    }
}
