//! Scenarios by chance, all of them right.

mod pods;

use super::NAMES;
use crate::Scenario;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A right scenario.
pub fn scenario() -> impl Strategy<Value = Scenario> {
    document().prop_map(|document| serde_json::from_value(document).expect("the strategy writes right scenarios"))
}

/// The same as a document, which leaves fields out by chance.
pub fn document() -> impl Strategy<Value = Value> {
    let parts = (option(cloud()), option(kubernetes()), option(karpenter()), option(provider()));
    let head =
        ("[\\PC\n\t]{0,30}", option(name_of(&NAMES.designs[..2])), option(name_of(&["document", "default", "zero"])));
    let lists =
        (workload(), faults(), by_hand(), expect(), option(start()), clients(), option(clusters()), pods::pods());
    (head, parts, lists).prop_map(|((about, design, preset), (cloud, kubernetes, karpenter, provider), lists)| {
        let (workload, faults, by_hand, expect, start, clients, clusters, pods) = lists;
        let workload = Value::Array(workload.as_array().into_iter().flatten().cloned().chain(pods.steps).collect());
        object([
            ("about", Some(json!(format!("x {}", about.replace(['\u{2028}', '\u{2029}'], " "))))),
            ("design", design),
            ("preset", preset),
            ("duration", Some(json!("20m"))),
            ("cloud", cloud),
            ("kubernetes", kubernetes),
            ("karpenter", karpenter),
            ("provider", provider),
            ("clusters", clusters),
            ("start", start),
            ("manifests", pods.manifests),
            ("catalogue", pods.catalogue),
            ("workload", Some(workload)),
            ("faults", Some(faults)),
            ("by_hand", Some(by_hand)),
            ("clients", Some(clients)),
            ("expect", Some(expect)),
        ])
    })
}

