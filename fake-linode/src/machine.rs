//! A Linode: what is true of it, and what each view shows.

use crate::agenda::View;
use crate::lagged::Lagged;
use crate::saved::saved;
use crate::settings::AccountId;
use lkesim_linode_api::{ClusterId, Instance, InstanceId, InstanceRest, InstanceStatus, PoolNodeId, Tags, UnixSeconds};
use lkesim_runtime::{Entity, Time};
use std::sync::Arc;

/// What is true of a Linode, whatever a view shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceTruth {
    /// Its id.
    pub id: InstanceId,
    /// Its label.
    pub label: Arc<str>,
    /// Whose it is.
    pub account: AccountId,
    /// Its cluster, if it is a LKE node.
    pub cluster: Option<ClusterId>,
    /// Its pool and slot, if it is a LKE node.
    pub node: Option<PoolNodeId>,
    /// Its plan.
    pub plan: Arc<str>,
    /// Its region.
    pub region: Arc<str>,
    /// Its tags.
    pub tags: Tags,
    /// When its creation was accepted; the beginning of the run for what was there before.
    pub created: Time,
    /// The same as the API shows it, which may lie before the run.
    pub created_at: UnixSeconds,
    /// What a client set of the rest; none where all is as it was made.
    pub rest: Option<Arc<InstanceRest>>,
    /// When it began to run, the last time.
    pub booted: Option<Time>,
    /// What it is told to do, and that it is off; none while it comes up for the first time, and while it runs.
    pub turning: Option<InstanceStatus>,
    /// When its deletion was accepted.
    pub deleted: Option<Time>,
    /// When the last view forgot it.
    pub vanished: Option<Time>,
}

impl InstanceTruth {
    /// Whether its deletion was not accepted.
    pub const fn is_live(&self) -> bool {
        self.deleted.is_none()
    }

    /// Whether it was there at `at` and its deletion was not accepted.
    pub fn lived_at(&self, at: Time) -> bool {
        self.created <= at && self.deleted.is_none_or(|deleted| at < deleted)
    }

    /// What it does.
    pub const fn status(&self) -> InstanceStatus {
        match (self.deleted, self.turning, self.booted) {
            (Some(_), ..) => InstanceStatus::Deleting,
            (None, Some(turning), _) => turning,
            (None, None, Some(_)) => InstanceStatus::Running,
            (None, None, None) => InstanceStatus::Provisioning,
        }
    }
}

/// A Linode and its views.
pub(crate) struct Machine {
    pub truth: InstanceTruth,
    /// Whose luck it has.
    pub entity: Entity,
    /// What its pool's tags will make of it.
    pub inherits: Option<Tags>,
    /// How often its tags were written.
    pub tag_writes: u64,
    /// How often it was booted, rebooted or shut down.
    pub turns: u64,
    /// Its place in lists, before its id.
    pub rank: u64,
    get: InstanceView,
    list: InstanceView,
}

struct InstanceView {
    appeared: bool,
    tags: Lagged<Tags>,
    shown: Option<Arc<Instance>>,
}

impl InstanceView {
    fn new(tags: &Tags) -> InstanceView {
        InstanceView { appeared: false, tags: Lagged::new(tags.clone()), shown: None }
    }
}

impl Machine {
    pub fn new(truth: InstanceTruth, entity: Entity, rank: u64, inherits: Option<Tags>) -> Machine {
        Machine {
            get: InstanceView::new(&truth.tags),
            list: InstanceView::new(&truth.tags),
            truth,
            entity,
            inherits,
            tag_writes: 0,
            turns: 0,
            rank,
        }
    }

    fn view(&mut self, view: View) -> &mut InstanceView {
        match view {
            View::Get => &mut self.get,
            View::List => &mut self.list,
        }
    }

    /// What `GET /linode/instances/{id}` shows.
    #[inline]
    pub const fn shown_by_get(&self) -> Option<&Arc<Instance>> {
        self.get.shown.as_ref()
    }

    /// What `GET /linode/instances` shows.
    #[inline]
    pub const fn shown_by_list(&self) -> Option<&Arc<Instance>> {
        self.list.shown.as_ref()
    }

    /// The Linode with its true tags, as the reply to a change shows it.
    pub fn as_written(&self) -> Arc<Instance> {
        Arc::new(picture(&self.truth, &self.truth.tags))
    }

    pub fn appear(&mut self, view: View) {
        self.view(view).appeared = true;
        self.refresh(view);
    }

    /// Writes tags that `view` sees at `at`, or later if it sees earlier ones then. Says when.
    pub fn write_tags(&mut self, view: View, at: Time, tags: Tags) -> Time {
        self.view(view).tags.write(at, tags)
    }

    /// Whether there was something to see.
    pub fn see_tags(&mut self, view: View, now: Time) -> bool {
        let news = self.view(view).tags.catch_up(now);
        if news {
            self.refresh(view);
        }
        news
    }

    /// Makes the picture anew after a change that the view sees at once.
    pub fn refresh(&mut self, view: View) {
        let shown = match view {
            View::Get => self.get.picture(&self.truth),
            View::List => self.list.picture(&self.truth),
        };
        self.view(view).shown = shown;
    }

    /// Makes both pictures anew; they are one where both views know the same tags.
    pub fn refresh_both(&mut self) {
        self.get.shown = self.get.picture(&self.truth);
        let alike = self.get.appeared == self.list.appeared && self.get.tags.seen().is_same(self.list.tags.seen());
        self.list.shown = if alike { self.get.shown.clone() } else { self.list.picture(&self.truth) };
    }
}

impl InstanceView {
    fn picture(&self, truth: &InstanceTruth) -> Option<Arc<Instance>> {
        let is_shown = self.appeared && truth.vanished.is_none();
        is_shown.then(|| Arc::new(picture(truth, self.tags.seen())))
    }
}

fn picture(truth: &InstanceTruth, tags: &Tags) -> Instance {
    Instance {
        id: truth.id,
        label: truth.label.clone(),
        status: truth.status(),
        created: truth.created_at,
        plan: truth.plan.clone(),
        region: truth.region.clone(),
        tags: tags.clone(),
        lke_cluster: truth.cluster,
        rest: truth.rest.clone(),
    }
}

saved!(Machine { truth, entity, inherits, tag_writes, turns, rank, get, list });
saved!(InstanceView { appeared, tags } with { shown: None });
