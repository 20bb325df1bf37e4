//! Learns again what types there are and which can be had.
//!
//! Source: design document, "Plan availability": the instance type controller refreshes this data every 5 minutes.

use crate::context::{Context, Kube};
use crate::run::Run;
use async_trait::async_trait;
use lkesim_karpenter::cloud_provider::{Caller, ProviderError};
use lkesim_kube::controller::{Controller, Next, RateLimit, ReconcileError, Reconciler};
use lkesim_linode_api::Operation;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

const NAME: &str = "providers.instancetype";

/// A refresh on its way.
pub type Refreshing = Pin<Box<dyn Future<Output = Result<(), ProviderError>>>>;

/// Starts the controller. Its first pass comes a period after the start, as the process has learnt all that at boot.
pub fn start(cx: &Rc<Context>, kube: &Kube, refresh: impl Fn(Run) -> Refreshing + 'static) {
    let offerings = Offerings {
        cx: cx.clone(),
        refresh: Box::new(refresh),
    };
    let (name, limiter) = (NAME, RateLimit::DEFAULT);
    let controller = Controller {
        name,
        concurrency: 1,
        limiter,
        reconcile: Rc::new(offerings),
    };
    let (runtime, period, synced) = (
        cx.runtime.clone(),
        cx.settings.offerings_every,
        kube.caches_synced(),
    );
    controller.start_singleton(&cx.runtime, async move {
        synced.await;
        runtime.sleep(period).await;
    });
}

struct Offerings {
    cx: Rc<Context>,
    refresh: Box<dyn Fn(Run) -> Refreshing>,
}

#[async_trait(?Send)]
impl Reconciler for Offerings {
    async fn reconcile(&self, _key: Rc<str>) -> Result<Next, ReconcileError> {
        let run = self.cx.run(
            Caller::named(NAME),
            Operation::Offerings,
            &*self.cx.cluster.region,
        );
        (self.refresh)(run)
            .await
            .map_err(|error| ReconcileError::Failed(error.to_string()))?;
        Ok(Next::After(self.cx.settings.offerings_every))
    }
}
