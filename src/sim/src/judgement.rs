//! All that follows the events of one run: truth and invariants, figures, digest, trace.

use crate::plan::{CLIENT, ClusterPlan, Plan};
use fake_linode::Limit;
use fake_linode::settings::{LimitScope, Settings};
use lkesim_judge::event::Event;
use lkesim_judge::figures::{ClassLimit, Figures, FiguresSettings, Lasted};
use lkesim_judge::invariants::{Beliefs, Judge};
use lkesim_judge::outcome::{ClusterRun, Ending, Outcome, SCHEMA, Verdict, Warning};
use lkesim_judge::trace::{Digest, Header, TraceWriter};
use lkesim_judge::truth::ClusterFacts;
use lkesim_linode_api::budget::Budget;
use lkesim_linode_api::{PlanPrice, PlanType, RateClass};
use lkesim_lke::Design;
use lkesim_runtime::{Seed, Time};
use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Arc;

/// Where a trace goes.
pub type Sink = Box<dyn Write>;

/// What else follows the events of a run: each comes after the judge has seen it.
pub type Follower = Box<dyn FnMut(&Event, &Judge)>;

/// So many events are judged together. The code that judges one is larger than the nearest cache of code, and so is the
/// code under study: in turns, each would push out the other. More would only push out data.
const TOGETHER: usize = 64;

/// What follows the events of one run.
pub(crate) struct Judgement {
    /// What happened and is not judged yet. Nobody sees the difference: who asks for a judgement has these judged first.
    /// With a trace none waits, so that the trace of a run that breaks off has all that came before.
    waiting: Vec<Event>,
    judge: Judge,
    figures: Figures,
    /// Whether all clusters have one design and one tier, and so one budget.
    has_budget: bool,
    digest: Digest,
    trace: Option<TraceWriter<Sink>>,
    trace_failed: Option<io::Error>,
    settled_since: Option<Time>,
    pub follower: Option<Follower>,
}

impl Judgement {
    /// `designs` are those of the clusters.
    pub fn new(plan: &Plan, designs: &[&'static Design], trace: Option<(Sink, Header)>) -> io::Result<Judgement> {
        let facts = |(cluster, design): (&ClusterPlan, &&'static Design)| ClusterFacts {
            cluster: cluster.id,
            tier: cluster.tier,
            design: &design.facts,
        };
        let judge = Judge::new(plan.clusters.iter().zip(designs).map(facts).collect());
        Ok(Judgement {
            waiting: Vec::with_capacity(TOGETHER),
            judge: if plan.has_pods { judge.of_pods() } else { judge },
            figures: Figures::new(figures_settings(plan, designs)),
            has_budget: budgets(plan, designs).is_some(),
            digest: Digest::new(),
            trace: trace.map(|(sink, header)| TraceWriter::begin(sink, &header)).transpose()?,
            trace_failed: None,
            settled_since: Some(Time::ZERO),
            follower: None,
        })
    }

    /// Whether a trace is written.
    pub fn is_traced(&self) -> bool {
        self.trace.is_some()
    }

    /// Takes one event.
    #[inline]
    pub fn take(&mut self, event: Event) {
        self.waiting.push(event);
        if self.waiting.len() >= TOGETHER || self.trace.is_some() {
            self.judge();
        }
    }

    /// Judges all that waits.
    #[inline(never)]
    fn judge(&mut self) {
        let mut events = std::mem::take(&mut self.waiting);
        for event in &events {
            self.digest.apply(event);
        }
        for event in &events {
            self.judge_one(event);
        }
        events.clear();
        self.waiting = events;
    }

    fn judge_one(&mut self, event: &Event) {
        self.judge.see(event);
        self.figures.apply(event);
        self.figures.follow(event, self.judge.truth());
        if self.judge.is_settled() {
            self.settled_since.get_or_insert(event.at);
        } else {
            self.settled_since = None;
        }
        if let Some(trace) = &mut self.trace
            && let Err(error) = trace.event(event)
        {
            self.trace = None;
            self.trace_failed = Some(error);
        }
        if let Some(follower) = &mut self.follower {
            follower(event, &self.judge);
        }
    }

    /// Since when all eventual invariants hold.
    pub fn settled_since(&mut self) -> Option<Time> {
        self.judge();
        self.settled_since
    }

    /// Ends the run.
    pub fn finish(mut self, plan: &Plan, design: &Design, seed: Seed, end: End<'_>) -> (Outcome, Lasted, Recorded) {
        self.judge();
        let settled = self.settled_since.is_some();
        let unsettled = if settled { Vec::new() } else { self.judge.unsettled() };
        let pending = self.judge.truth().pending_pods();
        let measured = self.figures.finish(end.at);
        let mut outcome = Outcome {
            schema: SCHEMA.to_owned(),
            scenario: end.name.to_owned(),
            about: plan.scenario.about.clone(),
            design: design.facts.name.to_owned(),
            seed: seed.0,
            digest: format!("{:016x}", lkesim_runtime::random::mix(self.digest.value() ^ end.hash)),
            virtual_ms: end.at.as_millis(),
            events: end.steps,
            verdict: Verdict::Pass,
            warnings: end.warnings,
            clusters: end.clusters,
            ending: Ending { calm_from_ms: plan.calm_from().as_millis(), settled, unsettled },
            invariants: self.judge.conclude(end.at, &end.beliefs),
            expectations: Vec::new(),
            api: measured.api,
            budgets: if self.has_budget { measured.budgets } else { Vec::new() },
            claims: measured.claims,
            instances: measured.instances,
            pods: measured.pods,
            pending,
            passes: measured.passes,
            nodes: measured.nodes,
            taints: measured.taints,
            time_to: measured.time_to,
            cost: measured.cost,
            sometimes: measured.sometimes,
        };
        plan.expectations(design.facts.name).judge(&mut outcome, end.as_written);
        let recorded = match (self.trace, self.trace_failed) {
            (_, Some(error)) => Recorded::Failed(error),
            (Some(trace), None) => trace.end(&outcome, end.deviations).map_or_else(Recorded::Failed, Recorded::Done),
            (None, None) => Recorded::Nothing,
        };
        (outcome, measured.lasted, recorded)
    }
}

/// How a run ended.
pub(crate) struct End<'a> {
    pub name: &'a str,
    pub warnings: Vec<Warning>,
    /// The clusters with their designs, where there are several.
    pub clusters: Vec<ClusterRun>,
    pub as_written: bool,
    pub at: Time,
    pub steps: u64,
    /// The kernel's hash, where a kernel ran.
    pub hash: u64,
    /// Every departure from first-in-first-out.
    pub deviations: Vec<String>,
    /// What the processes that lead believe.
    pub beliefs: Vec<Beliefs>,
}

