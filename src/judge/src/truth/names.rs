//! Who bears which nodeclaim tag, and who is meant by it.

use lkesim_linode_api::InstanceId;
use std::collections::BTreeMap;

#[derive(Debug, Default)]
struct Named {
    linodes: Vec<InstanceId>,
    claims: Vec<u64>,
}

/// By nodeclaim tag: the live Linodes that bear it, and the NodeClaims that exist and whose tag it is.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeMap<Box<str>, Named>);

impl Names {
    pub fn linodes(&self, tag: &str) -> &[InstanceId] {
        self.0.get(tag).map_or(&[], |named| &named.linodes)
    }

    pub fn claims(&self, tag: &str) -> &[u64] {
        self.0.get(tag).map_or(&[], |named| &named.claims)
    }

    pub fn add_linode(&mut self, tag: &str, instance: InstanceId) {
        let linodes = &mut self.named(tag).linodes;
        if !linodes.contains(&instance) {
            linodes.push(instance);
        }
    }

    pub fn remove_linode(&mut self, tag: &str, instance: InstanceId) {
        self.change(tag, |named| named.linodes.retain(|other| *other != instance));
    }

    pub fn add_claim(&mut self, tag: &str, uid: u64) {
        self.named(tag).claims.push(uid);
    }

    pub fn remove_claim(&mut self, tag: &str, uid: u64) {
        self.change(tag, |named| named.claims.retain(|other| *other != uid));
    }

    fn named(&mut self, tag: &str) -> &mut Named {
        self.0.entry(tag.into()).or_default()
    }

    fn change(&mut self, tag: &str, change: impl FnOnce(&mut Named)) {
        let Some(named) = self.0.get_mut(tag) else {
            return;
        };
        change(named);
        if named.linodes.is_empty() && named.claims.is_empty() {
            self.0.remove(tag);
        }
    }
}
