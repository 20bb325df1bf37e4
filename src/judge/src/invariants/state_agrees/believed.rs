//! What a process that leads knows otherwise than it is.

use crate::invariants::{Beliefs, BelievedClaim, ObjectState, Pending, words};
use crate::truth::{Claim, ClaimLife, Truth};
use lkesim_linode_api::InstanceId;
use std::collections::{BTreeMap, BTreeSet};

/// Of one object: in words, and of which Linodes it is.
struct Difference {
    uid: u64,
    object: String,
    linodes: Vec<InstanceId>,
    text: String,
}

/// What differs and did not change only just: NodeClaims from what events told of them, then all objects from what is
/// stored of them. A NodeClaim of which events tell enough is not told of again.
pub fn differences(truth: &Truth, beliefs: &Beliefs) -> Vec<Pending> {
    let mut found = of_claims(truth, beliefs);
    let told: BTreeSet<u64> = found.iter().map(|found| found.uid).collect();
    found.extend(of_objects(beliefs).into_iter().filter(|found| !told.contains(&found.uid)));
    let judged = found.into_iter().filter(|found| !beliefs.awaited.contains(&found.uid));
    let pending = |Difference { object, linodes, text, .. }: Difference| Pending {
        text: format!("{object}: process {} {text}", beliefs.process),
        objects: std::iter::once(object).chain(linodes.into_iter().map(words::linode)).collect(),
    };
    judged.map(pending).collect()
}

fn of_claims(truth: &Truth, beliefs: &Beliefs) -> Vec<Difference> {
    let known: BTreeMap<u64, &BelievedClaim> = beliefs.claims.iter().map(|known| (known.claim.uid, known)).collect();
    let exist = |claim: &&Claim| claim.cluster == beliefs.cluster && claim.life != ClaimLife::Gone;
    let existing: BTreeMap<u64, &Claim> = truth.claims().filter(exist).map(|claim| (claim.uid(), claim)).collect();
    let difference = |uid, object, text| Difference { uid, object, linodes: Vec::new(), text };
    let of_existing = existing.values().filter_map(|claim| {
        let known = known.get(&claim.uid()).map(|known| (known.stored, known.is_live));
        let text = otherwise(known, (claim.stored, claim.is_live()))?;
        Some(difference(claim.uid(), claim.to_string(), text))
    });
    let of_gone = known.values().filter(|known| !existing.contains_key(&known.claim.uid));
    let of_gone = of_gone.map(|known| difference(known.claim.uid, known.claim.to_string(), is_gone()));
    of_existing.chain(of_gone).collect()
}

fn of_objects(beliefs: &Beliefs) -> Vec<Difference> {
    let (known, stored) = (by_uid(&beliefs.known), by_uid(&beliefs.stored));
    let difference = |one: &ObjectState, other: Option<&ObjectState>, text| {
        let mut linodes: Vec<InstanceId> = one.linode.into_iter().collect();
        linodes.extend(other.and_then(|other| other.linode).filter(|id| Some(*id) != one.linode));
        Difference { uid: one.uid, object: one.to_string(), linodes, text }
    };
    let of_stored = stored.values().filter_map(|stored| {
        let known = known.get(&stored.uid).copied();
        let simple = otherwise(known.map(of_machine), of_machine(stored));
        let text = simple.or_else(|| {
            let is = stored.version;
            let was = known.map(|known| known.version).filter(|was| *was != is)?;
            Some(format!("knows version {was} of it, and stored is version {is}"))
        })?;
        Some(difference(stored, known, text))
    });
    let of_gone = known.values().filter(|known| !stored.contains_key(&known.uid));
    let of_gone = of_gone.map(|known| difference(known, None, is_gone()));
    of_stored.chain(of_gone).collect()
}

fn by_uid(objects: &[ObjectState]) -> BTreeMap<u64, &ObjectState> {
    objects.iter().map(|object| (object.uid, object)).collect()
}

/// The machine of an object, and whether it has no deletionTimestamp.
fn of_machine(object: &ObjectState) -> (Option<InstanceId>, bool) {
    (object.linode, object.is_live)
}

/// What a cache has otherwise of an object that exists: the Linode in its providerID, and whether it has no
/// deletionTimestamp. Of what the cache does not have at all, it knows nothing.
fn otherwise(known: Option<(Option<InstanceId>, bool)>, stored: (Option<InstanceId>, bool)) -> Option<String> {
    let said = |id: Option<InstanceId>| id.map_or_else(|| "no providerID".to_owned(), words::linode);
    let Some((known, known_live)) = known else {
        return Some("does not know that it exists".to_owned());
    };
    let (stored, is_live) = stored;
    if known != stored {
        return Some(format!("knows it with {}, and stored is {}", said(known), said(stored)));
    }
    match (known_live, is_live) {
        (true, false) => Some("knows it without a deletionTimestamp, and it is being deleted".to_owned()),
        (false, true) => Some("knows it to be deleted, and it has no deletionTimestamp".to_owned()),
        _ => None,
    }
}

fn is_gone() -> String {
    "knows it to exist, and it is gone".to_owned()
}
