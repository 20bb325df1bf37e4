//! Counts of calls.

use super::FiguresSettings;
use super::budgets::Totals;
use super::hard_case::{HardCase, HardCases};
use super::numbered::Numbered;
use super::operations::Operations;
use super::window::Windows;
use crate::event::{Arrival, CallEnding, Seen};
use crate::outcome::{ApiUse, BudgetLine, BudgetRow, ClassUse, ClientUse, EndpointUse, OperationUse};
use lkesim_linode_api::budget::{Budget, Work};
use lkesim_linode_api::{
    ApiError, Call, CallError, CallNumber, Cause, ClusterId, Endpoint, InstanceId, Operation, Purpose, RateClass,
    Request,
};
use lkesim_runtime::Time;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An answer that takes this long is a hard case: linodego's own limit is twice as long.
const DELAYED_NANOS: u64 = 5_000_000_000;

/// The tag that names a pool's Karpenter NodePool.
const NODE_POOL_TAG: &str = "karpenter.sh/nodepool";

/// A request that left.
pub(super) struct Sent<'a> {
    pub at: Time,
    pub number: CallNumber,
    pub call: &'a Call,
}

/// A request that ended.
pub(super) struct Answered<'a> {
    pub at: Time,
    pub call: CallNumber,
    pub arrival: Option<Arrival>,
    pub ending: &'a CallEnding,
}

/// The words by which LKE says that a plan is sold out (linode_api4 PR 396).
const SOLD_OUT: &str = "is not currently available in the selected region";

/// What of a request its answer is read with.
#[derive(Clone, Copy, Debug)]
enum About {
    FirstPageOfPools,
    FirstPageOfInstances,
    Pool,
    Tags(InstanceId),
    PoolCreation,
    Nothing,
}

/// A request under way.
#[derive(Clone, Copy, Debug)]
struct UnderWay {
    at: Time,
    run: u64,
    endpoint: Endpoint,
    operation: Operation,
    cause: Cause,
    about: About,
    /// The place of its client among the foreign ones.
    foreign: Option<u16>,
}

/// A pool's creation under way.
#[derive(Clone, Debug)]
struct Creation {
    call: CallNumber,
    cluster: ClusterId,
    plan: Arc<str>,
    node_pool: Option<String>,
}

/// First tries and retries.
#[derive(Clone, Copy, Debug, Default)]
struct Tries {
    first: u64,
    again: u64,
}

/// All calls.
pub(super) struct Calls {
    under_way: Numbered<UnderWay>,
    creations: Vec<Creation>,
    endpoints: [EndpointUse; Endpoint::PROVIDER.len()],
    lines: [[Tries; Endpoint::PROVIDER.len()]; Operation::ALL.len()],
    windows: Windows,
    causes: [u64; Cause::ALL.len()],
    /// Calls of clients that are not Karpenter, by name.
    foreign: Vec<(Arc<str>, ClientUse)>,
}

impl Calls {
    pub fn new(settings: &FiguresSettings) -> Calls {
        Calls {
            under_way: Numbered::default(),
            creations: Vec::new(),
            endpoints: Default::default(),
            lines: Default::default(),
            windows: Windows::new(settings),
            causes: [0; Cause::ALL.len()],
            foreign: Vec::new(),
        }
    }

    /// What a call that is under way is for.
    pub fn cause_of(&self, call: CallNumber) -> Option<Cause> {
        self.under_way.get(call).map(|call| call.cause)
    }