/// Pointers to all values of a document but the whole.
pub fn places(document: &Value) -> Vec<String> {
    fn walk(value: &Value, at: &str, found: &mut Vec<String>) {
        if !at.is_empty() {
            found.push(at.to_owned());
        }
        match value {
            Value::Object(fields) => fields.iter().for_each(|(key, value)| {
                walk(value, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found)
            }),
            Value::Array(entries) => {
                entries.iter().enumerate().for_each(|(index, value)| walk(value, &format!("{at}/{index}"), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(document, "", &mut found);
    found
}

fn option(strategy: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Option<Value>> {
    prop::option::of(strategy).boxed()
}

fn object<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let present = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(present.collect::<Map<_, _>>())
}

/// The fields of all of them.
fn merged<const N: usize>(objects: [Value; N]) -> Value {
    let fields = objects.into_iter().filter_map(|object| match object {
        Value::Object(fields) => Some(fields),
        _ => None,
    });
    Value::Object(fields.flatten().collect())
}

fn name_of(names: &'static [&'static str]) -> BoxedStrategy<Value> {
    prop::sample::select(names).prop_map(Value::from).boxed()
}

fn span() -> BoxedStrategy<Value> {
    (1..600_000_u64).prop_map(|millis| json!(format!("{millis}ms"))).boxed()
}

fn delay() -> BoxedStrategy<Value> {
    let quantiles = prop::collection::vec(0..100_000_u64, 3).prop_map(|mut millis| {
        millis.sort_unstable();
        let names = ["p0", "p50", "p99.9"];
        let points =
            names.into_iter().zip(millis).map(|(name, millis)| (name.to_owned(), json!(format!("{millis}ms"))));
        Value::Object(points.collect())
    });
    prop_oneof![span(), quantiles].boxed()
}

fn fields(names: &'static [&'static str], strategy: fn() -> BoxedStrategy<Value>) -> BoxedStrategy<Value> {
    prop::collection::vec(prop::option::of(strategy()), names.len())
        .prop_map(|values| {
            let present = names.iter().zip(values).filter_map(|(name, value)| Some(((*name).to_owned(), value?)));
            Value::Object(present.collect())
        })
        .boxed()
}

fn cloud() -> impl Strategy<Value = Value> {
    let choices = (
        option(name_of(&["standard", "enterprise"])),
        option(name_of(NAMES.regions)),
        option(name_of(&["id", "newest", "shuffled"])),
        option(name_of(&["contains", "equal"])),
        option(name_of(&["random", "newest", "oldest"])),
    );
    let delays = (
        option(fields(&["members", "instance_seen", "instance_get", "boot", "deletion"], delay)),
        option(fields(&["get", "list", "create_pool"], delay)),
    );
    let rate = || (1..5_000_u32, 1..120_u64).prop_map(|(calls, secs)| json!(format!("{calls}/{secs}s"))).boxed();
    let limits = prop_oneof![Just(json!("none")), fields(&["list", "other", "create_instance"], rate)];
    (choices, delays, option(limits), supply()).prop_map(
        |((tier, region, list_order, tag_match, victim), (lags, latency), limits, supply)| {
            let mut cloud = object([
                ("tier", tier),
                ("region", region),
                ("list_order", list_order),
                ("tag_match", tag_match),
                ("shrink_victim", victim),
                ("lags", lags),
                ("latency", latency),
                ("limits", limits),
            ]);
            if let (Some(cloud), Value::Object(supply)) = (cloud.as_object_mut(), supply) {
                cloud.extend(supply);
            }
            cloud
        },
    )
}

fn kubernetes() -> impl Strategy<Value = Value> {
    let old = fields(&["call", "watch", "join", "ready", "silence", "cloud_controller"], delay);
    let of_pods = fields(&["binding", "pod_start", "provider_id", "devices", "startup_taints"], delay);
    let choices = (option(name_of(&["none", "no_execute", "no_schedule"])), option(name_of(&["karpenter", "kubelet"])));
    (old, of_pods, choices).prop_map(|(old, of_pods, (join_taint, join_labels))| {
        merged([old, of_pods, object([("join_taint", join_taint), ("join_labels", join_labels)])])
    })
}

fn karpenter() -> impl Strategy<Value = Value> {
    let cpus = || (1..100_u32).prop_map(Value::from).boxed();
    let spans = fields(&["launch_timeout", "batch_idle_duration", "batch_max_duration"], span);
    let switches = fields(&["batching", "nomination"], || name_of(&["on", "off"]));
    let disruption = fields(&["disruption"], || name_of(&["off", "emptiness"]));
    let cost = option(fields(&["per_pass", "per_pod"], span));
    (fields(&["controller_cpus", "node_cpus"], cpus), spans, switches, disruption, cost).prop_map(
        |(cpus, spans, switches, disruption, cost)| {
            merged([cpus, spans, switches, disruption, object([("compute_cost", cost)])])
        },
    )
}

fn provider() -> impl Strategy<Value = Value> {
    fields(&["create_deadline", "retry_delay", "verify_timeout", "orphan_ttl", "gc_every"], span)
}

fn workload() -> impl Strategy<Value = Value> {
    let types = prop_oneof![
        name_of(NAMES.types).prop_map(|plan| ("type", plan)),
        prop::sample::subsequence(NAMES.types, 1..3).prop_map(|types| ("types", json!(types))),
    ];
    let labels = prop::collection::btree_map("[a-z]{1,5}(/[a-z]{1,5})?", "[a-z0-9]{0,5}", 0..3);
    let effect = name_of(&["NoSchedule", "PreferNoSchedule", "NoExecute"]);
    let taint = ("[a-z]{1,5}", "[a-z]{1,5}", effect);
    let taint = taint.prop_map(|(key, value, effect)| json!([{ "key": key, "value": value, "effect": effect }]));
    let worn = (option(labels.prop_map(|labels| json!(labels)).boxed()), option(taint.boxed()));
    let create = (1..20_u32, 0..600_u64, "[a-z]{1,5}", types, worn);
    let create = create.prop_map(|(claims, at, name, (key, types), (labels, taints))| {
        let create = object([
            ("claims", Some(json!(claims))),
            ("at", Some(json!(format!("{at}s")))),
            ("name", Some(json!(name))),
            (key, Some(types)),
            ("labels", labels),
            ("taints", taints),
        ]);
        json!({ "create": create })
    });
    let delete = Just(json!({ "delete": { "claims": 1, "at": "15m" } }));
    (prop::collection::vec(create, 1..4), prop::option::of(delete)).prop_map(|(mut steps, delete)| {
        steps.extend(delete);
        Value::Array(steps)
    })
}

fn start() -> impl Strategy<Value = Value> {
    let tags = prop::collection::btree_set("[a-z]{1,9}=[a-z]{1,9}", 0..3).prop_map(|tags| json!(tags));
    let of_pool = (name_of(NAMES.types), 0..9_u32, 0..9_u32, option(tags.boxed()), option(span()));
    let lke_pool = of_pool.prop_map(|(plan, claims, orphans, tags, age)| {
        object([
            ("type", Some(plan)),
            ("claims", Some(json!(claims))),
            ("orphans", Some(json!(orphans))),
            ("tags", tags),
            ("outside_lke", (orphans == 3).then(|| json!(true))),
            ("age", age),
        ])
    });
    let state = option(name_of(&["launched", "registered", "initialized"]));
    let held = (any::<bool>(), option(Just(json!("none"))), state).prop_map(|(dying, tag, state)| {
        let linode = object([("name", Some(json!("a"))), ("dying", Some(json!(dying))), ("claim_tag", tag)]);
        let claim = object([("name", Some(json!("held"))), ("linode", Some(json!("a"))), ("state", state)]);
        (json!({ "linodes": [{ "count": 2 }, linode] }), claim)
    });
    (prop::collection::vec(lke_pool, 0..3), prop::option::of(held)).prop_map(|(mut lke_pools, held)| {
        let (lke_pool, claim) = held.unzip();
        lke_pools.extend(lke_pool);
        json!({ "lke_pools": lke_pools, "claims": claim.into_iter().collect::<Vec<_>>() })
    })
}

fn clusters() -> impl Strategy<Value = Value> {
    let cluster = (option(name_of(&NAMES.designs[..2])), option((1..10_000_u32).prop_map(Value::from)));
    prop::collection::vec(cluster, 1..4).prop_map(|clusters| {
        let one = |(place, (design, id)): (usize, (Option<Value>, Option<Value>))| {
            // Each has a range of ids of its own.
            let id = id.map(|id| json!(id.as_u64().unwrap_or_default() + 20_000 * place as u64));
            object([("name", Some(json!(format!("c{place}")))), ("design", design), ("id", id)])
        };
        Value::Array(clusters.into_iter().enumerate().map(one).collect())
    })
}

fn faults() -> impl Strategy<Value = Value> {
    let when = (
        prop_oneof![
            name_of(crate::fault::CALL_NAMES),
            prop::sample::subsequence(&crate::fault::CALL_NAMES[1..], 1..4).prop_map(|calls| json!(calls)),
        ],
        option((0..1_000_000_u32).prop_map(|ppm| json!(crate::Percent::from_ppm(ppm).to_string()))),
        option((1..9_u32, 0..9_u32).prop_map(|(low, more)| json!(format!("{low}..{}", low + more)))),
        0..600_u64,
    );
    let fault = (name_of(crate::Fault::KINDS), when, delay(), 400..600_u16);
    let fault = fault.prop_map(|(kind, (call, chance, nth, from), by, status)| {
        let kind = kind.as_str().unwrap_or_default().to_owned();
        let from = json!(format!("{from}s"));
        let mut body = object([("call", Some(call)), ("chance", chance), ("nth", nth), ("from", Some(from))]);
        match kind.as_str() {
            "refuse" => body["status"] = json!(status),
            "delay" => body["by"] = by,
            "stale" | "partial" | "double" => {
                body["call"] = json!("any");
                if kind == "stale" {
                    body["age"] = json!("30s");
                }
            }
            _ => {}
        }
        Value::Object(Map::from_iter([(kind, body)]))
    });
    prop::collection::vec(fault, 0..3).prop_map(Value::Array)
}

fn by_hand() -> impl Strategy<Value = Value> {
    let act = prop_oneof![
        Just(json!({ "delete_linode": { "which": "oldest" } })),
        Just(json!({ "retag_linode": { "remove": ["a"], "add": ["b=c"] } })),
        (-9..9_i32).prop_map(|by| json!({ "resize_pool": { "by": by } })),
        (0..9_u32).prop_map(|to| json!({ "resize_pool": { "to": to } })),
        Just(json!({ "recycle_pool": {} })),
    ];
    let act = (act, 0..600_u64).prop_map(|(mut act, at)| {
        let fields = act.as_object_mut().and_then(|act| act.values_mut().next());
        fields.expect("an act is a map of one")["at"] = json!(format!("{at}s"));
        act
    });
    prop::collection::vec(act, 0..3).prop_map(Value::Array)
}

fn clients() -> impl Strategy<Value = Value> {
    let calls = prop_oneof![Just(json!("any")), name_of(&["ListInstances", "GetType"]), Just(json!(["ListTypes"]))];
    let client = (option(Just(json!("own"))), option(calls.boxed()), 1..900_u32, 0..600_u64, any::<bool>());
    let client = client.prop_map(|(token, calls, rate, from, stops)| {
        object([
            ("name", Some(json!("other"))),
            ("token", token),
            ("calls", calls),
            ("rate", Some(json!(format!("{rate}/1m")))),
            ("from", Some(json!(format!("{from}s")))),
            ("until", stops.then(|| json!("30m"))),
        ])
    });
    prop::collection::vec(client, 0..2).prop_map(Value::Array)
}

fn supply() -> impl Strategy<Value = Value> {
    let most = || option(prop_oneof![Just(json!("none")), (0..999_u32).prop_map(Value::from)]);
    let capacity = option((name_of(NAMES.types), 0..99_u32).prop_map(|(plan, most)| {
        Value::Object(Map::from_iter([(plan.as_str().unwrap_or_default().to_owned(), json!(most))]))
    }));
    let sold_out =
        option((name_of(NAMES.types), 0..99_u64).prop_map(
            |(plan, from)| json!([{ "type": plan, "from": format!("{from}s"), "until": "2h", "status": 400 }]),
        ));
    (most(), most(), most(), capacity, sold_out).prop_map(|(pool, cluster, account, capacity, sold_out)| {
        object([
            ("nodes_per_pool", pool),
            ("nodes_per_cluster", cluster),
            ("account_limit", account),
            ("capacity", capacity),
            ("sold_out", sold_out),
        ])
    })
}

fn expect() -> impl Strategy<Value = Value> {
    let violation = (1..4_u32, 0..60_u32).prop_map(|(count, first)| {
        json!({ "one-instance-per-claim": { "count": format!("1..{count}"), "first": format!("{first}s..90s") } })
    });
    let violation = prop_oneof![Just(json!("one-pool-per-key")), violation];
    let figure = prop_oneof![
        any::<u32>().prop_map(Value::from),
        (0..9_u32, 0..999_999_u32).prop_map(|(whole, part)| json!(format!("{whole}.{part:06}"))),
        (0..99_u32, 0..99_u32).prop_map(|(low, more)| json!(format!("{low}..{}", low + more))),
        any::<u32>().prop_map(|bound| json!(format!(">= {bound}"))),
    ];
    (prop::option::of(violation), prop::option::of(figure)).prop_map(|(violation, figure)| {
        object([
            ("near_miss", violation.is_none().then(|| json!(["one-pool-per-key"]))),
            ("violates", violation.map(|violation| json!({ "documented": [violation] }))),
            ("figures", figure.clone().map(figures)),
            ("sometimes", figure.map(|figure| json!({ "shipped": { "throttled": figure } }))),
        ])
    })
}

fn figures(calls: Value) -> Value {
    json!({ "all": { "api.calls": calls, "time_to.launch.p99_ms": "<= 60s" } })
}
