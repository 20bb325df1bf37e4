//! Answers from the whole history, each by reading it from one end to the other.

use crate::event::{CallEnding, ClaimRef, Condition, Event, Returned, Seen, What};
use crate::invariants::stream::DESIGN;
use lkesim_linode_api::{CallNumber, ClusterId, Endpoint, InstanceId, LkePoolId, Operation, Purpose, Request, Tags};
use lkesim_runtime::Time;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// A history, up to and with its last event.
#[derive(Clone, Copy)]
pub struct World<'a> {
    pub events: &'a [Event],
}

pub struct MadeClaim {
    pub claim: ClaimRef,
    pub cluster: ClusterId,
    pub node_pool: Rc<str>,
    pub plans: Rc<[Rc<str>]>,
}

pub struct MadeLinode {
    pub id: InstanceId,
    pub at: Time,
    pub lke_pool: Option<LkePoolId>,
    pub cluster: Option<ClusterId>,
    pub plan: Arc<str>,
    pub tags: Tags,
}

pub struct MadePool {
    pub id: LkePoolId,
    pub cluster: ClusterId,
    pub plan: Arc<str>,
    pub node_pool: Option<Arc<str>>,
}

/// How an operation began, and where that stands in the history.
pub struct Began {
    pub cluster: ClusterId,
    pub process: u32,
    pub index: usize,
    pub operation: Operation,
    pub caller: &'static str,
    pub claim: Option<u64>,
    pub instance: Option<InstanceId>,
}

impl MadePool {
    pub fn key(&self) -> Option<(ClusterId, String, String)> {
        self.node_pool.as_ref().map(|node_pool| (self.cluster, node_pool.to_string(), self.plan.to_string()))
    }
}

