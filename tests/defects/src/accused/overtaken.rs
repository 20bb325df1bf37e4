//! Breaches of what was right when it was asked for: the case is run once more, and its events are watched.

use lkesim_explore::Breach;
use lkesim_explore::trial::Case;
use lkesim_judge::event::{CallEnding, ClaimRef, Event, Returned, Turn, What};
use lkesim_linode_api::{CallNumber, ClusterId, InstanceId, LkePoolId, Operation, Request as ApiRequest};
use lkesim_lke::tags;
use lkesim_runtime::{Seed, Time};
use lkesim_sim::{Plan, Request, Simulator};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::time::Duration;

/// How long the Kubernetes API's answer about NodeClaims may take to arrive.
const ANSWER: Duration = Duration::from_secs(1);
/// How long it may take to write down what an answer told.
const NOTED: Duration = Duration::from_secs(2);
/// The longest that `general` lets a view lag.
const LAG: Duration = Duration::from_secs(120);

/// What a run shows of requests, and of what went while they travelled.
#[derive(Default)]
struct Watch {
    sent: BTreeMap<CallNumber, Time>,
    /// Requests of hands.
    foreign: BTreeSet<CallNumber>,
    /// GETs of Linodes and for which operations, and when the last one of each was judged.
    gets: BTreeMap<CallNumber, (InstanceId, Vec<u64>)>,
    looked: BTreeMap<(u64, InstanceId), Time>,
    /// When a Linode went, not by Karpenter.
    taken: BTreeMap<InstanceId, Time>,
    /// When a NodeClaim went last, and by others a Linode.
    last_gone: Option<Time>,
    last_taken: Option<Time>,
    /// Pools of which an answer told, since when, and by which request a pool was made.
    known: BTreeMap<LkePoolId, Time>,
    made_by: BTreeMap<CallNumber, LkePoolId>,
    /// The changes of counts while whose request something went.
    overtaken: Vec<(String, u64)>,
    /// The pools that a request made which had made one before, or that stand beside one of a request that was refused
    /// when it was carried out again.
    doubled: Vec<(String, u64)>,
    /// Pools of requests that were answered with the refusal of their second time.
    denied: BTreeSet<LkePoolId>,
    /// In which cluster a pool is, and how many lists of its cluster's pools left it out that were asked for since.
    cluster_of: BTreeMap<LkePoolId, ClusterId>,
    left_out: BTreeMap<LkePoolId, u32>,
    /// Lists of pools, and which pools there were when they were asked for.
    lists: BTreeMap<CallNumber, Vec<LkePoolId>>,
    /// The pools beside which another one was made, as no answer told of them: two lists left them out.
    unseen: Vec<(String, u64)>,
    /// The pools whose tags a hand took before they were known.
    disguised: BTreeSet<LkePoolId>,
    /// The Linodes that went between the last look and their return.
    late: Vec<(String, u64)>,
    /// Pools whose count a hand changed last, since when, and the requests that changed it after that.
    counted_by_hand: BTreeMap<LkePoolId, Time>,
    blind: BTreeSet<CallNumber>,
    /// Requests that set a count: of which operation, and when a reply had last shown it the pool as it was.
    counts: BTreeMap<CallNumber, (u64, Option<Time>)>,
    shown: BTreeMap<(u64, LkePoolId), Time>,
    /// The changes of counts by who had seen what a hand made of them.
    knowing: Vec<(String, u64)>,
    /// The Linodes that went as a count was set whose last change, by a hand, its sender had not seen.
    lowered: Vec<(String, u64)>,
    /// In which pool a Linode was made.
    pool_of: BTreeMap<InstanceId, LkePoolId>,
    /// Creates that run, and whether their NodeClaim is being deleted.
    creating: BTreeMap<u64, (ClaimRef, bool)>,
    /// The raises of counts, with the Creates of deleted NodeClaims that ran meanwhile.
    raised: Vec<(LkePoolId, Time, Vec<u64>)>,
    /// Raises while a Create had a Linode of the pool that it returned later.
    in_a_create: Vec<(String, u64)>,
}

impl Watch {
    /// Runs the case again and watches. Of a run that does not end, nothing is excused.
    fn of(case: &Case) -> Watch {
        let watch = Rc::new(RefCell::new(Watch::default()));
        let seen = watch.clone();
        let request = Request {
            plan: Rc::new(Plan::new(&case.scenario)),
            name: case.name.clone(),
            design: case.design,
            seed: Seed(case.seed),
            order: case.order.clone(),
            as_written: false,
        };
        let follower = Box::new(move |event: &Event, _: &_| seen.borrow_mut().see(event));
        let ran = Simulator::new().follow(&request, follower);
        if ran.is_ok() { watch.take() } else { Watch::default() }
    }

