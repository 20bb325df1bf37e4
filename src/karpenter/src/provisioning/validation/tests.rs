use super::*;
use lkesim_kube::object::affinity::NodeAffinity;
use lkesim_kube::object::{PodSpec, Uid};
use lkesim_scheduling::volumes::VolumeError;

fn pod(expressions: Vec<Requirement>) -> Pod {
    let term = NodeSelectorTerm { match_expressions: expressions, has_match_fields: false };
    let affinity = NodeAffinity { required: vec![term], has_required: true, preferred: Vec::new() };
    Pod::new("p", PodSpec { node_affinity: Some(affinity), ..PodSpec::default() })
}

fn told(pod: &Pod, facts: &Facts) -> String {
    validate(pod, facts, &ProvisioningSettings::default()).map_or_else(|why| why.to_string(), |()| String::new())
}

fn asks(key: &str, operator: Operator, values: &[&str]) -> Requirement {
    Requirement::new(key, operator, values.iter().copied())
}

#[test]
fn a_pod_that_wants_no_node_of_karpenters_is_left_alone() {
    let pod = pod(vec![asks(labels::NODE_POOL, Operator::DoesNotExist, &[])]);
    assert_eq!(validate(&pod, &Facts::default(), &ProvisioningSettings::default()), Err(Ignored::NotOnKarpenter));
}

#[test]
fn what_can_not_be_asked_for_is_told() {
    let table = [
        (asks("example.com/team", Operator::In, &["a"]), ""),
        (asks(labels::ZONE, Operator::In, &["us-ord"]), ""),
        (asks(labels::HOSTNAME, Operator::In, &["n1"]), "using label kubernetes.io/hostname is not allowed"),
        (asks("x.karpenter.sh/y", Operator::Exists, &[]), "using label x.karpenter.sh/y is not allowed"),
        (asks(labels::CAPACITY_TYPE, Operator::In, &["free"]), "no valid values found in [free]"),
        (asks("a", Operator::In, &[]), "key a with operator In must have a value defined"),
        (asks("a", Operator::Gt, &["-1"]), "key a with operator Gt must have a single positive integer value"),
        (asks("a", Operator::Lt, &["7"]), ""),
    ];
    for (asked, expected) in table {
        let told = told(&pod(vec![asked]), &Facts::default());
        assert!(told.starts_with(expected) && told.is_empty() == expected.is_empty(), "{told}");
    }
}

#[test]
fn match_fields_and_volumes_that_can_not_be_placed_keep_a_pod_out() {
    let mut fields = pod(Vec::new());
    let spec = std::rc::Rc::make_mut(&mut fields.spec);
    spec.node_affinity.as_mut().expect("given").required[0].has_match_fields = true;
    fields.metadata.uid = Uid(7);
    let error = VolumeError::NoClassNamed("default/data".into());
    let facts = Facts { volume_errors: [(Uid(7), error)].into(), ..Facts::default() };
    let expected = "node selector term with matchFields is not supported; unbound pvc must define a storage class \
                    (PersistentVolumeClaim=default/data, StorageClass=)";
    assert_eq!(told(&fields, &facts), expected);
}

#[test]
fn of_a_providers_domain_only_its_well_known_labels_may_be_asked_for() {
    let restricted_domains = vec!["karpenter.k8s.linode", "karpenter.sh"];
    let mut settings = ProvisioningSettings { restricted_domains, ..ProvisioningSettings::default() };
    let known = settings.scheduling.well_known_labels.clone().with(["karpenter.k8s.linode/instance-cpu"]);
    settings.scheduling.well_known_labels = known;
    assert_eq!(restricted("karpenter.k8s.linode/instance-cpu", &settings), None);
    assert_eq!(restricted("xkarpenter.sh/cpu", &settings), None);
    let why = restricted("karpenter.k8s.linode/instance-cpuu", &settings).unwrap();
    assert!(why.ends_with("[karpenter.k8s.linode karpenter.sh]"), "{why}");
}
