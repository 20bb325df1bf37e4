//! The vocabulary of the invariants' tests: a stream of events, told in short sentences.
//!
//! It keeps just enough (a pool's plan, a Linode's tags) to fill in what each event says of before and after.

use crate::event::{CallEnding, ClaimRef, Condition, Event, PodChange, PodKind, PodRef, Returned, Seen, What};
use crate::truth::{ClusterFacts, DesignFacts};
use lkesim_linode_api::{
    ApiError, Call, CallError, CallNumber, Cause, ClusterId, InstanceId, LkePoolCreate, LkePoolId, LkePoolUpdate,
    Operation, PageRequest, PoolNodeId, Purpose, Request, Sdk, Tags, Tier,
};
use lkesim_runtime::Time;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// A design that cuts names to eight characters, so that two can share a tag.
pub static DESIGN: DesignFacts = DesignFacts {
    name: "tested",
    not_promised: &[],
    sdk: Sdk::Linodego2_3,
    wished: &[],
    claim_tag_prefix: "karpenter.sh/nodeclaim=",
    claim_tag: |name| format!("karpenter.sh/nodeclaim={}", &name[..name.len().min(8)]),
    owned_tags: |owned| vec![(DESIGN.claim_tag)(owned.claim_name), "managed=true".into()],
};

pub const OURS: ClusterId = ClusterId(1);
pub const THEIRS: ClusterId = ClusterId(2);

pub fn clusters() -> Vec<ClusterFacts> {
    let facts = |cluster| ClusterFacts { cluster, tier: Tier::Enterprise, design: &DESIGN };
    vec![facts(OURS), facts(THEIRS)]
}

#[derive(Default)]
pub struct Stream {
    pub events: Vec<Event>,
    at_ms: u64,
    calls: CallNumber,
    runs: u64,
    process: u32,
    pools: BTreeMap<u64, (ClusterId, Arc<str>, u32)>,
    tags: BTreeMap<u64, Tags>,
    pub lke_pools: BTreeMap<u64, u64>,
    names: BTreeMap<u64, ClaimRef>,
    stored: BTreeMap<u64, Option<InstanceId>>,
    operations: BTreeMap<u64, (Operation, &'static str)>,
}

impl Stream {
    pub fn push(&mut self, what: What) {
        self.at_ms += 1;
        self.events.push(Event { at: Time::from_millis(self.at_ms), what });
    }

    /// So much later.
    pub fn later(&mut self, ms: u64) {
        self.at_ms += ms;
    }

    /// A managed LKE pool of ours for NodePool `np` with plan `small`.
    pub fn pool(&mut self, id: u64, count: u32, call: Option<CallNumber>) {
        self.pool_of(id, OURS, Some("np"), "small", count, call);
    }

    pub fn pool_of(
        &mut self,
        id: u64,
        cluster: ClusterId,
        node_pool: Option<&str>,
        plan: &str,
        count: u32,
        call: Option<CallNumber>,
    ) {
        self.pools.insert(id, (cluster, plan.into(), count));
        let (plan, node_pool) = (plan.into(), node_pool.map(Arc::from));
        let lke_pool = LkePoolId(id);
        self.push(What::PoolCreated { lke_pool, cluster, plan, count, node_pool, tags: Tags::default(), call });
    }

    pub fn count(&mut self, id: u64, to: u32, call: Option<CallNumber>, by_count: bool) {
        let from = std::mem::replace(&mut self.pools.get_mut(&id).expect("a pool that was told").2, to);
        self.push(What::PoolCountChanged { lke_pool: LkePoolId(id), from, to, call, by_count });
    }

    pub fn pool_tags(&mut self, id: u64, tags: &[&str]) {
        let after = tags.iter().copied().collect();
        self.push(What::PoolTagged { lke_pool: LkePoolId(id), before: Tags::default(), after, call: None });
    }

    pub fn pool_gone(&mut self, id: u64) {
        self.push(What::PoolDeleted { lke_pool: LkePoolId(id), call: None });
    }

    pub fn linode(&mut self, id: u64, lke_pool: u64) {
        let (cluster, plan, _) = self.pools[&lke_pool].clone();
        self.tags.insert(id, Tags::default());
        self.lke_pools.insert(id, lke_pool);
        let lke_pool = Some(LkePoolId(lke_pool));
        let node = lke_pool.map(|lke_pool| PoolNodeId { lke_pool, suffix: 0 });
        let (instance, label, cluster, tags) = (InstanceId(id), "node".into(), Some(cluster), Tags::default());
        self.push(What::InstanceCreated { instance, label, lke_pool, node, cluster, plan, tags, call: None });
    }

