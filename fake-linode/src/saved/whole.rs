//! The whole cloud.

use super::Saved;
use crate::Cloud;
use crate::agenda::{MachineIx, View};
use crate::fault::Faults;
use crate::instance_list::InstanceList;
use crate::lke_pool::Pool;
use crate::lke_pool_list::LkePoolLists;
use crate::luck::Luck;
use crate::rate_limit::RateLimiter;
use crate::settings::Settings;
use crate::world::World;
use serde_json::{Value, json};

/// The form of a written state. Its number rises with each change of what is written.
pub const SCHEMA: &str = "fake-linode.cloud/1";

/// Why a written state can't be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoState {
    /// It is of another form.
    #[error("schema: expected `{SCHEMA}`, which this program writes, not {0}")]
    Schema(String),
    /// Something in it is not what it should be.
    #[error("{0}: it is missing, or not as this program writes it")]
    Broken(&'static str),
}

impl Cloud {
    /// The whole state, from which a cloud goes on as this one does: equal calls have equal answers.
    pub fn save(&self) -> Value {
        let world = &self.world;
        json!({
            "schema": SCHEMA,
            "settings": world.settings.save(),
            "luck": world.luck.save(),
            "now": world.now.save(),
            "clusters": world.clusters.save(),
            "tags": world.tags.save(),
            "machines": world.machines.save(),
            "lke_pools": world.lke_pools.save(),
            "agenda": world.agenda.save(),
            "history": world.history.save(),
            "limiter": self.limiter.save(),
            "faults": self.faults.save(),
        })
    }

    /// The cloud that was saved.
    ///
    /// # Errors
    /// Where the value is no such state.
    pub fn load(value: &Value) -> Result<Cloud, NoState> {
        match value.get("schema") {
            Some(schema) if *schema == *SCHEMA => {}
            other => return Err(NoState::Schema(other.map_or("none".to_owned(), ToString::to_string))),
        }
        let settings: Settings = part(value, "settings")?;
        let world = World {
            luck: part::<Luck>(value, "luck")?,
            now: part(value, "now")?,
            repeats: false,
            call: None,
            asking: None,
            clusters: part(value, "clusters")?,
            tags: part(value, "tags")?,
            machines: part(value, "machines")?,
            lke_pools: part(value, "lke_pools")?,
            instance_lists: InstanceList::of_each_account(&settings),
            lke_pool_lists: LkePoolLists::default(),
            agenda: part(value, "agenda")?,
            changes: Vec::new(),
            history: part(value, "history")?,
            // A state is kept of clouds that are served, which offer none.
            wished: Vec::new(),
            settings,
        };
        let mut limiter: RateLimiter = part(value, "limiter")?;
        if !limiter.set_limits(world.settings.limits.clone(), world.settings.tokens.len()) {
            return Err(NoState::Broken("limiter"));
        }
        let mut cloud = Cloud { limiter, faults: part::<Faults>(value, "faults")?, world };
        cloud.world.draw_pictures().ok_or(NoState::Broken("machines"))?;
        Ok(cloud)
    }
}

fn part<T: Saved>(value: &Value, name: &'static str) -> Result<T, NoState> {
    value.get(name).and_then(T::load).ok_or(NoState::Broken(name))
}

impl World {
    /// Makes all that views show, and what lists remember of it. None where the parts do not belong to each other.
    fn draw_pictures(&mut self) -> Option<()> {
        let machines = self.machines.len() as u64;
        if !self.agenda.machines().all(|machine| u64::from(machine) < machines) {
            return None;
        }
        if !self.lke_pools.iter().all(Pool::is_whole) {
            return None;
        }
        let of_pools = self.lke_pools.iter().flat_map(|pool| pool.slots());
        if !of_pools.map(|slot| u64::from(slot.machine)).all(|machine| machine < machines) {
            return None;
        }
        for machine in 0..self.machines.len() {
            self.machines[machine].refresh_both();
            let account = usize::from(self.machines[machine].truth.account.0);
            self.instance_lists.get_mut(account)?.touch(&self.machines, machine as MachineIx);
        }
        for ix in 0..self.lke_pools.len() {
            // Asked once, so that lists find what they show.
            self.lke_pools[ix].shown(View::List);
            self.lke_pool_lists.touch(self.lke_pools[ix].truth.cluster, ix);
        }
        Some(())
    }
}
