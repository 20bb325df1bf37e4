//! Checks of the cloud and of Kubernetes.

use super::Checker;
use crate::cloud::{BasePool, Limits, PoolTagFilter};
use crate::path::Path;

impl Checker<'_> {
    pub(super) fn cloud(&mut self) {
        let cloud = &self.scenario.cloud;
        let path = Path::default().key("cloud");
        self.known(path.key("region"), "region", &cloud.region, self.names.regions);
        if cloud.pool_tag_filter == PoolTagFilter::Applied {
            self.wrong(path.key("pool_tag_filter"), "`applied` is not modelled yet; expected `ignored`");
        }
        let base_pool = path.key("base_pool");
        self.known(base_pool.key("type"), "instance type", &cloud.base_pool.plan, self.names.types);
        if !BasePool::COUNTS.contains(cloud.base_pool.count.into()) {
            let message = format!("found {}; expected {}", cloud.base_pool.count, BasePool::COUNTS);
            self.wrong(base_pool.key("count"), message);
        }
        if let Limits::Limited(limits) = &cloud.limits {
            let limits_path = path.key("limits");
            for (name, rate) in
                [("list", limits.list), ("other", limits.other), ("create_instance", limits.create_instance)]
            {
                self.span(limits_path.key(name), rate.window, false);
            }
        }
        self.lags(&path);
    }

    fn lags(&mut self, cloud: &Path) {
        let lags = &self.scenario.cloud.lags;
        self.delays(
            &cloud.key("lags"),
            &[
                ("pool_list", &lags.pool_list),
                ("pool_get", &lags.pool_get),
                ("members", &lags.members),
                ("slot_id", &lags.slot_id),
                ("instance_seen", &lags.instance_seen),
                ("instance_get", &lags.instance_get),
                ("instance_list", &lags.instance_list),
                ("tag_to_get", &lags.tag_to_get),
                ("tag_to_list", &lags.tag_to_list),
                ("propagation", &lags.propagation),
                ("boot", &lags.boot),
                ("deletion", &lags.deletion),
            ],
        );
        let latency = &self.scenario.cloud.latency;
        self.delays(
            &cloud.key("latency"),
            &[
                ("get", &latency.get),
                ("list", &latency.list),
                ("put", &latency.put),
                ("delete", &latency.delete),
                ("create_pool", &latency.create_pool),
                ("post", &latency.post),
            ],
        );
        let kubernetes = &self.scenario.kubernetes;
        self.delays(
            &Path::default().key("kubernetes"),
            &[
                ("call", &kubernetes.call),
                ("watch", &kubernetes.watch),
                ("join", &kubernetes.join),
                ("ready", &kubernetes.ready),
                ("silence", &kubernetes.silence),
                ("cloud_controller", &kubernetes.cloud_controller),
            ],
        );
    }
}
