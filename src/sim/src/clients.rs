//! Other clients of the account: they read at a steady rate, through the same network and limiter as Karpenter.
//!
//! A client's n-th call leaves within its n-th share of time, where exactly is its own luck: so a design meets the same
//! calls as another. A call that is refused is not asked again, so that the rate stays the one that the scenario says.

use crate::link::SimLink;
use crate::world::World;
use lkesim_linode_api::{Call, Cause, Endpoint, InstanceId, LkePoolId, Operation, PageRequest, Purpose, Request};
use lkesim_runtime::{Entity, TaskName, Time};
use lkesim_scenario::Client;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The caller of all their calls.
const CALLER: &str = "client";

/// Starts a task for each client.
pub(crate) fn start(world: &Rc<World>) {
    for client in &world.plan.scenario.clients {
        let name = TaskName::on(CALLER, client.name.as_str().into());
        let link = Rc::new(SimLink::new(world.clone(), world.plan.token(&client.token), world.clusters[0].seed));
        world.runtime.spawn(name, ask(world.clone(), client.clone(), link));
    }
}

/// Sends the client's calls, each at its time. It waits for no answer before it sends the next.
async fn ask(world: Rc<World>, client: Client, link: Rc<SimLink>) {
    let (luck, entity) = (world.clusters[0].seed.key("client.rate"), Entity::named(&client.name));
    let share = client.rate.window.get() / client.rate.calls;
    let until = client.until.map_or(world.plan.calm_from(), |until| Time::ZERO + until.get());
    let subject: Arc<str> = client.name.as_str().into();
    let mut begins = Time::ZERO + client.from.get();
    for (n, endpoint) in (0..).zip(client.endpoints().iter().cycle()) {
        let within = luck.draw(entity, n).below(u64::try_from(share.as_nanos()).unwrap_or(u64::MAX));
        let at = begins + Duration::from_nanos(within);
        if at >= until {
            return;
        }
        world.runtime.sleep_until(at).await;
        let purpose = Purpose {
            caller: CALLER,
            operation: Operation::Foreign,
            invocation: 0,
            attempt: 0,
            subject: subject.clone(),
            cause: Cause::Foreign,
            joined: Default::default(),
        };
        let answering = link.send(Rc::new(Call { purpose, attempt: 0, request: world.read(*endpoint) }), None);
        let (runtime, patience) = (world.runtime.clone(), world.plan.request_timeout);
        let waits = async move { drop(runtime.timeout(patience, answering).await) };
        world.runtime.spawn(TaskName::from("client.waits").of_run(), waits);
        begins += share;
    }
}

impl World {
    /// A read of this endpoint: of the first cluster, its first LKE pool, the first Linode or a plan; of a list the
    /// first page.
    fn read(&self, endpoint: Endpoint) -> Request {
        let (cluster, page) = (self.clusters[0].id, PageRequest::FIRST);
        let cloud = self.cloud.borrow();
        match endpoint {
            Endpoint::ListClusters => Request::ListClusters { filter: None, page },
            Endpoint::GetCluster => Request::GetCluster { cluster },
            Endpoint::ListPools => Request::ListPools { cluster, filter: None, page },
            Endpoint::GetPool => {
                let lke_pool = cloud.lke_pools().find(|truth| truth.cluster == cluster && truth.is_live());
                Request::GetPool { cluster, lke_pool: lke_pool.map_or(LkePoolId(0), |truth| truth.id) }
            }
            Endpoint::ListInstances => Request::ListInstances { filter: None, page },
            Endpoint::GetInstance => {
                let instance = cloud.live_instances().next();
                Request::GetInstance { instance: instance.map_or(InstanceId(0), |truth| truth.id) }
            }
            Endpoint::ListTypes => Request::ListTypes { page },
            Endpoint::GetType => Request::GetType { plan: (&*self.plan.scenario.cloud.base_pool.plan).into() },
            Endpoint::ListRegionAvailability => Request::ListRegionAvailability { filter: None, page },
            Endpoint::RegionAvailability => Request::RegionAvailability { region: self.plan.cloud.region.clone() },
            _ => unreachable!("a checked scenario's clients only read what a design reads"),
        }
    }
}
