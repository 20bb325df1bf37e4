//! Pod garbage collection: pods of a node that is gone are deleted by force.
//!
//! Kubernetes v1.33 `pkg/controller/podgc/gc_controller.go`: every 20 s it looks for pods whose node it does not know, keeps
//! such a node in quarantine for 40 s, asks the server again, and deletes. Here it wakes only where there is something to
//! look for, at the same times. Left out: the threshold of ended pods (12,500), and pods of nodes with the taint
//! `out-of-service`.

use crate::calls::Calls;
use crate::view::View;
use crate::writers;
use lkesim_kube::client::Client;
use lkesim_kube::object::{Node, Pod};
use lkesim_kube::store::DeleteOptions;
use lkesim_runtime::{TaskName, Time};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Duration;

struct Collection {
    view: Rc<View>,
    client: Client,
    calls: Calls,
    /// Nodes that a task looks for.
    missed: RefCell<BTreeSet<Rc<str>>>,
}

/// Starts it.
pub fn start(view: &Rc<View>) {
    let collection = Rc::new(Collection {
        client: view.client.named(writers::POD_COLLECTOR),
        calls: Calls::new(&view.runtime, view.settings.controller_calls),
        missed: RefCell::default(),
        view: view.clone(),
    });
    let weak = Rc::downgrade(&collection);
    view.nodes.on_change(move |change| {
        if let (None, Some(before), Some(collection)) = (&change.after, &change.before, weak.upgrade())
            && !collection.view.on_node(before.name()).is_empty()
        {
            collection.miss(before.name());
        }
    });
    let weak = Rc::downgrade(&collection);
    view.pods.on_change(move |change| {
        let (Some(pod), Some(collection)) = (&change.after, weak.upgrade()) else { return };
        let was_bound = change.before.as_ref().is_some_and(|before| before.node_name.is_some());
        if let Some(node) = pod.node_name.as_ref().filter(|_| !was_bound)
            && collection.view.nodes.get(node).is_none()
        {
            collection.miss(node);
        }
    });
    view.keep(collection);
}

impl Collection {
    fn miss(self: &Rc<Collection>, node: &Rc<str>) {
        if self.missed.borrow_mut().insert(node.clone()) {
            let (this, node) = (self.clone(), node.clone());
            let name = TaskName::on("pod-collection", node.clone()).of_run();
            self.view.runtime.spawn(name, async move {
                this.look(&node).await;
                this.missed.borrow_mut().remove(&node);
            });
        }
    }

    async fn look(&self, node: &Rc<str>) {
        let settings = &self.view.settings;
        loop {
            self.view.runtime.sleep_until(self.next_look(self.view.runtime.now())).await;
            if !self.is_missed(node) {
                return;
            }
            self.view.runtime.sleep_until(self.next_look(self.view.runtime.now() + settings.quarantine)).await;
            if !self.is_missed(node) {
                return;
            }
            self.calls.wait().await;
            match self.client.get::<Node>(node).await {
                Ok(_) => return,
                Err(error) if error.is_not_found() => {}
                Err(_) => continue,
            }
            for pod in self.view.on_node(node) {
                self.delete(&pod).await;
            }
        }
    }

    fn is_missed(&self, node: &str) -> bool {
        self.view.nodes.get(node).is_none() && !self.view.on_node(node).is_empty()
    }

    async fn delete(&self, pod: &Pod) {
        self.calls.wait().await;
        let options = DeleteOptions { grace: Some(Duration::ZERO), uid: Some(pod.metadata.uid) };
        // What fails is tried again with the next look.
        drop(self.client.delete_with(pod, options).await);
    }

    /// The next time at which it looks, now included.
    fn next_look(&self, at: Time) -> Time {
        let period = u64::try_from(self.view.settings.collection_period.as_nanos()).unwrap_or(u64::MAX).max(1);
        Time::from_nanos(at.as_nanos().div_ceil(period).saturating_mul(period))
    }
}
