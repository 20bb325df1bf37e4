//! The world of one run: cloud, store and judge, and the one place where events are made.

use crate::carrier::Carrier;
use crate::catalogue::Catalogue;
use crate::cluster::Cluster;
use crate::judgement::Judgement;
use crate::plan::Plan;
use fake_linode::{Change, Cloud, NotModelled};
use lkesim_judge::event::{Event, What};
use lkesim_judge::outcome::Warning;
use lkesim_linode_api::{ClusterId, InstanceId, LkePoolId};
use lkesim_runtime::{Bell, Runtime, Seed, Time};
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// The world of one run. Only the simulator holds it; code under test sees the API alone.
pub(crate) struct World {
    pub runtime: Runtime,
    pub plan: Rc<Plan>,
    pub cloud: Rc<RefCell<Cloud>>,
    /// What carries judged calls to the cloud; a plain function call where there is none.
    pub carrier: OnceCell<Rc<dyn Carrier>>,
    /// The clusters, in the order of the plan.
    pub clusters: Vec<Cluster>,
    /// All Linodes, for what a change of the cloud leaves out.
    pub places: RefCell<BTreeMap<InstanceId, Place>>,
    /// The scenario's own catalogue of types.
    pub catalogue: Option<Catalogue>,
    /// Rings when the cloud may have a nearer event than before.
    pub cloud_moved: Bell,
    /// How many calls of each `crash: {after}` the cloud has accepted.
    pub accepted: RefCell<Vec<u64>>,
    /// None once the run is over: what tasks do while they are dropped is no part of it.
    judgement: RefCell<Option<Judgement>>,
    calls: Cell<u64>,
    runs: Cell<u64>,
    changes: RefCell<Vec<Change>>,
    not_modelled: RefCell<Option<String>>,
    warnings: RefCell<Vec<Warning>>,
    aborted: Bell,
    is_traced: bool,
}

/// Where a Linode is.
#[derive(Clone)]
pub(crate) struct Place {
    /// The cluster that it is a node of.
    pub cluster: Option<ClusterId>,
    pub lke_pool: Option<LkePoolId>,
    pub label: Arc<str>,
    pub plan: Arc<str>,
}

impl World {
    pub fn new(runtime: Runtime, plan: Rc<Plan>, seed: Seed, judgement: Judgement) -> Rc<World> {
        Rc::new(World {
            is_traced: judgement.is_traced(),
            cloud: Rc::new(RefCell::new(Cloud::new(plan.cloud.clone(), seed))),
            carrier: OnceCell::new(),
            clusters: Cluster::all(&plan, seed),
            places: RefCell::default(),
            catalogue: Catalogue::of(&plan.scenario),
            cloud_moved: Bell::new(),
            accepted: RefCell::new(vec![0; plan.scenario.chaos.len()]),
            judgement: RefCell::new(Some(judgement)),
            calls: Cell::new(0),
            runs: Cell::new(0),
            changes: RefCell::default(),
            not_modelled: RefCell::default(),
            warnings: RefCell::default(),
            aborted: Bell::new(),
            runtime,
            plan,
        })
    }

    /// Tells the judge, unless the run is over.
    pub fn record(&self, what: What) {
        if let Some(judgement) = &mut *self.judgement.borrow_mut() {
            judgement.take(Event { at: self.runtime.now(), what });
        }
    }

    /// Whether somebody reads all that is told.
    pub fn is_traced(&self) -> bool {
        self.is_traced
    }

    /// Since when all eventual invariants hold.
    pub fn settled_since(&self) -> Option<Time> {
        self.judgement.borrow_mut().as_mut().and_then(Judgement::settled_since)
    }

    /// Ends the run. Nothing is told any more.
    ///
    /// # Panics
    /// When the run was ended before.
    pub fn close(&self) -> Judgement {
        self.judgement.borrow_mut().take().expect("a run ends once")
    }

    /// The number of the next HTTP request.
    pub fn next_call(&self) -> u64 {
        self.calls.set(self.calls.get() + 1);
        self.calls.get()
    }

    /// The number of the next operation of a provider.
    pub fn next_run(&self) -> u64 {
        self.runs.set(self.runs.get() + 1);
        self.runs.get()
    }

    /// The cluster that a Linode is a node of, by what its place says; the first where it is of none.
    pub fn cluster_at(&self, place: &Place) -> &Cluster {
        let own = self.clusters.iter().find(|cluster| Some(cluster.id) == place.cluster);
        own.unwrap_or(&self.clusters[0])
    }

    /// Takes what the cloud changed since last time.
    pub fn take_changes(&self) -> Vec<Change> {
        let mut changes = std::mem::take(&mut *self.changes.borrow_mut());
        self.cloud.borrow_mut().take_changes(&mut changes);
        changes
    }

    /// Gives the buffer back.
    pub fn return_changes(&self, mut changes: Vec<Change>) {
        changes.clear();
        *self.changes.borrow_mut() = changes;
    }

    /// Keeps for the report that something of the scenario came to nothing.
    pub fn warn(&self, path: String, text: String) {
        tracing::warn!("{path} came to nothing: {text}");
        self.warnings.borrow_mut().push(Warning { at_ms: self.runtime.now().as_millis(), path, text });
    }

    /// All that there is to warn of, in order of time.
    pub fn warnings(&self) -> Vec<Warning> {
        self.warnings.borrow().clone()
    }

    /// Ends the run: it asked for something that the fake has no model of.
    pub fn abort(&self, NotModelled(what): NotModelled) {
        self.not_modelled.borrow_mut().get_or_insert(what);
        self.aborted.ring();
    }

    /// Waits until the run is aborted.
    pub async fn aborted(&self) {
        self.aborted.heard().await;
    }

    /// What was not modelled, if that ended the run.
    pub fn not_modelled(&self) -> Option<String> {
        self.not_modelled.borrow().clone()
    }
}
