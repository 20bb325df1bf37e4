//! Calls on Linodes and their tags.

use super::{INVALID_REGION, Refused, Served, check_filter, check_page, not_found, not_modelled};
use crate::agenda::MachineIx;
use crate::catalogue::Catalogue;
use crate::change::DeletedBy;
use crate::judge;
use crate::life::NewMachine;
use crate::settings::{ContainsList, DyingUpdate};
use crate::world::World;
use lkesim_linode_api::{ApiError, Endpoint, Filter, Instance, InstanceCreate, InstanceId, PageRequest, Reply, Tags};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

/// The reply to a label that another Linode has (the cluster API provider's tests carry this text).
pub const LABEL_TAKEN: &str = "Label must be unique among your linodes";

/// The reply to a label of a length that the API does not take. Its real text is *unknown*.
pub const LABEL_LENGTH: &str = "Label must be 3-64 characters";

/// The reply to a label of characters that the API does not take. The rules are *documented* (OpenAPI 4.176.0), the text
/// is *unknown*.
pub const LABEL_FORM: &str =
    "Label must begin and end with a letter or a digit, and have letters, digits and single -, _ and . between";

/// The reply to a filter that has an array below `+contains`, where that is refused. Its real text is *unknown*.
pub const CONTAINS_LIST: &str = "Filter not valid";

/// The reply to a tag for a Linode that does not exist. Its real text is *unknown*.
pub const INVALID_LINODE: &str = "linodes is not valid";

impl World {
    #[inline]
    pub(super) fn get_instance(&self, id: InstanceId) -> Served {
        match self.seen_ix(id).and_then(|machine| self.machines[machine as usize].shown_by_get()) {
            Some(shown) => Ok(Reply::Instance(shown.clone())),
            None => not_found(),
        }
    }

    #[inline]
    pub(super) fn list_instances(&mut self, filter: Option<&Filter>, page: PageRequest) -> Served {
        check_page(page)?;
        let account = usize::from(self.asking().0);
        if !filter.is_some_and(|filter| self.instance_lists[account].knows(filter)) {
            self.check_instance_filter(filter)?;
        }
        Ok(Reply::Instances(self.instance_lists[account].page(&self.machines, filter, page)))
    }

    /// Refuses filters of Linodes that the API or the model does not take.
    pub(super) fn check_instance_filter(&self, filter: Option<&Filter>) -> Result<(), Refused> {
        check_filter::<Instance>(Endpoint::ListInstances, filter)?;
        let has_list = filter.is_some_and(|filter| judge::has_list(filter.clauses()));
        match has_list && self.settings.contains_list == ContainsList::Refused {
            true => Err(ApiError::field("X-Filter", CONTAINS_LIST).into()),
            false => Ok(()),
        }
    }

    /// Replaces the whole list of tags, whatever it was: there is no precondition (recorded).
    pub(super) fn update_instance(&mut self, id: InstanceId, tags: &Tags) -> Served {
        let machine = self.changeable(id)?;
        self.check_tags(tags)?;
        self.tag_machine(machine, tags.clone());
        Ok(Reply::Instance(self.machines[machine as usize].as_written()))
    }

    /// The Linode, if it can be changed: it exists, and is not out of sight.
    pub(super) fn changeable(&self, id: InstanceId) -> Result<MachineIx, ApiError> {
        let ix = self.seen_ix(id).ok_or_else(ApiError::not_found)?;
        let truth = &self.machines[ix as usize].truth;
        match self.settings.dying_update {
            _ if truth.is_live() => Ok(ix),
            DyingUpdate::Accepted if truth.vanished.is_none() => Ok(ix),
            DyingUpdate::Busy if truth.vanished.is_none() => Err(ApiError::new(400, "Linode busy.")),
            _ => Err(ApiError::not_found()),
        }
    }

    pub(super) fn create_instance(&mut self, body: &InstanceCreate) -> Served {
        if !self.settings.has_region(&body.region) {
            return match Catalogue::recorded().region(&body.region) {
                Some(_) => not_modelled(format!("a Linode in `{}`, a region without a cluster", body.region)),
                None => Err(ApiError::field("region", INVALID_REGION).into()),
            };
        }
        let options = body.more.as_deref();
        if options.is_some_and(|options| options.backups) {
            return not_modelled("`backups_enabled` of a Linode");
        }
        let label = options.is_none_or(|options| !options.unnamed).then(|| body.label.clone());
        if let Some(label) = &label {
            self.check_instance_label(label, None)?;
        }
        self.check_tags(&body.tags)?;
        World::check_login(options)?;
        let home = self.new_home(&body.region);
        self.check_plan(&home, &body.plan, 1)?;
        let machine = self.create_machine(NewMachine {
            label,
            home,
            cluster: None,
            lke_pool: None,
            plan: body.plan.clone(),
            tags: body.tags.clone(),
            age: Duration::ZERO,
            settled: false,
            stays_off: options.is_none_or(|options| options.image.is_none() || options.booted == Some(false)),
        });
        self.machines[machine as usize].truth.rest = World::rest_of(options);
        self.refresh(machine);
        Ok(Reply::Instance(self.machines[machine as usize].as_written()))
    }

    /// Deletes a Linode. LKE replaces one of its own after a while, see [`Settings::heals`](crate::Settings).
    pub(super) fn delete_instance(&mut self, id: InstanceId) -> Served {
        let Some(machine) = self.seen_ix(id) else {
            return not_found();
        };
        let truth = &self.machines[machine as usize].truth;
        if !truth.is_live() {
            return match self.settings.dying_delete {
                DyingUpdate::Accepted if truth.vanished.is_none() => Ok(Reply::Empty),
                DyingUpdate::Busy if truth.vanished.is_none() => Err(ApiError::new(400, "Linode busy.").into()),
                _ => not_found(),
            };
        }
        self.delete_machine(machine, DeletedBy::Instance);
        if self.machines[machine as usize].truth.node.is_some() && self.settings.heals {
            self.plan_heal(machine);
        }
        Ok(Reply::Empty)
    }

    /// Attaches a tag. The Linodes' tags come back sorted (recorded).
    pub(super) fn create_tag(&mut self, label: &Arc<str>, linodes: &[InstanceId]) -> Served {
        self.check_tags(&Tags::from_iter([label.clone()]))?;
        let live = |id: &InstanceId| self.seen_ix(*id).filter(|&ix| self.machines[ix as usize].truth.is_live());
        let machines: Option<Vec<MachineIx>> = linodes.iter().map(live).collect();
        let Some(machines) = machines else {
            return Err(ApiError::field("linodes", INVALID_LINODE).into());
        };
        self.tags.insert((self.asking(), label.clone()));
        for machine in machines {
            let before = &self.machines[machine as usize].truth.tags;
            let tags: BTreeSet<&Arc<str>> = before.iter().chain([label]).collect();
            self.tag_machine(machine, tags.into_iter().cloned().collect());
        }
        Ok(Reply::Empty)
    }
}
