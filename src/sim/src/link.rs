//! The simulated network between a client and the cloud.
//!
//! A request is a task of its own: it travels half of the latency, is judged by the cloud, and its answer travels the
//! other half. It goes on when its sender has died or stopped waiting, as a real one does.

use crate::plan::latency_of;
use crate::process::{Crew, Running};
use crate::world::World;
use crate::{bridge, carrier};
use fake_linode::{Handled, TokenId};
use lkesim_judge::event::{Arrival, CallEnding, Seen, What};
use lkesim_linode_api::{Answer, Answerer, Answering, Call, CallError, CallNumber, Reply, Watch, Wire, answering};
use lkesim_runtime::{Entity, Key, Seed, Tally, TaskName, Time};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// The network as the clients of one cluster, or another client, reach it with their token.
pub(crate) struct SimLink {
    world: Rc<World>,
    token: TokenId,
    latency: Key,
    /// How many calls of each entity there were: the n-th call is equally slow under every design.
    asked: RefCell<Tally>,
}

impl SimLink {
    /// `seed` is what the latency of its calls depends on.
    pub fn new(world: Rc<World>, token: TokenId, seed: Seed) -> SimLink {
        SimLink { latency: seed.key("api.latency"), world, token, asked: RefCell::default() }
    }

    fn draw_latency(&self, call: &Call) -> Duration {
        let endpoint = call.request.endpoint();
        let purpose = &call.purpose;
        let entity = Entity::named(&purpose.subject).and(purpose.operation as u64).and(endpoint as u64);
        let n = self.asked.borrow_mut().next(entity);
        latency_of(endpoint, &self.world.plan.resolved.latency).draw(self.latency.draw(entity, n))
    }
}

/// The network as one process reaches it.
pub(crate) struct ProcessLink {
    crew: Rc<Crew>,
    running: Rc<Running>,
    link: Rc<SimLink>,
}

impl ProcessLink {
    pub fn new(crew: Rc<Crew>, running: Rc<Running>, link: Rc<SimLink>) -> ProcessLink {
        ProcessLink { crew, running, link }
    }
}

impl Wire for ProcessLink {
    fn send(&self, call: Rc<Call>) -> Answering {
        self.link.send(call, Some((self.crew.clone(), self.running.clone())))
    }
}

/// The process of Karpenter that sends a call, which may die of it.
type Sender = (Rc<Crew>, Rc<Running>);

impl SimLink {
    /// Sends a call of a process of Karpenter, or of another client.
    pub fn send(self: &Rc<SimLink>, call: Rc<Call>, from: Option<Sender>) -> Answering {
        let latency = self.draw_latency(&call);
        let number = self.world.next_call();
        let (answerer, answering) = answering(number, Some(self.clone()));
        self.world.record(What::Called { call: number, sent: call.clone() });
        let travel = travel(self.clone(), from, call, number, latency, answerer);
        self.world.runtime.spawn(TaskName::from("api"), travel);
        answering
    }
}

/// There, judgement, and back.
async fn travel(
    link: Rc<SimLink>,
    from: Option<Sender>,
    call: Rc<Call>,
    number: u64,
    latency: Duration,
    answerer: Answerer,
) {
    let (world, token) = (&link.world, link.token);
    let there = latency / 2;
    world.runtime.sleep(there).await;
    let handled = match world.carrier.get() {
        None => world.cloud.borrow_mut().handle(world.runtime.now(), token, number, &call),
        Some(carrier) => Ok(carrier::handled(carrier.carry(token, number, &call.request).await)),
    };
    let Handled { answer, extra_delay, lost, truncated, fault } = match handled {
        Ok(handled) => handled,
        Err(what) => return world.abort(what),
    };
    bridge::tell_changes(world);
    let arrived = world.runtime.now();
    answerer.arrived(arrived, fault.clone());
    if answer.result.is_ok()
        && let Some((crew, running)) = from
    {
        crew.accepted(&running, call.request.endpoint());
    }
    // A lost answer is known as such only when its caller gives up.
    if lost {
        return;
    }
    world.runtime.sleep(latency - there + extra_delay).await;
    if answerer.is_abandoned() {
        return;
    }
    let arrival = Some(Arrival { at: arrived, token: token.0.into() });
    world.record(What::Answered { call: number, arrival, ending: ending(&answer, truncated, fault) });
    answerer.put(answer);
}

/// A caller that lets go has its error in that moment, before its operation returns because of it.
impl Watch for SimLink {
    fn abandoned(&self, call: CallNumber, arrived: Option<Time>, fault: Option<Arc<str>>) {
        let (error, throttled) = (CallError::Timeout, false);
        let ending = CallEnding::Failed { error, throttled, fault };
        let arrival = arrived.map(|at| Arrival { at, token: self.token.0.into() });
        self.world.record(What::Answered { call, arrival, ending });
    }
}

pub(crate) fn ending(answer: &Answer, truncated: bool, fault: Option<Arc<str>>) -> CallEnding {
    match &answer.result {
        Ok(reply) => CallEnding::Ok { seen: Seen { truncated, fault, ..seen(reply) } },
        Err(error) => {
            let throttled = error.status() == Some(429) && fault.is_none();
            CallEnding::Failed { error: error.clone(), throttled, fault }
        }
    }
}

fn seen(reply: &Reply) -> Seen {
    let list = |pages, entries: usize| Seen { pages, entries: entries as u32, ..Seen::default() };
    match reply {
        // No simulated client makes a rarer call.
        Reply::Empty
        | Reply::Cluster(_)
        | Reply::Instance(_)
        | Reply::Type(_)
        | Reply::Availability(_)
        | Reply::Rarer(_) => Seen::default(),
        Reply::Clusters(page) => list(page.pages, page.data.len()),
        Reply::Types(page) => list(page.pages, page.data.len()),
        Reply::Availabilities(page) => list(page.pages, page.data.len()),
        Reply::Instances(page) => list(page.pages, page.data.len()),
        Reply::Pools(page) => {
            let counts = page.data.iter().map(|lke_pool| (lke_pool.id, lke_pool.count)).collect();
            Seen { counts: Some(counts), ..list(page.pages, page.data.len()) }
        }
        Reply::Pool(lke_pool) => {
            let entries = lke_pool.nodes.iter().filter(|node| node.instance.is_some()).count() as u32;
            Seen { entries, counts: Some(Rc::new([(lke_pool.id, lke_pool.count)])), ..Seen::default() }
        }
    }
}
