//! A Linode is changed, booted, rebooted and shut down.

use crate::agenda::{Event, MachineIx};
use crate::luck;
use crate::serve::instances::{LABEL_FORM, LABEL_LENGTH, LABEL_TAKEN};
use crate::serve::{Refused, Served, not_modelled};
use crate::world::World;
use lkesim_linode_api::{
    ApiError, Backups, InstanceId, InstanceOptions, InstanceRest, InstanceStatus, InstanceUpdate, Reply,
};
use std::sync::Arc;

/// The reply to an image that nobody could log in to, status 400 without a field (recorded).
pub const NO_LOGIN: &str = "Must provide valid root_pass, authorized_keys, or authorized_users";

impl World {
    /// Refuses a label of a wrong length or form, or one that another Linode has.
    pub(in crate::serve) fn check_instance_label(&self, label: &str, own: Option<InstanceId>) -> Result<(), ApiError> {
        if !(3..=64).contains(&label.chars().count()) {
            return Err(ApiError::field("label", LABEL_LENGTH));
        }
        if !is_label(label) {
            return Err(ApiError::field("label", LABEL_FORM));
        }
        let others = self.machines.iter().map(|machine| &machine.truth).filter(|truth| Some(truth.id) != own);
        match others
            .filter(|truth| truth.vanished.is_none() && self.sees(truth.account))
            .any(|truth| *truth.label == *label)
        {
            true => Err(ApiError::field("label", LABEL_TAKEN)),
            false => Ok(()),
        }
    }

    pub(super) fn change_instance(&mut self, id: InstanceId, body: &InstanceUpdate) -> Served {
        let machine = self.changeable(id)?;
        if let Some(label) = &body.label {
            self.check_instance_label(label, Some(id))?;
        }
        if let Some(tags) = &body.tags {
            self.check_tags(tags)?;
        }
        let truth = &mut self.machines[machine as usize].truth;
        if !as_shown(&body.backups, truth.cluster.is_some()) {
            return not_modelled("a change of a Linode's backups");
        }
        if let Some(label) = &body.label {
            truth.label = label.clone();
        }
        let before = truth.rest.as_deref().cloned().unwrap_or_default();
        let rest = InstanceRest {
            group: body.group.clone().unwrap_or_else(|| before.group.clone()),
            watchdog_enabled: body.watchdog_enabled.unwrap_or(before.watchdog_enabled),
            alerts: body.alerts.over(before.alerts),
            maintenance_policy: body.maintenance_policy.clone().or_else(|| before.maintenance_policy.clone()),
            ..before.clone()
        };
        if rest != before {
            truth.rest = Some(Arc::new(rest));
        }
        self.refresh(machine);
        if let Some(tags) = &body.tags {
            self.tag_machine(machine, tags.clone());
        }
        Ok(Reply::Instance(self.machines[machine as usize].as_written()))
    }

    /// What is set of a Linode at its creation; none where all is as it mostly is.
    pub(in crate::serve) fn rest_of(options: Option<&InstanceOptions>) -> Option<Arc<InstanceRest>> {
        let options = options?;
        let rest = InstanceRest {
            image: options.image.clone(),
            group: options.group.clone().unwrap_or_else(|| "".into()),
            has_user_data: options.has_user_data,
            disk_encryption: options.disk_encryption,
            maintenance_policy: options.maintenance_policy.clone(),
            ..InstanceRest::default()
        };
        Some(Arc::new(rest))
    }

    /// The Linode and its status, if it can take a change of its power: it lives, and no other such change is under
    /// way, which is `Linode busy.` (recorded after other actions).
    fn at_rest(&self, id: InstanceId) -> Result<(MachineIx, InstanceStatus), ApiError> {
        let machine = self.seen_ix(id).ok_or_else(ApiError::not_found)?;
        let truth = &self.machines[machine as usize].truth;
        match truth.status() {
            _ if truth.vanished.is_some() => Err(ApiError::not_found()),
            status @ (InstanceStatus::Running | InstanceStatus::Offline) => Ok((machine, status)),
            _ => Err(ApiError::new(400, "Linode busy.")),
        }
    }

