//! Random streams of plausible events: what is claimed, made and asked exists, and what is gone stays gone.

use crate::event::{Condition, PodChange, PodKind, Returned, Seen, What};
use crate::invariants::stream::{
    OURS, Stream, THEIRS, delete_node, get_pool, list_instances, post_pool, put_count, put_tags,
};
use lkesim_linode_api::{CallNumber, InstanceId, LkePoolId, Operation, Request};
use proptest::prelude::*;
use std::rc::Rc;

/// What to do, and which of what there is to do it to.
pub type Step = (u8, u8, u8);

pub fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((0..32_u8, 0..12_u8, 0..12_u8), 0..most)
}

/// The stream that the steps tell.
pub fn told(steps: &[Step]) -> Stream {
    let mut teller = Teller::default();
    for step in steps {
        teller.step(*step);
    }
    teller.stream
}

#[derive(Default)]
struct Teller {
    stream: Stream,
    claims: Vec<u64>,
    deleting: Vec<u64>,
    made_claims: u64,
    /// Linodes ever made, and those of them that live.
    linodes: Vec<u64>,
    live: Vec<u64>,
    pools: Vec<(u64, u32)>,
    made_pools: u64,
    runs: Vec<(u64, Operation)>,
    calls: Vec<(CallNumber, Request)>,
    pods: Vec<u64>,
    made_pods: u64,
}

const NAMES: [&str; 4] = ["alpha", "beta", "step-scale-1", "step-scale-2"];
const CALLERS: [&str; 4] =
    ["nodeclaim.lifecycle", "instance.garbagecollection", "nodeclaim.garbagecollection", "provisioner"];
const TAGS: [&str; 4] =
    ["karpenter.sh/nodeclaim=alpha", "karpenter.sh/nodeclaim=beta", "karpenter.sh/nodeclaim=step-sca", "managed=true"];
const CONDITIONS: [Condition; 3] = [Condition::Launched, Condition::Registered, Condition::Initialized];

fn pick<T: Copy>(from: &[T], which: u8) -> Option<T> {
    (!from.is_empty()).then(|| from[usize::from(which) % from.len()])
}

impl Teller {
    fn step(&mut self, (what, a, b): Step) {
        match what {
            0 | 1 => self.make_claim(a, b),
            2 => self.delete_claim(a, b),
            3 => self.lose_claim(a),
            4 | 5 => self.store(a, b),
            6 | 7 => self.condition(a, b),
            8..=10 => self.begin(a, b),
            11..=13 => self.call(a, b),
            14 | 15 => self.answer(a, b),
            16 | 17 => self.take_effect(a, b),
            18 | 19 => self.end(a, b),
            20 => self.make_pool(a, b, None),
            21 if b < 2 => self.make_direct_linode(a),
            21 => self.make_linode(a),
            22 => self.tag(a, b, None),
            23 => self.strike(a, b),
            24 | 25 => self.scale(a, b),
            26 => self.ask_in_vain(a, b),
            27 => self.list_in_part(a, b),
            28 => self.make_pod(a, b),
            29 | 30 => self.change_pod(a, b),
            _ => self.limit_or_tell(a, b),
        }
    }

    fn make_pod(&mut self, a: u8, b: u8) {
        self.made_pods += 1;
        let kinds = [PodKind::Usual, PodKind::DaemonSet, PodKind::Static, PodKind::NotOnKarpenter, PodKind::Gated];
        let kind = if b < 6 { PodKind::Usual } else { kinds[usize::from(a) % 5] };
        self.stream.pod(self.made_pods, kind);
        self.pods.push(self.made_pods);
    }

    fn change_pod(&mut self, a: u8, b: u8) {
        let Some(uid) = pick(&self.pods, a) else {
            return;
        };
        let text: std::rc::Rc<str> = "no".into();
        match b {
            0..=2 => self.stream.unschedulable(uid),
            3 => self.stream.should_go(uid),
            4 | 5 => self.stream.has_no_room(uid),
            6 => self.stream.pod_changes(uid, PodChange::Preempts { node: text }),
            7 | 8 => self.stream.bound(uid, ["kube-scheduler", "kubelet", "start"][usize::from(a) % 3]),
            9 => self.stream.pod_changes(uid, PodChange::Deleting { by: CALLERS[usize::from(a) % 4] }),
            other => {
                self.pods.retain(|there| *there != uid);
                let end = if other == 10 { PodChange::Gone } else { PodChange::Ended { well: true } };
                self.stream.pod_changes(uid, end);
            }
        }
    }