/// What became of the trace.
pub enum Recorded {
    /// None was asked for.
    Nothing,
    /// It is whole.
    Done(Sink),
    /// It could not be written.
    Failed(io::Error),
}

fn figures_settings(plan: &Plan, designs: &[&'static Design]) -> FiguresSettings {
    let limit = |class| {
        let Limit { count, window, .. } = *plan.cloud.limits.of(class);
        ClassLimit { count: (count < u32::MAX).then_some(count.into()), window }
    };
    FiguresSettings {
        budgets: budgets(plan, designs).unwrap_or_default(),
        tier: plan.clusters.first().map_or(plan.cloud.tier, |cluster| cluster.tier),
        limit_per_call: plan.cloud.limits.scope == LimitScope::Endpoint,
        limits: RateClass::ALL.map(limit),
        price: Box::new(price_in(plan.cloud.clone())),
        duration: plan.scenario.duration.get(),
        calm: plan.scenario.calm.get(),
        client: CLIENT.into(),
        has_pods: plan.has_pods,
    }
}

/// The budget of the run: calls of all clusters are counted together, so it takes one design and one tier.
fn budgets(plan: &Plan, designs: &[&'static Design]) -> Option<&'static [Budget]> {
    let (first, others) = designs.split_first()?;
    let is_one_tier = plan.clusters.iter().all(|cluster| cluster.tier == plan.clusters[0].tier);
    (is_one_tier && others.iter().all(|other| other.facts.name == first.facts.name)).then_some(first.budgets)
}

/// What plans cost in a region. Linodes come by the pool, so the last plan is asked for again and again.
fn price_in(cloud: Settings) -> impl Fn(&str) -> PlanPrice {
    const FREE: PlanPrice = PlanPrice { hourly_micro_usd: 0, monthly_micro_usd: 0 };
    let last = RefCell::new(None::<(Arc<PlanType>, PlanPrice)>);
    move |id| match &mut *last.borrow_mut() {
        Some((plan, price)) if *plan.id == *id => *price,
        last => {
            let Some(plan) = cloud.plan(id) else { return FREE };
            let price = plan.price_in(&cloud.region);
            *last = Some((plan.clone(), price));
            price
        }
    }
}
