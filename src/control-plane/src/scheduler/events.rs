//! What the watches tell, and which pods that may help.
//!
//! As upstream, each filter that refused nodes to a pod hints at what may help it (Kubernetes v1.33, QueueingHints). Where a
//! pod goes, upstream lets all try again to which some node was too full; here those alone that might come to that node.

use super::amounts::Amounts;
use super::cluster::NodeNews;
use super::filter::Filter;
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
                let (number, news) = self.cluster.set_node(node);
                self.stir_by_news(now, number, news);
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
        self.forget_shapes();
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
            self.cluster.release(queued.shape);
        }
    }

    /// What is known of a shape is not true of the next shape of its number.
    pub(super) fn forget_shapes(&mut self) {
        for shape in std::mem::take(&mut self.cluster.freed) {
            self.failures.remove(&shape);
            self.standings.remove(&shape);
            self.refused_by.remove(&shape);
        }
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

    /// A node came or changed: pods may try again to which a filter refused nodes that has nothing against this one, and
    /// pods that found no node at all.
    fn stir_by_news(&mut self, now: Time, node: usize, news: NodeNews) {
        if !self.queue.has_hopeless() || news == NodeNews::default() {
            return;
        }
        let State { cluster, queue, refused_by, .. } = self;
        let info = &cluster.nodes[node];
        let Some(object) = &info.node else { return };
        queue.stir(now, |number| {
            let shape = cluster.shape(number);
            let stand = shape.stand(node, info.version, object);
            refused_by.get(&number).is_none_or(|filters| {
                filters.iter().any(|filter| match filter {
                    Filter::Taints => news.taints && stand.taint.is_none(),
                    Filter::NodeAffinity => news.labels && stand.is_selected,
                    Filter::Resources => news.room && shape.wanted.fits(&info.allocatable, &Amounts::default()),
                    Filter::Others => true,
                })
            })
        });
    }

    /// A node has more room: pods may try again that might come there now.
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
