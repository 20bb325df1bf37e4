//! The path of a field: `workload[0].create.claims`.

use std::fmt;

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Segment {
    /// A key of a map.
    Key(String),
    /// An entry of a list, counted from 0.
    Index(usize),
}

/// The path of a field from the top of the scenario. Keys that contain a dot, a bracket or a quote stand in quotes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path(pub Vec<Segment>);

impl Path {
    /// The path of `key` below this one.
    pub fn key(&self, key: &str) -> Path {
        self.and(Segment::Key(key.to_owned()))
    }

    /// The path of an entry of this list.
    pub fn index(&self, index: usize) -> Path {
        self.and(Segment::Index(index))
    }

    fn and(&self, segment: Segment) -> Path {
        let mut path = self.clone();
        path.0.push(segment);
        path
    }

    /// Whether `other` is this path or lies below it.
    pub fn holds(&self, other: &Path) -> bool {
        other.0.starts_with(&self.0)
    }

    /// The path above; none at the top.
    pub fn parent(&self) -> Option<Path> {
        let (_, above) = self.0.split_last()?;
        Some(Path(above.to_vec()))
    }

    /// Reads a path: `cloud.lags.members`, `workload[0].create`, `expect.figures.all."api.calls"`.
    ///
    /// # Errors
    /// A message that says what is wrong, without the text itself.
    pub fn parse(text: &str) -> Result<Path, &'static str> {
        let mut path = Path::default();
        let mut rest = text;
        while !rest.is_empty() {
            rest = match rest.as_bytes()[0] {
                b'[' => {
                    let (index, after) = rest[1..].split_once(']').ok_or("a `[` is not closed")?;
                    path.0.push(Segment::Index(
                        index.parse().map_err(|_| "a list's entry is a number from 0, such as `[0]`")?,
                    ));
                    after
                }
                b'"' => {
                    let (key, after) = rest[1..].split_once('"').ok_or("a `\"` is not closed")?;
                    path.0.push(Segment::Key(key.to_owned()));
                    after
                }
                _ => {
                    let end = rest.find(['.', '[', '"']).unwrap_or(rest.len());
                    if end == 0 {
                        return Err("a name is missing before a `.`");
                    }
                    path.0.push(Segment::Key(rest[..end].to_owned()));
                    &rest[end..]
                }
            };
            if let Some(after) = rest.strip_prefix('.') {
                if after.is_empty() {
                    return Err("a name is missing after the last `.`");
                }
                rest = after;
            } else if !rest.is_empty() && !rest.starts_with('[') {
                return Err("expected a `.` or a `[` between two parts");
            }
        }
        if path.0.is_empty() { Err("the path is empty") } else { Ok(path) }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) => {
                    if at > 0 {
                        f.write_str(".")?;
                    }
                    let plain = !key.is_empty() && !key.contains(['.', '[', ']', '"', '=']);
                    if plain { f.write_str(key)? } else { write!(f, "\"{key}\"")? }
                }
            }
        }
        Ok(())
    }
}
