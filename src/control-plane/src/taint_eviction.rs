//! Taint eviction: pods that do not put up with a NoExecute taint of their node are deleted, at once or after as long as
//! they do.
//!
//! Kubernetes v1.33 `pkg/controller/tainteviction/taint_eviction.go`. A pod that tolerates all such taints stays as long as
//! the shortest `tolerationSeconds` of the tolerations that it uses says, counted from when its time was first set; where
//! the taints go before, it stays.

use crate::calls::Calls;
use crate::view::View;
use crate::writers;
use lkesim_kube::ApiError;
use lkesim_kube::client::Client;
use lkesim_kube::object::{Node, Pod, Taint, TaintEffect, Uid};
use lkesim_kube::store::DeleteOptions;
use lkesim_runtime::{TaskName, Time};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// How long a deletion waits after the API server failed. Upstream tries five times within 50 ms and then forgets it.
const RETRY: Duration = Duration::from_secs(1);

struct TaintEviction {
    view: Rc<View>,
    client: Client,
    calls: Calls,
    /// When a pod's time was first set, and when it ends.
    due: RefCell<BTreeMap<Uid, (Time, Time)>>,
}

/// Starts it.
pub fn start(view: &Rc<View>) {
    let eviction = Rc::new(TaintEviction {
        client: view.client.named(writers::TAINT_EVICTION),
        calls: Calls::new(&view.runtime, view.settings.controller_calls),
        due: RefCell::default(),
        view: view.clone(),
    });
    let weak = Rc::downgrade(&eviction);
    view.nodes.on_change(move |change| {
        let Some(eviction) = weak.upgrade() else { return };
        let taints = |node: &Option<Rc<Node>>| node.as_ref().map(|node| node.spec.taints.clone());
        if let Some(node) = change.after.as_ref().filter(|_| taints(&change.before) != taints(&change.after)) {
            for pod in eviction.view.on_node(node.name()) {
                eviction.judge(&pod, node);
            }
        }
    });
    let weak = Rc::downgrade(&eviction);
    view.pods.on_change(move |change| {
        let Some(eviction) = weak.upgrade() else { return };
        let Some(pod) = &change.after else {
            eviction.due.borrow_mut().remove(&change.latest().metadata.uid);
            return;
        };
        let was_bound = change.before.as_ref().is_some_and(|before| before.node_name == pod.node_name);
        if let Some(node) = pod.node_name.as_ref().filter(|_| !was_bound)
            && let Some(node) = eviction.view.nodes.get(node)
        {
            eviction.judge(pod, &node);
        }
    });
    view.keep(eviction);
}

impl TaintEviction {
    fn judge(self: &Rc<TaintEviction>, pod: &Rc<Pod>, node: &Node) {
        let uid = pod.metadata.uid;
        let now = self.view.runtime.now();
        let taints: Vec<&Taint> =
            node.spec.taints.iter().filter(|taint| taint.effect == TaintEffect::NoExecute).collect();
        let stays = if pod.is_terminating() { None } else { stays(pod, &taints) };
        let Some(stays) = stays else {
            self.due.borrow_mut().remove(&uid);
            return;
        };
        let first = self.due.borrow().get(&uid).map_or(now, |(first, _)| *first);
        let first = if stays.is_zero() { now } else { first };
        let at = first + stays;
        if self.due.borrow().get(&uid).is_some_and(|(_, due)| *due <= at) {
            return;
        }
        self.due.borrow_mut().insert(uid, (first, at));
        let (this, pod) = (self.clone(), pod.clone());
        let name = TaskName::on("taint-eviction", pod.name().clone()).of_run();
        self.view.runtime.spawn(name, async move { this.evict(&pod, at).await });
    }

    async fn evict(&self, pod: &Pod, at: Time) {
        let uid = pod.metadata.uid;
        let runtime = &self.view.runtime;
        if runtime.now() < at {
            runtime.sleep_until(at).await;
        }
        if self.due.borrow().get(&uid).is_none_or(|(_, due)| *due != at) {
            return;
        }
        self.due.borrow_mut().remove(&uid);
        let options = DeleteOptions { uid: Some(uid), ..DeleteOptions::default() };
        loop {
            self.calls.wait().await;
            match self.client.delete_with(pod, options).await {
                Err(ApiError::Unavailable) => runtime.sleep(RETRY).await,
                _ => return,
            }
        }
    }
}

/// How long the pod stays; `None` is for ever.
fn stays(pod: &Pod, taints: &[&Taint]) -> Option<Duration> {
    let mut least: Option<i64> = None;
    for taint in taints {
        let Some(used) = pod.spec.tolerations.iter().find(|one| one.tolerates(taint)) else {
            return Some(Duration::ZERO);
        };
        if let Some(seconds) = used.toleration_seconds {
            least = Some(least.map_or(seconds, |least| least.min(seconds)));
        }
    }
    least.map(|seconds| Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lkesim_kube::object::{PodSpec, Toleration, labels};

    #[test]
    fn a_pod_stays_as_long_as_its_shortest_toleration_says() {
        let taints = [
            Taint::new(labels::UNREACHABLE_TAINT, TaintEffect::NoExecute),
            Taint::new("other", TaintEffect::NoExecute),
        ];
        let all: Vec<&Taint> = taints.iter().collect();
        let for_seconds = |key: &str, toleration_seconds| Toleration { toleration_seconds, ..Toleration::of_key(key) };
        let pod = |tolerations| Pod::new("p", PodSpec { tolerations, ..PodSpec::default() });
        let one = pod(vec![for_seconds(labels::UNREACHABLE_TAINT, Some(300))]);
        assert_eq!(stays(&one, &all[..1]), Some(Duration::from_secs(300)));
        assert_eq!(stays(&one, &all), Some(Duration::ZERO), "one taint is not tolerated");
        let both = pod(vec![for_seconds(labels::UNREACHABLE_TAINT, Some(300)), for_seconds("other", None)]);
        assert_eq!(stays(&both, &all), Some(Duration::from_secs(300)));
        assert_eq!(stays(&both, &all[1..]), None);
        assert_eq!(stays(&both, &[]), None);
        assert_eq!(stays(&pod(vec![for_seconds("other", Some(-5))]), &all[1..]), Some(Duration::ZERO));
    }
}
