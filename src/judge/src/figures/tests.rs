mod api;
mod budget;
mod claims;
mod hard_cases;
mod holding;
mod linodes;

use super::{ClassLimit, Figures, FiguresSettings, Measured};
use crate::event::{CallEnding, ClaimRef, Condition, Event, Returned, Seen, What};
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::{
    ApiError, Call, CallError, Cause, ClusterId, InstanceId, LkePoolId, Operation, PageRequest, PlanPrice, PoolNodeId,
    Purpose, Request, Tags, Tier,
};
use lkesim_runtime::Time;
use std::rc::Rc;
use std::time::Duration;

const CLUSTER: ClusterId = ClusterId(1);
const PRICE: PlanPrice = PlanPrice { hourly_micro_usd: 36_000, monthly_micro_usd: 24_000_000 };
const DURATION: Duration = Duration::from_secs(20 * 60);
const CALM: Duration = Duration::from_secs(40 * 60);

/// A stream of events under construction.
struct Story {
    figures: Figures,
    now: Time,
    calls: u64,
    runs: u64,
}

impl Story {
    fn new() -> Story {
        Story::with_budgets(&[], Tier::Standard)
    }

    fn with_budgets(budgets: &'static [Budget], tier: Tier) -> Story {
        let limit = |count, secs| ClassLimit { count: Some(count), window: Duration::from_secs(secs) };
        let settings = FiguresSettings {
            budgets,
            tier,
            limit_per_call: false,
            limits: [limit(200, 60), limit(1_600, 60), limit(20, 15)],
            price: Box::new(|_| PRICE),
            duration: DURATION,
            calm: CALM,
            client: "karpenter".into(),
            has_pods: true,
        };
        Story { figures: Figures::new(settings), now: Time::ZERO, calls: 0, runs: 0 }
    }

    fn at(&mut self, secs: u64) -> &mut Story {
        self.now = Time::from_secs(secs);
        self
    }

    fn happens(&mut self, what: What) -> &mut Story {
        self.figures.apply(&Event { at: self.now, what });
        self
    }

    fn finish(self, secs: u64) -> Measured {
        self.figures.finish(Time::from_secs(secs))
    }

    /// A request leaves; gives its number.
    fn called(&mut self, purpose: &Purpose, attempt: u32, request: Request) -> u64 {
        self.calls += 1;
        let call = self.calls;
        let sent = Rc::new(Call { purpose: purpose.clone(), attempt, request });
        self.happens(What::Called { call, sent });
        call
    }

    fn answered(&mut self, call: u64, seen: Seen) -> &mut Story {
        self.happens(What::Answered { call, arrival: None, ending: CallEnding::Ok { seen } })
    }

    fn failed(&mut self, call: u64, error: CallError, throttled: bool, fault: Option<&str>) -> &mut Story {
        let fault = fault.map(Into::into);
        self.happens(What::Answered { call, arrival: None, ending: CallEnding::Failed { error, throttled, fault } })
    }

    /// A request leaves and is answered.
    fn asked(&mut self, purpose: &Purpose, request: Request, seen: Seen) -> &mut Story {
        let call = self.called(purpose, 0, request);
        self.answered(call, seen)
    }

    /// An operation begins; gives the purpose of its first attempt.
    fn started(&mut self, operation: Operation, of: Option<&ClaimRef>) -> Purpose {
        self.runs += 1;
        let what = What::OperationStarted {
            run: self.runs,
            cluster: ClusterId(1),
            process: 1,
            operation,
            caller: "nodeclaim.lifecycle",
            claim: of.cloned(),
            instance: None,
        };
        self.happens(what);
        Purpose {
            caller: "nodeclaim.lifecycle",
            operation,
            invocation: self.runs,
            attempt: 1,
            subject: "subject".into(),
            cause: Cause::Claim,
            joined: Default::default(),
        }
    }

    fn returned(&mut self, purpose: &Purpose, result: Returned) -> &mut Story {
        self.happens(What::OperationReturned { run: purpose.invocation, result })
    }

