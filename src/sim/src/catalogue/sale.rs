//! What one NodeClaim bought.

use lkesim_kube::object::Uid;
use lkesim_kube::object::node_claim::NodeClaimSpec;
use lkesim_linode_api::InstanceId;
use std::rc::Rc;

/// A NodeClaim: the place of its cluster, and its uid.
pub type Buyer = (usize, Uid);

/// What it bought.
pub struct Sale {
    /// The place of the type.
    pub of: usize,
    /// The place of the offering among the type's.
    pub at: usize,
    /// What the design is asked for.
    pub spec: Rc<NodeClaimSpec>,
    /// The reservation of which it uses up one machine.
    pub reservation: Option<Rc<str>>,
    /// The machine, once there is one.
    pub instance: Option<InstanceId>,
}
