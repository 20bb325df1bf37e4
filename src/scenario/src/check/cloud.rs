//! Checks of the cloud and of Kubernetes.

use super::Checker;
use crate::cloud::{BasePool, Limits};
use crate::path::Path;

impl Checker<'_> {
    pub(super) fn cloud(&mut self) {
        let cloud = &self.scenario.cloud;
        let path = Path::default().key("cloud");
        self.known(path.key("region"), "region", &cloud.region, self.names.regions);
        self.supply(&path);
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

    /// What can be had.
    fn supply(&mut self, cloud: &Path) {
        let written = &self.scenario.cloud;
        for name in written.capacity.keys() {
            let path = cloud.key("capacity").key(name);
            let plan = match name.split_once('/') {
                Some((region, plan)) => {
                    self.known(path.clone(), "region", region, self.names.regions);
                    plan
                }
                None => name,
            };
            self.known(path, "instance type", plan, self.names.types);
        }
        for (index, id) in written.pool_ids.iter().enumerate() {
            if *id == 0 || written.pool_ids[..index].contains(id) {
                self.wrong(
                    cloud.key("pool_ids").index(index),
                    format!("found {id}; expected an id above 0 that no other has"),
                );
            }
        }
        self.sold_out_status(cloud.key("sold_out_status"), written.sold_out_status);
        for (index, sold_out) in written.sold_out.iter().enumerate() {
            let path = cloud.key("sold_out").index(index);
            self.known(path.key("type"), "instance type", &sold_out.plan, self.names.types);
            if let Some(region) = &sold_out.region {
                self.known(path.key("region"), "region", region, self.names.regions);
            }
            self.span(path.key("from"), sold_out.from, true);
            if let Some(until) = sold_out.until {
                self.span(path.key("until"), until, true);
                if until <= sold_out.from {
                    self.wrong(path.key("until"), format!("{until} is not after `from` ({})", sold_out.from));
                }
            }
            if let Some(status) = sold_out.status {
                self.sold_out_status(path.key("status"), status);
            }
        }
    }

    fn sold_out_status(&mut self, path: Path, status: u16) {
        if ![400, 403].contains(&status) {
            self.wrong(path, format!("found {status}; expected 403 or 400"));
        }
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
                ("heal", &lags.heal),
                ("shutdown", &lags.shutdown),
                ("kubeconfig", &lags.kubeconfig),
                ("api_endpoints", &lags.api_endpoints),
                ("cluster_deletion", &lags.cluster_deletion),
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
                ("binding", &kubernetes.binding),
                ("pod_start", &kubernetes.pod_start),
                ("provider_id", &kubernetes.provider_id),
                ("devices", &kubernetes.devices),
                ("startup_taints", &kubernetes.startup_taints),
            ],
        );
    }
}
