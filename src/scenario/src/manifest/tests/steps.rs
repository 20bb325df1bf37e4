use crate::load;
use crate::manifest::{Object, PodAct, PodStep};
use crate::tests::{NAMES, read};
use lkesim_kube::object::Kind;
use lkesim_runtime::{Seed, Time};

fn steps(text: &str) -> Vec<PodStep> {
    read(text).pod_steps(0)
}

#[test]
fn five_lines_are_a_whole_scenario_with_pods() {
    let text = "about: A Deployment grows.\nworkload:\n- deploy: {name: web, replicas: 5, cpu: 1, memory: 1Gi}\n\
                - scale: {of: Deployment/web, to: 50, at: 5m}\n- delete: {of: Deployment/web, at: 15m}\n";
    let steps = steps(text);
    let PodAct::Apply(object) = &steps[0].act else { panic!("{steps:?}") };
    let Object::Workload(web) = &**object else { panic!("{object:?}") };
    assert_eq!((web.replicas, &*web.own_name), (5, "web"));
    assert_eq!(web.template.spec.effective_requests().to_string(), r#"{"cpu":"1","memory":"1Gi"}"#);
    assert!(web.template.labels.has("app", "web"));
    assert_eq!(
        steps[1],
        PodStep { at: Time::from_secs(300), act: PodAct::Scale { workload: "Deployment/web".into(), replicas: 50 } }
    );
    let deleted = PodAct::Delete { kind: Kind::Workload, name: "Deployment/web".into() };
    assert_eq!(steps[2], PodStep { at: Time::from_secs(900), act: deleted });
}

#[test]
fn a_patch_changes_what_is_there_by_then() {
    let text = "about: x\nworkload:\n- deploy: {name: web, replicas: 5, cpu: 1}\n\
                - patch: {of: Deployment/web, at: 3m, with: {spec: {template: {spec: {nodeSelector: {a: b}}}}}}\n\
                - scale: {of: Deployment/web, to: 7, at: 2m}\n";
    let steps = steps(text);
    let PodAct::Apply(object) = &steps[2].act else { panic!("{steps:?}") };
    let Object::Workload(web) = &**object else { panic!("{object:?}") };
    assert_eq!(web.replicas, 7);
    assert!(web.template.spec.node_selector.has("a", "b"));
    assert_eq!(web.template.spec.effective_requests().to_string(), r#"{"cpu":"1"}"#);
}

#[test]
fn objects_are_applied_inline() {
    let text = "about: x\nmanifests:\n- {apiVersion: v1, kind: Namespace, metadata: {name: a}}\n\
                - {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: p}, value: 5}\n\
                workload:\n- apply:\n    at: 1m\n    objects:\n    - apiVersion: v1\n      kind: Pod\n      \
                metadata: {name: one}\n      spec: {priorityClassName: p, containers: [{name: c}]}\n";
    let steps = steps(text);
    let PodAct::Apply(object) = &steps[0].act else { panic!("{steps:?}") };
    let Object::Pod(pod) = &**object else { panic!("{object:?}") };
    assert_eq!(pod.spec.priority, 5);
}

#[test]
fn pods_arrive_and_run_for_a_while() {
    let text = "about: x\nworkload:\n- arrive: {name: job, rate: 60/1m, cpu: 1, runs_for: {p0: 1m, p100: 3m}, until: 10m}\n\
                - arrive: {name: late, times: [5m, 1s], cpu: 1, labels: {x: y}}\n";
    let steps = steps(text);
    let arrivals: Vec<_> = steps
        .iter()
        .filter_map(|step| match &step.act {
            PodAct::Arrive(arrivals) => Some(arrivals),
            _ => None,
        })
        .collect();
    let key = Seed(1).key("arrivals");
    let times = arrivals[0].times(key);
    assert!((500..700).contains(&times.len()), "{}", times.len());
    assert!(times.iter().all(|at| *at < Time::from_secs(600)));
    let pod = arrivals[0].pod(0, key);
    assert_eq!(&**pod.name(), "job-1");
    let runs_for = pod.runs_for.unwrap().as_secs();
    assert!((60..=180).contains(&runs_for));
    assert_eq!(arrivals[1].times(key), [Time::from_secs(1), Time::from_secs(300)]);
    assert!(arrivals[1].pod(1, key).metadata.labels.has("x", "y"));
}

macro_rules! wrong {
    ($name:ident, $text:expr) => {
        #[test]
        fn $name() {
            let text = format!("about: x\nworkload:\n{}", $text);
            insta::assert_snapshot!(load("steps.yaml", &text, &[], &NAMES).unwrap_err().to_string());
        }
    };
}

wrong!(
    steps_of_what_is_not_there,
    concat!(
        "- deploy: {name: web}\n- scale: {of: Deployment/wep, to: 2, at: 1m}\n- scale: {of: web, to: 2, at: 1m}\n",
        "- patch: {of: Deploymnet/web, with: {}, at: 1m}\n- delete: {of: Deployment/web, at: 2m}\n",
        "- scale: {of: Deployment/web, to: 2, at: 3m}\n- delete: {of: Node/a, at: 1h}\n",
    )
);
wrong!(
    steps_that_contradict_themselves,
    concat!(
        "- deploy: {name: web, kind: DaemonSet, replicas: 2, cpu: 1, pod: {containers: [{name: c}]}}\n",
        "- arrive: {rate: 1/1s, times: [1s]}\n- arrive: {}\n- arrive: {name: n, times: [1h], night: {rate: 1/1m, from: 1h, until: 2h}}\n",
        "- arrive: {name: m, rate: 1000/1ms}\n- delete: {claims: 1, of: Pod/a, at: 1m}\n- apply: {at: 1m}\n- apply: {at: 1m, file: a.yaml}\n",
    )
);
wrong!(
    mistakes_within_short_forms,
    concat!(
        "- deploy: {name: Web, cpu: 1, pod: {nodeSelctor: {}}}\n- deploy: {name: web, cpu: lots, labels: {a b: c}}\n",
        "- arrive: {rate: 1/1s, pod: {tolerations: [{}]}}\n",
        "- deploy: {name: a}\n- patch: {of: Deployment/a, at: 1m, with: {spec: {replicas: many}}}\n",
        "- patch: {of: Deployment/a, at: 1m, with: {metadata: {name: b}}}\n",
    )
);
