//! Volumes, as far as they bind a pod to a place.

use super::affinity::node_selector;
use super::context::Context;
use super::kinds::Manifested;
use super::known;
use super::metadata::{self, Scope};
use super::reader::{Fields, Reader};
use crate::tree::Node;
use lkesim_kube::object::pod::Volume;
use lkesim_scheduling::volumes::{Claim, PersistentVolume, Source, StorageClass};
use std::rc::Rc;

/// Sources of volumes that need nothing of a node, wherever it is.
const ANYWHERE: [&str; 21] = [
    "emptyDir",
    "configMap",
    "secret",
    "projected",
    "downwardAPI",
    "hostPath",
    "csi",
    "nfs",
    "iscsi",
    "image",
    "gitRepo",
    "cephfs",
    "glusterfs",
    "rbd",
    "fc",
    "flexVolume",
    "flocker",
    "quobyte",
    "scaleIO",
    "storageos",
    "portworxVolume",
];

/// Those of other clouds, whose volumes are of a zone.
const OF_OTHER_CLOUDS: [&str; 6] =
    ["awsElasticBlockStore", "gcePersistentDisk", "azureDisk", "azureFile", "cinder", "vsphereVolume"];

/// A pod's volume, if a claim stands behind it.
pub fn volume(reader: &mut Reader, node: &Node, context: &Context) -> Option<Option<Volume>> {
    let mut fields = reader.fields(node)?;
    fields.must(reader, "name", Reader::name);
    let claim = fields.read(reader, "persistentVolumeClaim", |reader, node| {
        let mut fields = reader.fields(node)?;
        let name = fields.must(reader, "claimName", |reader, node| {
            let name = reader.name(node)?;
            let (of, namespace) =
                ((Manifested::PersistentVolumeClaim, "PersistentVolumeClaim"), reader.namespace.clone());
            known::look_up(reader, of, &namespace, &name, ", so that the pod gets no node");
            Some(name)
        });
        fields.ignore(&["readOnly"]);
        fields.end(reader);
        name
    });
    fields.read(reader, "ephemeral", |reader, node| ephemeral(reader, node, context));
    for name in OF_OTHER_CLOUDS {
        fields.unmodelled(reader, name, "the volume is taken to be anywhere", |_| false);
    }
    fields.ignore(&ANYWHERE);
    fields.end(reader);
    Some(claim.map(Volume::Claim))
}

fn ephemeral(reader: &mut Reader, node: &Node, context: &Context) -> Option<()> {
    let mut fields = reader.fields(node)?;
    fields.read(reader, "volumeClaimTemplate", |reader, node| {
        let mut fields = reader.fields(node)?;
        fields.ignore(&["metadata"]);
        fields.read(reader, "spec", |reader, node| made_with_pod(reader, node, context));
        fields.end(reader);
        Some(())
    });
    fields.end(reader);
    Some(())
}

/// The claim that is made with each pod. It asks nothing of the node if its class makes volumes where pods are.
pub fn made_with_pod(reader: &mut Reader, node: &Node, context: &Context) -> Option<()> {
    let class_name = claim_spec(reader, node)?.class_name.or_else(|| context.default_storage_class.clone());
    let class = class_name.and_then(|name| context.storage_classes.get(&name));
    if class.is_some_and(|class| class.is_immediate || !class.allowed_topology.is_empty()) {
        reader.unmodelled("a claim that is made with the pod is taken to be met on any node");
    }
    Some(())
}

/// `corev1.PersistentVolumeClaimSpec`.
struct ClaimSpec {
    class_name: Option<Rc<str>>,
    volume_name: Option<Rc<str>>,
}

fn claim_spec(reader: &mut Reader, node: &Node) -> Option<ClaimSpec> {
    let mut fields = reader.fields(node)?;
    let spec = ClaimSpec {
        class_name: fields.read(reader, "storageClassName", |reader, node| {
            let name = reader.shared(node)?;
            known::look_up(reader, (Manifested::StorageClass, "StorageClass"), "", &name, "");
            Some(name)
        }),
        volume_name: fields
            .read(reader, "volumeName", |reader, node| {
                let name = reader.shared(node)?;
                known::look_up(reader, (Manifested::PersistentVolume, "PersistentVolume"), "", &name, "");
                Some(name)
            })
            .filter(|name| !name.is_empty()),
    };
    let modes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"].map(|mode| (mode, ()));
    fields.read(reader, "accessModes", |reader, node| reader.list(node, |reader, node| reader.one_of(node, &modes)));
    fields.read(reader, "resources", |reader, node| {
        let mut fields = reader.fields(node)?;
        fields.read(reader, "requests", Reader::resources);
        fields.read(reader, "limits", Reader::resources);
        fields.end(reader);
        Some(())
    });
    fields.ignore(&["volumeMode", "selector", "dataSource", "dataSourceRef", "volumeAttributesClassName"]);
    fields.end(reader);
    Some(spec)
}

