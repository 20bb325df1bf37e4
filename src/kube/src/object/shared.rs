//! Lists and maps that many versions of an object share.
//!
//! A version of an object differs from the one before in a field or two, so all others keep pointing at the same
//! memory; a change copies what it changes. Empty ones allocate nothing.

use std::ops::Deref;
use std::rc::Rc;

/// A list that is cheap to clone; a change copies it if another holder exists.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct List<T>(Option<Rc<Vec<T>>>);

impl<T> List<T> {
    /// The list of nothing.
    pub const EMPTY: List<T> = List(None);

    /// Whether both share the same memory: equal without a look at the entries.
    pub fn is_same(&self, other: &List<T>) -> bool {
        match (&self.0, &other.0) {
            (Some(one), Some(two)) => Rc::ptr_eq(one, two),
            (one, two) => one.is_none() && two.is_none(),
        }
    }
}

impl<T: Clone> List<T> {
    /// Adds an entry at the end.
    pub fn push(&mut self, entry: T) {
        Rc::make_mut(self.0.get_or_insert_default()).push(entry);
    }

    /// Keeps the entries that `keep` accepts; copies only if one goes.
    pub fn retain(&mut self, mut keep: impl FnMut(&T) -> bool) {
        if self.iter().all(&mut keep) {
            return;
        }
        if let Some(entries) = &mut self.0 {
            let entries = Rc::make_mut(entries);
            entries.retain(keep);
            if entries.is_empty() {
                self.0 = None;
            }
        }
    }

    /// The entries, to be changed in place.
    pub fn make_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Some(entries) => Rc::make_mut(entries).as_mut_slice(),
            None => &mut [],
        }
    }
}

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List::EMPTY
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.0.as_ref().map_or(&[], |entries| entries)
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(entries: Vec<T>) -> List<T> {
        List((!entries.is_empty()).then(|| Rc::new(entries)))
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(entries: I) -> List<T> {
        List::from(Vec::from_iter(entries))
    }
}

/// Labels or annotations: a map from string to string, sorted by key, cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct StringMap(List<(Rc<str>, Rc<str>)>);

impl StringMap {
    /// The map of nothing.
    pub const EMPTY: StringMap = StringMap(List::EMPTY);

    /// The value under `key`.
    pub fn get(&self, key: &str) -> Option<&Rc<str>> {
        let place = self.place(key).ok()?;
        Some(&self.0[place].1)
    }

    /// Whether `key` has a value.
    pub fn contains_key(&self, key: &str) -> bool {
        self.place(key).is_ok()
    }

    /// Whether `key` has exactly this value.
    pub fn has(&self, key: &str, value: &str) -> bool {
        self.get(key).is_some_and(|found| **found == *value)
    }

    /// Sets `key` to `value`; copies nothing if it is so already.
    pub fn insert(&mut self, key: impl Into<Rc<str>> + AsRef<str>, value: impl Into<Rc<str>> + AsRef<str>) {
        match self.place(key.as_ref()) {
            Ok(place) if *self.0[place].1 == *value.as_ref() => {}
            Ok(place) => self.0.make_mut()[place].1 = value.into(),
            Err(place) => {
                let entries = Rc::make_mut(self.0.0.get_or_insert_default());
                entries.insert(place, (key.into(), value.into()));
            }
        }
    }

    /// Takes `key` out, if it is in.
    pub fn remove(&mut self, key: &str) {
        if self.contains_key(key) {
            self.0.retain(|(present, _)| **present != *key);
        }
    }

    /// Adds the entries of `other`, whose values win.
    pub fn extend(&mut self, other: &StringMap) {
        if self.is_empty() {
            self.clone_from(other);
        } else if !self.0.is_same(&other.0) {
            for (key, value) in other.iter() {
                self.insert(key.clone(), value.clone());
            }
        }
    }

    /// Applies what differs between two maps: entries set or changed, and entries gone.
    pub fn merge(&mut self, base: &StringMap, changed: &StringMap) {
        if base.0.is_same(&changed.0) {
            return;
        }
        if self.0.is_same(&base.0) {
            self.clone_from(changed);
            return;
        }
        for (key, value) in changed.iter() {
            if base.get(key) != Some(value) {
                self.insert(key.clone(), value.clone());
            }
        }
        for (key, _) in base.iter() {
            if !changed.contains_key(key) {
                self.remove(key);
            }
        }
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> impl Iterator<Item = &(Rc<str>, Rc<str>)> {
        self.0.iter()
    }

    /// How many entries it has.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn place(&self, key: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(present, _)| (**present).cmp(key))
    }
}

impl<K: Into<Rc<str>> + AsRef<str>, V: Into<Rc<str>> + AsRef<str>> FromIterator<(K, V)> for StringMap {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> StringMap {
        let mut map = StringMap::EMPTY;
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

#[cfg(test)]
mod tests;