    fn see(&mut self, event: &Event) {
        let at = event.at;
        match &event.what {
            What::Called { call, sent } => {
                self.sent.insert(*call, at);
                if sent.purpose.operation == Operation::Foreign {
                    self.foreign.insert(*call);
                }
                match sent.request {
                    ApiRequest::GetInstance { instance } => {
                        let runs = sent.purpose.joined.runs().iter().copied().chain([sent.purpose.invocation]);
                        self.gets.insert(*call, (instance, runs.collect()));
                    }
                    ApiRequest::UpdatePool { lke_pool, .. } => {
                        let run = sent.purpose.invocation;
                        self.counts.insert(*call, (run, self.shown.get(&(run, lke_pool)).copied()));
                    }
                    ApiRequest::ListPools { cluster, .. } => {
                        let there = self.cluster_of.iter().filter(|(_, of)| **of == cluster).map(|(id, _)| *id);
                        self.lists.insert(*call, there.collect());
                    }
                    _ => {}
                }
            }
            What::Answered { call, ending: CallEnding::Failed { error, fault: Some(fault), .. }, .. }
                if error.status().is_some() && fault.ends_with(".twice") =>
            {
                self.denied.extend(self.made_by.get(call).copied());
            }
            What::Answered { call, arrival, ending: CallEnding::Ok { seen } } => {
                if let (Some((instance, runs)), Some(arrival)) = (self.gets.get(call), arrival) {
                    // An old answer tells nothing of the moment at which it was asked for.
                    let is_old = seen.fault.as_deref().is_some_and(|fault| fault.ends_with(".stale"));
                    for run in runs {
                        let looked = self.looked.entry((*run, *instance)).or_default();
                        *looked = if is_old { *looked } else { arrival.at };
                    }
                }
                if let (Some((run, _)), Some(arrival)) = (self.counts.get(call), arrival) {
                    let told = seen.counts.iter().flat_map(|counts| counts.iter().map(|(id, _)| *id));
                    self.shown.extend(told.map(|id| ((*run, id), arrival.at)));
                }
                if !self.foreign.contains(call) {
                    let told = seen.counts.iter().flat_map(|counts| counts.iter().map(|(id, _)| *id));
                    for told in told.chain(self.made_by.get(call).copied()) {
                        self.known.entry(told).or_insert(at);
                    }
                    for lke_pool in self.lists.remove(call).unwrap_or_default() {
                        *self.left_out.entry(lke_pool).or_default() += u32::from(!self.known.contains_key(&lke_pool));
                    }
                }
            }
            // Who stopped right after it was told had no time to note it.
            What::ProcessStopped { .. }
            | What::ProcessTurned { turn: Turn::Paused | Turn::LostLease | Turn::ToldToStop, .. } => {
                self.known.retain(|_, told| *told + NOTED <= at);
            }
            What::ClaimDeleting { claim, .. } => {
                self.last_gone = Some(at);
                self.creating.values_mut().filter(|(of, _)| of == claim).for_each(|(_, goes)| *goes = true);
            }
            What::ClaimGone { .. } => self.last_gone = Some(at),
            What::OperationStarted { run, operation: Operation::Create, claim: Some(claim), .. } => {
                self.creating.insert(*run, (claim.clone(), false));
            }
            What::InstanceCreated { instance, lke_pool: Some(lke_pool), .. } => {
                self.pool_of.insert(*instance, *lke_pool);
            }
            What::InstanceDeleted { instance, call: Some(call), .. }
                if self.counts.contains_key(call) && !self.foreign.contains(call) =>
            {
                let lke_pool = self.pool_of.get(instance);
                if lke_pool.is_some_and(|lke_pool| self.counted_by_hand.contains_key(lke_pool))
                    || self.blind.contains(call)
                {
                    self.lowered.push((format!("linode/{instance}"), at.as_millis()));
                }
            }
            What::InstanceDeleted { instance, call, .. } if call.is_none_or(|call| self.foreign.contains(&call)) => {
                self.taken.insert(*instance, at);
                self.last_taken = Some(at);
            }
            What::PoolCreated { lke_pool, cluster, call: None, .. } => {
                self.cluster_of.insert(*lke_pool, *cluster);
            }
            What::PoolCreated { lke_pool, cluster, call: Some(call), .. } => {
                self.cluster_of.insert(*lke_pool, *cluster);
                if self.made_by.insert(*call, *lke_pool).is_some() {
                    self.doubled.push((named(*lke_pool), at.as_millis()));
                }
                self.made_beside(at);
                self.counted(*lke_pool, *call, at);
            }
            What::PoolCountChanged { lke_pool, call, .. } => {
                if call.is_none_or(|call| self.foreign.contains(&call)) {
                    self.counted_by_hand.insert(*lke_pool, at);
                } else if let Some(by_hand) = self.counted_by_hand.remove(lke_pool) {
                    self.blind.extend(call);
                    let shown = call.and_then(|call| self.counts.get(&call)?.1);
                    if shown.is_some_and(|shown| shown > by_hand) {
                        self.knowing.push((named(*lke_pool), at.as_millis()));
                    }
                }
                if let Some(call) = call {
                    self.counted(*lke_pool, *call, at);
                }
            }
            What::PoolTagged { lke_pool, after, call, .. } => {
                let by_hand = call.is_none_or(|call| self.foreign.contains(&call));
                if by_hand && after.value(tags::NODE_POOL).is_none() && !self.known.contains_key(lke_pool) {
                    self.disguised.insert(*lke_pool);
                }
            }
            What::OperationReturned { run, result: Returned::Instance(instance) } => {
                self.creating.remove(run);
                let lke_pool = self.pool_of.get(instance);
                let meanwhile = self.raised.iter().filter(|(of, _, runs)| Some(of) == lke_pool && runs.contains(run));
                self.in_a_create.extend(meanwhile.map(|(of, at, _)| (named(*of), at.as_millis())));
                let (looked, taken) = (self.looked.get(&(*run, *instance)), self.taken.get(instance));
                if looked.zip(taken).is_some_and(|(looked, taken)| taken >= looked) {
                    self.late.push((format!("linode/{instance}"), at.as_millis()));
                }
            }
            What::OperationReturned { run, .. } => drop(self.creating.remove(run)),
            _ => {}
        }
    }

