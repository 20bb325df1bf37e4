//! The client: sends a call, waits for its answer, asks again by the SDK's rules, and walks pages.

mod zero;

use crate::answering::Answering;
use crate::error::CallError;
use crate::filter::Filter;
use crate::object::{
    ClusterId, Instance, InstanceId, LkeCluster, LkePool, LkePoolId, PlanType, PoolNodeId, RegionAvailability, Tags,
};
use crate::purpose::Purpose;
use crate::request::{Call, InstanceCreate, LkePoolCreate, LkePoolUpdate, Page, PageRequest, Reply, Request};
use crate::retry::{RetryPolicy, Sdk, Verdict};
use lkesim_runtime::{Entity, Key, Runtime};
use std::rc::Rc;
use std::sync::Arc;

/// What carries a call to the API and its answer back: the simulated network, or HTTP.
pub trait Wire {
    /// Sends one HTTP request. Dropping the answer abandons the answer, not the request. The call is shared: who
    /// carries it, and who is told of it, need no copy.
    fn send(&self, call: Rc<Call>) -> Answering;
}

/// The client that one process holds. Clones share the connection.
#[derive(Clone)]
pub struct ApiClient {
    runtime: Runtime,
    wire: Rc<dyn Wire>,
    retry: RetryPolicy,
    luck: Key,
}

impl ApiClient {
    /// A client over `wire`. `luck` decides random waits, where the SDK has such.
    pub fn new(runtime: Runtime, wire: Rc<dyn Wire>, retry: RetryPolicy, luck: Key) -> ApiClient {
        ApiClient { runtime, wire, retry, luck }
    }

    /// The same connection without the SDK's habits: each request is sent once, and an error without reasons is an error.
    /// Who writes must know what became of each request before it sends another.
    pub fn plain(&self) -> ApiClient {
        ApiClient { retry: RetryPolicy { tries: 0, ..self.retry }, ..self.clone() }
    }

    /// The release line of the SDK.
    pub const fn sdk(&self) -> Sdk {
        self.retry.sdk
    }

    /// `GET /lke/clusters`, all pages.
    pub async fn list_clusters(
        &self,
        purpose: &Purpose,
        filter: Option<Filter>,
    ) -> Result<Arc<[Arc<LkeCluster>]>, CallError> {
        self.all_pages(purpose, |page| Request::ListClusters { filter: filter.clone(), page }, clusters).await
    }

    /// `GET /lke/clusters/{cluster}`
    pub async fn get_cluster(&self, purpose: &Purpose, cluster: ClusterId) -> Result<Arc<LkeCluster>, CallError> {
        self.call(purpose, Request::GetCluster { cluster }).await.map(self::cluster)
    }

    /// `GET /lke/clusters/{cluster}/pools`, all pages.
    pub async fn list_pools(&self, purpose: &Purpose, cluster: ClusterId) -> Result<Arc<[Arc<LkePool>]>, CallError> {
        self.all_pages(purpose, |page| Request::ListPools { cluster, filter: None, page }, pools).await
    }

    /// `POST /lke/clusters/{cluster}/pools`
    pub async fn create_pool(
        &self,
        purpose: &Purpose,
        cluster: ClusterId,
        body: LkePoolCreate,
    ) -> Result<Arc<LkePool>, CallError> {
        self.call(purpose, Request::CreatePool { cluster, body }).await.map(pool)
    }

    /// `GET /lke/clusters/{cluster}/pools/{lke_pool}`
    pub async fn get_pool(
        &self,
        purpose: &Purpose,
        cluster: ClusterId,
        lke_pool: LkePoolId,
    ) -> Result<Arc<LkePool>, CallError> {
        self.call(purpose, Request::GetPool { cluster, lke_pool }).await.map(pool)
    }

    /// `PUT /lke/clusters/{cluster}/pools/{lke_pool}`
    pub async fn update_pool(
        &self,
        purpose: &Purpose,
        cluster: ClusterId,
        lke_pool: LkePoolId,
        body: LkePoolUpdate,
    ) -> Result<Arc<LkePool>, CallError> {
        self.call(purpose, Request::UpdatePool { cluster, lke_pool, body }).await.map(pool)
    }

    /// `DELETE /lke/clusters/{cluster}/pools/{lke_pool}`
    pub async fn delete_pool(
        &self,
        purpose: &Purpose,
        cluster: ClusterId,
        lke_pool: LkePoolId,
    ) -> Result<(), CallError> {
        self.call(purpose, Request::DeletePool { cluster, lke_pool }).await.map(|_| ())
    }

