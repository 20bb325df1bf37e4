//! One reader for all who wait: a list of the cluster's Linodes, shared by whoever needs one that is new enough.

use crate::context::Context;
use lkesim_linode_api::{ApiClient, CallError, Filter, Instance, LkePoolId, Purpose};
use lkesim_runtime::Time;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use tokio::sync::Mutex;

/// All Linodes of the cluster, as a list showed them.
#[derive(Clone)]
pub struct Reading {
    /// When it was asked for.
    pub asked: Time,
    /// The Linodes.
    pub instances: Arc<[Arc<Instance>]>,
}

/// Reads the Linodes of the cluster.
pub struct Reader {
    cx: Rc<Context>,
    api: ApiClient,
    of_cluster: Filter,
    last: RefCell<Option<Reading>>,
    reading: Mutex<()>,
}

impl Reader {
    /// A reader that has read nothing.
    ///
    /// It asks by the cluster's id, not by tags: no lag of tags, and no hand that edits them, hides a Linode. That the
    /// field can be filtered by is what Terraform's provider does.
    pub fn new(cx: Rc<Context>, api: ApiClient) -> Reader {
        let of_cluster = Filter::field("lke_cluster_id", cx.cluster.id.0);
        Reader { cx, api, of_cluster, last: RefCell::default(), reading: Mutex::new(()) }
    }

    /// A reading that was asked for after this time: the last one, if it was, or a new one. Who comes while one is
    /// under way waits for it.
    pub async fn since(&self, after: Time, purpose: &Purpose) -> Result<Reading, CallError> {
        let _one = self.reading.lock().await;
        if let Some(last) = self.last.borrow().clone().filter(|last| last.asked >= after) {
            return Ok(last);
        }
        let asked = self.cx.runtime.now();
        let instances = self.api.list_instances_in_long_pages(purpose, self.of_cluster.clone()).await?;
        let mut ours: Vec<Arc<Instance>> =
            instances.iter().filter(|one| one.lke_cluster == Some(self.cx.cluster.id)).cloned().collect();
        // A list that changes between two pages shows an entry twice.
        ours.sort_by_key(|one| one.id);
        ours.dedup_by_key(|one| one.id);
        let reading = Reading { asked, instances: ours.into() };
        *self.last.borrow_mut() = Some(reading.clone());
        Ok(reading)
    }
}

/// The LKE pool that a node's label names: `<cluster>-<pool>-<more>` on both tiers (recorded for Standard; for
/// Enterprise as linodego's pull request 786 tells it).
pub fn pool_in_label(instance: &Instance) -> Option<LkePoolId> {
    instance.label.split('-').nth(1)?.parse().ok().map(LkePoolId)
}