    fn claim_created(&mut self, uid: u64) -> ClaimRef {
        let what = What::ClaimCreated {
            claim: claim(uid),
            cluster: CLUSTER,
            node_pool: "general".into(),
            plans: Rc::from(["g6-standard-4".into()]),
        };
        self.happens(what);
        claim(uid)
    }

    fn condition(&mut self, claim: &ClaimRef, condition: Condition) -> &mut Story {
        let reason = Rc::from("because");
        self.happens(What::ClaimCondition { claim: claim.clone(), condition, status: Some(true), reason })
    }

    fn launched(&mut self, claim: &ClaimRef, instance: u64) -> &mut Story {
        let after = Some(InstanceId(instance));
        self.happens(What::ClaimProviderId { claim: claim.clone(), before: None, after })
    }

    fn deleting(&mut self, claim: &ClaimRef, by: &'static str) -> &mut Story {
        self.happens(What::ClaimDeleting { claim: claim.clone(), by })
    }

    fn lke_pool(&mut self, id: u64, node_pool: Option<&str>) -> &mut Story {
        self.happens(What::PoolCreated {
            lke_pool: LkePoolId(id),
            cluster: CLUSTER,
            plan: "g6-standard-4".into(),
            count: 1,
            node_pool: node_pool.map(Into::into),
            tags: Tags::default(),
            call: None,
        })
    }

    fn linode(&mut self, id: u64, lke_pool: u64, call: Option<u64>) -> &mut Story {
        let lke_pool = LkePoolId(lke_pool);
        self.happens(What::InstanceCreated {
            instance: InstanceId(id),
            label: "lke1-1-1".into(),
            lke_pool: Some(lke_pool),
            node: Some(PoolNodeId { lke_pool, suffix: 1 }),
            cluster: Some(CLUSTER),
            plan: "g6-standard-4".into(),
            tags: Tags::default(),
            call,
        })
    }

    /// A Linode without a LKE pool.
    fn direct_linode(&mut self, id: u64, tags: &[&str], call: Option<u64>) -> &mut Story {
        self.happens(What::InstanceCreated {
            instance: InstanceId(id),
            label: "general-1".into(),
            lke_pool: None,
            node: None,
            cluster: Some(CLUSTER),
            plan: "g6-standard-4".into(),
            tags: tags.iter().copied().collect(),
            call,
        })
    }

    fn linode_deleted(&mut self, id: u64, call: Option<u64>) -> &mut Story {
        self.happens(What::InstanceDeleted { instance: InstanceId(id), lke_pool: Some(LkePoolId(1)), call })
    }

    fn held(&mut self, id: u64, held: bool) -> &mut Story {
        self.figures.holding_changed(self.now, InstanceId(id), held);
        self
    }
}

fn claim(uid: u64) -> ClaimRef {
    ClaimRef { uid, name: format!("burst-{uid:02}").into() }
}

fn list_pools() -> Request {
    Request::ListPools { cluster: CLUSTER, filter: None, page: PageRequest::FIRST }
}

fn list_instances(page: u32) -> Request {
    Request::ListInstances { filter: None, page: PageRequest { page, size: 100 } }
}

fn get_pool(id: u64) -> Request {
    Request::GetPool { cluster: CLUSTER, lke_pool: LkePoolId(id) }
}

fn get_instance(id: u64) -> Request {
    Request::GetInstance { instance: InstanceId(id) }
}

fn write_tags(id: u64) -> Request {
    Request::UpdateInstance { instance: InstanceId(id), tags: Tags::default() }
}

/// What a page of one list shows.
fn page_of(pages: u32, entries: u32) -> Seen {
    Seen { pages, entries, ..Seen::default() }
}

/// What a pool's reply shows: how many slots have a Linode, of how many.
fn slots(entries: u32, count: u32) -> Seen {
    Seen { entries, counts: Some(Rc::from([(LkePoolId(1), count)])), ..Seen::default() }
}

fn too_many() -> CallError {
    CallError::Api(ApiError::new(429, "Too many requests"))
}