    fn limit_or_tell(&mut self, a: u8, b: u8) {
        match b {
            0..=2 => self.stream.cores_allowed(OURS, if b == 0 { "other" } else { "np" }, a.into()),
            _ if a == 7 => self.stream.later(40_000),
            3 => self.stream.push(What::NodeDeletionAsked { node: "node".into(), by: CALLERS[usize::from(a) % 4] }),
            _ => {
                if let Some(uid) = pick(&self.claims, a) {
                    self.stream.has_cores(uid, b.into());
                }
            }
        }
    }

    fn make_claim(&mut self, a: u8, b: u8) {
        self.made_claims += 1;
        let cluster = if b == 0 { THEIRS } else { OURS };
        let node_pool = if b == 1 { "other" } else { "np" };
        let plans: &[&str] = if b < 6 { &["small"] } else { &[] };
        self.stream.claim_of(self.made_claims, NAMES[usize::from(a) % 4], cluster, node_pool, plans);
        self.claims.push(self.made_claims);
    }

    fn delete_claim(&mut self, a: u8, b: u8) {
        let Some(uid) = pick(&self.claims, a).filter(|uid| !self.deleting.contains(uid)) else {
            return;
        };
        self.deleting.push(uid);
        self.stream.deleting(uid, if b < 4 { "workload" } else { CALLERS[2 + usize::from(b == 11)] });
    }

    fn lose_claim(&mut self, a: u8) {
        let Some(uid) = pick(&self.deleting, a) else {
            return;
        };
        self.deleting.retain(|other| *other != uid);
        self.claims.retain(|other| *other != uid);
        self.stream.claim_gone(uid);
    }

    fn store(&mut self, a: u8, b: u8) {
        let Some(uid) = pick(&self.claims, a) else {
            return;
        };
        let id = if b == 0 { None } else { pick(&self.linodes, b) };
        self.stream.store(uid, id);
    }

    fn condition(&mut self, a: u8, b: u8) {
        let Some(uid) = pick(&self.claims, a) else {
            return;
        };
        let status = if b < 2 { None } else { Some(b != 2) };
        self.stream.condition(uid, CONDITIONS[usize::from(b) % 3], status);
    }

    fn begin(&mut self, a: u8, b: u8) {
        let (uid, id) = (pick(&self.claims, a), pick(&self.linodes, b));
        let (operation, caller, uid, id) = match b % 6 {
            0..=2 => (Operation::Create, CALLERS[0], uid, None),
            3 => (Operation::Delete, CALLERS[usize::from(a) % 2], uid.filter(|_| a < 6), id),
            4 => (Operation::List, CALLERS[2], None, None),
            _ => (Operation::Get, CALLERS[0], uid, id),
        };
        let run = self.stream.begin(operation, caller, uid, id);
        self.runs.push((run, operation));
    }

    fn call(&mut self, a: u8, b: u8) {
        let stranger = a == 0;
        let run = if stranger { Some((0, Operation::Foreign)) } else { pick(&self.runs, a) };
        let (Some((run, operation)), pool) = (run, pick(&self.pools, b)) else {
            return;
        };
        let count = pool.map_or(1, |(_, count)| count);
        let id = pool.map_or(0, |(id, _)| id);
        let request = match (operation, b % 4) {
            (Operation::List, _) => list_instances(1 + u32::from(b % 2)),
            (Operation::Get, _) => list_instances(1),
            (Operation::Delete | Operation::Foreign, 0..=2) => delete_node(id),
            (Operation::Delete | Operation::Foreign, _) => put_count(id, count.saturating_sub(1)),
            (_, 0) => get_pool(id),
            (_, 1) => post_pool(if a < 8 { "small" } else { "large" }),
            (_, 2) if a < 6 => put_count(id, count + 1 + u32::from(a % 2)),
            (_, 2) => put_count(id, 1 + u32::from(a % 3)),
            _ => put_tags(pick(&self.live, a).unwrap_or(0)),
        };
        let call = self.stream.call(run, request.clone());
        self.calls.push((call, request));
    }

