use super::checker::Picture;
use super::placing::{spread, term};
use super::*;
use lkesim_kube::object::affinity::PodAffinity;
use lkesim_kube::object::{PodDisruptionBudget, TaintEffect, Toleration};
use lkesim_kube::store::{ObjectChange, StoreChange, StoreObserver};
use proptest::prelude::*;
use std::cell::RefCell;

/// Holds each binding and each sentence against a slow judgement of the same moment.
struct Judge {
    picture: RefCell<Picture>,
    bound: std::cell::Cell<usize>,
}

impl StoreObserver for Judge {
    fn on_change(&self, change: &StoreChange) {
        let mut picture = self.picture.borrow_mut();
        match &change.object {
            ObjectChange::Node(node) => {
                picture.nodes.retain(|known| known.name() != node.latest().name());
                picture.nodes.extend(node.after.clone());
            }
            ObjectChange::Pod(pod) => {
                if let (Some(before), Some(after)) = (&pod.before, &pod.after) {
                    self.look(&picture, before, after);
                }
                picture.pods.retain(|known| known.metadata.uid != pod.latest().metadata.uid);
                picture.pods.extend(pod.after.clone());
            }
            _ => {}
        }
    }
}

impl Judge {
    fn look(&self, picture: &Picture, before: &Pod, after: &Pod) {
        if let (None, Some(name)) = (&before.node_name, &after.node_name) {
            let node = picture.nodes.iter().find(|node| node.name() == name).expect("it exists");
            let why = picture.objections(before, node);
            assert!(why.is_empty(), "{} on {name}: {why:?}", after.name());
            self.bound.set(self.bound.get() + 1);
        } else if let Some(text) = after.status.unschedulable.as_ref().filter(|_| before.status != after.status) {
            let expected = picture.sentence(before);
            assert!(text.starts_with(&expected), "{}: {text}, not {expected}", after.name());
        }
    }
}

#[derive(Clone, Debug)]
enum Act {
    Pod { app: usize, cpu: i64, select: Option<usize>, tolerant: bool, term: u8, priority: i32 },
    Node { zone: usize, cores: u64, tainted: bool },
    Delete(usize),
    Untaint(usize),
    Taint(usize),
}

const ZONES: [&str; 3] = ["x", "y", "z"];
const APPS: [&str; 3] = ["web", "db", "log"];

fn acts() -> impl Strategy<Value = Vec<(u64, Act)>> {
    let pod = (0usize..3, 1i64..5, prop::option::weighted(0.2, 0usize..3), any::<bool>(), 0u8..8, 0i32..2).prop_map(
        |(app, cpu, select, tolerant, term, priority)| Act::Pod { app, cpu, select, tolerant, term, priority },
    );
    let node = (0usize..3, 2u64..6, prop::bool::weighted(0.3)).prop_map(|(zone, cores, tainted)| Act::Node {
        zone,
        cores,
        tainted,
    });
    let act = prop_oneof![
        8 => pod,
        3 => node,
        2 => (0usize..30).prop_map(Act::Delete),
        1 => (0usize..8).prop_map(Act::Untaint),
        1 => (0usize..8).prop_map(Act::Taint),
    ];
    prop::collection::vec((0u64..20_000, act), 1..60)
}

fn make_pod(number: usize, act: &Act, with_priorities: bool) -> Pod {
    let Act::Pod { app, cpu, select, tolerant, term: kind, priority } = act else { unreachable!("it is a pod") };
    let app = APPS[*app];
    pod_with(&format!("{app}-{number}"), &format!("cpu={}", cpu * 500), |spec| {
        spec.containers[0].requests = resources(&format!("cpu={}m", cpu * 500));
        if let Some(zone) = select {
            spec.node_selector.insert(labels::ZONE, ZONES[*zone]);
        }
        if *tolerant {
            spec.tolerations.push(Toleration::of_key("team"));
        }
        spec.priority = if with_priorities { *priority } else { 0 };
        let of = |key: &str, app: &str| Some(PodAffinity { required: vec![term(key, app)], preferred: Vec::new() });
        match kind {
            0 => spec.topology_spread_constraints.push(spread(labels::ZONE, app)),
            1 => spec.topology_spread_constraints.push(spread(labels::HOSTNAME, app)),
            2 => spec.pod_anti_affinity = of(labels::HOSTNAME, app),
            3 => spec.pod_anti_affinity = of(labels::ZONE, "log"),
            4 => spec.pod_affinity = of(labels::ZONE, app),
            _ => {}
        }
    })
}

