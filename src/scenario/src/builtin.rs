//! The scenarios that come with the program: everything under `scenarios/`, embedded when it is built.

use crate::Files;

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

/// The files with Kubernetes objects that come with the program, by their paths from `scenarios/` on.
#[derive(Clone, Copy, Debug)]
pub struct Manifests;

impl Files for Manifests {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match MANIFESTS.iter().find(|file| file.name == path) {
            Some(file) => Ok(file.text.as_bytes().to_vec()),
            None => Err("is none that comes with the program".to_owned()),
        }
    }
}

/// A scenario that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// Its name: the path below `scenarios/` without `.yaml`.
    pub name: &'static str,
    /// Its YAML.
    pub text: &'static str,
}

/// All of them, by name.
pub fn all() -> &'static [Builtin] {
    BUILTIN
}

/// The one with this name.
pub fn find(name: &str) -> Option<Builtin> {
    BUILTIN.iter().find(|builtin| builtin.name == name).copied()
}

/// The text of `scenarios/README.md`: how scenarios are written, and what each shows, in its own words.
pub fn readme() -> String {
    let mut page = include_str!("builtin/readme.md").to_owned();
    page.push_str("\n| scenario | what it shows |\n|---|---|\n");
    for builtin in all() {
        let about = crate::load(builtin.name, builtin.text, &[], &crate::Names::default());
        let about = about.map_or_else(|_| "(can't be read)".to_owned(), |scenario| scenario.about);
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
        page.push_str(&format!("| [`{0}`]({0}.yaml) | {about} |\n", builtin.name));
    }
    page
}

/// The name that is nearest to a wrong one.
pub fn nearest(name: &str) -> Option<&'static str> {
    crate::suggest::nearest(name, BUILTIN.iter().map(|builtin| builtin.name))
}
