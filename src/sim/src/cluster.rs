//! One cluster of the world: its Kubernetes store, its nodes and its luck.

use crate::bridge::Nodes;
use crate::plan::Plan;
use crate::process::Running;
use crate::run::RunError;
use lkesim_judge::event::{ClaimRef, PodRef};
use lkesim_kube::client::Client;
use lkesim_kube::informer::WeakInformers;
use lkesim_kube::object::{NodeClaim, Pod};
use lkesim_kube::store::Store;
use lkesim_linode_api::ClusterId;
use lkesim_lke::Design;
use lkesim_runtime::{Entity, Seed};
use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

/// The uids of one store; the next cluster's begin after them. No run makes so many objects.
const UIDS: u64 = 1 << 40;

/// A cluster.
pub(crate) struct Cluster {
    /// Its place in the plan.
    pub place: usize,
    pub id: ClusterId,
    pub store: Store,
    /// What its own luck depends on: the first cluster's is the run's, so that another beside it changes nothing.
    pub seed: Seed,
    /// The nodes that its Linodes become.
    pub nodes: OnceCell<Nodes>,
    /// The way to its API server of who is no process of Karpenter's.
    pub client: OnceCell<Client>,
    /// The process that led last, and what it sees the cluster by.
    pub led: RefCell<Option<(Rc<Running>, WeakInformers)>>,
    /// How its NodeClaims are told apart from those of other clusters, where there are any.
    prefix: Option<Rc<str>>,
}

impl Cluster {
    /// The clusters of a plan.
    pub fn all(plan: &Plan, seed: Seed) -> Vec<Cluster> {
        let cluster = |(place, of): (usize, &crate::plan::ClusterPlan)| Cluster {
            place,
            id: of.id,
            store: Store::with_uids_after(UIDS * place as u64),
            seed: match place {
                0 => seed,
                _ => Seed(seed.key("cluster").draw(Entity::named(&of.label), 0).0),
            },
            nodes: OnceCell::new(),
            client: OnceCell::new(),
            led: RefCell::default(),
            prefix: plan.has_several_clusters().then(|| (&*of.label).into()),
        };
        plan.clusters.iter().enumerate().map(cluster).collect()
    }

    /// A NodeClaim of this cluster as the judge knows it.
    pub fn claim_ref(&self, claim: &NodeClaim) -> ClaimRef {
        ClaimRef { uid: claim.metadata.uid.0, name: self.name(&claim.metadata.name) }
    }

    /// A pod of this cluster as the judge knows it.
    pub fn pod_ref(&self, pod: &Pod) -> PodRef {
        PodRef { uid: pod.metadata.uid.0, name: self.name(&pod.metadata.name) }
    }

    /// The name of an object of this cluster as the judge knows it.
    pub fn name(&self, of_object: &Rc<str>) -> Rc<str> {
        match &self.prefix {
            None => of_object.clone(),
            Some(prefix) => [prefix, "/", of_object].concat().into(),
        }
    }
}

impl Plan {
    /// The design of each cluster, where the run's is this one.
    pub(crate) fn designs(&self, of_run: &'static Design) -> Result<Vec<&'static Design>, RunError> {
        let design = |of: &crate::plan::ClusterPlan| match &of.design {
            None => Ok(of_run),
            Some(name) => lkesim_lke::design(name)
                .ok_or_else(|| RunError::NotModelled(format!("the design `{name}` of the cluster `{}`", of.label))),
        };
        self.clusters.iter().map(design).collect()
    }
}