    /// `DELETE /lke/clusters/{cluster}/nodes/{node}`
    pub async fn delete_node(&self, purpose: &Purpose, cluster: ClusterId, node: PoolNodeId) -> Result<(), CallError> {
        self.call(purpose, Request::DeleteNode { cluster, node }).await.map(|_| ())
    }

    /// `GET /linode/instances`, all pages.
    pub async fn list_instances(&self, purpose: &Purpose, filter: Filter) -> Result<Arc<[Arc<Instance>]>, CallError> {
        self.all_pages(purpose, |page| Request::ListInstances { filter: Some(filter.clone()), page }, instances).await
    }

    /// `GET /linode/instances`, all pages of 500, the longest that the API gives.
    pub async fn list_instances_in_long_pages(
        &self,
        purpose: &Purpose,
        filter: Filter,
    ) -> Result<Arc<[Arc<Instance>]>, CallError> {
        let sized = |page: PageRequest| Request::ListInstances {
            filter: Some(filter.clone()),
            page: PageRequest { size: 500, ..page },
        };
        self.all_pages(purpose, sized, instances).await
    }

    /// `GET /linode/instances`, the first page alone: one request.
    pub async fn list_first_instances(
        &self,
        purpose: &Purpose,
        filter: Filter,
    ) -> Result<Arc<[Arc<Instance>]>, CallError> {
        let request = Request::ListInstances { filter: Some(filter), page: PageRequest::FIRST };
        self.call(purpose, request).await.map(|reply| instances(reply).data)
    }

    /// `GET /linode/instances/{instance}`
    pub async fn get_instance(&self, purpose: &Purpose, instance: InstanceId) -> Result<Arc<Instance>, CallError> {
        self.call(purpose, Request::GetInstance { instance }).await.map(one_instance)
    }

    /// `PUT /linode/instances/{instance}`: replaces its whole list of tags.
    pub async fn update_instance(
        &self,
        purpose: &Purpose,
        instance: InstanceId,
        tags: Tags,
    ) -> Result<Arc<Instance>, CallError> {
        self.call(purpose, Request::UpdateInstance { instance, tags }).await.map(one_instance)
    }

    /// `POST /linode/instances`
    pub async fn create_instance(&self, purpose: &Purpose, body: InstanceCreate) -> Result<Arc<Instance>, CallError> {
        self.call(purpose, Request::CreateInstance { body }).await.map(one_instance)
    }

    /// `DELETE /linode/instances/{instance}`
    pub async fn delete_instance(&self, purpose: &Purpose, instance: InstanceId) -> Result<(), CallError> {
        self.call(purpose, Request::DeleteInstance { instance }).await.map(|_| ())
    }

    /// `POST /tags`
    pub async fn create_tag(
        &self,
        purpose: &Purpose,
        label: Arc<str>,
        linodes: Vec<InstanceId>,
    ) -> Result<(), CallError> {
        self.call(purpose, Request::CreateTag { label, linodes }).await.map(|_| ())
    }

    /// `GET /linode/types`, all pages of 500.
    pub async fn list_types(&self, purpose: &Purpose) -> Result<Arc<[Arc<PlanType>]>, CallError> {
        let sized = |page: PageRequest| Request::ListTypes { page: PageRequest { size: 500, ..page } };
        self.all_pages(purpose, sized, types).await
    }

    /// `GET /linode/types/{plan}`
    pub async fn get_type(&self, purpose: &Purpose, plan: Arc<str>) -> Result<Arc<PlanType>, CallError> {
        self.call(purpose, Request::GetType { plan }).await.map(one_type)
    }

    /// `GET /regions/availability`, all pages of 500.
    pub async fn list_region_availability(
        &self,
        purpose: &Purpose,
        filter: Filter,
    ) -> Result<Arc<[RegionAvailability]>, CallError> {
        let sized = |page: PageRequest| Request::ListRegionAvailability {
            filter: Some(filter.clone()),
            page: PageRequest { size: 500, ..page },
        };
        self.all_pages(purpose, sized, availabilities).await
    }

    /// `GET /regions/{region}/availability`
    pub async fn region_availability(
        &self,
        purpose: &Purpose,
        region: Arc<str>,
    ) -> Result<Arc<[RegionAvailability]>, CallError> {
        self.call(purpose, Request::RegionAvailability { region }).await.map(availability)
    }

