//! What can be set of Karpenter's core.

use std::time::Duration;

/// Constants and options of the core. The defaults are those of v1.9.0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// CPUs of the controller's container, whole ones, rounded up; concurrency and rate limits grow with them
    /// (`CPU_REQUESTS`, 1 where the chart sets none).
    pub controller_cpus: u32,
    /// A NodeClaim that is not launched this long after its creation is deleted (`lifecycle/liveness.go`).
    pub launch_timeout: Duration,
    /// A NodeClaim that is not registered this long after its creation is deleted (`lifecycle/liveness.go`).
    pub registration_timeout: Duration,
    /// How long the result of a Create is remembered, in case its write to the NodeClaim is lost or not seen yet
    /// (`lifecycle/controller.go`).
    pub launch_cache_ttl: Duration,
    /// How long a lifecycle pass waits after its writes, so that the caches see them (`lifecycle/controller.go`).
    pub own_writes_pause: Duration,
    /// How often Delete is asked again until the machine is not found (`lifecycle/controller.go`,
    /// `termination/controller.go`).
    pub termination_period: Duration,
    /// How often NodeClaims without a machine are looked for (`garbagecollection/controller.go`).
    pub garbage_collection_period: Duration,
    /// How many of them are looked at at once (`garbagecollection/controller.go`).
    pub garbage_collection_workers: usize,
    /// Which nodes are taken away that nobody needs. Off by default, which the original can't be.
    pub disruption: Disruption,
}

/// Which nodes are taken away that nobody needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Disruption {
    /// None.
    #[default]
    Off,
    /// Those on which nothing runs but pods of DaemonSets and static ones.
    Emptiness,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            controller_cpus: 1,
            launch_timeout: Duration::from_secs(5 * 60),
            registration_timeout: Duration::from_secs(15 * 60),
            launch_cache_ttl: Duration::from_secs(60 * 60),
            own_writes_pause: Duration::from_secs(1),
            termination_period: Duration::from_secs(5),
            garbage_collection_period: Duration::from_secs(2 * 60),
            garbage_collection_workers: 20,
            disruption: Disruption::Off,
        }
    }
}
