//! NodeClaims: made, marked for deletion, gone, and what is stored of them.

use super::{KeyId, Truth};
use crate::event::{ClaimRef, Condition};
use lkesim_linode_api::{ClusterId, InstanceId};
use lkesim_runtime::Time;
use std::fmt;
use std::rc::Rc;

/// Whether a NodeClaim exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimLife {
    /// It exists and has no deletionTimestamp.
    Live,
    /// It exists and has a deletionTimestamp.
    Deleting,
    /// Its last finalizer went.
    Gone,
}

/// A condition's status and its reason.
#[derive(Clone, Debug, Default)]
struct Status {
    status: Option<bool>,
    reason: Option<Rc<str>>,
}

/// A NodeClaim.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Uid and name.
    pub claim: ClaimRef,
    /// The cluster that it is an object of.
    pub cluster: ClusterId,
    /// Its Karpenter NodePool.
    pub node_pool: Rc<str>,
    /// The instance types that its requirements allow; empty where they allow any.
    pub plans: Rc<[Rc<str>]>,
    /// The nodeclaim tag that names it under its cluster's design.
    pub tag: Box<str>,
    /// When it was made.
    pub created: Time,
    /// Whether it exists.
    pub life: ClaimLife,
    /// Who asked for its deletion: a controller's pass, or `workload`.
    pub deleted_by: Option<&'static str>,
    /// The Linode in its stored providerID. It stays readable when the claim is gone.
    pub stored: Option<InstanceId>,
    /// The Linode that its latest Create returned, until that process died. It stays readable when the claim is gone.
    pub returned: Option<InstanceId>,
    /// The process that ran that Create.
    pub(super) returned_by: u32,
    /// The key that its last Create resolved to.
    pub resolved: Option<KeyId>,
    conditions: [Status; 5],
    /// The Linodes that name it among their holders: between two steps of a change, three.
    pub(super) indexed: Vec<InstanceId>,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.claim.fmt(f)
    }
}

impl Claim {
    /// The uid.
    pub fn uid(&self) -> u64 {
        self.claim.uid
    }

    /// Whether it exists and has no deletionTimestamp.
    pub fn is_live(&self) -> bool {
        self.life == ClaimLife::Live
    }

    /// The one or two Linodes that it holds. What is gone holds nothing.
    pub fn holdings(&self) -> impl Iterator<Item = InstanceId> + use<> {
        let exists = self.life != ClaimLife::Gone;
        self.last_holdings().filter(move |_| exists)
    }

    /// What it holds, or held when it went.
    pub fn last_holdings(&self) -> impl Iterator<Item = InstanceId> + use<> {
        let stored = self.stored;
        let returned = self.returned.filter(|returned| Some(*returned) != stored);
        stored.into_iter().chain(returned)
    }

    /// Whether it holds the Linode.
    pub fn holds(&self, instance: InstanceId) -> bool {
        self.holdings().any(|held| held == instance)
    }

    /// A condition's status; none for Unknown.
    pub fn condition(&self, condition: Condition) -> Option<bool> {
        self.conditions[condition as usize].status
    }

    /// A condition's reason; empty where it has none yet.
    pub fn reason(&self, condition: Condition) -> &str {
        self.conditions[condition as usize].reason.as_deref().unwrap_or("")
    }

    /// The key at which it waits: it is live, holds nothing, and its last Create resolved to it.
    pub fn waits_at(&self) -> Option<KeyId> {
        let waits = self.is_live() && self.stored.is_none() && self.returned.is_none();
        self.resolved.filter(|_| waits)
    }

    /// Whether it is gone, or live and initialized.
    pub fn is_settled(&self) -> bool {
        match self.life {
            ClaimLife::Gone => true,
            ClaimLife::Live => self.condition(Condition::Initialized) == Some(true),
            ClaimLife::Deleting => false,
        }
    }
}

impl Truth {
    pub(super) fn claim_created(
        &mut self,
        at: Time,
        claim: &ClaimRef,
        cluster: ClusterId,
        node_pool: &Rc<str>,
        plans: &Rc<[Rc<str>]>,
    ) {
        let tag = (self.cluster(cluster).design.claim_tag)(claim.of_object());
        self.names.add_claim(&tag, claim.uid);
        let record = Claim {
            claim: claim.clone(),
            cluster,
            node_pool: node_pool.clone(),
            plans: plans.clone(),
            tag: tag.into(),
            created: at,
            life: ClaimLife::Live,
            deleted_by: None,
            stored: None,
            returned: None,
            returned_by: 0,
            resolved: None,
            conditions: Default::default(),
            indexed: Vec::new(),
        };
        self.claims.insert(claim.uid, record);
        self.unsettled.insert(claim.uid);
    }

    pub(super) fn claim_deleting(&mut self, uid: u64, by: &'static str) {
        let Some(claim) = self.claims.get_mut(uid).filter(|claim| claim.is_live()) else {
            return;
        };
        let before = claim.waits_at();
        claim.life = ClaimLife::Deleting;
        claim.deleted_by = Some(by);
        self.keys.moved(before, None);
        self.unsettled.insert(uid);
        for instance in claim.holdings() {
            self.count_live_holder(instance, -1);
        }
        self.uncount_capacity(uid);
    }

    pub(super) fn claim_gone(&mut self, uid: u64) {
        let Some(claim) = self.claims.get(uid).filter(|claim| claim.life != ClaimLife::Gone) else {
            return;
        };
        let (waited, tag) = (claim.waits_at(), claim.tag.clone());
        for instance in claim.holdings() {
            self.release(uid, instance);
        }
        self.keys.moved(waited, None);
        self.names.remove_claim(&tag, uid);
        self.unsettled.remove(&uid);
        self.uncount_capacity(uid);
        if let Some(claim) = self.claims.get_mut(uid) {
            claim.life = ClaimLife::Gone;
        }
    }

    pub(super) fn condition(&mut self, uid: u64, condition: Condition, status: Option<bool>, reason: &Rc<str>) {
        let Some(claim) = self.claims.get_mut(uid) else {
            return;
        };
        claim.conditions[condition as usize] = Status { status, reason: Some(reason.clone()) };
        if claim.is_settled() {
            self.unsettled.remove(&uid);
        } else {
            self.unsettled.insert(uid);
        }
    }
}