    /// A Linode without a LKE pool, of plan `small`, with these tags.
    pub fn direct_linode(&mut self, id: u64, cluster: Option<ClusterId>, tags: &[&str]) {
        let tags: Tags = tags.iter().copied().collect();
        self.tags.insert(id, tags.clone());
        let (instance, label, plan) = (InstanceId(id), "node".into(), "small".into());
        let (lke_pool, node, call) = (None, None, None);
        self.push(What::InstanceCreated { instance, label, lke_pool, node, cluster, plan, tags, call });
    }

    pub fn tags(&mut self, id: u64, tags: &[&str], call: Option<CallNumber>) {
        let after: Tags = tags.iter().copied().collect();
        let before = self.tags.insert(id, after.clone()).unwrap_or_default();
        self.push(What::InstanceTagged { instance: InstanceId(id), before, after, call });
    }

    /// Gives the Linode all tags by which `name` owns it.
    pub fn tag_for(&mut self, id: u64, name: &str) {
        self.tags(id, &[&(DESIGN.claim_tag)(name), "managed=true"], None);
    }

    pub fn linode_gone(&mut self, id: u64, call: Option<CallNumber>) {
        let lke_pool = self.lke_pools.get(&id).copied().map(LkePoolId);
        self.push(What::InstanceDeleted { instance: InstanceId(id), lke_pool, call });
    }

    /// A NodeClaim of ours for NodePool `np` that allows any plan. Its uid is its number.
    pub fn claim(&mut self, uid: u64, name: &str) {
        self.claim_of(uid, name, OURS, "np", &[]);
    }

    pub fn claim_of(&mut self, uid: u64, name: &str, cluster: ClusterId, node_pool: &str, plans: &[&str]) {
        let claim = ClaimRef { uid, name: name.into() };
        self.names.insert(uid, claim.clone());
        let plans: Vec<Rc<str>> = plans.iter().map(|plan| Rc::from(*plan)).collect();
        self.push(What::ClaimCreated { claim, cluster, node_pool: node_pool.into(), plans: plans.into() });
    }

    pub fn deleting(&mut self, uid: u64, by: &'static str) {
        self.push(What::ClaimDeleting { claim: self.names[&uid].clone(), by });
    }

    pub fn claim_gone(&mut self, uid: u64) {
        self.push(What::ClaimGone { claim: self.names[&uid].clone() });
    }

    pub fn store(&mut self, uid: u64, id: Option<u64>) {
        let after = id.map(InstanceId);
        let before = self.stored.insert(uid, after).flatten();
        self.push(What::ClaimProviderId { claim: self.names[&uid].clone(), before, after });
    }

    pub fn condition(&mut self, uid: u64, condition: Condition, status: Option<bool>) {
        let claim = self.names[&uid].clone();
        self.push(What::ClaimCondition { claim, condition, status, reason: "Told".into() });
    }

    /// A pod. Its uid is its number.
    pub fn pod(&mut self, uid: u64, kind: PodKind) {
        self.pod_changes(uid, PodChange::Created { kind });
    }

    pub fn pod_changes(&mut self, uid: u64, change: PodChange) {
        let pod = PodRef { uid, name: format!("pod-{uid}").into() };
        self.push(What::Pod { pod, change });
    }

    pub fn bound(&mut self, uid: u64, by: &'static str) {
        self.pod_changes(uid, PodChange::Bound { node: "node".into(), by });
    }

    pub fn unschedulable(&mut self, uid: u64) {
        self.pod_changes(uid, PodChange::Unschedulable { text: "0/1 nodes are available: 1 Insufficient cpu.".into() });
    }

    pub fn should_go(&mut self, uid: u64) {
        self.pod_changes(uid, PodChange::ShouldScheduleOn { on: "nodeclaim/np-1".into() });
    }

    pub fn has_no_room(&mut self, uid: u64) {
        self.pod_changes(uid, PodChange::FailedScheduling { text: "no instance type met the requirements".into() });
    }

    /// The limit of a NodePool, in cores.
    pub fn cores_allowed(&mut self, cluster: ClusterId, node_pool: &str, cores: u64) {
        let limits = Rc::new([("cpu".into(), cores * 1_000)]);
        self.push(What::NodePoolLimits { cluster, node_pool: node_pool.into(), limits });
    }

    /// The cores of a NodeClaim's machine.
    pub fn has_cores(&mut self, uid: u64, cores: u64) {
        let capacity = Rc::new([("cpu".into(), cores * 1_000)]);
        self.push(What::ClaimCapacity { claim: self.names[&uid].clone(), capacity });
    }

