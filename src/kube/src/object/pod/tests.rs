use super::*;

fn list(entries: &[(&str, &str)]) -> ResourceList {
    entries.iter().map(|(name, text)| (*name, text.parse().unwrap())).collect()
}

fn container(entries: &[(&str, &str)]) -> Container {
    Container { requests: list(entries), ..Container::default() }
}

fn sidecar(entries: &[(&str, &str)]) -> Container {
    Container { restarts_always: true, ..container(entries) }
}

#[test]
fn containers_are_summed_and_a_large_init_container_counts_in_their_place() {
    let spec = PodSpec {
        containers: vec![container(&[("cpu", "1"), ("memory", "1Gi")]), container(&[("cpu", "500m")])],
        init_containers: vec![container(&[("cpu", "2"), ("memory", "512Mi")])],
        ..PodSpec::default()
    };
    assert_eq!(spec.effective_requests(), list(&[("cpu", "2"), ("memory", "1Gi")]));
}

#[test]
fn sidecars_run_beside_what_follows_them() {
    let spec = PodSpec {
        containers: vec![container(&[("cpu", "1")])],
        init_containers: vec![container(&[("cpu", "3")]), sidecar(&[("cpu", "1")]), container(&[("cpu", "2500m")])],
        ..PodSpec::default()
    };
    assert_eq!(spec.effective_requests(), list(&[("cpu", "3500m")]));
}

#[test]
fn requests_of_the_pod_replace_cpu_and_memory_and_the_overhead_comes_on_top() {
    let spec = PodSpec {
        containers: vec![container(&[("cpu", "1"), ("example.com/device", "1")])],
        requests: list(&[("cpu", "4"), ("example.com/device", "7")]),
        overhead: list(&[("cpu", "250m"), ("memory", "120Mi")]),
        ..PodSpec::default()
    };
    let expected = list(&[("cpu", "4250m"), ("memory", "120Mi"), ("example.com/device", "1")]);
    assert_eq!(spec.effective_requests(), expected);
}

#[test]
fn a_daemon_sets_template_takes_its_limits_for_requests() {
    let limited = Container {
        requests: list(&[("cpu", "1")]),
        limits: list(&[("cpu", "2"), ("memory", "1Gi")]),
        ..Container::default()
    };
    let mut spec = PodSpec { containers: vec![limited], ..PodSpec::default() };
    spec.default_requests();
    assert_eq!(spec.effective_requests(), list(&[("cpu", "1"), ("memory", "1Gi")]));
}

#[test]
fn a_pod_is_provisionable_once_the_scheduler_gave_it_up() {
    let mut pod = Pod::new("a", PodSpec::default());
    assert!(!pod.is_provisionable());
    pod.status.unschedulable = Some("0/8 nodes are available: 8 Insufficient cpu.".into());
    assert!(pod.is_provisionable());
    for owner in [PodOwner::DaemonSet, PodOwner::Node] {
        assert!(!Pod { owner, ..pod.clone() }.is_provisionable());
    }
    assert!(!Pod { node_name: Some("n".into()), ..pod.clone() }.is_provisionable());
    pod.status.nominated_node_name = Some("n".into());
    assert!(!pod.is_provisionable());
}

#[test]
fn a_stateful_sets_pod_that_goes_needs_a_place() {
    let mut pod = Pod::new("a", PodSpec::default());
    pod.metadata.deletion_timestamp = Some(lkesim_runtime::Time::ZERO);
    assert!(!pod.is_reschedulable());
    pod.owner = PodOwner::StatefulSet;
    assert!(pod.is_reschedulable());
}
