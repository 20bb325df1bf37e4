use super::*;
use crate::CreateError;
use crate::provisioning::{ComputeCost, Provisioning};
use crate::testing::{Cluster, SIZE, plan, secs};
use lkesim_kube::object::meta::NAME_LETTERS;
use lkesim_kube::object::node_pool::NodePoolSpec;
use lkesim_kube::object::pod::Container;
use lkesim_kube::object::{Pod, PodSpec, Resources, labels};

/// Pods that nobody binds.
#[derive(Default)]
struct Kept {
    pods: RefCell<Vec<Rc<Pod>>>,
    said: RefCell<Vec<(Rc<str>, String)>>,
}

impl Pods for Kept {
    fn get(&self, key: &str) -> Option<Rc<Pod>> {
        self.pods.borrow().iter().find(|pod| **pod.name() == *key).cloned()
    }

    fn pending(&self) -> Vec<Rc<Pod>> {
        self.pods.borrow().clone()
    }

    fn on_node(&self, _: &str) -> Vec<Rc<Pod>> {
        Vec::new()
    }
}

impl Recorder for Kept {
    fn verdict(&self, pod: &Rc<Pod>, verdict: Verdict<'_>) {
        let text = match verdict {
            Verdict::Nominated(on) => format!("Pod should schedule on: {on}"),
            Verdict::Failed(why) => why.to_owned(),
        };
        self.said.borrow_mut().push((pod.name().clone(), text));
    }
}

struct Test {
    cluster: Cluster,
    pods: Rc<Kept>,
    provisioning: Provisioning,
}

impl Test {
    fn new() -> Test {
        Test::with(ProvisioningSettings::default())
    }

    fn with(settings: ProvisioningSettings) -> Test {
        let cluster = Cluster::new();
        let half = Resources { pods: 110, ..Resources::of(1_000, 2 << 30) };
        let half = (half, half);
        *cluster.cloud.types.borrow_mut() = vec![plan("g6-standard-1", 20, half), plan("g6-standard-2", 40, SIZE)];
        cluster.store.create(cluster.write(), NodePool::new("default", NodePoolSpec::default())).expect("new");
        let pods = Rc::new(Kept::default());
        let provisioning = cluster.provision(pods.clone(), pods.clone(), settings);
        Test { cluster, pods, provisioning }
    }

    /// A pod of so many thousandths of a core, which the scheduler has given up.
    fn pod(&self, number: u64, milli: i64) {
        let cpu = lkesim_kube::object::Quantity::from_milli(milli);
        let container = Container { requests: ResourceList::from_iter([("cpu", cpu)]), ..Container::default() };
        let mut pod = Pod::new(format!("pod-{number}"), PodSpec { containers: vec![container], ..PodSpec::default() });
        pod.metadata.uid = Uid(number);
        pod.status.unschedulable = Some("0/0 nodes are available".into());
        let key = pod.name().clone();
        self.pods.pods.borrow_mut().push(Rc::new(pod));
        self.provisioning.pods.add(key);
    }

    fn run_until_milli(&mut self, milli: u64) {
        self.cluster.kernel.run_until(Time::ZERO + Duration::from_millis(milli)).expect("no task panics");
    }

    fn claims(&self) -> Vec<Rc<NodeClaim>> {
        let mut claims = self.cluster.store.list::<NodeClaim>();
        claims.sort_by_key(|claim| claim.metadata.resource_version);
        claims.sort_by_key(|claim| claim.metadata.uid);
        claims
    }

    fn said(&self) -> Vec<String> {
        self.pods.said.take().into_iter().map(|(pod, text)| format!("{pod}: {text}")).collect()
    }
}

#[test]
fn the_articles_five_pods_are_two_passes() {
    let mut test = Test::new();
    for (at, number) in [(0, 1), (300, 2), (600, 3)] {
        test.run_until_milli(at);
        test.pod(number, 600);
    }
    test.run_until_milli(1_550);
    assert_eq!(test.claims().len(), 0);
    test.run_until_milli(1_700);
    let [first] = &test.claims()[..] else { panic!("one claim for three pods") };
    let on = format!("Pod should schedule on: nodeclaim/{}", first.name());
    assert_eq!(test.said(), [1, 2, 3].map(|number| format!("pod-{number}: {on}")));

    // Its Create takes 2 s, so that the gate is open when the second window ends.
    for (at, number) in [(4_000, 4), (4_300, 5)] {
        test.run_until_milli(at);
        test.pod(number, 600);
    }
    test.run_until_milli(5_250);
    assert_eq!(test.claims().len(), 1);
    test.run_until_milli(5_400);
    let claims = test.claims();
    assert_eq!(claims.len(), 2);
    // The first three are still pending, and are nominated to the claim that was made for them.
    let second = format!("Pod should schedule on: nodeclaim/{}", claims[1].name());
    let expected = [(1, &on), (2, &on), (3, &on), (4, &second), (5, &second)];
    assert_eq!(test.said(), expected.map(|(number, text)| format!("pod-{number}: {text}")));
    assert!(test.provisioning.provisioner.is_nominated(first.name()));
    test.run_until_milli(30_000);
    test.pods.pods.borrow_mut().clear();
    test.run_until_milli(60_000);
    assert!(!test.provisioning.provisioner.is_nominated(first.name()));
}

#[test]
fn fifty_pods_at_once_are_one_pass_and_share_claims() {
    let mut test = Test::new();
    (0..50).for_each(|number| test.pod(number, 500));
    test.run_until_milli(1_500);
    // Three fit on one.
    assert_eq!(test.claims().len(), 17);
    let at = test.claims()[0].metadata.creation_timestamp;
    assert!(test.claims().iter().all(|claim| claim.metadata.creation_timestamp == at));
}

