//! What a state is written as, and read back from: JSON, field by field.
//!
//! Objects share texts and lists by pointers; a state that is read back shares less and is equal all the same. What can
//! be made of the rest, such as pictures and memories of lists, is not written.

mod foreign;
mod own;
mod whole;

pub use whole::{NoState, SCHEMA};

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// A part of a state.
pub(crate) trait Saved: Sized {
    fn save(&self) -> Value;
    /// None where the value is none of this kind.
    fn load(value: &Value) -> Option<Self>;
}

/// A struct as an object of its fields. What follows `with` is not written, and is made anew.
macro_rules! saved {
    ($type:ty { $($field:ident),* $(,)? } $(with { $($made:ident: $make:expr),* $(,)? })?) => {
        impl $crate::saved::Saved for $type {
            fn save(&self) -> serde_json::Value {
                let mut map = serde_json::Map::new();
                $(map.insert(stringify!($field).into(), $crate::saved::Saved::save(&self.$field));)*
                serde_json::Value::Object(map)
            }

            fn load(value: &serde_json::Value) -> Option<Self> {
                Some(Self {
                    $($field: $crate::saved::Saved::load(value.get(stringify!($field))?)?,)*
                    $($($made: $make,)*)?
                })
            }
        }
    };
}

/// An enum of names, or of names with values, as a list that begins with the name.
macro_rules! saved_enum {
    ($type:ident { $($name:ident $(($($part:ident),*))?),* $(,)? }) => {
        impl $crate::saved::Saved for $type {
            fn save(&self) -> serde_json::Value {
                match self {
                    $($type::$name $(($($part),*))? => serde_json::Value::Array(vec![
                        serde_json::Value::from(stringify!($name)),
                        $($($crate::saved::Saved::save($part)),*)?
                    ]),)*
                }
            }

            fn load(value: &serde_json::Value) -> Option<Self> {
                let mut parts = value.as_array()?.iter();
                match parts.next()?.as_str()? {
                    $(stringify!($name) => {
                        Some($type::$name $(($($crate::saved::load_next::<_>(&mut parts, stringify!($part))?),*))?)
                    })*
                    _ => None,
                }
            }
        }
    };
}

pub(crate) use {saved, saved_enum};

/// The next part of a variant.
pub(crate) fn load_next<T: Saved>(parts: &mut std::slice::Iter<'_, Value>, _name: &str) -> Option<T> {
    T::load(parts.next()?)
}

macro_rules! saved_number {
    ($($type:ty),*) => {
        $(impl Saved for $type {
            fn save(&self) -> Value {
                Value::from(*self)
            }

            fn load(value: &Value) -> Option<$type> {
                value.as_u64()?.try_into().ok()
            }
        })*
    };
}

saved_number!(u8, u16, u32, u64, usize);

impl Saved for bool {
    fn save(&self) -> Value {
        Value::from(*self)
    }

    fn load(value: &Value) -> Option<bool> {
        value.as_bool()
    }
}

impl Saved for Arc<str> {
    fn save(&self) -> Value {
        Value::from(&**self)
    }

    fn load(value: &Value) -> Option<Arc<str>> {
        value.as_str().map(Into::into)
    }
}

impl Saved for Box<str> {
    fn save(&self) -> Value {
        Value::from(&**self)
    }

    fn load(value: &Value) -> Option<Box<str>> {
        value.as_str().map(Into::into)
    }
}

impl<T: Saved> Saved for Option<T> {
    /// A list of one or none, as a value may itself be written as null.
    fn save(&self) -> Value {
        self.iter().map(Saved::save).collect()
    }

    fn load(value: &Value) -> Option<Option<T>> {
        match &value.as_array()?[..] {
            [] => Some(None),
            [one] => T::load(one).map(Some),
            _ => None,
        }
    }
}

macro_rules! saved_list {
    ($($type:ident),*) => {
        $(impl<T: Saved> Saved for $type<T> {
            fn save(&self) -> Value {
                self.iter().map(Saved::save).collect()
            }

            fn load(value: &Value) -> Option<$type<T>> {
                value.as_array()?.iter().map(T::load).collect()
            }
        })*
    };
}

saved_list!(Vec, VecDeque);

impl<T: Saved + Ord> Saved for BTreeSet<T> {
    fn save(&self) -> Value {
        self.iter().map(Saved::save).collect()
    }

    /// None where a member stands twice or out of order, which no set writes.
    fn load(value: &Value) -> Option<BTreeSet<T>> {
        let members = Vec::<T>::load(value)?;
        members.is_sorted_by(|one, next| one < next).then(|| members.into_iter().collect())
    }
}

impl<T: Saved> Saved for Arc<[T]> {
    fn save(&self) -> Value {
        self.iter().map(Saved::save).collect()
    }

    fn load(value: &Value) -> Option<Arc<[T]>> {
        value.as_array()?.iter().map(T::load).collect()
    }
}

impl<K: Saved + Ord, V: Saved> Saved for BTreeMap<K, V> {
    fn save(&self) -> Value {
        self.iter().map(|(key, value)| Value::from(vec![key.save(), value.save()])).collect()
    }

    /// None where a key stands twice or out of order, which no map writes.
    fn load(value: &Value) -> Option<BTreeMap<K, V>> {
        let pairs = Vec::<(K, V)>::load(value)?;
        pairs.is_sorted_by(|(one, _), (next, _)| one < next).then(|| pairs.into_iter().collect())
    }
}

impl<A: Saved, B: Saved> Saved for (A, B) {
    fn save(&self) -> Value {
        Value::from(vec![self.0.save(), self.1.save()])
    }

    fn load(value: &Value) -> Option<(A, B)> {
        match &value.as_array()?[..] {
            [first, second] => Some((A::load(first)?, B::load(second)?)),
            _ => None,
        }
    }
}

/// What is shared by a pointer and is no text or list.
macro_rules! saved_shared {
    ($($type:ty),*) => {
        $(impl $crate::saved::Saved for std::sync::Arc<$type> {
            fn save(&self) -> serde_json::Value {
                (**self).save()
            }

            fn load(value: &serde_json::Value) -> Option<Self> {
                <$type as $crate::saved::Saved>::load(value).map(std::sync::Arc::new)
            }
        })*
    };
}

pub(crate) use saved_shared;
