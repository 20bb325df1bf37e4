//! NodeClaims to be: what they have to be like, the types that they may still become, their pods.

use super::amounts::Amounts;
use super::bits::Bits;
use super::sets::SetId;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A NodeClaim to be.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its template.
    pub template: usize,
    /// The host name that stands for the one it will have.
    pub host: Rc<str>,
    /// Its requirements.
    pub set: SetId,
    /// What its DaemonSets and pods ask for.
    pub requests: Amounts,
    /// The types that it may become.
    pub types: Bits,
    /// The most of each resource that one of the types has.
    pub highest: Amounts,
    /// Its pods, each with the shape in which it was placed.
    pub pods: Vec<(usize, usize)>,
    /// Reservations that it holds.
    pub reserved: BTreeSet<Rc<str>>,
    /// Whether `minValues` was lowered for it.
    pub min_values_relaxed: bool,
}

/// What a NodeClaim to be becomes with a pod.
#[derive(Debug)]
pub struct Joined {
    /// Its requirements.
    pub set: SetId,
    /// The types that are left.
    pub types: Bits,
    /// Reservations to be held.
    pub reserved: BTreeSet<Rc<str>>,
}

/// Why a pod can't join: enough to say it later.
#[derive(Debug)]
pub enum Refused {
    /// Taints.
    Taints,
    /// A port is taken.
    Ports,
    /// More volumes than the node may hold.
    Volumes(String),
    /// The node has too little left.
    Room,
    /// Requirements of the pod, or of its volumes.
    Incompatible {
        /// What there was.
        existing: SetId,
        /// Whether it is what the volumes need.
        by_volumes: bool,
    },
    /// A topology group leaves no domain; whether it stays so.
    Topology {
        /// The group's number.
        group: usize,
        /// Whether it is an inverse one.
        inverse: bool,
        /// What there was.
        set: SetId,
    },
    /// The domains that the groups leave are none of the node's.
    Domains {
        /// What there was.
        existing: SetId,
        /// With the domains.
        asked: SetId,
    },
    /// No type is left.
    Types {
        /// What it would have to be like.
        set: SetId,
        /// The types there were.
        types: Bits,
        /// What would be asked for.
        requests: Amounts,
        /// Labels with too few values.
        below: BTreeMap<Rc<str>, u32>,
    },
    /// No type is left, whatever it would have to be like.
    TooLarge,
    /// Reserved capacity suits and is taken.
    ReservedTaken,
    /// Reserved capacity would be lost.
    ReservedLost,
}

impl Refused {
    /// Whether the pod waits for reserved capacity.
    pub fn is_reserved(&self) -> bool {
        matches!(self, Refused::ReservedTaken | Refused::ReservedLost)
    }
}
