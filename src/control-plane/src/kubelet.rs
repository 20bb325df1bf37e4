//! The pods' side of the kubelets: a bound pod starts, runs, ends by itself or when its deletion is asked for.
//!
//! A pod is a task. It starts after a while (images, containers), is Running and ready at once, succeeds where its
//! containers end by themselves, and takes its grace where it is deleted; then the kubelet deletes it by force. On a machine
//! that is gone nothing happens any more: such pods stay until their Node is gone.

use crate::view::View;
use crate::writers;
use lkesim_kube::ApiError;
use lkesim_kube::client::Client;
use lkesim_kube::object::{Pod, PodPhase, Uid};
use lkesim_kube::store::{Change, DeleteOptions, Lock};
use lkesim_runtime::{Bell, Key, Tally, TaskName, Time};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// How long a write waits after the API server failed.
const RETRY: Duration = Duration::from_secs(10);

/// All kubelets.
pub struct Kubelets {
    view: Rc<View>,
    client: Client,
    pods: RefCell<BTreeMap<Uid, Rc<Life>>>,
    start: Key,
    stop: Key,
    starts: RefCell<Tally>,
}

/// What a pod's task is told.
#[derive(Default)]
struct Life {
    bell: Bell,
    /// When it has to be gone.
    deadline: Cell<Option<Time>>,
    is_gone: Cell<bool>,
}

/// Starts them.
pub fn start(view: &Rc<View>) {
    let kubelets = Rc::new(Kubelets {
        client: view.client.named(writers::KUBELET),
        pods: RefCell::default(),
        start: view.seed.key("pod.start"),
        stop: view.seed.key("pod.stop"),
        starts: RefCell::default(),
        view: view.clone(),
    });
    let weak = Rc::downgrade(&kubelets);
    view.pods.on_change(move |change| {
        if let Some(kubelets) = weak.upgrade() {
            kubelets.hear(change);
        }
    });
    view.keep(kubelets);
}

impl Kubelets {
    fn hear(self: &Rc<Kubelets>, change: &Change<Pod>) {
        let uid = change.latest().metadata.uid;
        let Some(pod) = &change.after else {
            if let Some(life) = self.pods.borrow_mut().remove(&uid) {
                life.is_gone.set(true);
                life.bell.ring();
            }
            return;
        };
        if pod.node_name.is_none() || (pod.is_terminal() && !pod.is_terminating()) {
            return;
        }
        let known = self.pods.borrow().get(&uid).cloned();
        let life = known.unwrap_or_else(|| self.begin(pod));
        if life.deadline.get() != pod.metadata.deletion_timestamp {
            life.deadline.set(pod.metadata.deletion_timestamp);
            life.bell.ring();
        }
    }

    fn begin(self: &Rc<Kubelets>, pod: &Rc<Pod>) -> Rc<Life> {
        let life = Rc::new(Life::default());
        self.pods.borrow_mut().insert(pod.metadata.uid, life.clone());
        let (this, pod, of_task) = (self.clone(), pod.clone(), life.clone());
        let name = TaskName::on("pod", pod.name().clone()).of_run();
        self.view.runtime.spawn(name, async move { this.run(pod, of_task).await });
        life
    }

    async fn run(self: Rc<Kubelets>, pod: Rc<Pod>, life: Rc<Life>) {
        let n = self.starts.borrow_mut().next(pod.metadata.entity());
        let is_running = pod.status.phase == PodPhase::Running;
        let takes = if is_running {
            Duration::ZERO
        } else {
            self.view.settings.start.draw(self.start.draw(pod.metadata.entity(), n))
        };
        let mut has_started = is_running;
        if !is_running && self.passes(&life, takes).await {
            has_started = self.write(&pod, run).await;
        }
        if has_started && let Some(runs) = pod.runs_for {
            let since = pod.status.start_time.unwrap_or(self.view.runtime.now());
            let left = (since + runs).since(self.view.runtime.now());
            if self.passes(&life, left).await && self.write(&pod, |pod, _| succeed(pod)).await {
                return;
            }
        }
        self.end(&pod, &life, has_started, n).await;
    }

    /// Lets time pass, unless the pod's end is asked for.
    async fn passes(&self, life: &Life, time: Duration) -> bool {
        let runtime = &self.view.runtime;
        let end = runtime.now() + time;
        while life.deadline.get().is_none() && !life.is_gone.get() {
            if runtime.timeout(end.since(runtime.now()), life.bell.heard()).await.is_err() {
                return true;
            }
        }
        false
    }

    /// Waits for the deletion, lets the containers end, and takes the pod away.
    async fn end(&self, pod: &Pod, life: &Life, has_started: bool, n: u64) {
        let runtime = &self.view.runtime;
        while life.deadline.get().is_none() && !life.is_gone.get() {
            life.bell.heard().await;
        }
        let stop = self.view.settings.stop.as_ref().map(|stop| stop.draw(self.stop.draw(pod.metadata.entity(), n)));
        let takes = if has_started { stop.unwrap_or(Duration::MAX) } else { Duration::ZERO };
        let ends = runtime.now() + takes;
        while let (Some(deadline), false) = (life.deadline.get(), life.is_gone.get()) {
            let at = ends.min(deadline);
            // A later deletion may bring the end nearer.
            if runtime.timeout(at.since(runtime.now()), life.bell.heard()).await.is_err() {
                break;
            }
        }
        let options = DeleteOptions { grace: Some(Duration::ZERO), uid: Some(pod.metadata.uid) };
        while !life.is_gone.get() && self.has_machine(pod) {
            match self.client.delete_with(pod, options).await {
                Err(ApiError::Unavailable) => runtime.sleep(RETRY).await,
                _ => return,
            }
        }
    }

    /// Changes the pod's status, if it is the same pod still and its machine is there.
    async fn write(&self, pod: &Pod, change: impl Fn(&mut Pod, Time)) -> bool {
        while self.has_machine(pod) {
            let store = self.client.store();
            let same = |present: &Rc<Pod>| present.metadata.uid == pod.metadata.uid && !present.is_terminating();
            let Some(present) = store.get::<Pod>(pod.name()).filter(same) else { return false };
            let mut changed = Pod::clone(&present);
            change(&mut changed, self.view.runtime.now());
            match self.client.patch_status(&*present, &changed, Lock::None).await {
                Ok(_) => return true,
                Err(ApiError::Unavailable) => self.view.runtime.sleep(RETRY).await,
                Err(_) => return false,
            }
        }
        false
    }

    fn has_machine(&self, pod: &Pod) -> bool {
        pod.node_name.as_ref().is_some_and(|node| self.view.has_machine(node))
    }
}

fn run(pod: &mut Pod, now: Time) {
    pod.status.phase = PodPhase::Running;
    pod.status.is_ready = true;
    pod.status.start_time = Some(now);
}

fn succeed(pod: &mut Pod) {
    pod.status.phase = PodPhase::Succeeded;
    pod.status.is_ready = false;
}
