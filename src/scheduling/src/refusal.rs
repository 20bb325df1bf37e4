//! Why a pod can't go to a node: kept as what was compared, and written out only where somebody reads it.

use crate::host_ports;
use crate::instance_type::min_values_refusal;
use crate::requirements::Requirements;
use lkesim_kube::object::pod::HostPort;
use lkesim_kube::object::resource_list::names;
use lkesim_kube::object::{Quantity, ResourceList};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

/// Which criteria the instance types of a NodeClaim met, where none met all (core v1.9.0 `InstanceTypeFilterError`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoInstanceType {
    /// Some type met the requirements.
    pub requirements_met: bool,
    /// Some type had room.
    pub fits: bool,
    /// Some type could be had.
    pub has_offering: bool,
    /// Some type met the requirements and had room, and could not be had.
    pub requirements_and_fits: bool,
    /// Some type met the requirements and could be had, and had no room.
    pub requirements_and_offering: bool,
    /// Some type had room and could be had, and did not meet the requirements.
    pub fits_and_offering: bool,
    /// Labels with fewer values than `minValues` asks for.
    pub below_min_values: BTreeMap<Rc<str>, u32>,
    /// The requirements of the NodeClaim with the pod.
    pub requirements: Rc<Requirements>,
    /// What the pod asks for.
    pub pod_requests: ResourceList,
    /// What the DaemonSets ask for.
    pub daemon_requests: ResourceList,
}

impl NoInstanceType {
    fn sentence(&self) -> &'static str {
        match (self.requirements_met, self.fits, self.has_offering) {
            (false, false, false) => {
                "no instance type met the scheduling requirements or had enough resources or had a required offering"
            }
            (false, false, true) => "no instance type met the scheduling requirements or had enough resources",
            (false, true, false) => "no instance type met the scheduling requirements or had a required offering",
            (true, false, false) => "no instance type had enough resources or had a required offering",
            (false, true, true) => "no instance type met all requirements",
            (true, false, true) => "no instance type has enough resources",
            (true, true, false) => "no instance type has the required offering",
            (true, true, true) if self.requirements_and_fits => {
                "no instance type which met the scheduling requirements and had enough resources, had a required offering"
            }
            (true, true, true) if self.fits_and_offering => {
                "no instance type which had enough resources and the required offering met the scheduling requirements"
            }
            (true, true, true) if self.requirements_and_offering => {
                "no instance type which met the scheduling requirements and the required offering had the required resources"
            }
            (true, true, true) => "no instance type met the requirements/resources/offering tuple",
        }
    }
}

impl fmt::Display for NoInstanceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut resources = self.daemon_requests.clone();
        resources.add(&self.pod_requests);
        if self.below_min_values.is_empty() {
            f.write_str(self.sentence())?;
        } else {
            f.write_str(&min_values_refusal(&self.below_min_values))?;
        }
        write!(f, ", requirements={}, resources={resources}", self.requirements)?;
        let is_size_alone =
            self.requirements_met && !self.fits && self.has_offering && self.below_min_values.is_empty();
        if is_size_alone && self.pod_requests.amount(names::CPU) >= Quantity::from_units(1_000_000) {
            f.write_str(" (CPU request >= 1 Million, m vs M typo?)")?;
        }
        Ok(())
    }
}

/// Karpenter's words where all types would exceed what is left of a NodePool's limits.
pub fn limits(node_pool: &str) -> String {
    format!("all available instance types exceed limits for nodepool (NodePool={node_pool})")
}

/// Karpenter's words for a port that is taken.
pub fn host_port(conflict: &(HostPort, HostPort)) -> String {
    host_ports::refusal(conflict)
}

/// Karpenter's words where a node has too little.
pub const EXCEEDS_NODE: &str = "exceeds node resources";

/// Karpenter's words where reserved capacity suits and is taken.
pub const RESERVED_TAKEN: &str =
    "one or more instance types with compatible reserved offerings are available, but could not be reserved";

/// Karpenter's words where a pod would cost a NodeClaim its reserved capacity.
pub const RESERVED_LOST: &str =
    "satisfying updated nodeclaim constraints would remove all compatible reserved offering options";

/// Karpenter's words for pods with ResourceClaims.
pub const RESOURCE_CLAIMS: &str =
    "pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter";

/// Karpenter's words where no NodePool has a usable type.
pub const NO_TEMPLATE: &str = "nodepool requirements filtered out all available instance types";
