//! What a call costs: `cargo bench -p fake-linode`. Prints nanoseconds a call, the best of several rounds. A word after
//! `--` picks the measurements with it in their names.

use fake_linode::settings::{ClusterSettings, Settings};
use fake_linode::{Cloud, Limits, PlacedLkePool, PlacedNode, TokenId};
use lkesim_linode_api::{
    Call, Cause, ClusterId, Filter, InstanceId, LkePoolId, Operation, PageRequest, Purpose, Request, Tags, Tier,
};
use lkesim_runtime::{Seed, Time};
use std::hint::black_box;

const CLUSTER: ClusterId = ClusterId(1);
const ROUNDS: u32 = 7;
const CALLS: u32 = 200_000;

fn main() {
    let filter = Filter::all([
        Filter::tag_contains("nodepool=101"),
        Filter::tag_contains("lke1"),
        Filter::tag_contains("karpenter.k8s.linode/lke-managed=true"),
    ]);
    let page = PageRequest::FIRST;
    let list = |filter: &Filter| Request::ListInstances { filter: Some(filter.clone()), page };
    repeated("list of 100 Linodes, by filter", list(&filter));
    repeated("list of one Linode, by filter", list(&Filter::tag_contains("claim=17")));
    repeated("list of all Linodes", Request::ListInstances { filter: None, page });
    repeated("list of pools", Request::ListPools { cluster: CLUSTER, filter: None, page });
    let instance = InstanceId(1_017);
    repeated("get of a Linode", Request::GetInstance { instance });
    repeated("get of a pool of 100", Request::GetPool { cluster: CLUSTER, lke_pool: LkePoolId(101) });
    after_a_change("tag a Linode", None);
    after_a_change("tag a Linode, list 100", Some(list(&filter)));
    new_filters("list by a filter not asked before");
    starts("a new cloud with its base pool");
}

fn call(request: Request) -> Call {
    let purpose = Purpose {
        caller: "bench",
        operation: Operation::List,
        invocation: 0,
        attempt: 0,
        subject: "bench".into(),
        cause: Cause::Foreign,
        joined: Default::default(),
    };
    Call { purpose, attempt: 0, request }
}

fn tags(n: u32, round: u32) -> Tags {
    let own = [
        "kubernetes.io/cluster/bench=owned".to_owned(),
        "karpenter.sh/nodepool=default".to_owned(),
        "lke-cluster-name=bench".to_owned(),
        "karpenter.k8s.linode/lke-managed=true".to_owned(),
        "nodepool=101".to_owned(),
        "lke1".to_owned(),
        format!("karpenter.sh/nodeclaim=default-{round}-claim={n}"),
    ];
    own.iter().map(String::as_str).collect()
}

/// A cluster with a pool of a hundred Linodes and no limits to speak of.
fn cloud() -> Cloud {
    let mut settings = Settings::quiet(Tier::Enterprise);
    let mut limits = Limits::documented();
    for limit in [&mut limits.list, &mut limits.other] {
        limit.count = u32::MAX;
    }
    settings.limits = limits;
    settings.clusters = vec![ClusterSettings { base_lke_pool: None, ..ClusterSettings::new(CLUSTER, "bench") }];
    let mut cloud = Cloud::new(settings, Seed(1));
    let node = |n| PlacedNode { tags: tags(n, 0), ..PlacedNode::default() };
    cloud.place_lke_pool(&PlacedLkePool {
        cluster: CLUSTER,
        plan: "g6-standard-4".into(),
        tags: Tags::default(),
        nodes: (0..100).map(node).collect(),
    });
    cloud
}

fn repeated(name: &str, request: Request) {
    let (mut cloud, call) = (cloud(), call(request));
    measure(name, CALLS, |n, _| {
        let now = Time::from_millis(u64::from(n));
        black_box(cloud.handle(now, TokenId(0), 1, black_box(&call)).is_ok());
    });
}

fn after_a_change(name: &str, request: Option<Request>) {
    let (mut cloud, list) = (cloud(), request.map(call));
    let mut changes = Vec::new();
    let put = |n| call(Request::UpdateInstance { instance: InstanceId(1_001 + u64::from(n % 100)), tags: tags(n, 1) });
    let puts: Vec<Call> = (0..500).map(put).collect();
    measure(name, CALLS / 10, |n, _| {
        black_box(cloud.handle(Time::ZERO, TokenId(0), 1, &puts[n as usize % 500]).is_ok());
        if let Some(list) = &list {
            black_box(cloud.handle(Time::ZERO, TokenId(0), 1, list).is_ok());
        }
        changes.clear();
        cloud.take_changes(&mut changes);
    });
}

fn new_filters(name: &str) {
    let mut cloud = cloud();
    measure(name, CALLS / 100, |n, round| {
        let filter = Filter::tag_contains(&format!("karpenter.sh/nodeclaim=default-{round}-{n}"));
        let list = call(Request::ListInstances { filter: Some(filter), page: PageRequest::FIRST });
        black_box(cloud.handle(Time::ZERO, TokenId(0), 1, &list).is_ok());
    });
}

fn starts(name: &str) {
    let settings = Settings::usual(Tier::Enterprise);
    measure(name, CALLS / 100, |n, _| {
        black_box(Cloud::new(settings.clone(), Seed(n.into())));
    });
}

#[allow(clippy::disallowed_methods, reason = "a benchmark measures the real clock")]
fn measure(name: &str, calls: u32, mut run: impl FnMut(u32, u32)) {
    let asked = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    if asked.is_some_and(|word| !name.contains(&word)) {
        return;
    }
    let best = (0..ROUNDS).map(|round| {
        let start = std::time::Instant::now();
        (0..calls).for_each(|n| run(n, round));
        start.elapsed().as_nanos() / u128::from(calls)
    });
    println!("{:>7} ns  {name}", best.min().unwrap_or_default());
}
