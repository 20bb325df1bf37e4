//! Launch: the provider makes the machine.

use crate::{Context, CreateError, Machine};
use lkesim_kube::controller::{Next, ReconcileError};
use lkesim_kube::object::{ConditionStatus, ConditionType, NodeClaim, Uid};
use lkesim_runtime::Time;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The longest message of an unnamed failure, in bytes.
const MESSAGE_MAX: usize = 300;

/// The first step. It remembers what Create returned, by the claim's uid: the next pass may read a claim from the cache
/// that does not show it yet, or the write may have failed. A restart loses the memory, and Create is called again.
pub(super) struct Launch {
    context: Rc<Context>,
    launched: RefCell<BTreeMap<Uid, (Time, Rc<Machine>)>>,
}

impl Launch {
    pub(super) fn new(context: Rc<Context>) -> Launch {
        Launch { context, launched: RefCell::default() }
    }

    pub(super) async fn reconcile(&self, node_claim: &mut NodeClaim) -> Result<Next, ReconcileError> {
        let uid = node_claim.metadata.uid;
        let conditions = &node_claim.status.conditions;
        if !conditions.is_unknown(ConditionType::Launched) {
            if conditions.is_true(ConditionType::Launched) {
                self.launched.borrow_mut().remove(&uid);
            }
            return Ok(Next::Done);
        }
        let machine = match self.remembered(uid) {
            Some(machine) => machine,
            None => match self.create(node_claim).await? {
                Some(machine) => Rc::new(machine),
                None => return Ok(Next::Done),
            },
        };
        let now = self.context.runtime.wall_clock();
        let expires = now + self.context.settings.launch_cache_ttl;
        self.launched.borrow_mut().insert(uid, (expires, machine.clone()));
        fill_in(node_claim, &machine);
        node_claim.status.conditions.set_true(now, ConditionType::Launched);
        Ok(Next::Done)
    }

    fn remembered(&self, uid: Uid) -> Option<Rc<Machine>> {
        let launched = self.launched.borrow();
        let (expires, machine) = launched.get(&uid)?;
        (self.context.runtime.wall_clock() <= *expires).then(|| machine.clone())
    }

    /// `None` means that the claim has no hope and its deletion was asked for.
    async fn create(&self, node_claim: &mut NodeClaim) -> Result<Option<Machine>, ReconcileError> {
        let error = match self.context.cloud.create(self.context.caller, node_claim).await {
            Ok(machine) => return Ok(Some(machine)),
            Err(error) => error,
        };
        let (reason, message) = match error {
            CreateError::InsufficientCapacity(_) | CreateError::NodeClassNotReady(_) => {
                self.context.delete(node_claim).await?;
                return Ok(None);
            }
            CreateError::Create { reason, message } => (reason, message),
            CreateError::Other(message) => ("LaunchFailed", cut(message)),
        };
        let now = self.context.runtime.wall_clock();
        let conditions = &mut node_claim.status.conditions;
        conditions.set(now, ConditionType::Launched, ConditionStatus::Unknown, reason, Some(&message));
        Err(ReconcileError::Failed(message))
    }
}

/// The provider's labels and annotations go below and above the claim's own, as upstream orders them.
fn fill_in(node_claim: &mut NodeClaim, machine: &Machine) {
    let of_type = &machine.machine_type;
    let mut labels = of_type.labels.clone();
    labels.extend(&node_claim.metadata.labels);
    node_claim.metadata.labels = labels;
    node_claim.metadata.annotations.extend(&machine.annotations);
    node_claim.status.provider_id = Some(machine.provider_id.clone());
    node_claim.status.capacity = of_type.capacity;
    node_claim.status.allocatable = of_type.allocatable;
}

fn cut(mut message: String) -> String {
    if message.len() >= MESSAGE_MAX {
        let mut end = MESSAGE_MAX;
        while !message.is_char_boundary(end) {
            end -= 1;
        }
        message.truncate(end);
        message.push_str("...");
    }
    message
}
