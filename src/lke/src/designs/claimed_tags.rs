//! What Linodes bore when a server call that does not lag showed their claim.
//!
//! A GET may not show it yet, and a write replaces all tags: who adds tags to what a GET shows would take the claim away.

use crate::tags;
use lkesim_linode_api::{Instance, InstanceId, Tags};
use std::cell::RefCell;
use std::collections::BTreeMap;

#[derive(Default)]
pub(super) struct ClaimedTags(RefCell<BTreeMap<InstanceId, Tags>>);

impl ClaimedTags {
    /// A Linode was claimed, and bears these tags.
    pub fn note(&self, claimed: &Instance) {
        self.0.borrow_mut().insert(claimed.id, claimed.tags.clone());
    }

    /// The tags that were read, with those of its claim.
    pub fn with(&self, read: &Instance) -> Tags {
        let claimed = self.0.borrow().get(&read.id).cloned().unwrap_or_default();
        tags::joined([&read.tags, &claimed], [])
    }
}