    /// A pool was made: what about those of which no answer told?
    fn made_beside(&mut self, at: Time) {
        for (other, times) in self.left_out.iter().filter(|(other, _)| !self.known.contains_key(other)) {
            let moment = (named(*other), at.as_millis());
            match *times {
                1.. if self.denied.contains(other) => self.doubled.push(moment),
                2.. => self.unseen.push(moment),
                _ => {}
            }
        }
    }

    fn counted(&mut self, lke_pool: LkePoolId, call: CallNumber, at: Time) {
        let sent = self.sent.get(&call).copied();
        let has_gone = self.last_gone.zip(sent).is_some_and(|(gone, sent)| gone + ANSWER >= sent);
        if has_gone || self.last_taken.is_some_and(|taken| taken + LAG >= at) {
            self.overtaken.push((named(lke_pool), at.as_millis()));
        }
        let going = self.creating.iter().filter(|(_, (_, goes))| *goes).map(|(run, _)| *run);
        self.raised.push((lke_pool, at, going.collect()));
    }
}

fn named(lke_pool: LkePoolId) -> String {
    format!("lke_pool/{lke_pool}")
}

/// Whether a NodeClaim went, or by others a Linode, without the request's sender being able to know.
pub(super) fn is_overtaken(case: &Case, breach: &Breach) -> bool {
    is_among(&Watch::of(case).overtaken, breach)
}

/// Whether a Create that began before its NodeClaim was deleted had a Linode of the pool then, and returned it later.
pub(super) fn is_in_a_create(case: &Case, breach: &Breach) -> bool {
    is_among(&Watch::of(case).in_a_create, breach)
}

/// Whether the request that made the pool had made another one; or whether the other one is of a request whose answer
/// denied it, and was looked for in vain.
pub(super) fn is_doubled(case: &Case, breach: &Breach) -> bool {
    is_among(&Watch::of(case).doubled, breach)
}

/// Whether two lists left out the other pool, and no answer told of it.
pub(super) fn is_unseen(case: &Case, breach: &Breach) -> bool {
    is_among(&Watch::of(case).unseen, breach)
}

/// Whether the Linode went after it was looked at last, by others than Karpenter.
pub(super) fn is_taken_after_the_look(case: &Case, breach: &Breach) -> bool {
    is_among(&Watch::of(case).late, breach)
}

/// Whether who changed the count can't have seen what a hand had made of it.
pub(super) fn is_counted_blindly(case: &Case, breach: &Breach) -> bool {
    !is_among(&Watch::of(case).knowing, breach)
}

/// Whether the Linode went as a count was set that a hand had changed since.
pub(super) fn is_lowered_blindly(case: &Case, breach: &Breach) -> bool {
    is_among(&Watch::of(case).lowered, breach)
}

/// Whether a hand took the tags of one of the pools before any answer told of it.
pub(super) fn is_disguised(case: &Case, breach: &Breach) -> bool {
    let watch = Watch::of(case);
    let is_one = |lke_pool: &LkePoolId| {
        let of_pool = watch.pool_of.iter().filter(|(_, own)| *own == lke_pool);
        let mut names = of_pool.map(|(id, _)| format!("linode/{id}")).chain([named(*lke_pool)]);
        names.any(|name| breach.objects.contains(&name))
    };
    watch.disguised.iter().any(is_one)
}

fn is_among(moments: &[(String, u64)], breach: &Breach) -> bool {
    moments.iter().any(|(object, at_ms)| *at_ms == breach.at_ms && breach.objects.contains(object))
}
