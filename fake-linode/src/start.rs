//! What is there before the first call: base pools, and what a scenario places. No API call makes it, and every view
//! shows it at once.

use crate::life::NewMachine;
use crate::{Cloud, DeletedBy};
use lkesim_linode_api::{ClusterId, InstanceId, LkePoolCreate, LkePoolId, Tags};
use std::sync::Arc;
use std::time::Duration;

/// A LKE pool that is there from the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedLkePool {
    /// Its cluster.
    pub cluster: ClusterId,
    /// The plan of its Linodes.
    pub plan: Arc<str>,
    /// Its tags.
    pub tags: Tags,
    /// Its nodes.
    pub nodes: Vec<PlacedNode>,
}

/// A node that is there from the start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacedNode {
    /// Tags of its Linode, beside those that it has of its pool.
    pub tags: Tags,
    /// How long before the start it was created.
    pub age: Duration,
}

/// A Linode that is there from the start and is no LKE node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedInstance {
    /// The cluster whose account and region it has.
    pub beside: ClusterId,
    /// Its label.
    pub label: Arc<str>,
    /// Its plan.
    pub plan: Arc<str>,
    /// Its tags.
    pub tags: Tags,
    /// How long before the start it was created.
    pub age: Duration,
}

impl Cloud {
    pub(crate) fn place_base_lke_pools(&mut self) {
        for cluster in self.world.settings.clusters.clone() {
            if let Some(base) = cluster.base_lke_pool {
                self.place_lke_pool(&PlacedLkePool {
                    cluster: cluster.id,
                    plan: base.plan,
                    tags: base.tags,
                    nodes: vec![PlacedNode::default(); base.count as usize],
                });
            }
        }
    }

    /// Puts a pool and its running Linodes into the cloud, past limits and faults. Gives their ids.
    pub fn place_lke_pool(&mut self, placed: &PlacedLkePool) -> (LkePoolId, Vec<InstanceId>) {
        let body = LkePoolCreate {
            plan: placed.plan.clone(),
            count: placed.nodes.len() as u32,
            tags: placed.tags.clone(),
            labels: Vec::new(),
            taints: Vec::new(),
            firewall: None,
            k8s_version: None,
            more: None,
        };
        self.world.call = None;
        let ix = self.world.open_lke_pool(placed.cluster, &body);
        self.world.show_lke_pool(ix, true);
        let add = |node: &PlacedNode| self.world.add_node(ix, node.tags.clone(), node.age, true);
        let machines: Vec<_> = placed.nodes.iter().map(add).collect();
        let id = |machine: &u32| self.world.machines[*machine as usize].truth.id;
        (self.world.lke_pools[ix].truth.id, machines.iter().map(id).collect())
    }

    /// Adds tags to a Linode without a call; every view shows them at once.
    pub fn tag_placed(&mut self, instance: InstanceId, more: &Tags) {
        self.world.call = None;
        if let Some(machine) = self.world.machine_ix(instance) {
            self.world.add_tags(machine, more);
        }
    }

    /// Accepts the deletion of a Linode, and of its LKE node where it has one, without a call, past limits and faults.
    /// It is gone and stays visible as long as any deleted one does. Tells whether there was such a Linode.
    pub fn remove_placed(&mut self, instance: InstanceId) -> bool {
        (self.world.call, self.world.asking) = (None, None);
        let Some(machine) = self.world.machine_ix(instance) else {
            return false;
        };
        let truth = &self.world.machines[machine as usize].truth;
        match truth.cluster.zip(truth.node) {
            Some((cluster, node)) => self.world.delete_node(cluster, node).is_ok(),
            None if !truth.is_live() => false,
            None => {
                self.world.delete_machine(machine, DeletedBy::Instance);
                true
            }
        }
    }

    /// Puts a running Linode that is no LKE node into the cloud, past limits and faults. Gives its id.
    pub fn place_instance(&mut self, placed: &PlacedInstance) -> InstanceId {
        self.world.call = None;
        let machine = self.world.create_machine(NewMachine {
            label: Some(placed.label.clone()),
            home: self.world.home_of(placed.beside),
            cluster: None,
            lke_pool: None,
            plan: placed.plan.clone(),
            tags: placed.tags.clone(),
            age: placed.age,
            settled: true,
            stays_off: false,
        });
        self.world.machines[machine as usize].truth.id
    }
}
