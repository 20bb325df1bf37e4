//! What every object has: a name, versions, finalizers.

use super::{List, StringMap};
use lkesim_runtime::{Entity, Time, Word};
use std::fmt;
use std::rc::Rc;

/// The namespace of objects that name none.
pub const DEFAULT_NAMESPACE: &str = "default";

/// The name in the store of a namespaced object: its own in [`DEFAULT_NAMESPACE`], `namespace/name` in others.
pub fn in_namespace(namespace: &str, name: &str) -> Rc<str> {
    if namespace == DEFAULT_NAMESPACE { name.into() } else { format!("{namespace}/{name}").into() }
}

/// What the API server draws the ends of generated names from: no letter by which a word could come of them.
pub const NAME_LETTERS: &[u8; 27] = b"bcdfghjklmnpqrstvwxz2456789";

/// So many of these letters, which stand for a number.
pub fn name_end(mut number: u64, length: usize) -> String {
    let mut text = String::new();
    for _ in 0..length {
        text.push(char::from(NAME_LETTERS[(number % 27) as usize]));
        number /= 27;
    }
    text
}

/// A name that the API server would generate: what it begins with, and five letters by a draw.
pub fn generated_name(begin: &str, draw: Word) -> String {
    format!("{begin}-{}", name_end(draw.below(27_u64.pow(5)), 5))
}

/// Tells an object from one of the same name that existed before it. Upstream it is a UUID; here, a number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Uid(pub u64);

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// `metav1.ObjectMeta`. The store sets what it owns; a new object gives a name, labels, annotations and finalizers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectMeta {
    /// Unique within its kind; that of a namespaced object is made by [`in_namespace`].
    pub name: Rc<str>,
    /// Set at creation.
    pub uid: Uid,
    /// Grows with every write to any object of the store; 0 for an object that was never stored.
    pub resource_version: u64,
    /// Which form of the spec this is: 1 at creation, one more with each change of the spec and with the request for its
    /// deletion. Kinds whose generation nobody reads keep that of their creation.
    pub generation: u64,
    /// When it was created. The API server keeps whole seconds, see [`ObjectMeta::whole_second`].
    pub creation_timestamp: Time,
    /// When its deletion was asked for; it goes when its last finalizer goes. Of a bound pod, when its grace ends.
    pub deletion_timestamp: Option<Time>,
    /// Who still has to clean up before the object goes.
    pub finalizers: List<&'static str>,
    /// Labels.
    pub labels: StringMap,
    /// Annotations.
    pub annotations: StringMap,
    /// Whose dependent the object is.
    pub owner_references: List<OwnerReference>,
    pub(crate) revision: u64,
    entity: Entity,
}

impl ObjectMeta {
    /// The metadata of a new object.
    pub fn named(name: impl Into<Rc<str>>) -> ObjectMeta {
        let name = name.into();
        let entity = Entity::named(&name);
        ObjectMeta {
            name,
            uid: Uid::default(),
            resource_version: 0,
            generation: 0,
            creation_timestamp: Time::ZERO,
            deletion_timestamp: None,
            finalizers: List::EMPTY,
            labels: StringMap::EMPTY,
            annotations: StringMap::EMPTY,
            owner_references: List::EMPTY,
            revision: 0,
            entity,
        }
    }

    /// Whether its deletion was asked for.
    pub fn is_deleting(&self) -> bool {
        self.deletion_timestamp.is_some()
    }

    /// Whether this finalizer is set.
    pub fn has_finalizer(&self, finalizer: &str) -> bool {
        self.finalizers.contains(&finalizer)
    }

    /// Sets a finalizer, once.
    pub fn add_finalizer(&mut self, finalizer: &'static str) {
        if !self.has_finalizer(finalizer) {
            self.finalizers.push(finalizer);
        }
    }

    /// Takes a finalizer away, if it is set.
    pub fn remove_finalizer(&mut self, finalizer: &str) {
        self.finalizers.retain(|present| *present != finalizer);
    }

    /// The name's hash, for keyed draws and look-ups.
    pub fn entity(&self) -> Entity {
        self.entity
    }

    /// Makes the hash that of the name.
    pub(crate) fn rename(&mut self) {
        self.entity = Entity::named(&self.name);
    }

    /// The how-manieth write to this object made this version; the creation is 1. Keyed draws count with it.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// A point in time as the API server keeps it: RFC 3339 without a fraction.
    pub fn whole_second(time: Time) -> Time {
        Time::from_secs(time.as_secs())
    }

    /// Applies the difference of two metadata: labels and annotations entry by entry, finalizers one by one, as a
    /// strategic merge patch does. (Karpenter's JSON merge patches of finalizers all hold a lock, under which the two
    /// kinds of patch do the same.)
    pub(crate) fn merge(&mut self, base: &ObjectMeta, changed: &ObjectMeta) {
        self.labels.merge(&base.labels, &changed.labels);
        self.annotations.merge(&base.annotations, &changed.annotations);
        super::merge(&mut self.owner_references, &base.owner_references, &changed.owner_references);
        if base.finalizers.is_same(&changed.finalizers) {
            return;
        }
        for finalizer in changed.finalizers.iter() {
            if !base.has_finalizer(finalizer) {
                self.add_finalizer(finalizer);
            }
        }
        self.finalizers.retain(|present| !base.has_finalizer(present) || changed.has_finalizer(present));
    }
}

/// Whose dependent an object is: kind, name and uid of the owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerReference {
    /// The owner's kind.
    pub kind: super::Kind,
    /// The owner's name.
    pub name: Rc<str>,
    /// The owner's uid.
    pub uid: Uid,
}

/// The name of a machine in the cluster, such as `linode://123`; the cloud's controller sets it on the Node, and
/// Karpenter's provider on the NodeClaim.
///
/// That of a Linode is kept as its number: every list of machines makes them, and few are ever written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProviderId(Written);

/// Each text has one form, so that equal ids compare equal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Written {
    Linode(u64),
    Other(Rc<str>),
}

const LINODE: &str = "linode://";

impl ProviderId {
    /// A provider id as it stands in an object, unchecked.
    pub fn new(text: impl Into<Rc<str>>) -> ProviderId {
        let text = text.into();
        let number = text.strip_prefix(LINODE).and_then(|id| id.parse().ok());
        let written_so = number.map(ProviderId::linode);
        written_so.filter(|id| id.to_string() == *text).unwrap_or(ProviderId(Written::Other(text)))
    }

    /// The provider id of a Linode.
    #[inline]
    pub const fn linode(id: u64) -> ProviderId {
        ProviderId(Written::Linode(id))
    }

    /// The Linode's id: what follows `://`, whatever stands before it (provider e1c5200 `utils.go`). `None` if that is
    /// not a number.
    #[inline]
    pub fn id(&self) -> Option<u64> {
        match &self.0 {
            Written::Linode(id) => Some(*id),
            Written::Other(text) => text.split_once("://")?.1.parse().ok(),
        }
    }
}

impl fmt::Display for ProviderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Written::Linode(id) => write!(f, "{LINODE}{id}"),
            Written::Other(text) => f.write_str(text),
        }
    }
}
