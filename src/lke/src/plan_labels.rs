//! The labels that nodes of a plan have, by which pods and NodePools choose.
//!
//! Source: provider e1c5200 pkg/providers/instancetype/types.go:191-236 and pkg/apis/v1alpha1/labels.go. The design
//! document names none of its own; its designs have the same, so that they differ by what they do alone.

use lkesim_kube::object::{StringMap, labels};
use lkesim_linode_api::PlanType;

const CPU: &str = "karpenter.k8s.linode/instance-cpu";
const MEMORY: &str = "karpenter.k8s.linode/instance-memory";
const CLASS: &str = "karpenter.k8s.linode/instance-class";
const GPU_COUNT: &str = "karpenter.k8s.linode/instance-gpu-count";
const DISK: &str = "karpenter.k8s.linode/instance-disk";
const GENERATION: &str = "karpenter.k8s.linode/instance-generation";
const GPU_NAME: &str = "karpenter.k8s.linode/instance-gpu-name";

/// The labels that the provider makes known to Karpenter's scheduling. Those of transfer, network and accelerators are
/// left out, as no type here has them: who asks for one gets no machine, and not any machine.
pub const WELL_KNOWN: [&str; 7] = [CPU, MEMORY, GPU_COUNT, GPU_NAME, CLASS, GENERATION, DISK];

/// Those that it makes known too and that no type here has.
pub const NOT_BORNE: [&str; 3] = [
    "karpenter.k8s.linode/instance-transfer",
    "karpenter.k8s.linode/instance-network-out",
    "karpenter.k8s.linode/instance-accelerated-devices-count",
];

/// Those of Karpenter's own that it takes away (labels.go:29), so that no machine is made for a pod that asks for a zone.
pub const NOT_KNOWN: [&str; 2] = [labels::ZONE, labels::WINDOWS_BUILD];

/// What a node of the plan is known by.
pub fn of(plan: &PlanType, region: &str) -> StringMap {
    let mut all = StringMap::EMPTY;
    all.insert(labels::INSTANCE_TYPE, &*plan.id);
    all.insert(labels::REGION, region);
    all.insert(labels::ARCH, "amd64");
    all.insert(labels::OS, "linux");
    all.insert(CPU, plan.vcpus.to_string());
    all.insert(MEMORY, plan.memory_mib.to_string());
    all.insert(CLASS, &*plan.class);
    all.insert(GPU_COUNT, plan.gpus.to_string());
    all.insert(DISK, plan.disk_mib.to_string());
    let mut parts = plan.id.split('-');
    if let (Some(generation), Some(family)) = (parts.next(), parts.next()) {
        all.insert(GENERATION, generation.trim_start_matches('g'));
        if let (true, Some(gpu)) = (family == "gpu", parts.next()) {
            all.insert(GPU_NAME, gpu);
        }
    }
    all
}
