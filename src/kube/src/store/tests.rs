use super::*;
use crate::object::node_claim::NodeClaimSpec;
use crate::object::{ConditionStatus, ConditionType, ProviderId};
use proptest::prelude::*;
use std::collections::BTreeMap;

const FINALIZERS: [&str; 3] = ["a", "b", "c"];

fn at(nanos: u64) -> Write {
    Write { at: Time::from_nanos(nanos), by: "test" }
}

fn claim(name: &str) -> NodeClaim {
    NodeClaim::new(name, NodeClaimSpec::default())
}

/// What one step of a test does to one of a few names.
#[derive(Clone, Debug)]
enum Step {
    Create {
        finalizers: u8,
    },
    Delete,
    /// Sets finalizers to the bits of `to`, based on the version read `back` versions of the object ago.
    Finalizers {
        to: u8,
        back: usize,
        lock: bool,
    },
    /// Sets a label, so based.
    Label {
        value: u8,
        back: usize,
        lock: bool,
    },
    /// Updates with the version read so long ago.
    Update {
        value: u8,
        back: usize,
    },
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        2 => (0u8..8).prop_map(|finalizers| Step::Create { finalizers }),
        2 => Just(Step::Delete),
        3 => (0u8..8, 0usize..3, any::<bool>()).prop_map(|(to, back, lock)| Step::Finalizers { to, back, lock }),
        3 => (0u8..4, 0usize..3, any::<bool>()).prop_map(|(value, back, lock)| Step::Label { value, back, lock }),
        1 => (0u8..4, 0usize..3).prop_map(|(value, back)| Step::Update { value, back }),
    ];
    prop::collection::vec((0usize..3, step), 0..60)
}

/// The rules of the API server written down plainly, for one object.
#[derive(Clone, Debug, PartialEq)]
struct Model {
    version: u64,
    uid: u64,
    deleting: bool,
    finalizers: u8,
    label: Option<u8>,
}

#[derive(Default)]
struct World {
    objects: BTreeMap<usize, Model>,
    version: u64,
    last_uid: u64,
}

impl World {
    /// Puts the object's next version in place, unless it is the same, or ends it. `Err(())` is "invalid".
    fn put(&mut self, name: usize, next: Model) -> Result<(), ()> {
        let present = &self.objects[&name];
        if next.deleting && next.finalizers & !present.finalizers != 0 {
            return Err(());
        }
        if next == *present {
            return Ok(());
        }
        self.version += 1;
        if next.deleting && next.finalizers == 0 {
            self.objects.remove(&name);
        } else {
            let version = self.version;
            self.objects.insert(name, Model { version, ..next });
        }
        Ok(())
    }
}

fn bits(claim: &NodeClaim) -> u8 {
    let set = |n: &usize| claim.metadata.has_finalizer(FINALIZERS[*n]);
    (0..3).filter(set).map(|n| 1 << n).sum()
}

fn set_bits(claim: &mut NodeClaim, bits: u8) {
    for (n, finalizer) in FINALIZERS.into_iter().enumerate() {
        match bits >> n & 1 {
            1 => claim.metadata.add_finalizer(finalizer),
            _ => claim.metadata.remove_finalizer(finalizer),
        }
    }
}

fn label(claim: &NodeClaim) -> Option<u8> {
    claim.metadata.labels.get("label").map(|value| value.parse().unwrap())
}

fn seen(claim: &NodeClaim) -> Model {
    Model {
        version: claim.metadata.resource_version,
        uid: claim.metadata.uid.0,
        deleting: claim.metadata.is_deleting(),
        finalizers: bits(claim),
        label: label(claim),
    }
}

/// A store beside its model, and all versions of each object that a reader may still hold.
#[derive(Default)]
struct Pair {
    store: Store,
    world: World,
    history: BTreeMap<usize, Vec<Rc<NodeClaim>>>,
}

