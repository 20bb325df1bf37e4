//! What a pod's volumes ask of its node: where they are, and how many of a driver a node can hold.
//!
//! Core v1.9.0 `pkg/scheduling/volumeusage.go` and `pkg/controllers/provisioning/scheduling/volumetopology.go`, with
//! what the API holds already looked up.

use crate::requirements::Requirements;
use lkesim_kube::object::{Requirement as Selector, labels};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Claims by the driver that mounts them.
pub type Volumes = BTreeMap<Rc<str>, BTreeSet<Rc<str>>>;

/// What is known of the claim behind a volume.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Claim {
    /// `namespace/name`.
    pub name: Rc<str>,
    /// Whether its deletion was asked for.
    pub is_deleting: bool,
    /// Whether its PersistentVolume is lost.
    pub is_lost: bool,
    /// What it is bound to, or by what it would be.
    pub source: Source,
}

/// Where a claim's volume comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// It names a PersistentVolume.
    Bound {
        /// The PersistentVolume's name.
        volume_name: Rc<str>,
        /// Whether the binding is complete.
        is_complete: bool,
        /// The PersistentVolume, if it exists.
        volume: Option<PersistentVolume>,
    },
    /// It is not bound, and this StorageClass would make its volume; `None` if there is no such class.
    Unbound {
        /// The StorageClass's name, often empty.
        class_name: Rc<str>,
        /// The StorageClass, if it exists.
        class: Option<StorageClass>,
    },
}

/// `v1` PersistentVolume.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PersistentVolume {
    /// The CSI driver.
    pub driver: Option<Rc<str>>,
    /// The expressions of the first term of its required node affinity; upstream looks at no other.
    pub node_affinity: Vec<Selector>,
    /// Whether it is a local or a host path volume, whose host name is not looked at.
    pub is_local: bool,
}

/// `storage.k8s.io/v1` StorageClass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StorageClass {
    /// The driver.
    pub provisioner: Rc<str>,
    /// Whether volumes are bound before a pod needs them.
    pub is_immediate: bool,
    /// The expressions of the first allowed topology: a label and its values.
    pub allowed_topology: Vec<(Rc<str>, Vec<Rc<str>>)>,
}

/// Why a pod's volumes keep it from being scheduled.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VolumeError {
    /// There is no claim of this name.
    #[error("persistentvolumeclaims \"{0}\" not found")]
    NotFound(Rc<str>),
    /// The claim is going.
    #[error("persistentvolumeclaim is being deleted (PersistentVolumeClaim={0})")]
    ClaimDeleting(Rc<str>),
    /// The claim's volume is gone.
    #[error(
        "persistentvolumeclaim bound to non-existent persistentvolume (PersistentVolumeClaim={claim}, PersistentVolume={volume})"
    )]
    Lost {
        /// The claim.
        claim: Rc<str>,
        /// Its volume.
        volume: Rc<str>,
    },
    /// The claim names a volume that does not exist.
    #[error(
        "failed to validate pvc, persistentvolumes \"{volume}\" not found (PersistentVolume={volume}, PersistentVolumeClaim={claim}, StorageClass=)"
    )]
    NoVolume {
        /// The claim.
        claim: Rc<str>,
        /// The volume.
        volume: Rc<str>,
    },
    /// The binding is not complete.
    #[error(
        "pvc is considered unbound because it does not contain annotation (PersistentVolume={volume}, PersistentVolumeClaim={claim}, annotation=pv.kubernetes.io/bind-completed)"
    )]
    Incomplete {
        /// The claim.
        claim: Rc<str>,
        /// The volume.
        volume: Rc<str>,
    },
    /// The claim is not bound and names no class.
    #[error("unbound pvc must define a storage class (PersistentVolumeClaim={0}, StorageClass=)")]
    NoClassNamed(Rc<str>),
    /// The claim names a class that does not exist.
    #[error(
        "failed to validate pvc, failed to get storage class, storageclasses.storage.k8s.io \"{class}\" not found (PersistentVolumeClaim={claim}, StorageClass={class})"
    )]
    NoClass {
        /// The claim.
        claim: Rc<str>,
        /// The class.
        class: Rc<str>,
    },
    /// The class binds at once, and has not yet.
    #[error(
        "failed to validate pvc, pvc with immediate volume binding mode must be bound (PersistentVolumeClaim={claim}, StorageClass={class})"
    )]
    Immediate {
        /// The claim.
        claim: Rc<str>,
        /// The class.
        class: Rc<str>,
    },
}

impl Claim {
    /// Whether a pod with this claim can be scheduled at all.
    pub fn validate(&self) -> Result<(), VolumeError> {
        let claim = self.name.clone();
        if self.is_deleting {
            return Err(VolumeError::ClaimDeleting(claim));
        }
        match &self.source {
            Source::Bound { volume_name, .. } if self.is_lost => {
                Err(VolumeError::Lost { claim, volume: volume_name.clone() })
            }
            Source::Unbound { .. } if self.is_lost => Err(VolumeError::Lost { claim, volume: "".into() }),
            Source::Bound { volume_name, volume: None, .. } => {
                Err(VolumeError::NoVolume { claim, volume: volume_name.clone() })
            }
            Source::Bound { volume_name, is_complete: false, .. } => {
                Err(VolumeError::Incomplete { claim, volume: volume_name.clone() })
            }
            Source::Bound { .. } => Ok(()),
            Source::Unbound { class_name, .. } if class_name.is_empty() => Err(VolumeError::NoClassNamed(claim)),
            Source::Unbound { class_name, class: None } => {
                Err(VolumeError::NoClass { claim, class: class_name.clone() })
            }
            Source::Unbound { class_name, class: Some(class) } if class.is_immediate => {
                Err(VolumeError::Immediate { claim, class: class_name.clone() })
            }
            Source::Unbound { .. } => Ok(()),
        }
    }