fn play(acts: &[(u64, Act)], with_priorities: bool) -> (World, Rc<Judge>) {
    // What was decided is written before the next pod is looked at, so that the judge sees what the scheduler sees.
    let settings = Settings { attempt: Duration::from_micros(1), ..quick() };
    let mut world = World::with(Kernel::with(Schedule::fifo()), settings, Facts::default(), Quantiles::zero());
    let judge = Rc::new(Judge {
        picture: RefCell::new(Picture { nodes: Vec::new(), pods: Vec::new() }),
        bound: std::cell::Cell::default(),
    });
    if !with_priorities {
        world.store.observe(judge.clone());
    }
    let mut now = 0;
    for (number, (pause, act)) in acts.iter().enumerate() {
        now += pause;
        world.run_until_millis(now);
        match act {
            Act::Pod { .. } => world.create_pod(make_pod(number, act, with_priorities)),
            Act::Node { zone, cores, tainted } => {
                let taint = Taint::new("team", TaintEffect::NoSchedule);
                let taints = tainted.then_some(taint).into_iter().collect();
                world.node_with(&format!("n{number}"), (*cores, 64), &[(labels::ZONE, ZONES[*zone])], taints);
            }
            Act::Delete(place) => {
                if let Some(pod) = world.pods().get(*place) {
                    world.delete_pod(pod.name());
                }
            }
            Act::Untaint(place) => {
                if let Some(node) = world.store.list::<Node>().get(*place) {
                    world.untaint(node.name(), "team");
                }
            }
            Act::Taint(place) => {
                if let Some(node) = world.store.list::<Node>().get(*place) {
                    world.taint(node.name(), Taint::new("team", TaintEffect::NoSchedule));
                }
            }
        }
    }
    world.run_until(now / 1_000 + 400);
    (world, judge)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Whatever comes and goes: pods are bound only where they may be, sentences count what a recount counts, and in the
    /// end no pod waits that has a node to go to.
    #[test]
    fn pods_are_bound_where_they_may_be_and_wait_where_they_may_not(acts in acts()) {
        let (world, judge) = play(&acts, false);
        let picture = Picture { nodes: world.store.list(), pods: world.pods() };
        for pod in picture.pods.iter().filter(|pod| pod.node_name.is_none() && pod.is_active()) {
            let free = picture.nodes.iter().find(|node| picture.objections(pod, node).is_empty());
            prop_assert!(free.is_none(), "{} waits, and {} takes it", pod.name(), free.expect("some").name());
            prop_assert!(pod.status.unschedulable.is_some());
        }
        prop_assert_eq!(picture.pods.iter().filter(|pod| pod.node_name.is_some()).count() <= judge.bound.get(), true);
    }

    /// With preemption no pod of higher priority waits for the room of pods of lower priority, and nothing is overdrawn.
    #[test]
    fn room_goes_to_the_higher_priority(acts in acts()) {
        let plain: Vec<(u64, Act)> = acts.into_iter().map(|(pause, act)| match act {
            Act::Pod { app, cpu, priority, .. } => {
                (pause, Act::Pod { app, cpu, select: None, tolerant: true, term: 7, priority })
            }
            other => (pause, other),
        }).collect();
        let (world, _) = play(&plain, true);
        let nodes = world.store.list::<Node>();
        for node in &nodes {
            let on: Vec<Rc<Pod>> =
                world.pods().into_iter().filter(|pod| pod.node_name.as_ref() == Some(node.name())).collect();
            let taken: i64 = on.iter().map(|pod| pod.requests().amount("cpu").milli()).sum();
            prop_assert!(taken <= node.status.allocatable.cpu_milli as i64);
            let high: i64 =
                on.iter().filter(|pod| pod.spec.priority > 0).map(|pod| pod.requests().amount("cpu").milli()).sum();
            for waits in world.pods().iter().filter(|pod| pod.node_name.is_none() && pod.spec.priority > 0) {
                let asks = waits.requests().amount("cpu").milli();
                prop_assert!(high + asks > node.status.allocatable.cpu_milli as i64, "{} could evict", waits.name());
            }
        }
    }

    /// Whatever is scaled and deleted, however the watches lag: in the end there are as many pods as there should be.
    #[test]
    fn replicas_converge(
        scales in prop::collection::vec((0u64..40, 0usize..4, 0u32..12), 0..20),
        most in 0u64..3_000,
        seed in any::<u64>(),
    ) {
        let lag = Quantiles::through(&[(500_000, Duration::from_millis(10)), (1_000_000, Duration::from_millis(most.max(10)))]);
        let settings = Settings { watch: lag.expect("they rise"), ..Settings::default() };
        let latency = Quantiles::through(&[(1_000_000, Duration::from_millis(60))]).expect("one point");
        let kernel = Kernel::with(Schedule::random(Seed(seed)));
        let mut world = World::with(kernel, settings, Facts::default(), latency);
        (0..4).for_each(|number| world.node(&format!("n{number}"), 32, 64));
        let kinds = [WorkloadKind::Deployment, WorkloadKind::ReplicaSet, WorkloadKind::StatefulSet, WorkloadKind::Job];
        for kind in kinds {
            world.create(workload(kind, &format!("{kind:?}").to_lowercase(), 3, "cpu=500m"));
        }
        let (mut now, mut wanted) = (0, [3; 4]);
        for (pause, which, replicas) in scales {
            now += pause;
            world.run_until(now);
            if replicas == 11 {
                if let Some(pod) = world.pods().get(which) {
                    // It may be ending already.
                    drop(world.store.delete::<Pod>(world.write(), pod.name()));
                }
                continue;
            }
            wanted[which] = replicas;
            let kind = kinds[which];
            world.scale(&format!("{}/{}", kind.name(), format!("{kind:?}").to_lowercase()), replicas);
        }
        world.run_until(now + 1_200);
        for (kind, wanted) in kinds.into_iter().zip(wanted) {
            let app = format!("{kind:?}").to_lowercase();
            let of_app = world.pods().into_iter().filter(|pod| pod.metadata.labels.has("app", &app));
            let running = of_app.filter(|pod| pod.status.phase == PodPhase::Running && pod.is_active()).count();
            prop_assert_eq!(running, wanted as usize, "{}", app);
        }
        prop_assert!(world.pods().iter().all(|pod| pod.is_active()));
    }

    /// Whatever is asked for, evictions leave as many ready pods as the budget says.
    #[test]
    fn evictions_leave_what_the_budget_says(
        replicas in 1u32..12, bound in 0u32..120, is_percent in any::<bool>(), is_least in any::<bool>(),
        asked in prop::collection::vec(0usize..12, 0..30),
    ) {
        use lkesim_kube::object::pod_disruption_budget::{Bound, Share};
        let mut world = World::new();
        world.node("a", 64, 64);
        world.create(workload(WorkloadKind::Deployment, "web", replicas, "cpu=1"));
        let share = if is_percent { Share::Percent(bound) } else { Share::Pods(bound % 12) };
        let (bound, least) = match is_least {
            true => (Bound::MinAvailable(share), share.of(replicas)),
            false => (Bound::MaxUnavailable(share), replicas.saturating_sub(share.of(replicas))),
        };
        world.store.create(world.write(), PodDisruptionBudget::new("default", "b", of_app("web"), bound)).expect("new");
        world.run_until(5);
        let pods = world.pods();
        for place in asked.into_iter().filter(|place| *place < pods.len()) {
            let ready = |world: &World| world.pods().iter().filter(|pod| pod.status.is_ready && pod.is_active()).count();
            let before = ready(&world);
            if world.store.evict(world.write(), &pods[place]).is_ok() && ready(&world) < before {
                prop_assert!(ready(&world) >= least as usize);
            } else {
                prop_assert_eq!(ready(&world), before);
            }
        }
    }
}