    fn answer(&mut self, a: u8, b: u8) {
        if self.calls.is_empty() {
            return;
        }
        let (call, request) = self.calls.remove(usize::from(a) % self.calls.len());
        if b < 3 {
            return self.stream.fails(call, [404, 500, 429][usize::from(b)]);
        }
        let counts = match request {
            Request::GetPool { lke_pool, .. } | Request::UpdatePool { lke_pool, .. } => Some(lke_pool),
            _ => None,
        };
        let real = |id: LkePoolId| self.pools.iter().find(|(known, _)| *known == id.0).map_or(0, |(_, count)| *count);
        let read = |id: LkePoolId| Rc::from([(id, if b < 6 { 0 } else { real(id) })]);
        let seen =
            Seen { pages: 1 + u32::from(b % 2), entries: 0, counts: counts.map(read), truncated: b == 4, fault: None };
        self.stream.ok(call, seen);
    }

    /// Something comes of a request that was not answered yet.
    fn take_effect(&mut self, a: u8, b: u8) {
        if self.calls.is_empty() {
            return;
        }
        let (call, request) = self.calls[usize::from(a) % self.calls.len()].clone();
        match request {
            Request::CreatePool { body, .. } => self.make_pool(u8::from(*body.plan == *"large"), b, Some(call)),
            Request::UpdatePool { lke_pool, body, .. } => {
                let Some(to) = body.count else { return };
                let Some(pool) = self.pools.iter_mut().find(|(id, _)| *id == lke_pool.0) else {
                    return;
                };
                pool.1 = to;
                self.stream.count(lke_pool.0, to, Some(call), true);
                if b < 6 {
                    self.lose_linode(b, Some(call));
                }
            }
            Request::DeleteNode { .. } => self.lose_linode(b, Some(call)),
            Request::UpdateInstance { instance, .. } if self.live.contains(&instance.0) => {
                self.tag_one(instance.0, b, Some(call));
            }
            _ => {}
        }
    }

    fn end(&mut self, a: u8, b: u8) {
        if self.runs.is_empty() {
            return;
        }
        let (run, operation) = self.runs.remove(usize::from(a) % self.runs.len());
        let result = match (operation, b) {
            (Operation::Create, 0..=9) if !self.linodes.is_empty() => {
                Returned::Instance(InstanceId(self.linodes[usize::from(b) % self.linodes.len()]))
            }
            (Operation::Create, 10) => Returned::Instance(InstanceId(999)),
            (Operation::Create, _) => Returned::Failed("no".into()),
            (Operation::List, 0..=3) => Returned::Failed("no".into()),
            (Operation::List, _) => {
                Returned::Instances(self.linodes.first().map(|id| InstanceId(*id)).into_iter().collect())
            }
            (_, 0..=7) => Returned::NotFound("gone".into()),
            _ => Returned::Done,
        };
        self.stream.returns(run, result);
    }

    fn make_pool(&mut self, a: u8, b: u8, call: Option<CallNumber>) {
        self.made_pools += 1;
        let id = self.made_pools;
        let cluster = if b == 0 { THEIRS } else { OURS };
        let node_pool = if b == 1 { None } else { Some("np") };
        let plan = if a % 4 == 1 { "large" } else { "small" };
        let count = 1 + u32::from(b % 4);
        self.stream.pool_of(id, cluster, node_pool, plan, count, call);
        self.pools.push((id, count));
        if b == 2 {
            self.stream.pool_tags(id, &TAGS[..usize::from(a) % 3]);
        }
    }

    fn make_linode(&mut self, a: u8) {
        let Some((lke_pool, _)) = pick(&self.pools, a) else {
            return;
        };
        let id = 100 + self.linodes.len() as u64;
        self.stream.linode(id, lke_pool);
        self.linodes.push(id);
        self.live.push(id);
    }

    /// A Linode without a LKE pool, a stranger's or with the tags of Karpenter.
    fn make_direct_linode(&mut self, a: u8) {
        let id = 100 + self.linodes.len() as u64;
        let all = ["karpenter.sh/nodepool=np", TAGS[0]];
        let cluster = [Some(OURS), None, Some(THEIRS), None][usize::from(a) / 3];
        self.stream.direct_linode(id, cluster, &all[..usize::from(a) % 3]);
        self.linodes.push(id);
        self.live.push(id);
    }

