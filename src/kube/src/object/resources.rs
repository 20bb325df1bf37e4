//! Amounts of compute, in whole units.

use std::ops::{Add, AddAssign};

/// A resource list, reduced to the resources that nodes of LKE have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// CPU in thousandths of a core.
    pub cpu_milli: u64,
    /// Memory in bytes.
    pub memory: u64,
    /// Local disk in bytes.
    pub ephemeral_storage: u64,
    /// How many pods.
    pub pods: u64,
    /// How many GPUs.
    pub gpus: u64,
}

impl Resources {
    /// Nothing of anything.
    pub const NONE: Resources = Resources { cpu_milli: 0, memory: 0, ephemeral_storage: 0, pods: 0, gpus: 0 };

    /// CPU and memory alone.
    pub const fn of(cpu_milli: u64, memory: u64) -> Resources {
        Resources { cpu_milli, memory, ..Resources::NONE }
    }

    /// Whether `self` has room for `requests`.
    pub fn fits(&self, requests: &Resources) -> bool {
        self.amounts().iter().zip(requests.amounts()).all(|(have, want)| *have >= want)
    }

    /// The name of a resource that is requested, though `self` has none of it: a device that no plugin registered yet.
    pub fn missing(&self, requests: &Resources) -> Option<&'static str> {
        const NAMES: [&str; 5] = ["cpu", "memory", "ephemeral-storage", "pods", "nvidia.com/gpu"];
        let amounts = self.amounts();
        let place = requests.amounts().iter().zip(amounts).position(|(want, have)| *want > 0 && have == 0)?;
        Some(NAMES[place])
    }

    /// What is left without `other`; what would be negative is 0.
    pub fn saturating_sub(self, other: Resources) -> Resources {
        Resources {
            cpu_milli: self.cpu_milli.saturating_sub(other.cpu_milli),
            memory: self.memory.saturating_sub(other.memory),
            ephemeral_storage: self.ephemeral_storage.saturating_sub(other.ephemeral_storage),
            pods: self.pods.saturating_sub(other.pods),
            gpus: self.gpus.saturating_sub(other.gpus),
        }
    }

    fn amounts(&self) -> [u64; 5] {
        [self.cpu_milli, self.memory, self.ephemeral_storage, self.pods, self.gpus]
    }
}

impl Add for Resources {
    type Output = Resources;

    fn add(self, other: Resources) -> Resources {
        Resources {
            cpu_milli: self.cpu_milli + other.cpu_milli,
            memory: self.memory + other.memory,
            ephemeral_storage: self.ephemeral_storage + other.ephemeral_storage,
            pods: self.pods + other.pods,
            gpus: self.gpus + other.gpus,
        }
    }
}

impl AddAssign for Resources {
    fn add_assign(&mut self, other: Resources) {
        *self = *self + other;
    }
}
