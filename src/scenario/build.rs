//! Embeds everything under `scenarios/`, so that the program knows its scenarios wherever it runs; what is under
//! `scenarios/manifests/` are files that scenarios name.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let scenarios = here.join("../../scenarios").canonicalize()?;
    let mut files = Vec::new();
    collect(&scenarios, &mut files)?;
    files.sort();
    let (manifests, scenario_files): (Vec<_>, Vec<_>) =
        files.iter().partition(|file| file.starts_with(scenarios.join("manifests")));
    let mut code = String::new();
    for (table, files, extension) in [("BUILTIN", scenario_files, ""), ("MANIFESTS", manifests, "yaml")] {
        writeln!(code, "static {table}: &[Builtin] = &[").map_err(io::Error::other)?;
        for file in files {
            let name = file.strip_prefix(&scenarios).map_err(io::Error::other)?.with_extension(extension);
            let name = name.to_string_lossy().replace('\\', "/");
            // Lengths and order are fixed, so that equal sources give an equal program.
            writeln!(code, "    Builtin {{ name: {name:?}, text: include_str!({file:?}) }},")
                .map_err(io::Error::other)?;
        }
        code.push_str("];\n");
    }
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