    fn tag(&mut self, a: u8, b: u8, call: Option<CallNumber>) {
        if let Some(id) = pick(&self.live, a) {
            self.tag_one(id, b, call);
        }
    }

    fn tag_one(&mut self, id: u64, b: u8, call: Option<CallNumber>) {
        let mut tags = vec![TAGS[usize::from(b) % 4]];
        tags.extend((b > 2).then_some("managed=true"));
        tags.extend((b > 10).then_some(TAGS[0]));
        tags.dedup();
        self.stream.tags(id, &tags, call);
    }

    fn lose_linode(&mut self, a: u8, call: Option<CallNumber>) {
        let Some(id) = pick(&self.live, a) else {
            return;
        };
        self.live.retain(|other| *other != id);
        self.stream.linode_gone(id, call);
    }

    /// The process dies, a pool goes, or a hand removes a Linode.
    fn strike(&mut self, a: u8, b: u8) {
        match b {
            0..=2 => self.stream.process_dies(),
            3 => self.stream.another_process(),
            4 => self.stream.push(What::CalmBegan),
            5 => self.lose_pool(a),
            _ => self.lose_linode(a, None),
        }
    }

    fn lose_pool(&mut self, a: u8) {
        let Some((lke_pool, _)) = pick(&self.pools, a) else {
            return;
        };
        self.pools.retain(|(id, _)| *id != lke_pool);
        let members: Vec<u64> =
            self.live.iter().copied().filter(|id| self.stream.lke_pools.get(id) == Some(&lke_pool)).collect();
        for id in members {
            self.live.retain(|other| *other != id);
            self.stream.linode_gone(id, None);
        }
        self.stream.pool_gone(lke_pool);
    }

    /// A Create reads a count, which may be old, and writes a higher one.
    fn scale(&mut self, a: u8, b: u8) {
        let (Some(uid), Some((id, real))) = (pick(&self.claims, a), pick(&self.pools, b)) else {
            return;
        };
        let run = self.stream.begin_create(uid);
        self.runs.push((run, Operation::Create));
        let read = if b < 6 { real } else { u32::from(b) % 4 };
        self.stream.reads(run, id, read);
        let to = read + 1 + u32::from(a % 3);
        let call = self.stream.call(run, put_count(id, to));
        if to != real || a == 0 {
            self.stream.count(id, to, Some(call), true);
            self.pools.iter_mut().filter(|(known, _)| *known == id).for_each(|pool| pool.1 = to);
        }
        self.stream.ok(call, Seen::default());
    }

    /// An operation whose one request is answered, or not, says that its Linode is not found.
    fn ask_in_vain(&mut self, a: u8, b: u8) {
        let operation = if a < 6 { Operation::Get } else { Operation::Delete };
        let (uid, id) = (pick(&self.claims, a), pick(&self.linodes, b));
        let run = self.stream.begin(operation, CALLERS[0], uid, id.filter(|_| b < 6));
        let call = self.stream.call(run, get_pool(1));
        match b % 3 {
            0 => self.stream.ok(call, Seen::default()),
            1 => self.stream.fails(call, 404),
            _ => self.stream.fails(call, 503),
        }
        if b == 2 {
            self.lose_linode(a, None);
        }
        self.stream.returns(run, Returned::NotFound("gone".into()));
    }

    /// A pass lists some of what there is and deletes a claim.
    fn list_in_part(&mut self, a: u8, b: u8) {
        let cluster = if b == 1 { THEIRS } else { OURS };
        let run = self.stream.begin_in(cluster, Operation::List, CALLERS[2], None, None);
        let call = self.stream.call(run, list_instances(1));
        self.stream.ok(call, Seen { pages: 1 + u32::from(b % 2), truncated: b < 4, ..Seen::default() });
        let listed = self.live.iter().skip(usize::from(a) % 4).map(|id| InstanceId(*id)).collect();
        self.stream.returns(run, Returned::Instances(listed));
        self.delete_claim(a, 4 + b % 8);
    }
}