    /// `GET /lke/clusters/{cluster}/pools/{lke_pool}/members`, a wish of the design document.
    pub async fn list_members(
        &self,
        purpose: &Purpose,
        cluster: ClusterId,
        lke_pool: LkePoolId,
    ) -> Result<Arc<[Arc<Instance>]>, CallError> {
        self.call(purpose, Request::ListMembers { cluster, lke_pool }).await.map(|reply| instances(reply).data)
    }

    /// `POST /lke/clusters/{cluster}/pools/{lke_pool}/claim`, a wish of the design document.
    pub async fn claim_node(
        &self,
        purpose: &Purpose,
        cluster: ClusterId,
        lke_pool: LkePoolId,
        tag: Arc<str>,
    ) -> Result<Arc<Instance>, CallError> {
        self.call(purpose, Request::ClaimNode { cluster, lke_pool, tag }).await.map(one_instance)
    }

    /// Walks a list: page 1, then on to as many pages as the page before told of. Each page is a request of its own,
    /// with its own retries. A list of one page is the page's own, shared.
    async fn all_pages<T: Clone>(
        &self,
        purpose: &Purpose,
        request: impl Fn(PageRequest) -> Request,
        open: fn(Reply) -> Page<T>,
    ) -> Result<Arc<[T]>, CallError> {
        let first = open(self.call(purpose, request(PageRequest::FIRST)).await?);
        if first.pages <= 1 {
            return Ok(first.data);
        }
        let (mut all, mut pages, mut number) = (first.data.to_vec(), first.pages, 2);
        while number <= pages {
            let next = open(self.call(purpose, request(PageRequest { page: number, ..PageRequest::FIRST })).await?);
            all.extend_from_slice(&next.data);
            pages = next.pages;
            number += 1;
        }
        Ok(all.into())
    }

    /// Sends a request until it is answered with something that the SDK does not ask again.
    async fn call(&self, purpose: &Purpose, request: Request) -> Result<Reply, CallError> {
        let mut call = Rc::new(Call { purpose: purpose.clone(), attempt: 0, request });
        loop {
            let answer = self.runtime.timeout(self.retry.request_timeout, self.wire.send(call.clone())).await;
            let error = match answer.map(|answer| answer.result) {
                Ok(Ok(reply)) => return Ok(reply),
                Ok(Err(error)) => error,
                Err(_) => CallError::Timeout,
            };
            match self.after(&call, error).await {
                None => Rc::make_mut(&mut call).attempt += 1,
                Some(result) => return result,
            }
        }
    }

    /// What an error comes to; none where the request is to be sent again.
    async fn after(&self, call: &Call, error: CallError) -> Option<Result<Reply, CallError>> {
        let Call { purpose, attempt, request } = call;
        if self.retry.tries == 0 {
            return Some(Err(error));
        }
        let asker = Entity::named(&purpose.subject).and(purpose.operation as u64).and(request.endpoint() as u64);
        let luck = self.luck.draw(asker.and(purpose.attempt.into()), (*attempt).into());
        let is_last = attempt + 1 >= self.retry.tries;
        let given_up = is_last.then(|| error.clone());
        match self.retry.judge(error, *attempt, luck) {
            Verdict::Nothing => Some(Ok(zero::reply(request))),
            Verdict::Fail(error) => Some(Err(error)),
            Verdict::Again(wait) => {
                self.runtime.sleep(wait).await;
                given_up.map(Err)
            }
        }
    }
}

/// A reply of another kind than the request's is a bug of the wire, which the type can't rule out.
fn mismatch(reply: &Reply) -> ! {
    panic!("the wire answered with another kind of reply than was asked for: {reply:?}")
}

macro_rules! opener {
    ($name:ident, $variant:ident, $type:ty) => {
        fn $name(reply: Reply) -> $type {
            match reply {
                Reply::$variant(inside) => inside,
                other => mismatch(&other),
            }
        }
    };
}

opener!(cluster, Cluster, Arc<LkeCluster>);
opener!(clusters, Clusters, Page<Arc<LkeCluster>>);
opener!(pools, Pools, Page<Arc<LkePool>>);
opener!(pool, Pool, Arc<LkePool>);
opener!(instances, Instances, Page<Arc<Instance>>);
opener!(one_instance, Instance, Arc<Instance>);
opener!(types, Types, Page<Arc<PlanType>>);
opener!(one_type, Type, Arc<PlanType>);
opener!(availabilities, Availabilities, Page<RegionAvailability>);
opener!(availability, Availability, Arc<[RegionAvailability]>);

#[cfg(test)]
mod tests;
