//! What the watches tell, and which pods that may help.
//!
//! Upstream each filter gives hints on which events may help the pods that it refused; here one question stands for all:
//! might a pod of this shape come to this node now?

use super::shape::Presence;
use super::{Scheduler, State};
use lkesim_kube::object::{Node, Pod};
use lkesim_kube::store::Change;
use lkesim_runtime::Time;
use std::rc::Rc;

/// Lets the scheduler hear of nodes and pods.
pub fn listen(scheduler: &Rc<Scheduler>) {
    let weak = Rc::downgrade(scheduler);
    scheduler.view.nodes.on_change(move |change| {
        if let Some(scheduler) = weak.upgrade() {
            let now = scheduler.view.runtime.now();
            scheduler.state.borrow_mut().node_changed(now, change);
            scheduler.bell.ring();
        }
    });
    let weak = Rc::downgrade(scheduler);
    scheduler.view.pods.on_change(move |change| {
        if let Some(scheduler) = weak.upgrade() {
            let now = scheduler.view.runtime.now();
            scheduler.state.borrow_mut().pod_changed(now, change);
            scheduler.bell.ring();
        }
    });
}

impl State {
    fn node_changed(&mut self, now: Time, change: &Change<Node>) {
        match &change.after {
            Some(node) => {
                if let Some(number) = self.cluster.set_node(node) {
                    self.stir_by_node(now, number);
                }
            }
            None => self.cluster.remove_node(change.latest().name()),
        }
    }

    fn pod_changed(&mut self, now: Time, change: &Change<Pod>) {
        match &change.after {
            Some(pod) if pod.is_terminal() => self.ended(now, pod),
            None => self.ended(now, change.latest()),
            Some(pod) => match &pod.node_name {
                Some(node) => self.bound(now, pod, node),
                None => self.waits(now, pod),
            },
        }
    }

    fn ended(&mut self, now: Time, pod: &Pod) {
        let uid = pod.metadata.uid;
        self.leave_queue(pod);
        self.displace(now, uid);
    }

    fn leave_queue(&mut self, pod: &Pod) {
        let uid = pod.metadata.uid;
        self.forget_nomination(uid);
        if let Some(queued) = self.queue.remove(uid) {
            self.release(queued.shape);
        }
    }

    /// A shape's failure is not that of the next shape of its number.
    fn release(&mut self, shape: usize) {
        if self.cluster.shape(shape).users == 1 {
            self.failures.remove(&shape);
        }
        self.cluster.release(shape);
    }

    fn bound(&mut self, now: Time, pod: &Rc<Pod>, node: &Rc<str>) {
        let uid = pod.metadata.uid;
        let is_as_known = self.cluster.confirm(pod, node);
        if !is_as_known {
            self.cluster.displace(uid);
            self.cluster.place(pod, node, false);
        }
        self.leave_queue(pod);
        if self.queue.has_hopeless()
            && let Some(placed) = self.cluster.pods.get(&uid)
        {
            let presence = self.cluster.shape(placed.shape).presence();
            self.stir_by_pod(now, &presence);
        }
    }

    fn waits(&mut self, now: Time, pod: &Rc<Pod>) {
        let uid = pod.metadata.uid;
        if pod.is_terminating() || !pod.spec.scheduling_gates.is_empty() {
            self.leave_queue(pod);
            return;
        }
        match self.queue.get(uid).map(|queued| queued.pod.clone()) {
            Some(known) if Rc::ptr_eq(&known.spec, &pod.spec) && known.metadata.labels == pod.metadata.labels => {
                self.queue.refresh(pod);
            }
            known => {
                // A pod that asks for something else is a new one to the queue.
                if known.is_some() {
                    self.leave_queue(pod);
                }
                let shape = self.cluster.shape_of(pod);
                self.queue.add(now, pod, shape);
            }
        }
    }

    /// A node changed, or has more room: pods may try again that might come there.
    pub(super) fn stir_by_node(&mut self, now: Time, node: usize) {
        if !self.queue.has_hopeless() {
            return;
        }
        let State { cluster, queue, .. } = self;
        let info = &cluster.nodes[node];
        let Some(object) = &info.node else { return };
        let least = cluster.pods_on(node).map(|placed| placed.pod.spec.priority).min();
        queue.stir(now, |number| {
            let shape = cluster.shape(number);
            let stand = shape.stand(node, info.version, object);
            let may_evict = least.is_some_and(|least| least < shape.spec.priority);
            let has_room = may_evict || shape.wanted.fits(&info.allocatable, &info.taken);
            stand.taint.is_none() && stand.is_selected && (has_room || shape.looks_at_pods())
        });
    }

    /// Such a pod came or went: pods may try again whose terms are about it.
    pub(super) fn stir_by_pod(&mut self, now: Time, presence: &Presence) {
        let State { cluster, queue, .. } = self;
        queue.stir(now, |number| cluster.shape(number).cares_for(presence));
    }
}