    #[inline]
    pub fn called(&mut self, sent: &Sent<'_>, cases: &mut HardCases) {
        let Call { purpose, attempt, request } = sent.call;
        let Purpose { operation, cause, invocation, .. } = *purpose;
        let endpoint = request.endpoint();
        self.causes[cause as usize] += 1;
        let totals = &mut self.endpoints[endpoint as usize];
        totals.calls += 1;
        let tries = &mut self.lines[operation as usize][endpoint as usize];
        if *attempt == 0 {
            tries.first += 1;
        } else {
            tries.again += 1;
            totals.retries += 1;
        }
        let foreign = (operation == Operation::Foreign).then(|| self.count_foreign(&purpose.subject));
        let about = match request {
            Request::ListPools { page, .. } if page.page == 1 => About::FirstPageOfPools,
            Request::ListInstances { page, .. } if page.page == 1 => About::FirstPageOfInstances,
            Request::GetPool { .. } => About::Pool,
            Request::UpdateInstance { instance, .. } => About::Tags(*instance),
            Request::CreatePool { .. } => {
                self.pool_creation(sent, cases);
                About::PoolCreation
            }
            _ => About::Nothing,
        };
        let under_way = UnderWay { at: sent.at, run: invocation, endpoint, operation, cause, about, foreign };
        self.under_way.insert(sent.number, under_way);
    }

    #[inline]
    pub fn answered(&mut self, answer: &Answered<'_>, operations: &mut Operations, cases: &mut HardCases) {
        let Some(call) = self.under_way.remove(answer.call) else {
            return;
        };
        if matches!(call.about, About::PoolCreation) {
            self.creations.retain(|creation| creation.call != answer.call);
        }
        // One that had not arrived when its sender let go arrives about then; a hand has no limiter.
        let late = (call.operation != Operation::Foreign).then_some(Arrival { at: answer.at, token: 0 });
        if let Some(arrival) = answer.arrival.or(late) {
            self.windows.arrived(arrival, call.endpoint);
        }
        if let Some(client) = call.foreign
            && call.endpoint.is_read()
        {
            return self.answered_another(client, call.endpoint, answer.ending);
        }
        match answer.ending {
            CallEnding::Ok { seen } => {
                if answer.at.as_nanos().saturating_sub(call.at.as_nanos()) >= DELAYED_NANOS {
                    cases.hit(HardCase::AnswerDelayed);
                }
                if call.operation == Operation::Foreign && !call.endpoint.is_read() {
                    cases.hit(HardCase::EditedByHand);
                }
                if let Some(fault) = &seen.fault {
                    answered_despite(fault, seen, cases);
                }
                read(&call, seen, operations, cases);
            }
            CallEnding::Failed { error, throttled, fault } => {
                let totals = &mut self.endpoints[call.endpoint as usize];
                if *throttled {
                    totals.throttled += 1;
                    cases.hit(HardCase::Throttled);
                    return;
                }
                totals.errors += 1;
                match error {
                    CallError::Timeout | CallError::ConnectionLost | CallError::Unreadable(_) => {
                        cases.hit(match error {
                            CallError::Unreadable(_) => HardCase::AnswerUnreadable,
                            _ => HardCase::AnswerLost,
                        });
                        // The write may have been made, and the budget allows to read it back.
                        if let About::Tags(instance) = call.about {
                            operations.tagged(call.operation, call.run, instance);
                        }
                    }
                    CallError::Api(error) => {
                        if let Some(fault) = fault {
                            refused_by(fault, error, cases);
                        }
                        let is_new_pool = matches!(call.about, About::PoolCreation);
                        if is_new_pool && error.status == 400 && !error.text().contains(SOLD_OUT) {
                            cases.hit(HardCase::PoolRefusedUnrecognized);
                        }
                    }
                    CallError::RetryAfter(_) => {}
                }
            }
        }
    }

    /// What the process had under way will not be heard of.
    pub fn process_stopped(&mut self) {
        self.creations.clear();
    }

    /// Counts a call of a client that is not Karpenter, and gives the client's place.
    fn count_foreign(&mut self, client: &Arc<str>) -> u16 {
        let known = self.foreign.iter().position(|(name, _)| name == client);
        let place = known.unwrap_or_else(|| {
            self.foreign.push((client.clone(), ClientUse::default()));
            self.foreign.len() - 1
        });
        self.foreign[place].1.calls += 1;
        u16::try_from(place).expect("a scenario has few clients")
    }