    /// Where a node must be for the claim's volume.
    pub fn requirements(&self) -> Vec<Selector> {
        match &self.source {
            Source::Bound { volume: Some(volume), .. } => {
                let counts = |one: &&Selector| !(volume.is_local && *one.key == *labels::HOSTNAME);
                volume.node_affinity.iter().filter(counts).cloned().collect()
            }
            Source::Unbound { class: Some(class), .. } => {
                let allowed = class.allowed_topology.iter();
                allowed.map(|(key, values)| Selector::any_of(key.clone(), values.iter().cloned())).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The driver that mounts it, if it counts against a node's limit.
    pub fn driver(&self) -> Option<&Rc<str>> {
        match &self.source {
            Source::Bound { volume, .. } => volume.as_ref()?.driver.as_ref(),
            Source::Unbound { class, .. } => Some(&class.as_ref()?.provisioner),
        }
    }
}

/// What a pod's claims ask of its node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PodVolumes {
    /// Where the node must be. It narrows the node, not the domains over which the pod is spread.
    pub requirements: Requirements,
    /// What the node mounts.
    pub volumes: Volumes,
}

impl PodVolumes {
    /// Of these claims.
    pub fn of(claims: &[Claim]) -> PodVolumes {
        let selectors: Vec<Selector> = claims.iter().flat_map(Claim::requirements).collect();
        let mut volumes = Volumes::new();
        for (driver, claim) in claims.iter().filter_map(|claim| Some((claim.driver()?, claim))) {
            volumes.entry(driver.clone()).or_default().insert(claim.name.clone());
        }
        PodVolumes { requirements: Requirements::of_selectors(&selectors), volumes }
    }
}

/// How many volumes of each driver a node holds, and may.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeUsage {
    /// What is mounted.
    pub volumes: Volumes,
    /// How many of a driver there may be.
    pub limits: BTreeMap<Rc<str>, usize>,
}

impl VolumeUsage {
    /// Why these can't be mounted too.
    pub fn exceeded_by(&self, more: &Volumes) -> Option<String> {
        let mut drivers: BTreeSet<&Rc<str>> = self.volumes.keys().collect();
        drivers.extend(more.keys());
        drivers.into_iter().find_map(|driver| {
            let limit = *self.limits.get(driver)?;
            let present = self.volumes.get(driver).into_iter().flatten();
            let count = present.chain(more.get(driver).into_iter().flatten()).collect::<BTreeSet<_>>().len();
            let text = format!(
                "checking volume usage, would exceed volume limit (provisioner={driver}, volume-count={count}, \
                 volume-limit={limit})"
            );
            (count > limit).then_some(text)
        })
    }

    /// Mounts volumes.
    pub fn add(&mut self, more: &Volumes) {
        for (driver, claims) in more {
            self.volumes.entry(driver.clone()).or_default().extend(claims.iter().cloned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(zone: &str) -> Claim {
        let volume = PersistentVolume {
            driver: Some("csi.example.com".into()),
            node_affinity: vec![Selector::any_of(labels::ZONE, [zone]), Selector::any_of(labels::HOSTNAME, ["n1"])],
            is_local: true,
        };
        let source = Source::Bound { volume_name: "pv".into(), is_complete: true, volume: Some(volume) };
        Claim { name: format!("default/{zone}").into(), is_deleting: false, is_lost: false, source }
    }

    #[test]
    fn a_local_volume_asks_for_its_zone_and_not_for_its_host() {
        let volumes = PodVolumes::of(&[bound("a")]);
        assert_eq!(volumes.requirements.to_string(), "topology.kubernetes.io/zone In [a]");
        assert!(volumes.requirements.get(labels::HOSTNAME).is_none());
    }

    #[test]
    fn a_claim_that_is_mounted_already_takes_no_more_room() {
        let mut usage = VolumeUsage { limits: [("csi.example.com".into(), 1)].into(), ..VolumeUsage::default() };
        usage.add(&PodVolumes::of(&[bound("a")]).volumes);
        assert_eq!(usage.exceeded_by(&PodVolumes::of(&[bound("a")]).volumes), None);
        let text = usage.exceeded_by(&PodVolumes::of(&[bound("b")]).volumes).expect("one too many");
        let expected = "checking volume usage, would exceed volume limit (provisioner=csi.example.com, volume-count=2, volume-limit=1)";
        assert_eq!(text, expected);
    }

    #[test]
    fn claims_that_can_not_be_met_are_refused() {
        let claim = |source| Claim { name: "default/c".into(), is_deleting: false, is_lost: false, source };
        let class = |is_immediate| StorageClass { provisioner: "p".into(), is_immediate, allowed_topology: Vec::new() };
        let unbound = |name: &str, class| claim(Source::Unbound { class_name: name.into(), class });
        assert!(unbound("s", Some(class(false))).validate().is_ok());
        assert!(matches!(unbound("s", Some(class(true))).validate(), Err(VolumeError::Immediate { .. })));
        assert!(matches!(unbound("s", None).validate(), Err(VolumeError::NoClass { .. })));
        assert!(matches!(unbound("", None).validate(), Err(VolumeError::NoClassNamed(_))));
        let gone = Source::Bound { volume_name: "pv".into(), is_complete: true, volume: None };
        assert!(matches!(claim(gone).validate(), Err(VolumeError::NoVolume { .. })));
        assert!(matches!(Claim { is_deleting: true, ..bound("a") }.validate(), Err(VolumeError::ClaimDeleting(_))));
    }
}