impl<'a> World<'a> {
    pub fn last(&self) -> &'a Event {
        self.events.last().expect("a history has an event")
    }

    /// The history before its last event.
    pub fn before(&self) -> World<'a> {
        World { events: &self.events[..self.events.len() - 1] }
    }

    pub fn whats(&self) -> impl Iterator<Item = &'a What> {
        self.events.iter().map(|event| &event.what)
    }

    pub fn claims(&self) -> Vec<MadeClaim> {
        let made = self.whats().filter_map(|what| match what {
            What::ClaimCreated { claim, cluster, node_pool, plans } => Some(MadeClaim {
                claim: claim.clone(),
                cluster: *cluster,
                node_pool: node_pool.clone(),
                plans: plans.clone(),
            }),
            _ => None,
        });
        made.collect()
    }

    pub fn claim(&self, uid: u64) -> Option<MadeClaim> {
        self.claims().into_iter().find(|made| made.claim.uid == uid)
    }

    pub fn exists(&self, uid: u64) -> bool {
        let gone = self.whats().any(|what| matches!(what, What::ClaimGone { claim } if claim.uid == uid));
        self.claim(uid).is_some() && !gone
    }

    pub fn is_live_claim(&self, uid: u64) -> bool {
        let deleting = self.whats().any(|what| matches!(what, What::ClaimDeleting { claim, .. } if claim.uid == uid));
        self.exists(uid) && !deleting
    }

    pub fn live_claims(&self) -> Vec<MadeClaim> {
        self.claims().into_iter().filter(|made| self.is_live_claim(made.claim.uid)).collect()
    }

    pub fn stored(&self, uid: u64) -> Option<InstanceId> {
        let changes = self.whats().filter_map(|what| match what {
            What::ClaimProviderId { claim, after, .. } if claim.uid == uid => Some(*after),
            _ => None,
        });
        changes.last().flatten()
    }

    pub fn returned(&self, uid: u64) -> Option<InstanceId> {
        let cluster = self.claim(uid)?.cluster;
        let mut returned: Option<(InstanceId, u32)> = None;
        for what in self.whats() {
            match what {
                What::OperationReturned { run, result: Returned::Instance(id) } if self.is_create_for(*run, uid) => {
                    returned = self.started(*run).map(|began| (*id, began.process));
                }
                What::ProcessStopped { cluster: died, start } if *died == cluster => {
                    returned = returned.filter(|(_, process)| process != start);
                }
                _ => {}
            }
        }
        returned.map(|(id, _)| id)
    }

    pub fn is_create_for(&self, run: u64, uid: u64) -> bool {
        self.started(run).is_some_and(|began| began.operation == Operation::Create && began.claim == Some(uid))
    }

    /// How an operation began.
    pub fn started(&self, of: u64) -> Option<Began> {
        self.whats().enumerate().find_map(|(index, what)| match what {
            What::OperationStarted { run, cluster, process, operation, caller, claim, instance } if *run == of => {
                let claim = claim.as_ref().map(|claim| claim.uid);
                let (cluster, process, operation, instance) = (*cluster, *process, *operation, *instance);
                Some(Began { index, cluster, process, operation, caller, claim, instance })
            }
            _ => None,
        })
    }

    /// What a claim that exists holds.
    pub fn held_by(&self, uid: u64) -> BTreeSet<InstanceId> {
        let held = self.stored(uid).into_iter().chain(self.returned(uid));
        held.filter(|_| self.exists(uid)).collect()
    }

    pub fn live_holders(&self, id: InstanceId) -> Vec<MadeClaim> {
        self.live_claims().into_iter().filter(|made| self.held_by(made.claim.uid).contains(&id)).collect()
    }

    pub fn linodes(&self) -> Vec<MadeLinode> {
        let made = self.events.iter().filter_map(|event| match &event.what {
            What::InstanceCreated { instance, lke_pool, cluster, plan, tags, .. } => Some(MadeLinode {
                id: *instance,
                at: event.at,
                lke_pool: *lke_pool,
                cluster: *cluster,
                plan: plan.clone(),
                tags: tags.clone(),
            }),
            _ => None,
        });
        made.collect()
    }

    pub fn linode(&self, id: InstanceId) -> Option<MadeLinode> {
        self.linodes().into_iter().find(|linode| linode.id == id)
    }

    pub fn is_live(&self, id: InstanceId) -> bool {
        let gone = self.whats().any(|what| matches!(what, What::InstanceDeleted { instance, .. } if *instance == id));
        self.linode(id).is_some() && !gone
    }

    pub fn live_linodes(&self) -> Vec<MadeLinode> {
        self.linodes().into_iter().filter(|linode| self.is_live(linode.id)).collect()
    }

    pub fn tags(&self, id: InstanceId) -> Tags {
        let changes = self.whats().filter_map(|what| match what {
            What::InstanceTagged { instance, after, .. } if *instance == id => Some(after.clone()),
            _ => None,
        });
        let first = || self.linode(id).map(|linode| linode.tags);
        changes.last().or_else(first).unwrap_or_default()
    }

    pub fn claim_tags(&self, id: InstanceId) -> BTreeSet<String> {
        let tags = self.tags(id);
        tags.iter().filter(|tag| tag.starts_with(DESIGN.claim_tag_prefix)).map(|tag| tag.to_string()).collect()
    }

    /// The live Linodes of the claim's cluster, or of none, that bear its tag.
    pub fn bearers(&self, made: &MadeClaim) -> BTreeSet<InstanceId> {
        let tag = (DESIGN.claim_tag)(&made.claim.name);
        let live = self.live_linodes().into_iter();
        let can_be_its = |linode: &MadeLinode| linode.cluster.is_none() || linode.cluster == Some(made.cluster);
        live.filter(|linode| can_be_its(linode) && self.tags(linode.id).has(&tag)).map(|one| one.id).collect()
    }

    pub fn pools(&self) -> Vec<MadePool> {
        let made = self.whats().filter_map(|what| match what {
            What::PoolCreated { lke_pool, cluster, plan, node_pool, .. } => {
                Some(MadePool { id: *lke_pool, cluster: *cluster, plan: plan.clone(), node_pool: node_pool.clone() })
            }
            _ => None,
        });
        made.collect()
    }

    pub fn pool(&self, id: LkePoolId) -> Option<MadePool> {
        self.pools().into_iter().find(|lke_pool| lke_pool.id == id)
    }

    pub fn is_live_pool(&self, id: LkePoolId) -> bool {
        !self.whats().any(|what| matches!(what, What::PoolDeleted { lke_pool, .. } if *lke_pool == id))
    }

    /// The NodePool that a Linode serves.
    pub fn node_pool_of(&self, linode: &MadeLinode) -> Option<Arc<str>> {
        match linode.lke_pool {
            Some(lke_pool) => self.pool(lke_pool)?.node_pool,
            None => linode.tags.value("karpenter.sh/nodepool").map(Arc::from),
        }
    }

    pub fn is_managed(&self, linode: &MadeLinode) -> bool {
        self.node_pool_of(linode).is_some()
    }

    pub fn count(&self, id: LkePoolId) -> u32 {
        let counts = self.whats().filter_map(|what| match what {
            What::PoolCreated { lke_pool, count, .. } if *lke_pool == id => Some(*count),
            What::PoolCountChanged { lke_pool, to, .. } if *lke_pool == id => Some(*to),
            _ => None,
        });
        counts.last().unwrap_or_default()
    }

    pub fn condition(&self, uid: u64, which: Condition) -> Option<bool> {
        let changes = self.whats().filter_map(|what| match what {
            What::ClaimCondition { claim, condition, status, .. } if claim.uid == uid && *condition == which => {
                Some(*status)
            }
            _ => None,
        });
        changes.last().flatten()
    }

    /// A request, and where it stands in the history.
    pub fn request(&self, of: CallNumber) -> Option<(usize, &'a Purpose, &'a Request)> {
        self.whats().enumerate().find_map(|(index, what)| match what {
            What::Called { call, sent } if *call == of => Some((index, &sent.purpose, &sent.request)),
            _ => None,
        })
    }

    /// The answers to an operation's requests, in order.
    pub fn answers(&self, run: u64) -> Vec<(&'a Request, &'a CallEnding)> {
        let answers = self.whats().filter_map(|what| match what {
            What::Answered { call, ending, .. } => {
                self.request(*call).map(|(_, purpose, request)| (purpose, request, ending))
            }
            _ => None,
        });
        answers
            .filter(|(purpose, ..)| purpose.invocation == run)
            .map(|(_, request, ending)| (request, ending))
            .collect()
    }

    /// By how much the request of a PUT means to raise the count that its operation read last.
    pub fn meant_raise(&self, call: CallNumber) -> Option<u32> {
        let (index, purpose, request) = self.request(call)?;
        let Request::UpdatePool { lke_pool, body, .. } = request else {
            return None;
        };
        let by_then = World { events: &self.events[..index] };
        let read = by_then.answers(purpose.invocation).into_iter().rev().find_map(|(_, ending)| match ending {
            CallEnding::Ok { seen: Seen { counts: Some(counts), .. } } => {
                counts.iter().find(|(id, _)| id == lke_pool).map(|read| read.1)
            }
            _ => None,
        });
        body.count?.checked_sub(read?).filter(|raise| *raise > 0)
    }

    /// Whether a request is of Karpenter's and may change something.
    pub fn is_karpenters_write(&self, call: Option<CallNumber>) -> bool {
        let reads = [Endpoint::ListPools, Endpoint::GetPool, Endpoint::ListInstances, Endpoint::GetInstance];
        call.and_then(|call| self.request(call)).is_some_and(|(_, purpose, request)| {
            purpose.operation != Operation::Foreign && !reads.contains(&request.endpoint())
        })
    }
}
