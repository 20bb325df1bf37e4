//! Tags as the shipped providers join them: by key, where the later list wins.
//!
//! Source: provider e1c5200 pkg/utils/utils.go:190-243 (`TagListToMap`, `MapToTagList`, `OpaqueTags`, `DedupeTags`).

use lkesim_linode_api::Tags;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The `key=value` tags of a list; of several with one key, the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagMap(BTreeMap<Arc<str>, Arc<str>>);

impl TagMap {
    /// The map of these tags. Opaque ones, with an empty key or value, are left out.
    pub fn of<'a>(tags: impl IntoIterator<Item = &'a str>) -> TagMap {
        let pairs = tags.into_iter().filter_map(split);
        TagMap(pairs.map(|(key, value)| (key.into(), value.into())).collect())
    }

    /// The map of a list that the API answered.
    pub fn of_tags(tags: &Tags) -> TagMap {
        TagMap::of(tags.iter().map(|tag| &**tag))
    }

    /// The value under a key.
    pub fn get(&self, key: &str) -> Option<&Arc<str>> {
        self.0.get(key)
    }

    /// Whether there is such a key.
    pub fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    /// Sets a key.
    pub fn set(&mut self, key: &str, value: &str) {
        self.0.insert(key.into(), value.into());
    }

    /// Takes a key out.
    pub fn remove(&mut self, key: &str) {
        self.0.remove(key);
    }

    /// Adds the entries of `other`, whose values win.
    pub fn assign(&mut self, other: &TagMap) {
        self.0.extend(other.0.iter().map(|(key, value)| (key.clone(), value.clone())));
    }

    /// Its keys, sorted.
    pub fn keys(&self) -> impl Iterator<Item = &Arc<str>> {
        self.0.keys()
    }

    /// Its tags, sorted by key. Go gives them in the order of the map's next walk.
    pub fn list(&self) -> Vec<Arc<str>> {
        self.0.iter().map(|(key, value)| super::tag(key, value)).collect()
    }
}

/// The tags that are not `key=value`, in their order.
pub fn opaque<'a>(tags: impl IntoIterator<Item = &'a str>) -> Vec<Arc<str>> {
    tags.into_iter().filter(|tag| split(tag).is_none()).map(Arc::from).collect()
}

/// Each tag once, where it stands first; empty ones are left out.
pub fn deduped(tags: impl IntoIterator<Item = Arc<str>>) -> Vec<Arc<str>> {
    let mut seen = BTreeSet::new();
    tags.into_iter().filter(|tag| !tag.is_empty() && seen.insert(tag.clone())).collect()
}

/// The key and value of a tag that is not opaque.
pub fn split(tag: &str) -> Option<(&str, &str)> {
    tag.split_once('=').filter(|(key, value)| !key.is_empty() && !value.is_empty())
}

#[cfg(test)]
mod tests;
