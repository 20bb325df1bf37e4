//! A client's own limit of calls, as each component of Kubernetes has one.

use lkesim_kube::controller::{Bucket, Limiter, RateLimit};
use lkesim_runtime::Runtime;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

/// A bucket of tokens before the calls of one component. Clones share it.
#[derive(Clone)]
pub struct Calls {
    runtime: Runtime,
    limiter: Rc<RefCell<Limiter>>,
}

impl Calls {
    /// With a full bucket.
    pub fn new(runtime: &Runtime, bucket: Bucket) -> Calls {
        let limit = RateLimit::new(Duration::ZERO, Duration::ZERO, bucket);
        Calls { runtime: runtime.clone(), limiter: Rc::new(RefCell::new(Limiter::new(limit))) }
    }

    /// Waits for the token of one call.
    pub async fn wait(&self) {
        let delay = self.limiter.borrow_mut().delay(self.runtime.now(), 0);
        if !delay.is_zero() {
            self.runtime.sleep(delay).await;
        }
    }
}
