//! Values of the crates below.

use super::{Saved, saved, saved_enum, saved_shared};
use lkesim_linode_api::{
    Acl, Alerts, Autoscaler, ClusterId, Instance, InstanceId, InstanceRest, InstanceStatus, LkeCluster, LkePool,
    LkePoolId, LkePoolRest, NodeStatus, PlanPrice, PlanType, PoolDisk, PoolNode, PoolNodeId, Tags, Taint, Tier,
    UnixSeconds, UpdateStrategy,
};
use lkesim_linode_api::{Endpoint, RateClass};
use lkesim_runtime::{Entity, Ppm, Quantiles, Seed, Tally, Time};
use serde_json::Value;
use std::borrow::Cow;
use std::time::Duration;

macro_rules! saved_as_number {
    ($($type:ty: $open:expr, $make:expr;)*) => {
        $(impl Saved for $type {
            fn save(&self) -> Value {
                let open: fn(&$type) -> u64 = $open;
                Value::from(open(self))
            }

            fn load(value: &Value) -> Option<$type> {
                let make: fn(u64) -> $type = $make;
                value.as_u64().map(make)
            }
        })*
    };
}

saved_as_number! {
    Time: |time| time.as_nanos(), Time::from_nanos;
    Duration: |length| u64::try_from(length.as_nanos()).unwrap_or(u64::MAX), Duration::from_nanos;
    Entity: |entity| entity.as_u64(), Entity::from_u64;
    Seed: |seed| seed.0, Seed;
    InstanceId: |id| id.0, InstanceId;
    ClusterId: |id| id.0, ClusterId;
    LkePoolId: |id| id.0, LkePoolId;
    UnixSeconds: |at| at.0, UnixSeconds;
}

impl Saved for Ppm {
    fn save(&self) -> Value {
        self.0.save()
    }

    fn load(value: &Value) -> Option<Ppm> {
        Saved::load(value).map(Ppm)
    }
}

impl Saved for Quantiles {
    fn save(&self) -> Value {
        self.points().collect::<Vec<_>>().save()
    }

    fn load(value: &Value) -> Option<Quantiles> {
        Quantiles::through(&Vec::load(value)?).ok()
    }
}

/// The highest count that is believed. Beyond it the next ones might not be numbers any more.
const COUNT_MAX: u64 = 1 << 53;

impl Saved for Tally {
    fn save(&self) -> Value {
        let mut counts: Vec<(Entity, u64)> = self.counts().collect();
        counts.sort_unstable();
        counts.save()
    }

    /// None where an entity stands twice or out of order, or with a count that no run comes to.
    fn load(value: &Value) -> Option<Tally> {
        let counts = Vec::<(Entity, u64)>::load(value)?;
        let are_in_order = counts.is_sorted_by(|(one, _), (next, _)| one < next);
        let are_counted = counts.iter().all(|(_, count)| (1..=COUNT_MAX).contains(count));
        (are_in_order && are_counted).then(|| Tally::of(counts))
    }
}

impl Saved for Tags {
    fn save(&self) -> Value {
        self.iter().map(Saved::save).collect()
    }

    fn load(value: &Value) -> Option<Tags> {
        Vec::<std::sync::Arc<str>>::load(value).map(Tags::from_iter)
    }
}

/// An endpoint by its name; the order of the table may change.
impl Saved for Endpoint {
    fn save(&self) -> Value {
        Value::from(self.name())
    }

    fn load(value: &Value) -> Option<Endpoint> {
        let name = value.as_str()?;
        Endpoint::ALL.into_iter().find(|endpoint| endpoint.name() == name)
    }
}

impl Saved for Cow<'static, str> {
    fn save(&self) -> Value {
        Value::from(&**self)
    }

    fn load(value: &Value) -> Option<Cow<'static, str>> {
        value.as_str().map(|text| text.to_owned().into())
    }
}

saved!(PoolNodeId { lke_pool, suffix });
saved!(PoolNode { id, instance, status });
saved!(Taint { key, value, effect });
saved!(PoolDisk { size_mb, kind });
saved!(Autoscaler { enabled, min, max });
saved!(Alerts { cpu, network_in, network_out, transfer_quota, io });
saved!(InstanceRest { image, group, watchdog_enabled, alerts, has_user_data, disk_encryption, maintenance_policy });
saved!(LkePoolRest { label, autoscaler, disks, disk_encryption, update_strategy });
saved!(Acl { enabled, revision_id, ipv4, ipv6 });
saved!(Instance { id, label, status, created, plan, region, tags, lke_cluster, rest });
saved!(PlanType { id, class, vcpus, memory_mib, disk_mib, gpus, price, region_prices });
saved!(PlanPrice { hourly_micro_usd, monthly_micro_usd });
saved!(LkePool { id, plan, count, nodes, tags, labels, taints, k8s_version, firewall, rest });
saved!(LkeCluster {
    id,
    label,
    region,
    tier,
    k8s_version,
    tags,
    created,
    updated,
    high_availability,
    audit_logs_enabled,
});
saved_shared!(PlanType, InstanceRest, LkePoolRest, Instance, LkePool, LkeCluster);
saved_enum!(Tier { Standard, Enterprise });
saved_enum!(RateClass { List, Other, CreateInstance });
saved_enum!(NodeStatus { NotReady, Ready });
saved_enum!(UpdateStrategy { OnRecycle, RollingUpdate });
saved_enum!(InstanceStatus { Provisioning, Booting, Running, ShuttingDown, Offline, Rebooting, Deleting });
