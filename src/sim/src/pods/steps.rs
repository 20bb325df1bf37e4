//! What users do to pods and to what makes them, each at its time.

use crate::workload::BY;
use crate::world::World;
use lkesim_kube::ApiError;
use lkesim_kube::object::node_class::NodeClassStatus;
use lkesim_kube::object::{Kind, Node, NodeClaim, NodeClass, NodePool, Object, Pod, PodDisruptionBudget, Workload};
use lkesim_kube::store::{Lock, Part, Store, Write};
use lkesim_lke::Care;
use lkesim_runtime::TaskName;
use lkesim_scenario::manifest::{self, Arrivals, PodAct};
use std::rc::Rc;

/// Plays a cluster's steps.
pub(crate) async fn play(world: Rc<World>, place: usize, care: Care) {
    let steps = world.plan.clusters[place].pods.steps.clone();
    for (number, step) in steps.iter().enumerate() {
        if world.runtime.now() < step.at {
            world.runtime.sleep_until(step.at).await;
        }
        match &step.act {
            PodAct::Arrive(_) => {
                let arriving = arrive(world.clone(), place, number);
                world.runtime.spawn(TaskName::on("workload.arrive", number.to_string().into()), arriving);
            }
            act => {
                let (store, write) = (&world.clusters[place].store, Write { at: world.runtime.now(), by: BY });
                let warn = |text| world.warn(format!("workload of {}", world.plan.clusters[place].label), text);
                if !care.updates_tags && changes_tags(store, act) {
                    warn("changed tags of a LinodeNodeClass reach no Linode that is there, under this design".into());
                }
                if let Err(error) = play_one(store, write, act) {
                    tracing::warn!(%error, "a step of the workload came to nothing");
                    warn(error.to_string());
                }
            }
        }
    }
}

/// Whether a NodeClass that is there gets other tags.
fn changes_tags(store: &Store, act: &PodAct) -> bool {
    let PodAct::Apply(object) = act else { return false };
    let manifest::Object::NodeClass(after) = &**object else { return false };
    store.get::<NodeClass>(after.name()).is_some_and(|before| before.spec.tags != after.spec.tags)
}

/// Pods arrive one by one.
async fn arrive(world: Rc<World>, place: usize, number: usize) {
    let steps = world.plan.clusters[place].pods.steps.clone();
    let PodAct::Arrive(arrivals) = &steps[number].act else {
        return;
    };
    let seed = world.clusters[place].seed;
    let (when, runs) = (seed.key("workload.arrivals"), seed.key("workload.runs_for"));
    let arrivals: &Arrivals = arrivals;
    for (n, at) in arrivals.times(when).into_iter().enumerate() {
        if world.runtime.now() < at {
            world.runtime.sleep_until(at).await;
        }
        let (store, write) = (&world.clusters[place].store, Write { at: world.runtime.now(), by: BY });
        if let Err(error) = store.create(write, arrivals.pod(n as u64, runs)) {
            tracing::warn!(%error, "a pod could not arrive");
        }
    }
}

fn play_one(store: &Store, write: Write, act: &PodAct) -> Result<(), ApiError> {
    match act {
        PodAct::Apply(object) => match &**object {
            manifest::Object::NodePool(object) => apply(store, write, object),
            // Users can't write a status.
            manifest::Object::NodeClass(object) => {
                apply(store, write, &NodeClass { status: NodeClassStatus::default(), ..object.clone() })
            }
            manifest::Object::NodeClaim(object) => apply(store, write, object),
            manifest::Object::Node(object) => apply(store, write, object),
            manifest::Object::Workload(object) => apply(store, write, object),
            manifest::Object::Pod(object) => apply(store, write, object),
            manifest::Object::PodDisruptionBudget(object) => apply(store, write, object),
        },
        PodAct::Scale { workload, replicas } => {
            let missing = || ApiError::NotFound { kind: Kind::Workload, name: workload.clone() };
            let before = store.get::<Workload>(workload).ok_or_else(missing)?;
            let after = Workload { replicas: *replicas, ..Workload::clone(&before) };
            store.patch(write, &*before, &after, Part::Object, Lock::None).map(drop)
        }
        PodAct::Delete { kind, name } => match kind {
            Kind::NodeClaim => store.delete::<NodeClaim>(write, name),
            Kind::NodePool => store.delete::<NodePool>(write, name),
            Kind::NodeClass => store.delete::<NodeClass>(write, name),
            Kind::Node => store.delete::<Node>(write, name),
            Kind::Pod => store.delete::<Pod>(write, name),
            Kind::Workload => store.delete::<Workload>(write, name),
            Kind::PodDisruptionBudget => store.delete::<PodDisruptionBudget>(write, name),
            Kind::ConfigMap => Ok(()),
        },
        PodAct::Arrive(_) => Ok(()),
    }
}

/// Creates the object, or replaces what users give of the one that is there.
fn apply<T: Object>(store: &Store, write: Write, object: &T) -> Result<(), ApiError> {
    let Some(before) = store.get::<T>(&object.metadata().name) else {
        return store.create(write, object.clone()).map(drop);
    };
    let mut after = T::clone(&before);
    after.metadata_mut().labels = object.metadata().labels.clone();
    let of_controllers = before.metadata().annotations.iter().filter(|(key, _)| is_of_controllers(key));
    let mut annotations = object.metadata().annotations.clone();
    of_controllers.for_each(|(key, value)| annotations.insert(key.clone(), value.clone()));
    after.metadata_mut().annotations = annotations;
    after.merge_spec(&before, object);
    store.patch(write, &*before, &after, Part::Object, Lock::None).map(drop)
}

/// What an apply leaves alone: nobody applied it before.
fn is_of_controllers(annotation: &str) -> bool {
    annotation.starts_with("karpenter.k8s.linode/")
}
