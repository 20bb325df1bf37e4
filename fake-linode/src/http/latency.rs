//! How long calls take, there and back. Half of it passes before the cloud judges, as in a simulated run.
//!
//! Each request draws by its number, so that the same requests in the same order take as long again.

use super::api::is_list;
use lkesim_runtime::{Entity, Key, Quantiles, Seed};
use std::time::Duration;

/// Latencies by kind of call.
#[derive(Clone, Debug)]
pub struct Latency {
    /// GET of one object.
    pub get: Quantiles,
    /// GET of a list.
    pub list: Quantiles,
    /// PUT.
    pub put: Quantiles,
    /// DELETE.
    pub delete: Quantiles,
    /// POST of a pool.
    pub create_pool: Quantiles,
    /// Every other method.
    pub post: Quantiles,
    /// What the draws depend on.
    pub seed: Seed,
}

impl Latency {
    /// How long the n-th request takes. `path` is as it came, with the version.
    pub(super) fn of(&self, method: &str, path: &str, n: u64) -> Duration {
        let key: Key = self.seed.key("served.latency");
        self.kind(method, path).draw(key.draw(Entity::numbered(n), 0))
    }

    fn kind(&self, method: &str, path: &str) -> &Quantiles {
        let behind = path.get(1..).and_then(|rest| rest.find('/')).map_or("", |at| &path[at + 1..]);
        match method {
            "GET" if is_list(behind) => &self.list,
            "GET" => &self.get,
            "PUT" => &self.put,
            "DELETE" => &self.delete,
            "POST" if behind.ends_with("/pools") => &self.create_pool,
            _ => &self.post,
        }
    }
}

#[cfg(test)]
mod tests;