/// `v1` PersistentVolumeClaim: its name in the store, and what stands behind it.
pub fn claim(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<(Rc<str>, Claim)> {
    let metadata = metadata::metadata(reader, &mut object, Scope::Namespace);
    let spec = object.must(reader, "spec", claim_spec);
    let phases = [("Pending", false), ("Bound", false), ("Lost", true)];
    let is_lost = object.read(reader, "status", |reader, node| {
        let mut fields = reader.fields(node)?;
        fields.read(reader, "phase", |reader, node| reader.one_of(node, &phases))
    });
    object.end(reader);
    let (metadata, spec) = (metadata?, spec?);
    context.seen(reader, "PersistentVolumeClaim", &metadata)?;
    let source = match spec.volume_name {
        Some(volume_name) => Source::Bound {
            volume: context.volumes.get(&volume_name).cloned(),
            volume_name,
            // A claim that somebody writes down by hand is bound as soon as the cluster sees both.
            is_complete: true,
        },
        None => {
            let class_name = spec.class_name.or_else(|| context.default_storage_class.clone()).unwrap_or_default();
            let class = context.storage_classes.get(&class_name).cloned();
            if class.as_ref().is_some_and(|class| class.is_immediate) {
                reader.unmodelled(
                    "nothing makes the volume of a claim whose class binds at once: its pods wait for ever",
                );
            }
            Source::Unbound { class_name, class }
        }
    };
    let name = lkesim_kube::object::meta::in_namespace(&metadata.namespace, &metadata.name);
    let of_claim = format!("{}/{}", metadata.namespace, metadata.name).into();
    Some((name, Claim { name: of_claim, is_deleting: false, is_lost: is_lost.unwrap_or(false), source }))
}

/// `v1` PersistentVolume.
pub fn persistent_volume(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<()> {
    let metadata = metadata::metadata(reader, &mut object, Scope::Cluster);
    let volume = object.must(reader, "spec", |reader, node| {
        let mut fields = reader.fields(node)?;
        let driver = fields.read(reader, "csi", |reader, node| {
            let mut fields = reader.fields(node)?;
            fields.must(reader, "driver", Reader::name)
        });
        let terms = fields.read(reader, "nodeAffinity", |reader, node| {
            let mut fields = reader.fields(node)?;
            let terms = fields.read(reader, "required", node_selector);
            fields.end(reader);
            terms
        });
        let is_local = ["local", "hostPath"].map(|name| fields.get(name).is_some()).contains(&true);
        for name in OF_OTHER_CLOUDS {
            fields.unmodelled(reader, name, "the volume is where `nodeAffinity` says", |_| false);
        }
        fields.ignore(&ANYWHERE);
        fields.ignore(&[
            "accessModes",
            "capacity",
            "claimRef",
            "mountOptions",
            "persistentVolumeReclaimPolicy",
            "storageClassName",
            "volumeMode",
            "volumeAttributesClassName",
        ]);
        fields.end(reader);
        let node_affinity = terms.unwrap_or_default().into_iter().next().unwrap_or_default().match_expressions;
        Some(PersistentVolume { driver, node_affinity, is_local })
    });
    object.ignore(&["status"]);
    object.end(reader);
    let (metadata, volume) = (metadata?, volume?);
    context.seen(reader, "PersistentVolume", &metadata)?;
    context.volumes.insert(metadata.name, volume);
    Some(())
}

/// The annotation of the class of claims that name none.
const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

/// `storage.k8s.io/v1` StorageClass.
pub fn storage_class(reader: &mut Reader, mut object: Fields<'_>, context: &mut Context) -> Option<()> {
    let modes = [("Immediate", true), ("WaitForFirstConsumer", false)];
    let metadata = metadata::metadata(reader, &mut object, Scope::Cluster);
    let provisioner = object.must(reader, "provisioner", Reader::name);
    let mode = object.read(reader, "volumeBindingMode", |reader, node| reader.one_of(node, &modes));
    let topologies = object.read(reader, "allowedTopologies", |reader, node| reader.list(node, topology));
    object.ignore(&["parameters", "reclaimPolicy", "mountOptions", "allowVolumeExpansion"]);
    object.end(reader);
    let metadata = metadata?;
    context.seen(reader, "StorageClass", &metadata)?;
    let class = StorageClass {
        provisioner: provisioner?,
        is_immediate: mode.unwrap_or(true),
        allowed_topology: topologies.unwrap_or_default().into_iter().next().unwrap_or_default(),
    };
    if metadata.annotations.has(DEFAULT_CLASS, "true") {
        context.default_storage_class = Some(metadata.name.clone());
    }
    context.storage_classes.insert(metadata.name, class);
    Some(())
}

type Topology = Vec<(Rc<str>, Vec<Rc<str>>)>;

fn topology(reader: &mut Reader, node: &Node) -> Option<Topology> {
    let mut fields = reader.fields(node)?;
    let found = fields.read(reader, "matchLabelExpressions", |reader, node| {
        reader.list(node, |reader, node| {
            let mut fields = reader.fields(node)?;
            let key = fields.must(reader, "key", Reader::name);
            let values = fields.must(reader, "values", Reader::texts);
            fields.end(reader);
            Some((key?, values?))
        })
    });
    fields.end(reader);
    found
}
