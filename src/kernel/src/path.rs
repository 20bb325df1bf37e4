//! Task paths: who a task is, under every schedule.
//!
//! A path is text, `provisioner:lifecycle/claim-3#2`: the second task `lifecycle/claim-3` that `provisioner` spawned.
//! Only its hash is computed at spawn, by continuing the hash of the parent's text; the text itself is built when
//! somebody asks. Names have spaces and the path's own marks escaped as `%xx`, so no two tasks share a path.

use lkesim_runtime::TaskName;
use lkesim_runtime::random::mix;
use std::fmt::{self, Write};
use std::rc::Rc;

/// The path of a task, such as `provisioner:lifecycle/claim-3#2`. The empty path is the run itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskPath(Rc<str>);

impl TaskPath {
    /// The path with this text.
    pub fn new(text: &str) -> TaskPath {
        TaskPath(text.into())
    }

    /// The path of the first task of this name that the run itself spawns.
    pub fn of_run(name: &TaskName) -> TaskPath {
        let mut text = Vec::new();
        write_name(&mut text, name.kind, true);
        if let Some(object) = &name.object {
            text.push(b'/');
            write_name(&mut text, object, false);
        }
        TaskPath(String::from_utf8_lossy(&text).into())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The hash by which the kernel knows it: that of [`crate::Ready::task`].
    pub fn hash(&self) -> u64 {
        mix(self.0.bytes().fold(ROOT_STATE, fold))
    }
}

impl fmt::Display for TaskPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const ROOT_STATE: u64 = 0xcbf2_9ce4_8422_2325;

/// One byte of FNV-1a: a child's hash goes on where its parent's ended.
#[inline]
fn fold(state: u64, byte: u8) -> u64 {
    (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

/// The bytes that stand in a name as they are. A kind has no slash, as that begins the object.
#[inline]
fn plain(byte: u8, kind: bool) -> bool {
    let table = if kind { &PLAIN_IN_KINDS } else { &PLAIN };
    table[usize::from(byte)]
}

/// Each spawn asks for each byte of its name, so the answers are worked out before.
static PLAIN: [bool; 256] = plain_bytes(false);
static PLAIN_IN_KINDS: [bool; 256] = plain_bytes(true);

const fn plain_bytes(kind: bool) -> [bool; 256] {
    let mut plain = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        plain[byte] = byte > b' ' as usize
            && !matches!(byte as u8, b'%' | b'#' | b':' | b'@' | 0x7f)
            && !(kind && byte as u8 == b'/');
        byte += 1;
    }
    plain
}

#[inline]
fn fold_name(state: u64, name: &str, kind: bool) -> u64 {
    name.bytes()
        .fold(state, |state, byte| if plain(byte, kind) { fold(state, byte) } else { fold_escaped(state, byte) })
}

#[cold]
fn fold_escaped(state: u64, byte: u8) -> u64 {
    let hex = |digit: u8| b"0123456789abcdef"[usize::from(digit)];
    [b'%', hex(byte >> 4), hex(byte & 15)].into_iter().fold(state, fold)
}

fn write_name(text: &mut Vec<u8>, name: &str, kind: bool) {
    for byte in name.bytes() {
        if plain(byte, kind) {
            text.push(byte);
        } else {
            text.extend_from_slice(format!("%{byte:02x}").as_bytes());
        }
    }
}

/// A path that the kernel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PathId(pub(crate) u32);

impl PathId {
    /// The run itself.
    pub(crate) const ROOT: PathId = PathId(0);
}

struct Node {
    parent: PathId,
    kind: &'static str,
    object: Option<Rc<str>>,
    nth: u32,
    /// One for the task, and one for each child that has a node.
    refs: u32,
    state: u64,
}

/// All paths in use, as a tree from child to parent.
pub(crate) struct Paths {
    nodes: Vec<Node>,
    free: Vec<u32>,
    counts: Counts,
}

impl Paths {
    pub(crate) fn new() -> Paths {
        let root = Node { parent: PathId::ROOT, kind: "", object: None, nth: 1, refs: 1, state: ROOT_STATE };
        Paths { nodes: vec![root], free: Vec::new(), counts: Counts::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.nodes.truncate(1);
        self.free.clear();
        self.counts.clear();
    }

    /// The path of the next task called `name` below `parent`, and its hash.
    #[inline]
    pub(crate) fn child(&mut self, parent: PathId, name: TaskName) -> (PathId, u64) {
        let above = &mut self.nodes[parent.0 as usize];
        above.refs += 1;
        let mut state = above.state;
        if parent != PathId::ROOT {
            state = fold(state, b':');
        }
        state = fold_name(state, name.kind, true);
        if let Some(object) = &name.object {
            state = fold_name(fold(state, b'/'), object, false);
        }
        let nth = self.counts.next(mix(state));
        if nth > 1 {
            state = fold_number(fold(state, b'#'), nth);
        }
        let node = Node { parent, kind: name.kind, object: name.object, nth, refs: 1, state };
        (self.insert(node), mix(state))
    }

    #[inline]
    fn insert(&mut self, node: Node) -> PathId {
        match self.free.pop() {
            Some(free) => {
                self.nodes[free as usize] = node;
                PathId(free)
            }
            None => {
                self.nodes.push(node);
                PathId(self.nodes.len() as u32 - 1)
            }
        }
    }

    /// Keeps a path for one more release.
    pub(crate) fn hold(&mut self, path: PathId) {
        self.nodes[path.0 as usize].refs += 1;
    }

    /// The task at `path` is gone. Its node goes with its last child.
    #[inline]
    pub(crate) fn release(&mut self, mut path: PathId) {
        loop {
            let node = &mut self.nodes[path.0 as usize];
            node.refs -= 1;
            if node.refs > 0 {
                return;
            }
            node.object = None;
            let parent = node.parent;
            self.free.push(path.0);
            path = parent;
        }
    }

    /// How many paths are held, the run's own apart.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len() - 1 - self.free.len()
    }

    pub(crate) fn text(&self, path: PathId) -> TaskPath {
        let mut line = Vec::new();
        let mut at = path;
        while at != PathId::ROOT {
            line.push(at);
            at = self.nodes[at.0 as usize].parent;
        }
        let mut text = Vec::new();
        for (depth, at) in line.iter().rev().enumerate() {
            let node = &self.nodes[at.0 as usize];
            if depth > 0 {
                text.push(b':');
            }
            write_name(&mut text, node.kind, true);
            if let Some(object) = &node.object {
                text.push(b'/');
                write_name(&mut text, object, false);
            }
            if node.nth > 1 {
                let mut suffix = String::new();
                let _ = write!(suffix, "#{}", node.nth);
                text.extend_from_slice(suffix.as_bytes());
            }
        }
        // Escapes are ASCII and all else was copied, so the bytes are UTF-8 as the names were.
        TaskPath(String::from_utf8_lossy(&text).into())
    }
}

fn fold_number(state: u64, number: u32) -> u64 {
    let (mut digits, mut at, mut rest) = ([0; 10], 10, number);
    while rest > 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    digits[at..].iter().copied().fold(state, fold)
}

/// How often each name was used: open addressing over hashes that are mixed already. It is never walked, so its order
/// decides nothing.
struct Counts {
    table: Vec<(u64, u32)>,
    used: usize,
}

impl Counts {
    const START: usize = 16;

    fn new() -> Counts {
        Counts { table: vec![(0, 0); Counts::START], used: 0 }
    }

    fn clear(&mut self) {
        self.table.fill((0, 0));
        self.used = 0;
    }

    #[inline]
    fn next(&mut self, key: u64) -> u32 {
        if self.used * 2 >= self.table.len() {
            self.grow();
        }
        let at = self.find(key);
        let (_, count) = &mut self.table[at];
        *count += 1;
        let count = *count;
        if count == 1 {
            self.table[at].0 = key;
            self.used += 1;
        }
        count
    }

    #[inline]
    fn find(&self, key: u64) -> usize {
        let mask = self.table.len() - 1;
        let mut at = key as usize & mask;
        while self.table[at].1 > 0 && self.table[at].0 != key {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let larger = vec![(0, 0); self.table.len() * 2];
        for (key, count) in std::mem::replace(&mut self.table, larger) {
            if count > 0 {
                let at = self.find(key);
                self.table[at] = (key, count);
            }
        }
    }
}