impl Pair {
    fn step(&mut self, name: usize, step: &Step) {
        let text = name.to_string();
        match *step {
            Step::Create { finalizers } => {
                let mut new = claim(&text);
                set_bits(&mut new, finalizers);
                let created = self.store.create(at(1), new);
                let taken = self.world.objects.contains_key(&name);
                assert_eq!(created.is_err_and(|error| error.is_already_exists()), taken);
                if !taken {
                    self.world.version += 1;
                    self.world.last_uid += 1;
                    let (version, uid) = (self.world.version, self.world.last_uid);
                    let model = Model { version, uid, deleting: false, finalizers, label: None };
                    self.world.objects.insert(name, model);
                }
            }
            Step::Delete => {
                let deleted = self.store.delete::<NodeClaim>(at(2), &text);
                let Some(present) = self.world.objects.get(&name).cloned() else {
                    return assert!(deleted.unwrap_err().is_not_found());
                };
                deleted.unwrap();
                self.world.put(name, Model { deleting: true, ..present }).unwrap();
            }
            Step::Finalizers { to, back, lock } => {
                self.patch(name, back, lock, |claim, model, base| {
                    set_bits(claim, to);
                    // What the patch adds and removes is the difference to its base.
                    model.finalizers = model.finalizers & (to | !base.finalizers) | to & !base.finalizers;
                })
            }
            Step::Label { value, back, lock } => self.patch(name, back, lock, |claim, model, base| {
                claim.metadata.labels.insert("label", value.to_string());
                if base.label != Some(value) {
                    model.label = Some(value);
                }
            }),
            Step::Update { value, back } => {
                let Some(base) = self.read(name, back) else {
                    return;
                };
                let mut changed = NodeClaim::clone(&base);
                changed.metadata.labels.insert("label", value.to_string());
                let updated = self.store.update(at(3), &changed, Part::Object);
                match self.world.objects.get(&name).cloned() {
                    None => assert!(updated.unwrap_err().is_not_found()),
                    Some(present) if present.version != base.metadata.resource_version => {
                        assert!(updated.unwrap_err().is_conflict());
                    }
                    Some(present) => {
                        updated.unwrap();
                        self.world.put(name, Model { label: Some(value), ..present }).unwrap();
                    }
                }
            }
        }
    }

    fn patch(&mut self, name: usize, back: usize, lock: bool, change: impl Fn(&mut NodeClaim, &mut Model, &Model)) {
        let Some(base) = self.read(name, back) else {
            return;
        };
        let mut changed = NodeClaim::clone(&base);
        let mut next = self.world.objects.get(&name).cloned().unwrap_or(seen(&base));
        change(&mut changed, &mut next, &seen(&base));
        let lock = if lock { Lock::Optimistic } else { Lock::None };
        let patched = self.store.patch(at(3), &*base, &changed, Part::Object, lock);
        match self.world.objects.get(&name) {
            None => assert!(patched.unwrap_err().is_not_found()),
            Some(present) if lock == Lock::Optimistic && present.version != base.metadata.resource_version => {
                assert!(patched.unwrap_err().is_conflict());
            }
            Some(_) => match self.world.put(name, next) {
                Ok(()) => drop(patched.unwrap()),
                Err(()) => assert!(matches!(patched, Err(ApiError::Invalid { .. }))),
            },
        }
    }

    fn read(&self, name: usize, back: usize) -> Option<Rc<NodeClaim>> {
        let versions = self.history.get(&name)?;
        versions.get(versions.len().checked_sub(back + 1)?).cloned()
    }

    fn compare(&mut self) {
        let present = self.store.list::<NodeClaim>();
        let seen: BTreeMap<usize, Model> =
            present.iter().map(|claim| (claim.name().parse().unwrap(), seen(claim))).collect();
        assert_eq!(seen, self.world.objects);
        assert_eq!(self.store.resource_version(), self.world.version);
        for claim in present {
            let versions = self.history.entry(claim.name().parse().unwrap()).or_default();
            if versions.last() != Some(&claim) {
                versions.push(claim);
            }
        }
    }
}

