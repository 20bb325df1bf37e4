//! The scenarios that come with the program: everything under `scenarios/`, embedded when it is built.

include!(concat!(env!("OUT_DIR"), "/builtin.rs"));

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

/// The name that is nearest to a wrong one.
pub fn nearest(name: &str) -> Option<&'static str> {
    crate::suggest::nearest(name, BUILTIN.iter().map(|builtin| builtin.name))
}