    pub fn process_dies(&mut self) {
        self.push(What::ProcessStopped { cluster: OURS, start: self.process });
        self.process += 1;
    }

    /// From here on, another process runs what begins. The one before lives on.
    pub fn another_process(&mut self) {
        self.process += 1;
    }

    /// Begins an operation and gives its number.
    pub fn begin(&mut self, operation: Operation, caller: &'static str, claim: Option<u64>, id: Option<u64>) -> u64 {
        self.begin_in(OURS, operation, caller, claim, id)
    }

    pub fn begin_in(
        &mut self,
        cluster: ClusterId,
        operation: Operation,
        caller: &'static str,
        claim: Option<u64>,
        id: Option<u64>,
    ) -> u64 {
        self.runs += 1;
        self.operations.insert(self.runs, (operation, caller));
        let claim = claim.map(|uid| self.names[&uid].clone());
        self.push(What::OperationStarted {
            run: self.runs,
            cluster,
            process: self.process,
            operation,
            caller,
            claim,
            instance: id.map(InstanceId),
        });
        self.runs
    }

    pub fn begin_create(&mut self, uid: u64) -> u64 {
        self.begin(Operation::Create, "nodeclaim.lifecycle", Some(uid), None)
    }

    pub fn returns(&mut self, run: u64, result: Returned) {
        self.push(What::OperationReturned { run, result });
    }

    /// A whole Create that makes no request.
    pub fn create(&mut self, uid: u64, id: u64) {
        let run = self.begin_create(uid);
        self.returns(run, Returned::Instance(InstanceId(id)));
    }

    /// The SDK sends a request again.
    pub fn call_again(&mut self, run: u64, request: Request) -> CallNumber {
        let call = self.call(run, request);
        if let Some(What::Called { sent, .. }) = self.events.last_mut().map(|event| &mut event.what) {
            Rc::make_mut(sent).attempt = 1;
        }
        call
    }

    /// Sends a request within an operation and gives its number.
    pub fn call(&mut self, run: u64, request: Request) -> CallNumber {
        self.calls += 1;
        let (operation, caller) = self.operations.get(&run).copied().unwrap_or((Operation::Foreign, "a stranger"));
        let purpose = Purpose {
            caller,
            operation,
            invocation: run,
            attempt: 1,
            subject: "".into(),
            cause: Cause::Claim,
            joined: Default::default(),
        };
        let sent = Rc::new(Call { purpose, attempt: 0, request });
        self.push(What::Called { call: self.calls, sent });
        self.calls
    }

    pub fn ok(&mut self, call: CallNumber, seen: Seen) {
        self.push(What::Answered { call, arrival: None, ending: CallEnding::Ok { seen } });
    }

    pub fn fails(&mut self, call: CallNumber, status: u16) {
        let error = CallError::Api(ApiError::new(status, "no"));
        self.push(What::Answered {
            call,
            arrival: None,
            ending: CallEnding::Failed { error, throttled: status == 429, fault: None },
        });
    }

    /// Reads a LKE pool's count by GET, as `count`.
    pub fn reads(&mut self, run: u64, lke_pool: u64, count: u32) {
        let call = self.call(run, get_pool(lke_pool));
        let counts: Rc<[(LkePoolId, u32)]> = Rc::new([(LkePoolId(lke_pool), count)]);
        self.ok(call, Seen { counts: Some(counts), ..Seen::default() });
    }
}

pub fn get_pool(id: u64) -> Request {
    Request::GetPool { cluster: OURS, lke_pool: LkePoolId(id) }
}

pub fn put_count(id: u64, count: u32) -> Request {
    let body = LkePoolUpdate { count: Some(count), ..LkePoolUpdate::default() };
    Request::UpdatePool { cluster: OURS, lke_pool: LkePoolId(id), body }
}

pub fn post_pool(plan: &str) -> Request {
    let body = LkePoolCreate {
        plan: plan.into(),
        count: 1,
        tags: Tags::default(),
        labels: Vec::new(),
        taints: Vec::new(),
        firewall: None,
        k8s_version: None,
        more: None,
    };
    Request::CreatePool { cluster: OURS, body }
}

pub fn put_tags(id: u64) -> Request {
    Request::UpdateInstance { instance: InstanceId(id), tags: Tags::default() }
}

pub fn delete_node(lke_pool: u64) -> Request {
    Request::DeleteNode { cluster: OURS, node: PoolNodeId { lke_pool: LkePoolId(lke_pool), suffix: 0 } }
}

pub fn list_instances(page: u32) -> Request {
    Request::ListInstances { filter: None, page: PageRequest { page, ..PageRequest::FIRST } }
}