/// Keeps what the truth told, to build the store's content from it.
#[derive(Default)]
struct Told(RefCell<BTreeMap<Rc<str>, Rc<NodeClaim>>>, Cell<u64>);

impl StoreObserver for Told {
    fn on_change(&self, change: &StoreChange) {
        assert!(change.resource_version > self.1.replace(change.resource_version));
        let ObjectChange::NodeClaim(change) = &change.object else {
            return;
        };
        let mut told = self.0.borrow_mut();
        let name = change.latest().name().clone();
        assert_eq!(told.remove(&name), change.before);
        if let Some(after) = &change.after {
            told.insert(name, after.clone());
        }
    }
}

proptest! {
    /// Versions, uids, conflicts, finalizers and deletions are those of the model, whatever is done in which order.
    #[test]
    fn the_store_keeps_the_rules_of_the_api_server(steps in steps()) {
        let mut pair = Pair::default();
        let told = Rc::new(Told::default());
        pair.store.observe(told.clone());
        for (name, step) in &steps {
            pair.step(*name, step);
            pair.compare();
        }
        let told: Vec<_> = told.0.borrow().values().cloned().collect();
        prop_assert_eq!(told, pair.store.list::<NodeClaim>());
    }
}

#[test]
fn a_patch_of_one_half_leaves_the_other_alone() {
    let store = Store::new();
    let base = store.create(at(1), claim("a")).unwrap();
    let mut changed = NodeClaim::clone(&base);
    changed.metadata.labels.insert("k", "v");
    changed.status.provider_id = Some(ProviderId::linode(7));
    let object = store.patch(at(2), &*base, &changed, Part::Object, Lock::None).unwrap();
    assert!(object.metadata.labels.has("k", "v") && object.status.provider_id.is_none());
    let status = store.patch(at(3), &*base, &changed, Part::Status, Lock::None).unwrap();
    assert_eq!(status.status.provider_id, Some(ProviderId::linode(7)));
    assert_eq!(status.metadata.revision(), 3);
}

/// Conditions are a list, and a merge patch replaces lists as a whole: what another wrote in between is lost.
#[test]
fn conditions_patched_without_a_lock_overwrite_those_of_others() {
    let store = Store::new();
    let base = store.create(at(1), claim("a")).unwrap();
    let patch = |kind, lock| {
        let mut changed = NodeClaim::clone(&base);
        changed.status.conditions.set_true(Time::ZERO, kind);
        store.patch(at(2), &*base, &changed, Part::Status, lock)
    };
    patch(ConditionType::Drained, Lock::None).unwrap();
    assert!(patch(ConditionType::Launched, Lock::Optimistic).unwrap_err().is_conflict());
    let after = patch(ConditionType::Launched, Lock::None).unwrap();
    assert!(after.is_launched() && after.status.conditions.get(ConditionType::Drained).is_none());
}

#[test]
fn a_condition_moves_its_time_only_with_its_status() {
    let mut conditions = crate::object::Conditions::awaiting(&[ConditionType::Launched], Time::from_secs(1));
    let mut set = |now, status, reason| {
        conditions.set(Time::from_secs(now), ConditionType::Launched, status, reason, None);
        conditions.get(ConditionType::Launched).unwrap().last_transition_time.as_secs()
    };
    assert_eq!(set(5, ConditionStatus::Unknown, "LaunchFailed"), 1);
    assert_eq!(set(6, ConditionStatus::True, ""), 6);
    assert_eq!(set(7, ConditionStatus::True, ""), 6);
}

#[test]
fn a_copy_under_another_name_is_another_object() {
    let store = Store::new();
    let first = store.create(at(1), claim("a")).unwrap();
    let mut second = NodeClaim::clone(&first);
    second.metadata.name = "b".into();
    store.create(at(2), second).unwrap();
    assert_eq!(store.count::<NodeClaim>(), 2);
    assert_ne!(store.get::<NodeClaim>("b").unwrap().metadata.uid, first.metadata.uid);
}
