//! What pods refer to and no store keeps: claims of volumes, and namespaces. It does not change during a run.

use crate::volumes::{Claim, PodVolumes, VolumeError};
use lkesim_kube::object::meta::in_namespace;
use lkesim_kube::object::{Pod, StringMap};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Claims and namespaces of a cluster.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterFacts {
    /// PersistentVolumeClaims by their names in the store, see [`in_namespace`], with what stands behind them.
    pub claims: BTreeMap<Rc<str>, Claim>,
    /// The labels of namespaces.
    pub namespaces: BTreeMap<Rc<str>, StringMap>,
}

impl ClusterFacts {
    /// The claims behind a pod's volumes.
    ///
    /// # Errors
    /// The first that is not there, or can't be met.
    pub fn claims_of(&self, pod: &Pod) -> Result<Vec<Claim>, VolumeError> {
        let names = pod.spec.volumes.iter().map(|volume| volume.claim_name(pod));
        let claim = |name: Rc<str>| {
            let claim = self.claims.get(&in_namespace(&pod.namespace, &name)).ok_or(VolumeError::NotFound(name))?;
            claim.validate()?;
            Ok(claim.clone())
        };
        names.map(claim).collect()
    }

    /// What a pod's volumes ask of its node.
    ///
    /// # Errors
    /// As for [`ClusterFacts::claims_of`].
    pub fn volumes_of(&self, pod: &Pod) -> Result<PodVolumes, VolumeError> {
        Ok(PodVolumes::of(&self.claims_of(pod)?))
    }
}
