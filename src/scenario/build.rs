//! Embeds everything under `scenarios/`, so that the program knows its scenarios wherever it runs.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let scenarios = here.join("../../scenarios").canonicalize()?;
    let mut files = Vec::new();
    collect(&scenarios, &mut files)?;
    files.sort();
    let mut code = String::from("static BUILTIN: &[Builtin] = &[\n");
    for file in &files {
        let name = file.strip_prefix(&scenarios).map_err(io::Error::other)?.with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        // Lengths and order are fixed, so that equal sources give an equal program.
        writeln!(code, "    Builtin {{ name: {name:?}, text: include_str!({file:?}) }},").map_err(io::Error::other)?;
    }
    code.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    fs::write(out.join("builtin.rs"), code)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            println!("cargo::rerun-if-changed={}", path.display());
            files.push(path);
        }
    }
    Ok(())
}
