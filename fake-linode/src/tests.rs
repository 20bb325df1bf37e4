//! The cloud as a whole, asked as a client asks.

mod accounts;
mod capacity;
mod faults;
mod instances;
mod lags;
mod lke_care;
mod lke_pools;
mod odd_answers;
mod random;
mod rarer;
mod refusals;
mod saved;
mod start;
mod wished;

use crate::settings::Settings;
use crate::{Change, ChangeKind, Cloud, Handled, NotModelled, TokenId};
use lkesim_linode_api::{
    Answer, ApiError, Call, CallError, Cause, ClusterId, Filter, Instance, InstanceId, LkePool, LkePoolCreate,
    LkePoolId, LkePoolUpdate, Operation, PageRequest, Purpose, Reply, Request, Tags, Tier,
};
use lkesim_runtime::{Seed, Time};
use std::sync::Arc;

const CLUSTER: ClusterId = ClusterId(1);

/// A cloud, and the time at which it is asked.
struct Client {
    cloud: Cloud,
    now: Time,
    changes: Vec<Change>,
    calls: u64,
}

fn quiet(tier: Tier) -> Client {
    client(Settings::quiet(tier))
}

fn client(settings: Settings) -> Client {
    Client { cloud: Cloud::new(settings, Seed(1)), now: Time::ZERO, changes: Vec::new(), calls: 0 }
}

fn call(request: Request) -> Call {
    let purpose = Purpose {
        caller: "test",
        operation: Operation::Create,
        invocation: 1,
        attempt: 1,
        subject: "claim-1".into(),
        cause: Cause::Claim,
        joined: Default::default(),
    };
    Call { purpose, attempt: 0, request }
}

fn tags<const N: usize>(tags: [&str; N]) -> Tags {
    tags.into_iter().collect()
}

fn pool_of(count: u32) -> LkePoolCreate {
    LkePoolCreate {
        plan: "g6-standard-4".into(),
        count,
        tags: tags(["karpenter.sh/nodepool=default", "managed=true"]),
        labels: Vec::new(),
        taints: Vec::new(),
        firewall: None,
        k8s_version: None,
        more: None,
    }
}

impl Client {
    fn at(&mut self, secs: u64) -> &mut Client {
        self.now = Time::from_secs(secs);
        self
    }

    fn handle(&mut self, request: Request) -> Result<Handled, NotModelled> {
        self.calls += 1;
        let handled = self.cloud.handle(self.now, TokenId(0), self.calls, &call(request));
        self.cloud.take_changes(&mut self.changes);
        handled
    }

    #[track_caller]
    fn answer(&mut self, request: Request) -> Answer {
        self.handle(request).expect("it is modelled").answer
    }

    #[track_caller]
    fn accepted(&mut self, request: Request) -> Reply {
        self.answer(request).result.expect("the call is accepted")
    }

    #[track_caller]
    fn refused(&mut self, request: Request) -> ApiError {
        match self.answer(request).result {
            Err(CallError::Api(error)) => error,
            other => panic!("the call is not refused: {other:?}"),
        }
    }

    fn list(&mut self, filter: Option<Filter>) -> Vec<InstanceId> {
        self.list_objects(filter).iter().map(|instance| instance.id).collect()
    }

    #[track_caller]
    fn list_objects(&mut self, filter: Option<Filter>) -> Vec<Arc<Instance>> {
        let page = PageRequest { page: 1, size: 500 };
        match self.accepted(Request::ListInstances { filter, page }) {
            Reply::Instances(page) => page.data.to_vec(),
            other => panic!("not a list of Linodes: {other:?}"),
        }
    }

    fn get(&mut self, instance: InstanceId) -> Option<Arc<Instance>> {
        match self.answer(Request::GetInstance { instance }).result {
            Ok(Reply::Instance(instance)) => Some(instance),
            _ => None,
        }
    }

    fn put(&mut self, instance: InstanceId, tags: Tags) -> Answer {
        self.answer(Request::UpdateInstance { instance, tags })
    }

    #[track_caller]
    fn create_pool(&mut self, body: LkePoolCreate) -> Arc<LkePool> {
        match self.accepted(Request::CreatePool { cluster: CLUSTER, body }) {
            Reply::Pool(pool) => pool,
            other => panic!("not a pool: {other:?}"),
        }
    }

    fn set_count(&mut self, lke_pool: LkePoolId, count: u32) -> Answer {
        let body = LkePoolUpdate { count: Some(count), ..LkePoolUpdate::default() };
        self.answer(Request::UpdatePool { cluster: CLUSTER, lke_pool, body })
    }

    fn pool(&mut self, lke_pool: LkePoolId) -> Option<Arc<LkePool>> {
        match self.answer(Request::GetPool { cluster: CLUSTER, lke_pool }).result {
            Ok(Reply::Pool(pool)) => Some(pool),
            _ => None,
        }
    }

    #[track_caller]
    fn pools(&mut self) -> Vec<Arc<LkePool>> {
        let request = Request::ListPools { cluster: CLUSTER, filter: None, page: PageRequest::FIRST };
        match self.accepted(request) {
            Reply::Pools(page) => page.data.to_vec(),
            other => panic!("not a list of pools: {other:?}"),
        }
    }

    fn members(&self, lke_pool: LkePoolId) -> Vec<InstanceId> {
        self.cloud.members(lke_pool).collect()
    }

    /// The changes that `pick` takes.
    fn happened<T>(&self, pick: impl Fn(&ChangeKind) -> Option<T>) -> Vec<T> {
        self.changes.iter().filter_map(|change| pick(&change.kind)).collect()
    }
}