#[test]
fn a_claim_has_name_owner_labels_and_the_types_that_hold_its_pods() {
    let mut test = Test::new();
    test.pod(1, 1_500);
    test.run_until_milli(2_000);
    let claim = test.claims()[0].clone();
    let end = claim.name().strip_prefix("default-").expect("the NodePool's name comes first");
    assert!(end.len() == 5 && end.bytes().all(|byte| NAME_LETTERS.contains(&byte)), "{end}");
    assert_eq!(claim.metadata.owner_references[0].kind, Kind::NodePool);
    assert!(claim.metadata.labels.has(labels::NODE_POOL, "default"));
    let types: Vec<&str> =
        claim.instance_types().into_iter().flat_map(|list| list.iter()).map(|name| &**name).collect();
    assert_eq!(types, ["g6-standard-2"]);
    assert_eq!(claim.spec.resources_requests.cpu_milli, 1_500);
}

#[test]
fn a_claim_that_is_not_launched_keeps_all_pods_waiting() {
    let mut test = Test::new();
    test.cluster.cloud.create_fails(CreateError::Other("no answer".into()));
    test.pod(1, 1_000);
    test.run_until_milli(2_000);
    assert_eq!(test.claims().len(), 1);
    test.pod(2, 1_500);
    test.run_until_milli(200_000);
    assert_eq!(test.claims().len(), 1, "the gate is shut");
    // After five minutes the claim is deleted, and the pods, which trigger every ten seconds, get others.
    test.cluster.cloud.create_fails(None);
    test.run_until_milli(330_000);
    let claims = test.claims();
    assert_eq!(claims.len(), 2);
    assert!(claims.iter().all(|claim| claim.is_launched()));
    assert!(test.cluster.kernel.now() >= Time::ZERO + secs(300));
}

#[test]
fn a_pod_that_fits_nowhere_is_told_why() {
    let mut test = Test::new();
    test.pod(1, 9_000);
    test.run_until_milli(2_000);
    let said = test.said();
    assert!(said[0].starts_with("pod-1: no instance type has enough resources"), "{said:?}");
    assert_eq!(test.claims().len(), 0);
}

#[test]
fn without_batching_each_pod_is_a_pass_that_sees_it_alone() {
    let mut test = Test::with(ProvisioningSettings { batching: false, ..ProvisioningSettings::default() });
    (0..5).for_each(|number| test.pod(number, 300));
    test.run_until_milli(1_000);
    // Six of them would fit on one machine, and none waited for a window or for the others' machines.
    assert_eq!(test.claims().len(), 5);
    assert!(test.claims().iter().all(|claim| claim.metadata.creation_timestamp == Time::ZERO));
}

#[test]
fn deciding_takes_the_time_that_it_is_given() {
    let compute_cost = ComputeCost { per_pass: Duration::from_millis(500), per_pod: Duration::from_millis(100) };
    let mut test = Test::with(ProvisioningSettings { compute_cost, ..ProvisioningSettings::default() });
    (0..5).for_each(|number| test.pod(number, 300));
    test.run_until_milli(1_950);
    assert_eq!(test.claims().len(), 0);
    test.run_until_milli(2_050);
    assert_eq!(test.claims().len(), 1);
}

#[test]
fn without_nomination_nothing_tells_disruption_of_a_placement() {
    let mut test = Test::with(ProvisioningSettings { nomination: false, ..ProvisioningSettings::default() });
    test.pod(1, 600);
    test.run_until_milli(20_000);
    let [claim] = &test.claims()[..] else { panic!("one claim") };
    assert!(test.said().last().is_some_and(|text| text.contains(&**claim.name())));
    assert!(!test.provisioning.provisioner.is_nominated(claim.name()));
}

#[test]
fn a_pod_that_is_left_alone_is_told_why_once_a_pass() {
    let mut test = Test::new();
    test.pod(1, 600);
    {
        let mut pods = test.pods.pods.borrow_mut();
        let pod = Rc::make_mut(&mut pods[0]);
        Rc::make_mut(&mut pod.spec).node_selector.insert(labels::HOSTNAME, "n1");
    }
    test.run_until_milli(2_000);
    let said = test.said();
    assert!(
        said.len() == 1 && said[0].starts_with("pod-1: using label kubernetes.io/hostname is not allowed"),
        "{said:?}"
    );
    assert_eq!(test.claims().len(), 0);
}

#[test]
fn a_pod_that_names_a_node_pool_that_does_not_exist_is_rejected_with_the_reason() {
    let mut test = Test::new();
    test.pod(1, 600);
    {
        let mut pods = test.pods.pods.borrow_mut();
        let pod = Rc::make_mut(&mut pods[0]);
        Rc::make_mut(&mut pod.spec).node_selector.insert(labels::NODE_POOL, "none");
    }
    test.run_until_milli(2_000);
    let expected = "pod-1: incompatible requirements, key karpenter.sh/nodepool, karpenter.sh/nodepool In [none] not in \
                    karpenter.sh/nodepool In [default]";
    assert_eq!(test.said(), [expected]);
    assert_eq!(test.claims().len(), 0);
}

#[test]
fn more_nodes_than_the_limit_let_no_other_be_made() {
    let spec = lkesim_kube::object::node_pool::NodePoolSpec { node_limit: Some(2), ..Default::default() };
    let mut node_pool = NodePool::new("a", spec);
    for (nodes, expected) in [(0, None), (2, None), (3, Some("nodes"))] {
        node_pool.status.nodes = nodes;
        assert_eq!(exceeded(&node_pool).as_deref(), expected, "{nodes} nodes");
    }
}
