//! Runs with pods, from objects as a manifest gives them.

use crate::{Order, Plan, Request, Simulator};
use lkesim_judge::Outcome;
use lkesim_judge::trace::{Header, Trace, TraceEvent};
use lkesim_kube::object::node_claim::NodeClassRef;
use lkesim_kube::object::node_pool::NodePoolSpec;
use lkesim_kube::object::pod::Container;
use lkesim_kube::object::resource_list::names;
use lkesim_kube::object::{NodePool, PodSpec, PodTemplate, Quantity, ResourceList, StringMap, Workload, WorkloadKind};
use lkesim_runtime::Seed;
use lkesim_scenario::Names;
use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

const SCENARIO: &str = "
about: Pods.
cloud: {tier: standard}
duration: 20m
workload:
  - deploy: {name: web, replicas: 1, cpu: 1}
";

/// A Deployment of pods that ask for so much CPU.
fn deployment(name: &str, replicas: u32, cpu_milli: i64) -> Workload {
    let requests = ResourceList::from_iter([(names::CPU, Quantity::from_milli(cpu_milli))]);
    let spec = PodSpec { containers: vec![Container { requests, ..Container::default() }], ..PodSpec::default() };
    let labels = StringMap::from_iter([("app", name)]);
    let template = PodTemplate { labels, spec: Rc::new(spec), ..PodTemplate::default() };
    Workload { replicas, ..Workload::new(WorkloadKind::Deployment, "default", name, template) }
}

fn node_pool() -> NodePool {
    let spec = NodePoolSpec { node_class_ref: Some(NodeClassRef::linode("default")), ..NodePoolSpec::default() };
    NodePool::new("general", spec)
}

fn planned(more: &str, change: impl FnOnce(&mut super::PodsPlan)) -> Plan {
    let text = format!("{SCENARIO}{more}");
    let scenario = lkesim_scenario::load("pods", &text, &[], &Names::default()).expect("the scenario is valid");
    let mut plan = Plan::new(&scenario);
    let pods = &mut plan.clusters[0].pods;
    pods.steps = Rc::new([]);
    pods.objects = Default::default();
    pods.objects.node_pools.push(node_pool());
    change(pods);
    plan
}

fn request(plan: Plan) -> Request {
    Request {
        plan: Rc::new(plan),
        name: "pods".into(),
        design: lkesim_lke::DESIGNS[0],
        seed: Seed(1),
        order: Order::Fifo,
        as_written: true,
    }
}

fn run(plan: Plan) -> Outcome {
    Simulator::new().run(&request(plan), None).expect("it runs").outcome
}

/// A sink that can be read after the run.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn five_pods_of_one_core_are_one_machine_of_six() {
    let outcome = run(planned("", |pods| pods.objects.workloads.push(deployment("web", 5, 1_000))));
    let pods = outcome.pods.expect("there are pods");
    assert_eq!((pods.created, pods.running_at_end, pods.pending_at_end), (5, 5, 0));
    assert_eq!(outcome.nodes.expect("there are pods").at_end, [("g6-standard-6".to_owned(), 1)].into());
    let broken: Vec<_> = outcome.invariants.iter().filter(|one| !one.held).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn a_trace_tells_how_each_pod_was_tried_and_changes_nothing() {
    let plan = || planned("", |pods| pods.objects.workloads.push(deployment("web", 5, 1_000)));
    let written = Written::default();
    let header = Header::new("pods", "documented", 1, serde_json::Value::Null);
    let traced = Simulator::new().run(&request(plan()), Some((Box::new(written.clone()), header))).expect("it runs");
    assert_eq!(traced.outcome.digest, run(plan()).digest);
    let bytes = written.0.take();
    let trace = Trace::read("pods", &bytes[..]).expect("what was written is read");
    let first = trace.events.iter().find_map(|event| match &event.what {
        TraceEvent::ProvisioningPass { pods: 5, claims: 1, steps, .. } => Some(steps),
        _ => None,
    });
    let steps = first.expect("a pass buys for all five");
    assert_eq!(steps[0].opened.as_deref(), Some("general"));
    assert!(steps[0].types_left.contains(&"g6-standard-6".to_owned()), "{:?}", steps[0]);
    assert!(steps[1..].iter().all(|step| step.placed.as_deref() == Some("claim 1")), "{steps:?}");
}

#[test]
fn runs_without_pods_say_nothing_of_them() {
    let text = "about: No pods.\nworkload:\n  - create: {claims: 1}\n";
    let scenario = lkesim_scenario::load("none", text, &[], &Names::default()).expect("the scenario is valid");
    let outcome = run(Plan::new(&scenario));
    assert!(outcome.pods.is_none() && outcome.nodes.is_none() && outcome.passes.is_none());
    assert!(outcome.invariants.iter().all(|one| one.name != "pods-run"));
}
