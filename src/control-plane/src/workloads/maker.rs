//! Makes and deletes the pods of workloads.

use super::expectations::Expectations;
use crate::calls::Calls;
use crate::view::View;
use lkesim_kube::ApiError;
use lkesim_kube::client::Client;
use lkesim_kube::object::meta::{generated_name, name_end};
use lkesim_kube::object::pod::admit_spec;
use lkesim_kube::object::{Kind, OwnerReference, Pod, PodSpec, PodTemplate, StringMap, Uid, Workload, WorkloadKind};
use lkesim_kube::parallel;
use lkesim_kube::store::DeleteOptions;
use lkesim_runtime::{Entity, Key, Tally};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// How many pods one pass makes or deletes at the most (`BurstReplicas`).
pub const BURST: usize = 500;

/// The hands of one controller.
pub struct Maker {
    pub view: Rc<View>,
    pub expectations: Expectations,
    client: Client,
    calls: Calls,
    names: Key,
    named: RefCell<Tally>,
    prepared: RefCell<BTreeMap<Uid, Prepared>>,
}

/// A template as its pods have it, made once so that they share it.
#[derive(Clone)]
pub struct Prepared {
    template: Rc<PodTemplate>,
    /// What the pods need.
    pub spec: Rc<PodSpec>,
    /// Their labels.
    pub labels: StringMap,
    /// What generated names begin with.
    name_begin: Rc<str>,
}

impl Maker {
    pub fn new(view: &Rc<View>, name: &'static str) -> Maker {
        Maker {
            view: view.clone(),
            expectations: Expectations::default(),
            client: view.client.named(name),
            calls: Calls::new(&view.runtime, view.settings.controller_calls),
            names: view.seed.key("pod.name"),
            named: RefCell::default(),
            prepared: RefCell::default(),
        }
    }

    pub fn name(&self) -> &'static str {
        self.client.writer()
    }

    /// The workload of this key, unless it is going, or what was asked for it has not shown in the cache yet.
    pub fn due(&self, key: &str) -> Option<Rc<Workload>> {
        let workload = self.view.workloads.get(key)?;
        let is_due = !workload.metadata.is_deleting() && self.expectations.are_met(workload.metadata.uid);
        is_due.then_some(workload)
    }

    /// The template of a workload, completed by `add`.
    pub fn prepared(&self, workload: &Workload, add: impl FnOnce(&mut PodSpec)) -> Prepared {
        let uid = workload.metadata.uid;
        let known = self.prepared.borrow().get(&uid).cloned();
        if let Some(known) = known.filter(|known| Rc::ptr_eq(&known.template, &workload.template)) {
            return known;
        }
        let mut labels = workload.template.labels.clone();
        let mut name_begin = workload.own_name.clone();
        if workload.kind == WorkloadKind::Deployment {
            let hash = hash(workload);
            name_begin = format!("{name_begin}-{hash}").into();
            labels.insert("pod-template-hash", hash);
        }
        let mut spec = PodSpec::clone(&workload.template.spec);
        add(&mut spec);
        admit_spec(&mut spec, &labels);
        let prepared = Prepared { template: workload.template.clone(), spec: Rc::new(spec), labels, name_begin };
        self.prepared.borrow_mut().insert(uid, prepared.clone());
        prepared
    }

    /// A workload is gone.
    pub fn forget(&self, uid: Uid) {
        self.prepared.borrow_mut().remove(&uid);
    }

    /// A pod of a workload, by its own name.
    pub fn pod(&self, workload: &Workload, from: &Prepared, own_name: &str) -> Pod {
        let mut pod = Pod::new_in(workload.namespace.clone(), own_name, PodSpec::default());
        pod.spec = from.spec.clone();
        pod.owner = workload.kind.owner();
        pod.runs_for = workload.runs_for;
        pod.metadata.labels = from.labels.clone();
        pod.metadata.annotations = workload.template.annotations.clone();
        pod.metadata.owner_references.push(OwnerReference {
            kind: Kind::Workload,
            name: workload.name().clone(),
            uid: workload.metadata.uid,
        });
        pod
    }

    /// A name that the API server would generate for a pod.
    pub fn generated_name(&self, workload: &Workload, from: &Prepared) -> String {
        let entity = workload.metadata.entity();
        let n = self.named.borrow_mut().next(entity);
        generated_name(&from.name_begin, self.names.draw(entity, n))
    }

    /// Makes pods, first one, then twice as many at once as long as none fails (`slowStartBatch`).
    pub async fn make(self: &Rc<Maker>, owner: Uid, pods: Vec<Pod>) -> Result<(), ApiError> {
        pods.iter().for_each(|pod| self.expectations.make(owner, pod.name()));
        let mut left = pods.into_iter();
        let mut batch = 1;
        loop {
            let some: Vec<Pod> = left.by_ref().take(batch).collect();
            if some.is_empty() {
                return Ok(());
            }
            let this = self.clone();
            let make = move |pod| {
                let this = this.clone();
                async move { this.make_one(pod).await }
            };
            let (count, name) = (some.len(), self.name());
            let made = parallel::map(&self.view.runtime, name, count, some, make).await;
            if let Some(error) = made.into_iter().find_map(Result::err) {
                left.for_each(|pod| self.expectations.not_made(pod.name()));
                return Err(error);
            }
            batch *= 2;
        }
    }

    async fn make_one(&self, pod: Pod) -> Result<(), ApiError> {
        self.calls.wait().await;
        let name = pod.name().clone();
        let made = self.client.create(pod).await;
        if made.is_err() {
            self.expectations.not_made(&name);
        }
        made.map(drop)
    }

    /// Deletes pods, all at once.
    pub async fn delete(self: &Rc<Maker>, owner: Uid, pods: Vec<Rc<Pod>>) -> Result<(), ApiError> {
        pods.iter().for_each(|pod| self.expectations.delete(owner, pod.metadata.uid));
        let this = self.clone();
        let delete = move |pod: Rc<Pod>| {
            let this = this.clone();
            async move { this.delete_one(&pod).await }
        };
        let deleted = parallel::map(&self.view.runtime, self.name(), pods.len(), pods, delete).await;
        deleted.into_iter().collect()
    }

    async fn delete_one(&self, pod: &Pod) -> Result<(), ApiError> {
        self.calls.wait().await;
        let options = DeleteOptions { uid: Some(pod.metadata.uid), ..DeleteOptions::default() };
        match self.client.delete_with(pod, options).await {
            Ok(()) => Ok(()),
            Err(error) => {
                self.expectations.not_deleted(pod.metadata.uid);
                // A pod that is gone is as good as deleted.
                if error.is_not_found() || error.is_conflict() { Ok(()) } else { Err(error) }
            }
        }
    }
}

/// What stands for the hash of a Deployment's template: it changes where upstream's would, and is not the same number. How
/// long its pods run is an annotation of the template and counts as the last word of their spec.
fn hash(workload: &Workload) -> String {
    let template = format!("{:?}", workload.template);
    let template = template.strip_suffix(" } }").unwrap_or(&template);
    let text = format!("{}{template}, runs_for: {:?} }} }}", workload.name(), workload.runs_for);
    name_end(Entity::named(&text).as_u64() % 27_u64.pow(9), 9)
}
