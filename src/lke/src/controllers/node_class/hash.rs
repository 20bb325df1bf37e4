//! Notes in a NodeClass which settings it has, as a hash of them.
//!
//! What a change costs is the note: an annotation is an event of the NodeClass like any other, for which its version is
//! looked at once more. Source: provider e1c5200 pkg/controllers/nodeclass/hash/controller.go. That NodeClaims are
//! compared with the hash, which is drift, is not modelled; nor is another version of the way to hash.

use crate::context::Kube;
use crate::fnv::fnv1a_32;
use async_trait::async_trait;
use lkesim_kube::controller::{Controller, Next, RateLimit, ReconcileError, Reconciler};
use lkesim_kube::object::NodeClass;
use lkesim_kube::store::Lock;
use lkesim_runtime::Runtime;
use std::rc::Rc;

const NAME: &str = "nodeclass.hash";
const WORKERS: usize = 10;
const ANNOTATION: &str = "karpenter.k8s.linode/linodenodeclass-hash";

/// Starts the controller.
pub fn start(runtime: &Runtime, kube: &Kube) {
    let kube = Kube { client: kube.client.named(NAME), ..kube.clone() };
    let (classes, synced) = (kube.informers.node_classes.clone(), kube.caches_synced());
    let reconcile = Rc::new(Hash { kube });
    let controller = Controller { name: NAME, concurrency: WORKERS, limiter: RateLimit::REASONABLE, reconcile };
    let queue = controller.start(runtime, synced);
    classes.on_change(move |change| {
        if let Some(class) = change.after.as_ref().filter(|class| !is_noted(class)) {
            queue.add(class.name().clone());
        }
    });
}

/// The NodeClass with the note that its settings ask for.
pub fn annotated(mut class: NodeClass) -> NodeClass {
    let hash = hash(&class);
    class.metadata.annotations.insert(ANNOTATION, hash);
    class
}

/// The hash is of another kind than upstream's, which nobody but its controllers reads. As there, the order of tags does
/// not matter.
fn hash(class: &NodeClass) -> String {
    let mut spec = (*class.spec).clone();
    let mut tags: Vec<_> = spec.tags.iter().cloned().collect();
    tags.sort();
    spec.tags = tags.into();
    fnv1a_32(&format!("{spec:?}")).to_string()
}

fn is_noted(class: &NodeClass) -> bool {
    class.metadata.annotations.has(ANNOTATION, &hash(class))
}

struct Hash {
    kube: Kube,
}

#[async_trait(?Send)]
impl Reconciler for Hash {
    async fn reconcile(&self, key: Rc<str>) -> Result<Next, ReconcileError> {
        let Some(class) = self.kube.informers.node_classes.get(&key).filter(|class| !is_noted(class)) else {
            return Ok(Next::Done);
        };
        let changed = annotated((*class).clone());
        self.kube.client.patch(&*class, &changed, Lock::None).await?;
        Ok(Next::Done)
    }
}
