//! Learns again what types there are and which can be had.
//!
//! Source: provider e1c5200 `pkg/controllers/providers/instancetype/controller.go`, every 12 hours; design document,
//! "Plan availability": the instance type controller refreshes this data every 5 minutes.

use crate::NodeProvider;
use crate::context::{Context, Kube};
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::Caller;
use lkesim_kube::controller::{Controller, Next, RateLimit, ReconcileError, Reconciler};
use std::rc::Rc;
use std::time::Duration;

const NAME: &str = "providers.instancetype";

/// Starts the controller. Its first pass comes at once; where the SDK still answers what the process asked at boot from
/// memory, that pass tells nothing and is left out. A process that waited long for the lease asks again.
pub fn start(cx: &Rc<Context>, kube: &Kube, nodes: Rc<dyn NodeProvider>) {
    let period = cx.settings.offerings_every;
    let (name, limiter) = (NAME, RateLimit::DEFAULT);
    let reconcile = Rc::new(Offerings { nodes: nodes.clone(), period });
    let controller = Controller { name, concurrency: 1, limiter, reconcile };
    let (runtime, synced) = (cx.runtime.clone(), kube.caches_synced());
    controller.start_singleton(&cx.runtime, async move {
        synced.await;
        if nodes.remembers_offerings() {
            runtime.sleep(period).await;
        }
    });
}

struct Offerings {
    nodes: Rc<dyn NodeProvider>,
    period: Duration,
}

#[async_trait(?Send)]
impl Reconciler for Offerings {
    async fn reconcile(&self, _key: Rc<str>) -> Result<Next, ReconcileError> {
        let refreshed = self.nodes.refresh_offerings(Caller::named(NAME)).await;
        refreshed.map_err(|error| ReconcileError::Failed(error.to_string()))?;
        Ok(Next::After(self.period))
    }
}