    /// A read of another client ended: it uses up a limit, and is no case that the design meets.
    fn answered_another(&mut self, client: u16, endpoint: Endpoint, ending: &CallEnding) {
        let totals = &mut self.endpoints[endpoint as usize];
        match ending {
            CallEnding::Ok { .. } => {}
            CallEnding::Failed { throttled: true, .. } => {
                totals.throttled += 1;
                self.foreign[usize::from(client)].1.throttled += 1;
            }
            CallEnding::Failed { .. } => totals.errors += 1,
        }
    }

    fn pool_creation(&mut self, sent: &Sent<'_>, cases: &mut HardCases) {
        let Request::CreatePool { cluster, body } = &sent.call.request else {
            return;
        };
        let node_pool = body.tags.value(NODE_POOL_TAG).map(str::to_owned);
        let same = |other: &Creation| {
            other.cluster == *cluster && other.plan == body.plan && other.node_pool == node_pool && node_pool.is_some()
        };
        if self.creations.iter().any(same) {
            cases.hit(HardCase::PoolRaced);
        }
        self.creations.push(Creation { call: sent.number, cluster: *cluster, plan: body.plan.clone(), node_pool });
    }

    /// What was counted, with each operation's budget for the work that its runs did.
    pub fn finish(&self, settings: &FiguresSettings, operations: &Operations) -> ApiUse {
        ApiUse {
            calls: self.endpoints.iter().map(|used| used.calls).sum(),
            throttled: self.endpoints.iter().map(|used| used.throttled).sum(),
            by_class: RateClass::ALL.map(|class| (class.name().to_owned(), self.class(class, settings))).into(),
            by_endpoint: self.by_endpoint(),
            by_operation: self.by_operation(settings, operations),
            by_cause: named(Cause::ALL.map(Cause::name), self.causes),
            by_client: self.by_client(settings),
        }
    }

    fn class(&self, class: RateClass, settings: &FiguresSettings) -> ClassUse {
        let limit = settings.limits[class as usize];
        let of_class = || Endpoint::PROVIDER.into_iter().filter(move |endpoint| endpoint.class() == class);
        ClassUse {
            calls: of_class().map(|endpoint| self.endpoints[endpoint as usize].calls).sum(),
            throttled: of_class().map(|endpoint| self.endpoints[endpoint as usize].throttled).sum(),
            peak_in_window: self.windows.peak(class),
            limit: limit.count,
            window_ms: Some(u64::try_from(limit.window.as_millis()).unwrap_or(u64::MAX)),
        }
    }

    fn by_endpoint(&self) -> BTreeMap<String, EndpointUse> {
        let used = Endpoint::PROVIDER.into_iter().zip(&self.endpoints).filter(|(_, used)| used.calls > 0);
        used.map(|(endpoint, used)| (endpoint.name().to_owned(), used.clone())).collect()
    }

    fn by_operation(&self, settings: &FiguresSettings, operations: &Operations) -> BTreeMap<String, OperationUse> {
        let used = Operation::ALL.into_iter().map(|operation| {
            let work = operations.work(operation);
            let lines = Endpoint::PROVIDER.into_iter().filter_map(|endpoint| {
                let tries = self.lines[operation as usize][endpoint as usize];
                let called = tries.first + tries.again > 0;
                let budget = (called || work.runs > 0).then(|| budget(settings, operations, operation, endpoint));
                let line = BudgetLine { calls: tries.first, retries: tries.again, budget: budget.flatten() };
                let concerned = called || line.budget.is_some();
                concerned.then(|| (endpoint.name().to_owned(), line))
            });
            let calls = lines.collect();
            let Work { runs, attempts, nodes_scanned, tag_writes, extra_pool_pages, extra_instance_pages } = *work;
            let extra_pages = extra_pool_pages + extra_instance_pages;
            let used = OperationUse { runs, attempts, nodes_scanned, tag_writes, extra_pages, calls };
            (operation.name().to_owned(), used)
        });
        used.filter(|(_, used)| used.runs > 0 || !used.calls.is_empty()).collect()
    }

