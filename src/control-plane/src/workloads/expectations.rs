//! What a controller did and has not seen yet.

use lkesim_kube::object::{Pod, Uid};
use lkesim_kube::store::Change;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// By workload, how many pods were made or deleted that the cache has not shown so.
#[derive(Default)]
pub struct Expectations(RefCell<Open>);

#[derive(Default)]
struct Open {
    made: BTreeMap<Rc<str>, Uid>,
    deleted: BTreeMap<Uid, Uid>,
    of_owner: BTreeMap<Uid, usize>,
}

impl Open {
    fn close(&mut self, owner: Uid) {
        if let Some(count) = self.of_owner.get_mut(&owner) {
            *count -= 1;
            if *count == 0 {
                self.of_owner.remove(&owner);
            }
        }
    }
}

impl Expectations {
    /// Whether the cache shows all that was done to the pods of a workload.
    pub fn are_met(&self, owner: Uid) -> bool {
        !self.0.borrow().of_owner.contains_key(&owner)
    }

    /// A pod of this name is to come.
    pub fn make(&self, owner: Uid, name: &Rc<str>) {
        let mut open = self.0.borrow_mut();
        if open.made.insert(name.clone(), owner).is_none() {
            *open.of_owner.entry(owner).or_default() += 1;
        }
    }

    /// It was not made.
    pub fn not_made(&self, name: &Rc<str>) {
        let mut open = self.0.borrow_mut();
        if let Some(owner) = open.made.remove(name) {
            open.close(owner);
        }
    }

    /// A pod is to go.
    pub fn delete(&self, owner: Uid, pod: Uid) {
        let mut open = self.0.borrow_mut();
        if open.deleted.insert(pod, owner).is_none() {
            *open.of_owner.entry(owner).or_default() += 1;
        }
    }

    /// Its deletion was refused.
    pub fn not_deleted(&self, pod: Uid) {
        let mut open = self.0.borrow_mut();
        if let Some(owner) = open.deleted.remove(&pod) {
            open.close(owner);
        }
    }

    /// The cache shows a change.
    pub fn saw(&self, change: &Change<Pod>) {
        let pod = change.latest();
        self.not_made(pod.name());
        if change.after.as_ref().is_none_or(|pod| pod.is_terminating()) {
            self.not_deleted(pod.metadata.uid);
        }
    }
}