    /// Boots a Linode that is off. What booting one that runs meets is *unknown*.
    pub(super) fn boot_instance(&mut self, id: InstanceId) -> Served {
        match self.at_rest(id)? {
            (machine, InstanceStatus::Offline) => Ok(self.turn(machine, InstanceStatus::Booting)),
            _ => not_modelled("booting a Linode that runs"),
        }
    }

    /// Reboots a Linode that runs.
    pub(super) fn reboot_instance(&mut self, id: InstanceId) -> Served {
        match self.at_rest(id)? {
            (machine, InstanceStatus::Running) => Ok(self.turn(machine, InstanceStatus::Rebooting)),
            _ => not_modelled("rebooting a Linode that is off"),
        }
    }

    /// Shuts a Linode down. LKE leaves one of its own off here; what it does in truth is *unknown*.
    pub(super) fn shut_instance_down(&mut self, id: InstanceId) -> Served {
        match self.at_rest(id)? {
            (machine, InstanceStatus::Running) => Ok(self.turn(machine, InstanceStatus::ShuttingDown)),
            _ => not_modelled("shutting down a Linode that is off"),
        }
    }

    fn turn(&mut self, machine: MachineIx, status: InstanceStatus) -> Reply {
        let subject = &mut self.machines[machine as usize];
        subject.truth.turning = Some(status);
        subject.turns += 1;
        let (lags, luck) = (&self.settings.lags, &self.luck);
        let (key, lag) = match status {
            InstanceStatus::ShuttingDown => (luck.shutdown, &lags.shutdown),
            _ => (luck.boot, &lags.boot),
        };
        let after = luck::delay(key, lag, subject.entity, subject.turns);
        self.refresh(machine);
        self.plan(self.now + after, Event::Turned(machine));
        Reply::Empty
    }

    /// The change of its power is over.
    pub(crate) fn turned(&mut self, machine: MachineIx) {
        let truth = &mut self.machines[machine as usize].truth;
        if !truth.is_live() {
            return;
        }
        match truth.turning {
            Some(InstanceStatus::Booting | InstanceStatus::Rebooting) => {
                truth.turning = None;
                self.boot(machine);
            }
            _ => {
                truth.turning = Some(InstanceStatus::Offline);
                self.refresh(machine);
            }
        }
    }

    /// Refuses an image that nobody could log in to.
    pub(in crate::serve) fn check_login(options: Option<&InstanceOptions>) -> Result<(), Refused> {
        match options {
            Some(options) if options.image.is_some() && !options.has_login => Err(ApiError::new(400, NO_LOGIN).into()),
            _ => Ok(()),
        }
    }
}

/// Begins and ends with a letter or a digit; letters, digits, `-`, `_` and `.` between, of which no two of a kind stand
/// together (*documented*, OpenAPI 4.176.0).
fn is_label(label: &str) -> bool {
    let plain = |char: char| char.is_ascii_alphanumeric();
    label.starts_with(plain)
        && label.ends_with(plain)
        && label.chars().all(|char| plain(char) || matches!(char, '-' | '_' | '.'))
        && !["--", "__", ".."].iter().any(|twice| label.contains(twice))
}

/// What every Linode shows of backups: a node of LKE has them, another one has not (recorded).
fn backups_of(is_node: bool) -> Backups {
    let scheduling: Option<Arc<str>> = is_node.then(|| "Scheduling".into());
    Backups { enabled: Some(is_node), available: Some(is_node), day: scheduling.clone(), window: scheduling }
}

/// Whether backups are asked for as they are shown.
fn as_shown(asked: &Backups, is_node: bool) -> bool {
    let shown = backups_of(is_node);
    let same = |asked: &Option<Arc<str>>, shown: &Option<Arc<str>>| asked.is_none() || asked == shown;
    asked.enabled.is_none_or(|on| shown.enabled == Some(on))
        && asked.available.is_none_or(|on| shown.available == Some(on))
        && same(&asked.day, &shown.day)
        && same(&asked.window, &shown.window)
}