    /// The budget line by line, beside what was measured.
    pub fn budgets(&self, operations: &Operations) -> Vec<BudgetRow> {
        operations.lines().rows(|operation| {
            let tries = &self.lines[operation as usize];
            let counted = |of: fn(&Tries) -> u64| tries.map(|tries| u32::try_from(of(&tries)).unwrap_or(u32::MAX));
            let (first, again) = (counted(|tries| tries.first), counted(|tries| tries.again));
            Totals { work: operations.work(operation), first, again }
        })
    }

    fn by_client(&self, settings: &FiguresSettings) -> BTreeMap<String, ClientUse> {
        let mut own = ClientUse {
            calls: self.endpoints.iter().map(|used| used.calls).sum(),
            throttled: self.endpoints.iter().map(|used| used.throttled).sum(),
        };
        let mut clients = BTreeMap::new();
        for (client, used) in &self.foreign {
            own.calls -= used.calls;
            own.throttled -= used.throttled;
            clients.insert(client.to_string(), *used);
        }
        clients.insert(settings.client.to_string(), own);
        clients
    }
}

/// What the design document allows for all runs of an operation: all its lines for this call together.
fn budget(
    settings: &FiguresSettings,
    operations: &Operations,
    operation: Operation,
    endpoint: Endpoint,
) -> Option<u64> {
    let allows = |line: &&Budget| line.allows(operation, settings.tier, endpoint);
    if settings.budgets.iter().filter(allows).any(|line| line.or.is_some()) {
        return None;
    }
    let lines = settings.budgets.iter().filter(allows);
    let work = operations.work(operation);
    lines.map(|line| (line.calls)(work)).reduce(|sum, calls| sum + calls)
}

/// The kind of a fault: what follows the last dot of its name.
fn kind(fault: &str) -> &str {
    fault.rsplit('.').next().unwrap_or(fault)
}

/// Counts a fault that left a call its success. A list with less than two entries has none twice.
fn answered_despite(fault: &str, seen: &Seen, cases: &mut HardCases) {
    match kind(fault) {
        "twice" => cases.hit(HardCase::CallMadeTwice),
        "stale" => cases.hit(HardCase::AnswerStale),
        "double" if seen.entries > 1 => cases.hit(HardCase::ListEntryDoubled),
        _ if seen.truncated => cases.hit(HardCase::ListCut),
        _ => {}
    }
}

/// Counts a fault that left a call with an error of the API, its own or another.
fn refused_by(fault: &str, error: &ApiError, cases: &mut HardCases) {
    match kind(fault) {
        "twice" => cases.hit(HardCase::CallMadeTwice),
        "stale" => cases.hit(HardCase::AnswerStale),
        "delay" | "partial" | "double" | "garble" => {}
        _ if error.lists_nothing() => cases.hit(HardCase::AnswerEmpty),
        _ if error.maintenance => cases.hit(HardCase::MaintenanceMet),
        _ => cases.hit(HardCase::CallRefusedByFault),
    }
}

/// Adds what a reply showed to the work of its operation.
fn read(call: &UnderWay, seen: &Seen, operations: &mut Operations, cases: &mut HardCases) {
    let extra = u64::from(seen.pages.saturating_sub(1));
    match call.about {
        About::FirstPageOfPools => operations.did(call.operation, call.run, |work| work.extra_pool_pages += extra),
        About::FirstPageOfInstances => {
            operations.did(call.operation, call.run, |work| work.extra_instance_pages += extra);
        }
        About::Pool => {
            operations.did(call.operation, call.run, |work| work.nodes_scanned += u64::from(seen.entries));
            let counts = seen.counts.as_deref().unwrap_or_default();
            if counts.iter().any(|&(_, count)| seen.entries < count) {
                cases.hit(HardCase::SlotWithoutId);
            }
            return;
        }
        About::Tags(instance) => return operations.tagged(call.operation, call.run, instance),
        About::PoolCreation | About::Nothing => return,
    }
    if extra > 0 {
        cases.hit(HardCase::ListPaged);
    }
}

fn named<const N: usize>(names: [&str; N], counts: [u64; N]) -> BTreeMap<String, u64> {
    let pairs = names.into_iter().zip(counts).filter(|&(_, count)| count > 0);
    pairs.map(|(name, count)| (name.to_owned(), count)).collect()
}
